package store_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

// TestKnownAgainstAMap drives Merge with random listings and compares with a plain map.
func TestKnownAgainstAMap(t *testing.T) {
	t.Parallel()
	type fact struct {
		content uint32
		day     int
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var k store.Known
		model := map[uint64]fact{}
		for day := range 120 {
			var listed []store.KnownItem
			for range rng.IntN(30) {
				it := store.KnownItem{Identity: uint64(rng.IntN(200)) << 20, Content: uint32(rng.IntN(1 << 24))}
				listed = append(listed, it)
			}
			k = k.Merge(listed, uint16(day))
			for id, f := range model {
				if f.day+store.KnownDays < day {
					delete(model, id)
				}
			}
			seen := map[uint64]bool{}
			for _, it := range listed {
				if !seen[it.Identity] {
					model[it.Identity] = fact{it.Content, day}
				}
				seen[it.Identity] = true
			}
			if k.Len() != len(model) {
				t.Fatalf("seed %d day %d: %d known, the model has %d", seed, day, k.Len(), len(model))
			}
			for id, f := range model {
				if c, ok := k.Content(id); !ok || c != f.content {
					t.Fatalf("seed %d day %d: identity %d is %d %v, want %d", seed, day, id, c, ok, f.content)
				}
			}
		}
	}
}

func TestKnownForgetsTheLongestUnlistedFirst(t *testing.T) {
	t.Parallel()
	var old, recent []store.KnownItem
	for i := range store.KnownMax {
		old = append(old, store.KnownItem{Identity: uint64(i)})
		recent = append(recent, store.KnownItem{Identity: uint64(i + 100_000)})
	}
	k := store.Known(nil).Merge(old, 1).Merge(recent[:500], 2)
	if k.Len() != store.KnownMax {
		t.Fatalf("%d entries are kept, want %d", k.Len(), store.KnownMax)
	}
	for _, it := range recent[:500] {
		if _, ok := k.Content(it.Identity); !ok {
			t.Fatal("an item listed today was forgotten")
		}
	}
}

// What left the listing longest ago goes first, and nothing that is listed ever does.
func TestKnownForgetsWhatLeft(t *testing.T) {
	t.Parallel()
	items := func(from, n int) (out []store.KnownItem) {
		for i := range n {
			out = append(out, store.KnownItem{Identity: uint64(from+i) * 7919 % 1_000_003})
		}
		return out
	}
	for _, c := range []struct{ listed, left, kept int }{
		{10, 60, 60}, {10, 64, 64}, {10, 300, store.KnownLeft}, {100, 150, 150}, {100, 500, 200},
		{0, 100, store.KnownLeft},
	} {
		var k store.Known
		for i := range c.left { // one a day, the first the longest ago; the last ones on the very day of the listing
			k = k.Merge(items(10_000+i, 1), uint16(1+i/20))
		}
		today := uint16(1 + max(0, c.left-1)/20)
		listed := items(0, c.listed)
		k, forgot := k.Merge(listed, today).Forget(listed)
		if (forgot > 0) != (c.left > c.kept) || c.left > c.kept && forgot != uint16(1+(c.left-c.kept-1)/20) {
			t.Errorf("%d listed, %d left: the newest forgotten one is of day %d", c.listed, c.left, forgot)
		}
		if want := c.listed + c.kept; k.Len() != want {
			t.Errorf("%d listed, %d left: %d are known, want %d", c.listed, c.left, k.Len(), want)
		}
		for _, it := range listed {
			if _, ok := k.Content(it.Identity); !ok {
				t.Fatalf("%d listed, %d left: a listed item was forgotten", c.listed, c.left)
			}
		}
		oldest := uint16(1 << 15)
		for i := range k.Len() {
			oldest = min(oldest, k.At(i).Day)
		}
		if first := uint16(1 + max(0, c.left-c.kept)/20); c.kept > 0 && oldest < first {
			t.Errorf("%d listed, %d left: one of day %d stayed, the newest begin at day %d", c.listed,
				c.left, oldest, first)
		}
	}
}

func TestKnownLookupAllocatesNothing(t *testing.T) {
	k := store.Known(nil).Merge([]store.KnownItem{{Identity: 5, Content: 7}, {Identity: 9, Content: 1}}, 3)
	if n := testing.AllocsPerRun(100, func() { k.Content(9) }); n != 0 {
		t.Errorf("a lookup allocates %v times", n)
	}
}
