package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Whatever was edited since any earlier count is named, or everything is.
func TestEditedSinceNamesEveryLaterEdit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		f := FeedRow{Seq: 4000}
		type edit struct {
			count uint32 // after it
			first reader.Seq
		}
		var edits []edit
		lastAll := uint32(0)
		for range rnd.IntN(60) {
			if rnd.IntN(20) == 0 {
				f.NoteEditOfAll()
				lastAll = f.Edits
				continue
			}
			some := make([]reader.Seq, rnd.IntN(4))
			for i := range some {
				some[i] = reader.Seq(1 + rnd.IntN(4_000_000_000))
			}
			before := f
			f.NoteEdits(some)
			for i, first := range some {
				edits = append(edits, edit{before.Edits + uint32(i) + 1, first})
			}
		}
		for covered := range f.Edits + 3 {
			firsts, all := f.EditedSince(covered)
			if all {
				if covered >= f.Edits {
					t.Fatalf("seed %d: all at %d of %d edits", seed, covered, f.Edits)
				}
				if f.Edits-covered <= keptEdits && lastAll <= covered && f.Edits-lastAll >= f.Edits-covered {
					t.Fatalf("seed %d: the last %d edits are not named", seed, f.Edits-covered)
				}
				continue
			}
			if lastAll > covered {
				t.Fatalf("seed %d: an edit of all at %d is forgotten at %d", seed, lastAll, covered)
			}
			for _, e := range edits {
				if e.count > covered && !slices.Contains(firsts, e.first) {
					t.Fatalf("seed %d: the edit of %d, number %d, is not named at %d", seed, e.first, e.count, covered)
				}
			}
		}
	}
	f := FeedRow{Edited: -1}
	if _, all := f.EditedSince(5); !all {
		t.Error("during a replay any delta may change")
	}
}

// An older row keeps its names when a copy of it counts more.
func TestNotingEditsLeavesTheOldRowAlone(t *testing.T) {
	t.Parallel()
	var f FeedRow
	f.NoteEdits([]reader.Seq{7, 8})
	next := f
	next.NoteEdits([]reader.Seq{9})
	old, _ := f.EditedSince(0)
	now, _ := next.EditedSince(1)
	if !slices.Equal(old, []reader.Seq{7, 8}) || !slices.Equal(now, []reader.Seq{8, 9}) {
		t.Errorf("old %v, new %v", old, now)
	}
}
