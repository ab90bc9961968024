package store_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// TestAgesNeverClaimTooMuch plays seeded histories of deltas, floors and corrected dates: what is told is never later
// than any item's time, and covers all items.
func TestAgesNeverClaimTooMuch(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		var a store.Ages
		var times []int64 // of seq i+1
		floor := 0
		for range 60 {
			sorts := make([]int64, 1+rng.IntN(30)*rng.IntN(4))
			for i := range sorts {
				sorts[i] = int64(len(times))*3600 + rng.Int64N(1<<(1+rng.UintN(40))) - 1000
			}
			a = a.Add(reader.Seq(floor), reader.Seq(len(times)+1), sorts)
			times = append(times, sorts...)
			if rng.IntN(4) == 0 {
				seq := floor + rng.IntN(len(times)-floor)
				times[seq] -= rng.Int64N(1 << 30)
				a = a.Lower(reader.Seq(seq+1), times[seq])
			}
			if rng.IntN(6) == 0 {
				floor += rng.IntN(len(times) - floor)
			}
			if len(a) > 18*9+5 {
				t.Fatalf("seed %d: %d bytes", seed, len(a))
			}
			for range 5 {
				from := floor + 1 + rng.IntN(len(times)-floor)
				got, known := a.Oldest(reader.Seq(from), reader.Seq(len(times)))
				truth := times[from-1]
				for _, x := range times[from-1:] {
					truth = min(truth, x)
				}
				if !known || got > truth {
					t.Fatalf("seed %d: from %d of %d: %d, %v; the oldest is %d", seed, from, len(times),
						got, known, truth)
				}
			}
		}
	}
}

// TestAgesTellTheLatestBest: with dates that rise, the bound of the last u items is that of an item among the last
// 3u, in a few dozen bytes.
func TestAgesTellTheLatestBest(t *testing.T) {
	t.Parallel()
	var a store.Ages
	const n = 5000
	begun := int64(1_780_000_000)
	for i := range int64(n) {
		a = a.Add(0, reader.Seq(i+1), []int64{begun + i*3600})
		for _, unread := range []int64{1, 2, 5, 20, 100, 1000} {
			if unread > i {
				continue
			}
			got, known := a.Oldest(reader.Seq(i+2-unread), reader.Seq(i+1))
			if least := begun + max(i+1-5*unread, 0)*3600; !known || got < least-60 {
				t.Fatalf("%d unread of %d: %d, %v; wanted at least %d", unread, i+1, got, known, least)
			}
		}
	}
	if got, known := a.Oldest(1, n); !known || got/60 != begun/60 {
		t.Errorf("of all: %d, %v", got, known)
	}
	if len(a) > 70 {
		t.Errorf("%d bytes", len(a))
	}
}

// TestAgesOfOtherItems: what was not seen is not bounded.
func TestAgesOfOtherItems(t *testing.T) {
	t.Parallel()
	a := store.Ages(nil).Add(0, 41, []int64{6000, 7200})
	for _, x := range []struct {
		from, last reader.Seq
		known      bool
	}{{41, 42, true}, {42, 42, true}, {40, 42, false}, {41, 43, false}, {43, 43, false}, {42, 41, false}} {
		if _, known := a.Oldest(x.from, x.last); known != x.known {
			t.Errorf("%d to %d: %v", x.from, x.last, known)
		}
	}
	if a = a.Add(0, 50, []int64{60}); len(a) == 0 {
		t.Fatal("nothing after a gap")
	}
	if _, known := a.Oldest(49, 50); known {
		t.Error("a gap is bounded")
	}
	if _, known := store.Ages(nil).Oldest(1, 1); known {
		t.Error("nothing bounds something")
	}
}

func FuzzAges(f *testing.F) {
	f.Add([]byte(store.Ages(nil).Add(0, 1, []int64{0, 1 << 31, -5})), uint32(1), uint32(3))
	f.Add([]byte{1, 1}, uint32(0), uint32(9))
	f.Fuzz(func(t *testing.T, b []byte, from, last uint32) {
		a := store.Ages(b)
		before, known := a.Oldest(reader.Seq(from), reader.Seq(last))
		a = a.Lower(reader.Seq(from), before)
		if after, still := a.Oldest(reader.Seq(from), reader.Seq(last)); known && (!still || after > before) {
			t.Fatalf("%x: %d, then %d, %v", b, before, after, still)
		}
		a = a.Add(0, reader.Seq(from)+1, []int64{int64(last)})
		if _, known := a.Oldest(reader.Seq(from)+1, reader.Seq(from)+1); !known && from < uint32(reader.MaxSeq) {
			t.Fatalf("%x: the new item is not known", a)
		}
	})
}
