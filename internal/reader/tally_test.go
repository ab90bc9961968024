package reader

import (
	"slices"
	"testing"
)

const aDay = int64(24 * 60 * 60 * 1000)

// did applies a person's operations on a day.
func did(s State, day int64, remember bool, ops ...Op) State {
	next, _ := Apply(s, Change{Ops: ops, Last: 100, At: day * aDay, Remember: remember, Counts: true})
	return next
}

func counts(t Tally) []Count { return slices.Collect(t.All()) }

func TestTallyCountsWhatTurned(t *testing.T) {
	t.Parallel()
	read := func(seqs ...Seq) Op { return Op{Kind: OpRead, Seqs: seqs} }
	for _, tt := range []struct {
		name string
		ops  []Op
		want []Count
	}{
		{"two items", []Op{read(1, 2)}, []Count{{Day: 9, Read: 2}}},
		{"an item twice", []Op{read(3), read(3)}, []Count{{Day: 9, Read: 1}}},
		{"read, unread and read again", []Op{read(3), {Kind: OpUnread, Seqs: []Seq{3}}, read(3)},
			[]Count{{Day: 9, Read: 1}}},
		{"read and unread", []Op{read(3, 4), {Kind: OpUnread, Seqs: []Seq{3}}}, []Count{{Day: 9, Read: 1}}},
		{"unread what is unread", []Op{read(3), {Kind: OpUnread, Seqs: []Seq{5}}}, []Count{{Day: 9, Read: 1}}},
		{"the rest together", []Op{read(3), {Kind: OpReadUpTo, UpTo: 10}}, []Count{{Day: 9, Read: 1, Cleared: 9}}},
		{"a range", []Op{{Kind: OpReadRange, From: 5, UpTo: 9}}, []Count{{Day: 9, Cleared: 5}}},
		{"cleared, and kept one", []Op{{Kind: OpReadRange, From: 5, UpTo: 9}, {Kind: OpUnread, Seqs: []Seq{7}}},
			[]Count{{Day: 9, Cleared: 4}}},
		{"a star, twice", []Op{{Kind: OpStar, Seqs: []Seq{2}}, {Kind: OpStar, Seqs: []Seq{2}}},
			[]Count{{Day: 9, Starred: 1}}},
		{"a star and none", []Op{{Kind: OpStar, Seqs: []Seq{2}}, {Kind: OpUnstar, Seqs: []Seq{2}}}, nil},
		{"hidden by a rule of the same breath", []Op{{Kind: OpHide, Seqs: []Seq{2}}, read(2)}, nil},
		{"what there is not", []Op{read(101)}, nil},
	} {
		if got := counts(did(State{}, 9, false, tt.ops...).Tally); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// What rules and imports do is no reading.
func TestTallyLeavesRulesOut(t *testing.T) {
	t.Parallel()
	s, changed := Apply(State{}, Change{Ops: []Op{{Kind: OpRead, Seqs: []Seq{1}}, {Kind: OpStar, Seqs: []Seq{2}}},
		Last: 5, At: 9 * aDay})
	if !changed || s.Tally != nil {
		t.Errorf("%v %v", changed, s.Tally)
	}
}

// Taking a mark back takes it off the day it was counted for, whatever came between.
func TestUndoTakesOffTheTally(t *testing.T) {
	t.Parallel()
	before := did(State{}, 8, false, Op{Kind: OpRead, Seqs: []Seq{1}})
	all := did(before, 9, true, Op{Kind: OpReadUpTo, UpTo: 50})
	if got := counts(all.Tally); !slices.Equal(got, []Count{{Day: 9, Cleared: 49}, {Day: 8, Read: 1}}) {
		t.Fatalf("%+v", got)
	}
	back, ok := Undo(all, all.Version, 0)
	if !ok || !slices.Equal(back.Tally, before.Tally) {
		t.Errorf("%+v", counts(back.Tally))
	}
	starred := did(all, 10, false, Op{Kind: OpStar, Seqs: []Seq{70}})
	if back, ok = Undo(starred, all.Version, 0); !ok ||
		!slices.Equal(counts(back.Tally), []Count{{Day: 10, Starred: 1}, {Day: 8, Read: 1}}) {
		t.Errorf("%+v", counts(back.Tally))
	}
	unread := did(before, 8, true, Op{Kind: OpUnread, Seqs: []Seq{1}})
	if back, ok = Undo(unread, unread.Version, 0); !ok || unread.Tally != nil ||
		!slices.Equal(back.Tally, before.Tally) {
		t.Errorf("%+v, then %+v", counts(unread.Tally), counts(back.Tally))
	}
}

// A tally is short however long one reads, and knows the last reading.
func TestTallyForgets(t *testing.T) {
	t.Parallel()
	var s State
	for day := int64(1000); day < 1100; day++ {
		s = did(s, day, false, Op{Kind: OpRead, Seqs: []Seq{Seq(day - 999)}})
	}
	if got := counts(s.Tally); len(got) != TallyDays || got[0].Day != 1099 || got[TallyDays-1].Day != 1070 ||
		len(s.Tally) > 5*TallyDays {
		t.Errorf("%d days in %d bytes: %+v", len(got), len(s.Tally), got)
	}
	s, _ = Apply(s, Change{Ops: []Op{{Kind: OpReadUpTo, UpTo: 200}}, Last: 200, At: 2000 * aDay, Counts: true})
	if got := counts(s.Tally); !slices.Equal(got, []Count{{Day: 2000, Cleared: 100}, {Day: 1099, Read: 1}}) {
		t.Errorf("%+v", got)
	}
	if day, ok := s.Tally.LastRead(); !ok || day != 1099 || day.String() != "1973-01-04" {
		t.Errorf("%v %v", day, ok)
	}
	// A clock that goes back counts where it stands.
	if got := counts(did(s, 1500, false, Op{Kind: OpStar, Seqs: []Seq{1}}).Tally); len(got) != 2 ||
		got[1] != (Count{Day: 1500, Starred: 1}) {
		t.Errorf("%+v", got)
	}
}

func FuzzTally(f *testing.F) {
	f.Add([]byte{9, 1, 2, 3, 1, 1, 0, 0}, uint32(9), 4, -2)
	f.Fuzz(func(t *testing.T, b []byte, day uint32, read, starred int) {
		if read == 0 && starred == 0 { // nothing is added, and even damaged bytes stay as they are
			return
		}
		if day == 0 || read > 1<<20 || starred > 1<<20 || read < -1<<20 || starred < -1<<20 {
			return
		}
		got, added := Tally(b).Plus(Count{Day: Day(day), Read: read, Starred: starred})
		for c := range got.All() {
			if c.Read < 0 || c.Cleared < 0 || c.Starred < 0 || c.isNothing() {
				t.Fatalf("%+v", c)
			}
		}
		if added.Day != Day(day) || added.Starred < min(0, starred) {
			t.Fatalf("%+v", added)
		}
	})
}
