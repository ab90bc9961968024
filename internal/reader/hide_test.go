package reader

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHiddenItemsStayRead: whatever is done, what is hidden is read and so never counted; asking for a hidden
// item to be unread shows it. (issue 4, rules)
func TestHiddenItemsStayRead(t *testing.T) {
	t.Parallel()
	s := State{ReadState: ReadState{Upto: 2}}
	s, changed := Apply(s, Change{Ops: []Op{{Kind: OpHide, Seqs: []Seq{1, 4, 6, 99}}}, Last: 10})
	if got := slices.Collect(s.Hid.All()); !changed || !slices.Equal(got, []Seq{1, 4, 6}) {
		t.Fatalf("hidden are %v", got)
	}
	if got := s.UnreadSeqs(0, 10, false); !slices.Equal(got, []Seq{3, 5, 7, 8, 9, 10}) {
		t.Errorf("unread are %v", got)
	}
	if _, again := Apply(s, Change{Ops: []Op{{Kind: OpHide, Seqs: []Seq{4}}}, Last: 10}); again {
		t.Error("hiding twice is a change")
	}
	wanted, _ := Apply(s, Change{Ops: []Op{{Kind: OpUnread, Seqs: []Seq{4}}}, Last: 10})
	if wanted.Hid.Has(4) || wanted.IsRead(4) {
		t.Error("an item that was asked for stays hidden")
	}
	gone, _ := Apply(s, Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{8}}}, Floor: 5, Last: 10})
	if got := slices.Collect(gone.Hid.All()); !slices.Equal(got, []Seq{6}) {
		t.Errorf("above the floor %v are hidden", got)
	}
}

// TestUndoKeepsHiddenRead: rules may hide what an undo would turn unread.
func TestUndoKeepsHiddenRead(t *testing.T) {
	t.Parallel()
	marked, _ := Apply(State{}, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 9}}, Last: 9})
	hid, _ := Apply(marked, Change{Ops: []Op{{Kind: OpHide, Seqs: []Seq{3}}}, Last: 9})
	both, _ := Apply(State{}, Change{Ops: []Op{{Kind: OpHide, Seqs: []Seq{3}}, {Kind: OpReadUpTo, UpTo: 9}}, Last: 9})
	for _, s := range []State{hid, both} {
		back, ok := Undo(s, marked.Version, 0)
		if got := back.Unread(0, 9); !ok || got != 8 || !back.IsRead(3) || back.Check(9) != nil {
			t.Errorf("after undo %d are unread: %+v", got, back)
		}
	}
}

// TestHiddenNeverUnread drives random changes of all kinds.
func TestHiddenNeverUnread(t *testing.T) {
	t.Parallel()
	const last = 40
	rng := rand.New(rand.NewPCG(51, 52))
	var s State
	floor := Seq(0)
	for range 20_000 {
		op := Op{Kind: OpKind(1 + rng.IntN(int(OpReadRange))), From: Seq(rng.IntN(last)), UpTo: Seq(rng.IntN(last + 1)),
			Label: LabelID(1 + rng.IntN(3))}
		for range rng.IntN(4) {
			op.Seqs = append(op.Seqs, Seq(rng.IntN(last+5)))
		}
		if rng.IntN(500) == 0 {
			floor = min(floor+1, last/2)
		}
		next, changed := Apply(s, Change{Ops: []Op{op}, Floor: floor, Last: last, Remember: rng.IntN(3) == 0})
		if changed {
			s = next
		}
		if rng.IntN(20) == 0 {
			s, _ = Undo(s, s.Prev.Version, floor)
		}
		for seq := range s.Hid.All() {
			if !s.IsRead(seq) {
				t.Fatalf("after %+v item %d is hidden and unread", op, seq)
			}
		}
		if s.Check(last) != nil || s.Hid.Check(last) != nil || s.Labels.Check(last) != nil ||
			s.Stars.Check(last) != nil {
			t.Fatalf("after %+v not canonical: %+v", op, s)
		}
	}
}

// TestAFlushCountsOnce: what a device repeats after losing the answer does nothing, also when somebody else has
// changed the same since, and also when it changed nothing at first.
func TestAFlushCountsOnce(t *testing.T) {
	t.Parallel()
	read := []Op{{Kind: OpRead, Seqs: []Seq{5}}}
	unread := []Op{{Kind: OpUnread, Seqs: []Seq{5}}}
	s := State{ReadState: ReadState{Upto: 5}}
	s, noted := Apply(s, Change{Ops: read, Last: 9, Device: 1, Counter: 7})
	if !noted {
		t.Fatal("a flush that changes nothing is forgotten")
	}
	s, _ = Apply(s, Change{Ops: unread, Last: 9, Device: 2, Counter: 1})
	for _, counter := range []uint32{7, 3} {
		if again, changed := Apply(s, Change{Ops: read, Last: 9, Device: 1, Counter: counter}); changed ||
			again.IsRead(5) {
			t.Errorf("flush %d took effect after 7 had", counter)
		}
	}
	if next, _ := Apply(s, Change{Ops: read, Last: 9, Device: 1, Counter: 8}); !next.IsRead(5) {
		t.Error("the next flush was not applied")
	}
}
