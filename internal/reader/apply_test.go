package reader

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

//
func TestApply(t *testing.T) {
	t.Parallel()
	s := State{ReadState: ReadState{Upto: 10}.MarkRead(15, 16), Version: 7, ReadAt: 1}
	tests := []struct {
		name   string
		change Change
		unread []Seq // of (0, 20]
		stars  []Seq
		same   bool
	}{
		{"nothing", Change{}, []Seq{11, 12, 13, 14, 17, 18, 19, 20}, nil, true},
		{"read what is read", Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{3, 15}}}},
			[]Seq{11, 12, 13, 14, 17, 18, 19, 20}, nil, true},
		{"read", Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{12, 13}}}}, []Seq{11, 14, 17, 18, 19, 20}, nil, false},
		{"unread below", Change{Ops: []Op{{Kind: OpUnread, Seqs: []Seq{5}}}},
			[]Seq{5, 11, 12, 13, 14, 17, 18, 19, 20}, nil, false},
		{"up to", Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 18}}}, []Seq{19, 20}, nil, false},
		{"up to beyond last", Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 99}}, Last: 20}, nil, nil, false},
		{"gone items stay gone", Change{Ops: []Op{{Kind: OpUnread, Seqs: []Seq{5}}}, Floor: 8},
			[]Seq{11, 12, 13, 14, 17, 18, 19, 20}, nil, true},
		{"items not there yet", Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{30}}}, Last: 20},
			[]Seq{11, 12, 13, 14, 17, 18, 19, 20}, nil, true},
		{"a floor alone writes nothing", Change{Floor: 13}, []Seq{11, 12, 13, 14, 17, 18, 19, 20}, nil, true},
		{"a floor rides along", Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{18}}}, Floor: 13},
			[]Seq{14, 17, 19, 20}, nil, false},
		{"the last word counts",
			Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{12}}, {Kind: OpUnread, Seqs: []Seq{12, 16}}}},
			[]Seq{11, 12, 13, 14, 16, 17, 18, 19, 20}, nil, false},
		{"star", Change{Ops: []Op{{Kind: OpStar, Seqs: []Seq{2, 19}}}}, []Seq{11, 12, 13, 14, 17, 18, 19, 20},
			[]Seq{2, 19}, false},
		{"unstar what is not starred", Change{Ops: []Op{{Kind: OpUnstar, Seqs: []Seq{2}}}},
			[]Seq{11, 12, 13, 14, 17, 18, 19, 20}, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, changed := Apply(s, tt.change)
			if changed == tt.same {
				t.Fatalf("changed = %v", changed)
			}
			if want := s.Version; changed {
				want++
				if got.Version != want {
					t.Errorf("version %d, want %d", got.Version, want)
				}
			}
			if u := got.UnreadSeqs(0, 20, false); !slices.Equal(u, tt.unread) {
				t.Errorf("unread %v, want %v", u, tt.unread)
			}
			if st := slices.Collect(got.Stars.All()); !slices.Equal(st, tt.stars) {
				t.Errorf("stars %v, want %v", st, tt.stars)
			}
			if again, twice := Apply(got, tt.change); twice {
				t.Errorf("repeating it changed %+v to %+v", got, again)
			}
		})
	}
}

func TestApplyRemembers(t *testing.T) {
	t.Parallel()
	s := State{ReadState: ReadState{Upto: 10}, Version: 3, ReadAt: 55}
	all, _ := Apply(s, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 30}}, At: 99})
	if all.ReadAt != 99 || all.Prev.Version != 4 || all.Prev.ReadAt != 55 || all.Prev.Upto != 10 {
		t.Fatalf("mark of the whole feed: %+v", all)
	}
	one, _ := Apply(all, Change{Ops: []Op{{Kind: OpUnread, Seqs: []Seq{5}}}, At: 100})
	if one.Prev.Version != 4 || one.ReadAt != 99 {
		t.Errorf("a single mark forgot the undo or counts as reading the feed: %+v", one)
	}
	some, _ := Apply(s, Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{12}}}, Remember: true})
	if some.Prev.Version != 4 || some.ReadAt != 55 {
		t.Errorf("asked to remember: %+v", some)
	}
}

func TestUndoRestoresByteForByte(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		n := make(naive, 120)
		r := ReadState{}
		for range rng.IntN(40) {
			r = step(rng, r, n)
		}
		s := State{ReadState: r, Version: 9, ReadAt: 4}
		marked, changed := Apply(s, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: Seq(1 + rng.IntN(119))}}, At: 5})
		if !changed {
			continue
		}
		back, ok := Undo(marked, marked.Version, 0)
		if !ok || back.Upto != r.Upto || !bytes.Equal(back.Runs, r.Runs) || back.ReadAt != 4 {
			t.Fatalf("undo gave %+v, want %+v", back, s)
		}
		if _, again := Undo(back, marked.Version, 0); again {
			t.Fatal("undone twice")
		}
	}
}

// After further changes undo turns back exactly the seqs that the op turned.
func TestUndoAfterOtherChanges(t *testing.T) {
	t.Parallel()
	const size = 14 // small, so that changes meet
	rng := rand.New(rand.NewPCG(21, 22))
	for range 2000 {
		n := make(naive, size+1)
		r := ReadState{}
		for range rng.IntN(30) {
			r = step(rng, r, n)
		}
		before := slices.Clone(n)
		ops := randomOps(rng, size, n)
		s := State{ReadState: r, Version: 1}
		marked, changed := Apply(s, Change{Ops: ops, Remember: true})
		after := slices.Clone(n)
		if !changed {
			continue
		}
		later := marked
		for range 1 + rng.IntN(3) {
			later, _ = Apply(later, Change{Ops: singles(rng, size, n)})
		}
		want := slices.Clone(n)
		for q := 1; q <= size; q++ {
			if before[q] != after[q] {
				want[q] = before[q]
			}
		}
		back, ok := Undo(later, marked.Version, 0)
		if !ok {
			t.Fatal("not undone")
		}
		for q := Seq(1); q <= size; q++ {
			if back.IsRead(q) != want[q] {
				t.Fatalf("seq %d read = %v after undo of %+v", q, back.IsRead(q), ops)
			}
		}
		if back.Check(size) != nil {
			t.Fatalf("not canonical: %+v", back.ReadState)
		}
	}
}

func randomOps(rng *rand.Rand, size int, n naive) []Op {
	ops := singles(rng, size, n)
	if up := Seq(1 + rng.IntN(size)); rng.IntN(2) == 0 {
		ops = append(ops, Op{Kind: OpReadUpTo, UpTo: up})
		for q := Seq(1); q <= up; q++ {
			n[q] = true
		}
	}
	return append(ops, singles(rng, size, n)...)
}

func singles(rng *rand.Rand, size int, n naive) []Op {
	var ops []Op
	for range rng.IntN(4) {
		q := Seq(1 + rng.IntN(size))
		kind := OpRead
		if rng.IntN(2) == 0 {
			kind = OpUnread
		}
		n[q] = kind == OpRead
		ops = append(ops, Op{Kind: kind, Seqs: []Seq{q}})
	}
	return ops
}

func TestUndoRefuses(t *testing.T) {
	t.Parallel()
	s, _ := Apply(State{}, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 5}}})
	for _, version := range []int64{0, 2, -1} {
		if _, ok := Undo(s, version, 0); ok {
			t.Errorf("undid version %d", version)
		}
	}
	if _, ok := Undo(State{}, 0, 0); ok {
		t.Error("undid nothing")
	}
}

func TestUndoRespectsTheFloor(t *testing.T) {
	t.Parallel()
	s, _ := Apply(State{}, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 50}}})
	s, _ = Apply(s, Change{Ops: []Op{{Kind: OpUnread, Seqs: []Seq{45}}}, Floor: 30})
	back, _ := Undo(s, 1, 30)
	if got := back.Unread(30, 50); got != 20 {
		t.Errorf("unread after undo = %d, want 20", got)
	}
	if back.Upto != 30 {
		t.Errorf("upto %d, want the floor", back.Upto)
	}
	// With nothing in between, the bytes are those of before, whatever the floor is by now.
	s, _ = Apply(State{ReadState: ReadState{Upto: 10}}, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 50}}})
	if back, _ = Undo(s, 1, 30); back.Upto != 10 || back.Unread(30, 50) != 20 {
		t.Errorf("not byte for byte: %+v", back)
	}
}

func TestUndoIsSmall(t *testing.T) {
	t.Parallel()
	s, _ := Apply(State{ReadState: ReadState{Upto: 100}}, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 100_000}}})
	if n := len(s.Prev.Runs) + len(s.Prev.Read) + len(s.Prev.Unread); n > 8 {
		t.Errorf("remembering a mark of 100,000 items takes %d bytes", n)
	}
}

//
func TestDevices(t *testing.T) {
	t.Parallel()
	var d Devices
	admit := func(device, counter uint32, want bool) {
		t.Helper()
		next, ok := d.Admit(device, counter)
		if ok != want {
			t.Fatalf("device %d counter %d: %v", device, counter, ok)
		}
		d = next
		if len(d) > MaxDevices*8 {
			t.Fatalf("%d bytes", len(d))
		}
	}
	admit(0, 0, true)
	admit(0, 0, true)
	admit(1, 5, true)
	admit(1, 5, false)
	admit(1, 4, false)
	admit(2, 1, true)
	admit(1, 6, true)
	admit(2, 1, false)
	for device := uint32(3); device <= 6; device++ {
		admit(device, 1, true)
	}
	admit(6, 1, false)
	admit(2, 1, true) // forgotten: only four are kept
	before := bytes.Clone(d)
	d.Admit(9, 9)
	if !bytes.Equal(before, d) {
		t.Error("changed in place")
	}
}
