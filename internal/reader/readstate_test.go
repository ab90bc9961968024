package reader

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// naive is the model: one bool per seq.
type naive []bool

func (n naive) unread(floor, last Seq) []Seq {
	var out []Seq
	for s := floor + 1; s <= last; s++ {
		if !n[s] {
			out = append(out, s)
		}
	}
	return out
}

// step does one random operation to both and gives the new state.
func step(rng *rand.Rand, r ReadState, n naive) ReadState {
	size := Seq(len(n) - 1)
	pick := func() Seq { return 1 + Seq(rng.IntN(int(size))) }
	a, b := pick(), pick()
	if a > b {
		a, b = b, a
	}
	if rng.IntN(4) > 0 { // mostly short ranges
		b = min(b, a+Seq(rng.IntN(8)))
	}
	set := func(lo, hi Seq, v bool) {
		for s := lo; s <= hi; s++ {
			n[s] = v
		}
	}
	switch k := rng.IntN(100); {
	case k < 35:
		set(a, a, true)
		return r.MarkRead(a)
	case k < 70:
		set(a, a, false)
		return r.MarkUnread(a)
	case k < 82:
		set(a, b, true)
		return r.MarkReadRange(a, b)
	case k < 94:
		set(a, b, false)
		return r.MarkUnreadRange(a, b)
	case k < 98:
		c := pick()
		set(a, a, true)
		set(b, b, true)
		set(c, c, true)
		return r.MarkRead(a, b, c)
	case k < 99:
		set(1, a, true)
		return r.MarkReadRange(1, a)
	default:
		set(1, a, true)
		return r.MarkReadRange(1, a)
	}
}

// C-1
func TestReadStateAgainstNaiveModel(t *testing.T) {
	t.Parallel()
	ops := 1_000_000
	if testing.Short() {
		ops = 50_000
	}
	rng := rand.New(rand.NewPCG(2026, 1))
	drift := 0
	for done := 0; done < ops; {
		size := 1 + rng.IntN(300)
		r, n := ReadState{}, make(naive, size+1)
		for range min(5000, ops-done) {
			done++
			r = step(rng, r, n)
			floor, last := Seq(rng.IntN(size)), Seq(size)
			want := 0
			for s := floor + 1; s <= last; s++ {
				if !n[s] {
					want++
				}
			}
			if got := r.Unread(floor, last); got != want || r.HasUnread(floor, last) != (want > 0) {
				drift++
			}
			s := 1 + Seq(rng.IntN(size))
			if r.IsRead(s) != n[s] {
				drift++
			}
			if done%97 == 0 {
				checkWhole(t, r, n, floor, last)
			}
		}
	}
	if drift != 0 {
		t.Fatalf("%d of %d answers drifted from the model", drift, ops)
	}
}

func checkWhole(t *testing.T, r ReadState, n naive, floor, last Seq) {
	t.Helper()
	want := n.unread(floor, last)
	if got := r.UnreadSeqs(floor, last, false); !slices.Equal(got, want) {
		t.Fatalf("unread ascending = %v, want %v", got, want)
	}
	slices.Reverse(want)
	if got := r.UnreadSeqs(floor, last, true); !slices.Equal(got, want) {
		t.Fatalf("unread descending = %v, want %v", got, want)
	}
	if err := r.Check(Seq(len(n) - 1)); err != nil {
		t.Fatalf("state %+v is not canonical: %v", r, err)
	}
	// The same state reached in another way has the same bytes.
	var again ReadState
	for s := len(n) - 1; s >= 1; s-- {
		if n[s] {
			again = again.MarkRead(Seq(s))
		}
	}
	if !again.Equal(r) {
		t.Fatalf("same state, other bytes: %+v and %+v", r, again)
	}
}

func TestReadStateExamples(t *testing.T) {
	t.Parallel()
	read1000 := ReadState{Upto: 1000}
	tests := []struct {
		name  string
		got   ReadState
		upto  Seq
		runs  []Run // read runs above upto
		bytes int   // length of Runs; -1 = not looked at
	}{
		{"nothing", ReadState{}, 0, nil, 0},
		{"a read run above upto is absorbed", ReadState{}.MarkRead(2, 3).MarkRead(1), 3, nil, 0},
		{"unread below upto lowers it", read1000.MarkUnread(5), 4, []Run{{6, 1000}}, 4},
		{"the first seq unread", read1000.MarkUnread(1), 0, []Run{{2, 1000}}, 4},
		{"unread and read again is as before", read1000.MarkUnread(5).MarkRead(5), 1000, nil, 0},
		{"unread at upto itself", read1000.MarkUnread(1000), 999, nil, 0},
		{"a range below and above upto", read1000.MarkReadRange(990, 1010), 1010, nil, 0},
		{"unread over upto", read1000.MarkRead(1002).MarkUnreadRange(999, 1001), 998, []Run{{1002, 1002}}, 3},
		{"a range below upto does nothing", read1000.MarkReadRange(1, 7), 1000, nil, 0},
		{"a range up to a run", ReadState{}.MarkReadRange(5, 9).MarkReadRange(1, 4), 9, nil, 0},
		{"new subscription", NewReadState(120), 100, nil, 0},
		{"new subscription of a short feed", NewReadState(7), 0, nil, 0},
		{"zero and beyond the limit are ignored", ReadState{}.MarkRead(0, MaxSeq+1), 0, nil, 0},
		{"the highest seq", ReadState{}.MarkRead(MaxSeq), 0, []Run{{MaxSeq, MaxSeq}}, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs := decode(tt.got.Upto, tt.got.Runs)
			if tt.got.Upto != tt.upto || !slices.Equal(runs, tt.runs) {
				t.Errorf("upto %d, runs %v; want %d, %v", tt.got.Upto, runs, tt.upto, tt.runs)
			}
			if tt.bytes >= 0 && len(tt.got.Runs) != tt.bytes {
				t.Errorf("%d bytes of runs, want %d", len(tt.got.Runs), tt.bytes)
			}
			if len(tt.runs) == 0 && tt.got.Runs != nil {
				t.Error("empty runs are not nil")
			}
		})
	}
}

// G-75
func TestScatteredReaderStaysSmall(t *testing.T) {
	t.Parallel()
	// Every second item of a feed of 100 a day in half a year: 2.3 KB, not 36.
	var odd []Seq
	for s := Seq(1); s <= 18_000; s += 2 {
		odd = append(odd, s+1)
	}
	r := ReadState{}.MarkRead(odd...)
	if len(r.Runs) > 18_000/8+8 {
		t.Fatalf("%d bytes", len(r.Runs))
	}
	if got := r.Unread(0, 18_000); got != 9_000 {
		t.Fatalf("unread %d", got)
	}
	if got := r.Unread(101, 17_001); got != 8450 {
		t.Fatalf("unread within = %d", got)
	}
}

func TestStatesAreNotChangedInPlace(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	n := make(naive, 200)
	r := ReadState{}
	for range 2000 {
		before, upto := bytes.Clone(r.Runs), r.Upto
		next := step(rng, r, n)
		if r.Upto != upto || !bytes.Equal(before, r.Runs) {
			t.Fatal("an operation changed its receiver")
		}
		r = next
	}
}

func TestSeqSet(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	var s SeqSet
	model := map[Seq]bool{}
	for range 20_000 {
		a := Seq(1 + rng.IntN(400))
		b := a + Seq(rng.IntN(5))
		switch rng.IntN(6) {
		case 0, 1:
			s = s.Add(a)
			model[a] = true
		case 2, 3:
			s = s.Remove(a)
			delete(model, a)
		case 4:
			s = s.AddRange(a, b)
			for q := a; q <= b; q++ {
				model[q] = true
			}
		case 5:
			s = s.RemoveRange(a, b)
			for q := a; q <= b; q++ {
				delete(model, q)
			}
		}
		if s.Len() != len(model) || s.Has(a) != model[a] {
			t.Fatalf("set and model differ at %d", a)
		}
	}
	in := 0
	for q := range model {
		if q >= 50 && q <= 333 {
			in++
		}
	}
	if got := s.Count(50, 333); got != in {
		t.Errorf("Count = %d, want %d", got, in)
	}
	all := slices.Collect(s.All())
	for from := Seq(1); from < 410; from += 7 {
		to := from + 20
		within := slices.DeleteFunc(slices.Clone(all), func(q Seq) bool { return q < from || q > to })
		within = append(within, 0) // for none
		if first, last := s.First(from, to), s.Last(from, to); first != within[0] ||
			last != within[max(len(within)-2, 0)] {
			t.Errorf("first and last of [%d, %d] are %d and %d of %v", from, to, first, last, within)
		}
	}
	if len(all) != len(model) || !slices.IsSorted(all) {
		t.Error("All is not the set in order")
	}
	if err := s.Check(404); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(s, SeqSet(nil).Add(all...)) {
		t.Error("same set, other bytes")
	}
	if s.Remove(all...) != nil {
		t.Error("the empty set is not nil")
	}
}

// FuzzRuns feeds arbitrary bytes to everything that reads them.
func FuzzRuns(f *testing.F) {
	f.Add(uint32(0), uint32(100), []byte(nil))
	f.Add(uint32(4), uint32(1000), ReadState{Upto: 1000}.MarkUnread(5).Runs)
	f.Add(uint32(0), uint32(64), []byte(SeqSet(nil).Add(2, 4, 6, 8, 10, 12, 14, 16, 18)))
	f.Add(uint32(9), uint32(9), []byte{formBits, 0xff, 0xff, 0xff, 0xff, 0x0f, 1})
	f.Add(uint32(0xffffffff), uint32(0xffffffff), []byte{formRuns, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 1, 0})
	f.Fuzz(func(t *testing.T, upto, last uint32, b []byte) {
		r := ReadState{Upto: Seq(upto), Runs: b}
		n := r.Unread(0, Seq(last))
		if n < 0 || n > int(last) {
			t.Fatalf("unread %d of %d", n, last)
		}
		r.IsRead(Seq(last))
		r.HasUnread(Seq(upto), Seq(last))
		for _, at := range []Seq{r.FirstUnread(0, Seq(last)), r.LastUnread(0, Seq(last))} {
			if at > 0 && r.IsRead(at) {
				t.Fatalf("%d is both read and unread", at)
			}
		}
		// Whatever it was, after a change it is canonical.
		if next := r.MarkUnread(1).MarkRead(1); next.Check(MaxSeq) != nil {
			t.Fatalf("not canonical after a change: %+v", next)
		}
		if r.Check(Seq(last)) == nil {
			if again := r.MarkRead(); !again.Equal(r) {
				t.Fatalf("passed Check, changed by a round trip: %+v, %+v", r, again)
			}
			if span := int(last) - int(upto); b != nil && len(b) > 7+span/8 {
				t.Fatalf("%d bytes for a span of %d passed", len(b), span)
			}
		}
		s := SeqSet(b)
		if s.Len() > int(MaxSeq) || s.Check(Seq(last)) == nil && !bytes.Equal(s.Add(), s) {
			t.Fatal("set")
		}
	})
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]ReadState{
		"unknown form":             {Upto: 1, Runs: []byte{9, 0, 0}},
		"form alone":               {Upto: 1, Runs: []byte{formRuns}},
		"empty but not nil":        {Upto: 1, Runs: []byte{}},
		"run at upto+1":            {Upto: 1, Runs: []byte{formRuns, 0, 0}},
		"beyond last":              {Upto: 1, Runs: []byte{formRuns, 1, 200, 1}},
		"half a run":               {Upto: 1, Runs: []byte{formRuns, 1, 0, 4}},
		"varint longer than need":  {Upto: 1, Runs: []byte{formRuns, 0x81, 0, 0}},
		"bitmap where runs do":     {Upto: 1, Runs: []byte{formBits, 1, 1}},
		"bitmap with a zero end":   {Upto: 1, Runs: []byte{formBits, 1, 0x55, 0x55, 0}},
		"bitmap without bit zero":  {Upto: 1, Runs: []byte{formBits, 1, 0x54, 0x55}},
		"longer than any encoding": {Upto: 1, Runs: bytes.Repeat([]byte{formRuns}, 100)},
	} {
		if r.Check(100) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkUnread(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	typical := ReadState{Upto: 4000}
	for range 12 {
		typical = typical.MarkRead(4002 + Seq(rng.IntN(100)))
	}
	var odd []Seq
	for s := Seq(2); s <= 18_000; s += 2 {
		odd = append(odd, s)
	}
	for _, bb := range []struct {
		name string
		r    ReadState
		last Seq
	}{{"typical", typical, 4100}, {"allRead", ReadState{Upto: 4100}, 4100},
		{"scattered9000", ReadState{}.MarkRead(odd...), 18_000}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(float64(len(bb.r.Runs)), "bytes")
			n := 0
			for b.Loop() {
				n += bb.r.Unread(3000, bb.last)
			}
			_ = n
		})
	}
}

func BenchmarkMarkRead(b *testing.B) {
	r := ReadState{Upto: 4000}.MarkRead(4005, 4010, 4011, 4020, 4040, 4090)
	b.ReportAllocs()
	for b.Loop() {
		_ = r.MarkRead(4030)
	}
}
