package faults

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// The flags of a replay, and of the full run: make test-faults.
var (
	seedFlag = flag.Int64("seed", -1, "replay the storm of one seed")
	full     = flag.Bool("full", false, "the full run: at least 10,000 faults in storms, and every step with every "+
		"kind")
	rate  = flag.Float64("rate", 0.02, "chance of a fault at each step of a storm")
	days  = flag.Int("days", 2, "days of a storm")
	count = flag.Int("installations", 0, "installations in a storm; 0 = 32 in the full run, else 2")
)

var backends = []Backend{Cloud, Machine}

// TestCalm: without faults the oracle finds nothing.
func TestCalm(t *testing.T) {
	t.Parallel()
	for _, backend := range backends {
		w := New(t, Options{Backend: backend, Seed: 1})
		for _, e := range w.Storm(aDay) {
			t.Errorf("%s: %s", backend, e)
		}
	}
}

// TestStorm injects all kinds of faults at random, by seed.
func TestStorm(t *testing.T) {
	t.Parallel()
	n := *count
	switch {
	case n > 0:
	case *full:
		n = 32
	default:
		n = 2
	}
	tally, deaths := NewTally(), 0
	var mu sync.Mutex
	t.Run("installations", func(t *testing.T) {
		for i := range n {
			seed := uint64(i / 2)
			if *seedFlag >= 0 {
				if seed = uint64(*seedFlag); i > 1 {
					break
				}
			}
			backend := backends[i%2]
			t.Run(fmt.Sprintf("%s %d", backend, seed), func(t *testing.T) {
				t.Parallel()
				w := New(t, Options{Backend: backend, Seed: seed, Plan: Plan{Rate: *rate}, Tally: tally})
				for _, e := range w.Storm(*days * aDay) {
					t.Errorf("%s (replay: go test ./internal/testkit/faults -run TestStorm -seed %d -rate %g)",
						e, seed, *rate)
				}
				mu.Lock()
				defer mu.Unlock()
				deaths += w.deaths
			})
		}
	})
	t.Logf("%d installations, %d processes died, items lost 0, items duplicated 0 unless reported above; %s",
		n, deaths, tally)
	if *full && tally.Total() < 10_000 {
		t.Errorf("%d faults, the full run requires at least 10,000", tally.Total())
	}
	if *seedFlag >= 0 {
		return
	}
	for _, k := range Kinds {
		if tally.Of(k) == 0 && (*full || !slices.Contains(Rare, k)) {
			t.Errorf("the storm has no fault of kind %q", k)
		}
	}
}

// TestEveryStep injects each kind of fault at each step of each scenario, one at a time. Except in the full run, one
// backend has the odd steps and the other the even ones, but of what webhooks are told the cloud has all, and processes
// that are stuck.
func TestEveryStep(t *testing.T) {
	t.Parallel()
	// Only the worst one: make test-faults runs all of them.
	kinds := []Kind{CrashAfter}
	if *full {
		kinds = append(kinds, TimeoutDone, ConflictDone, CrashBefore, Throttled, ServerError, TimeoutUndo, Slow,
			LostAck, LostAnswer,
			PartialSend, Reset, Refused, Garbage, Truncated, MidChange, MixedPair)
	}
	tally, runs := NewTally(), 0
	var mu sync.Mutex
	t.Run("scenarios", func(t *testing.T) {
		for b, backend := range backends {
			first, stride := 1+b, len(backends)
			if *full {
				first, stride = 1, 1
			}
			for _, scene := range Scenarios {
				t.Run(fmt.Sprintf("%s %s", backend, scene), func(t *testing.T) {
					t.Parallel()
					kinds, first, stride := kinds, first, stride
					if isTold(scene) && backend == Cloud {
						first, stride = 1, 1
						kinds = append(slices.Clip(kinds), Stuck, StuckDead, StuckLong)
					}
					for _, kind := range kinds {
						for at := first; ; at += stride {
							w := New(t,
								Options{Backend: backend, Seed: 7, Plan: Plan{At: at, Kind: kind}, Tally: tally})
							played, wrong := w.Scenario(scene)
							for _, e := range wrong {
								t.Errorf("%s at step %d: %s", kind, at, e)
							}
							mu.Lock()
							runs++
							mu.Unlock()
							if !played || at > 200 {
								break
							}
						}
					}
				})
			}
		}
	})
	t.Logf("%d runs of %d works: %s", runs, len(Scenarios), tally)
	if tally.Total() < 250 {
		t.Errorf("%d faults: the works have lost their steps", tally.Total())
	}
}

// One seed is one history.
func TestReplay(t *testing.T) {
	t.Parallel()
	run := func(seed uint64, backend Backend) (string, string) {
		tally := NewTally()
		w := New(t, Options{Backend: backend, Seed: seed, Plan: Plan{Rate: 0.03}, Tally: tally})
		w.Storm(sixHours)
		return tally.String(), w.state()
	}
	for _, backend := range backends {
		played, state := run(3, backend)
		again, same := run(3, backend)
		if played != again || state != same {
			t.Errorf("%s: one seed, two histories", backend)
		}
		if other, _ := run(4, backend); other == played {
			t.Errorf("%s: two seeds, one history", backend)
		}
	}
}

// TestOracleNotices drops or duplicates one kind of write at a time, without any other fault; the oracle must report
// it.
func TestOracleNotices(t *testing.T) {
	t.Parallel()
	kind := func(k table.Key) string { return store.Kind(k) }
	sets := func(set []table.Assign, field string) bool {
		return slices.ContainsFunc(set, func(a table.Assign) bool { return a.Field == field })
	}
	from := func(skip int, hit func(op string, k table.Key, set []table.Assign) bool) func(string, table.Key,
		[]table.Assign) bool {
		n := 0
		return func(op string, k table.Key, set []table.Assign) bool {
			if hit(op, k, set) {
				n++
				return n > skip
			}
			return false
		}
	}
	once := func(skip int, hit func(op string, k table.Key, set []table.Assign) bool) func(string, table.Key,
		[]table.Assign) bool {
		n := 0
		return func(op string, k table.Key, set []table.Assign) bool {
			if !hit(op, k, set) {
				return false
			}
			n++
			return n == skip+1
		}
	}
	for name, c := range map[string]struct {
		sabotage func(string, table.Key, []table.Assign) bool
		double   func(context.Context, table.Driver, table.Row)
		want     string
	}{
		"a delta is not put, the feed row counts it": {once(8, func(op string, k table.Key, _ []table.Assign) bool {
			return op == "put" && kind(k) == "delta"
		}), nil, "is lost"},
		"a feed row is not committed, ever": {func(op string, k table.Key, set []table.Assign) bool {
			return op == "update" && k.SK == "000002" && sets(set, "seq")
		}, nil, "is lost"},
		"bodies are not put": {from(6, func(op string, k table.Key, _ []table.Assign) bool {
			return op == "blob put" && strings.HasPrefix(k.PK, "feeds/")
		}), nil, "cannot be read"},
		"an append is done twice": {nil, doubler(), "is there twice"},
		"messages of a part are lost": {func(op string, k table.Key, _ []table.Assign) bool {
			return op == "send" && strings.Contains(k.PK, `"kind":"scheduled"`)
		}, nil, "is lost"},
		"messages for webhooks are lost": {func(op string, k table.Key, _ []table.Assign) bool {
			return op == "send" && strings.Contains(k.PK, `"kind":"tell"`)
		}, nil, "was told"},
		"marks are acknowledged and not stored": {from(9, func(op string, k table.Key, _ []table.Assign) bool {
			return op == "replace" && kind(k) == "subscription"
		}), nil, "unread"},
		"stars are acknowledged and not stored": {from(0, func(op string, k table.Key, _ []table.Assign) bool {
			return op == "put" && kind(k) == "star"
		}), nil, "is lost"},
		"a star is taken away in part": {func(op string, k table.Key, _ []table.Assign) bool {
			return op == "delete" && kind(k) == "star"
		}, nil, "starred and should not be"},
		"subscribers are not counted": {func(op string, k table.Key, set []table.Assign) bool {
			return op == "update" && k.SK == "000003" && sets(set, "subs")
		}, nil, "subscribers"},
		"segments are not put": {from(1, func(op string, k table.Key, _ []table.Assign) bool {
			return op == "blob put" && isSegment(k.PK)
		}), nil, "search_damaged"},
		"saved searches are acknowledged and not stored": {func(op string, k table.Key, _ []table.Assign) bool {
			return k.SK == "P#searches"
		}, nil, "the saved search"},
		"orphans stay": {func(op string, _ table.Key, _ []table.Assign) bool {
			return op == "blob delete"
		}, nil, "orphan"},
		"poison is thrown away": {func(op string, _ table.Key, _ []table.Assign) bool {
			return op == "bury"
		}, nil, "poison"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Backend: Cloud, Seed: 5, Sabotage: c.sabotage, Double: c.double})
			w.Poison()
			wrong := w.Storm(aDay / 2)
			if !slices.ContainsFunc(wrong, func(e string) bool { return strings.Contains(e, c.want) }) {
				t.Errorf("the oracle reports %q, want %q", wrong, c.want)
			}
		})
	}
}

// doubler appends one delta's items a second time, as a commit without its condition would.
func doubler() func(context.Context, table.Driver, table.Row) {
	n := 0
	return func(ctx context.Context, d table.Driver, row table.Row) {
		if store.Kind(row.Key) != "delta" || !strings.HasPrefix(row.Key.SK, "D#") {
			return
		}
		if n++; n != 8 {
			return
		}
		var delta store.DeltaRow
		if err := row.Decode(&delta); err != nil {
			return
		}
		t := table.New(d, table.Options{})
		hs, err := delta.Headers()
		if err != nil {
			return
		}
		hs = append(hs, hs[0])
		twice, err := store.NewDelta(delta.Feed(), delta.First(), reader.Minute(delta.Stamp), delta.At, delta.Raw, hs)
		if err == nil {
			_ = t.Put(ctx, twice)
		}
	}
}
