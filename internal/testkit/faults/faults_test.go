package faults_test

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
	"github.com/ruri-reader/ruri/internal/testkit/faults"
)

// The flags of a replay, and of the full run: make test-faults.
var (
	seedFlag = flag.Int64("seed", -1, "replay the storm of one seed")
	full     = flag.Bool("full", false, "the full run: at least 10,000 faults in storms, and every step with every kind")
	rate     = flag.Float64("rate", 0.02, "chance of a fault at each step of a storm")
	days     = flag.Int("days", 2, "days of a storm")
	worlds   = flag.Int("worlds", 0, "worlds in a storm; 0 = 24 in the full run, else 4")
)

var homes = []faults.Home{faults.Cloud, faults.Machine}

// Without faults the oracle finds nothing: what it finds otherwise is a fault's doing.
func TestCalm(t *testing.T) {
	t.Parallel()
	for _, home := range homes {
		w := faults.New(t, faults.Options{Home: home, Seed: 1})
		for _, e := range w.Storm(1) {
			t.Errorf("%s: %s", home, e)
		}
	}
}

// TestStorm lets everything happen at once, by seed.
func TestStorm(t *testing.T) {
	t.Parallel()
	n := *worlds
	switch {
	case n > 0:
	case *full:
		n = 24
	default:
		n = 4
	}
	tally, deaths := faults.NewTally(), 0
	var mu sync.Mutex
	t.Run("worlds", func(t *testing.T) {
		for i := range n {
			seed := uint64(i / 2)
			if *seedFlag >= 0 {
				if seed = uint64(*seedFlag); i > 1 {
					break
				}
			}
			home := homes[i%2]
			t.Run(fmt.Sprintf("%s %d", home, seed), func(t *testing.T) {
				t.Parallel()
				w := faults.New(t, faults.Options{Home: home, Seed: seed, Plan: faults.Plan{Rate: *rate}, Tally: tally})
				for _, e := range w.Storm(*days) {
					t.Errorf("%s (replay: go test ./internal/testkit/faults -run TestStorm -seed %d -rate %g)", e, seed, *rate)
				}
				mu.Lock()
				defer mu.Unlock()
				deaths += w.Deaths()
			})
		}
	})
	t.Logf("%d worlds, %d processes died, items lost 0, items doubled 0 unless told above; %s", n, deaths, tally)
	if *full && tally.Total() < 10_000 {
		t.Errorf("%d faults, the full run wants at least 10,000", tally.Total())
	}
	if *seedFlag >= 0 {
		return
	}
	for _, k := range faults.Kinds {
		if tally.Of(k) == 0 && (*full || !slices.Contains(faults.Rare, k)) {
			t.Errorf("the storm left out %q", k)
		}
	}
}

// TestEveryStep plays each kind of fault at each step of each work, alone.
func TestEveryStep(t *testing.T) {
	t.Parallel()
	// The worst alone: make test plays all of them in its own step.
	kinds := []faults.Kind{faults.CrashAfter}
	if *full {
		kinds = append(kinds, faults.TimeoutDone, faults.ConflictDone, faults.CrashBefore, faults.Throttled, faults.ServerError, faults.TimeoutUndo, faults.Slow, faults.LostAck, faults.LostAnswer,
			faults.PartialSend, faults.Reset, faults.Refused, faults.Garbage, faults.Truncated, faults.MidChange, faults.MixedPair)
	}
	tally, runs := faults.NewTally(), 0
	var mu sync.Mutex
	t.Run("scenes", func(t *testing.T) {
		for _, home := range homes {
			for _, scene := range faults.Scenarios {
				t.Run(fmt.Sprintf("%s %s", home, scene), func(t *testing.T) {
					t.Parallel()
					for _, kind := range kinds {
						for at := 1; ; at++ {
							w := faults.New(t, faults.Options{Home: home, Seed: 7, Plan: faults.Plan{At: at, Kind: kind}, Tally: tally})
							played, wrong := w.Scene(scene)
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
	t.Logf("%d runs of %d works: %s", runs, len(faults.Scenarios), tally)
	if tally.Total() < 500 {
		t.Errorf("%d faults: the works have lost their steps", tally.Total())
	}
}

// One seed is one history.
func TestReplay(t *testing.T) {
	t.Parallel()
	run := func(seed uint64, home faults.Home) (string, string) {
		tally := faults.NewTally()
		w := faults.New(t, faults.Options{Home: home, Seed: seed, Plan: faults.Plan{Rate: 0.03}, Tally: tally})
		w.Storm(1)
		return tally.String(), w.State()
	}
	for _, home := range homes {
		played, state := run(3, home)
		again, same := run(3, home)
		if played != again || state != same {
			t.Errorf("%s: one seed, two histories", home)
		}
		if other, _ := run(4, home); other == played {
			t.Errorf("%s: two seeds, one history", home)
		}
	}
}

// TestOracleNotices plants mistakes of ours, one at a time, in worlds without any other fault: an oracle that lets one
// pass is none.
func TestOracleNotices(t *testing.T) {
	t.Parallel()
	kind := func(k table.Key) string { return store.Kind(k) }
	sets := func(set []table.Assign, field string) bool {
		return slices.ContainsFunc(set, func(a table.Assign) bool { return a.Field == field })
	}
	from := func(skip int, hit func(op string, k table.Key, set []table.Assign) bool) func(string, table.Key, []table.Assign) bool {
		n := 0
		return func(op string, k table.Key, set []table.Assign) bool {
			if hit(op, k, set) {
				n++
				return n > skip
			}
			return false
		}
	}
	once := func(skip int, hit func(op string, k table.Key, set []table.Assign) bool) func(string, table.Key, []table.Assign) bool {
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
		"an append is doubled": {nil, doubler(), "is there twice"},
		"messages of a part are lost": {func(op string, k table.Key, _ []table.Assign) bool {
			return op == "send" && strings.Contains(k.PK, `"kind":"scheduled"`)
		}, nil, "is lost"},
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
		"orphans stay":          {func(op string, _ table.Key, _ []table.Assign) bool { return op == "blob delete" }, nil, "orphan"},
		"poison is thrown away": {func(op string, _ table.Key, _ []table.Assign) bool { return op == "bury" }, nil, "poison"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := faults.New(t, faults.Options{Home: faults.Cloud, Seed: 5, Sabotage: c.sabotage, Double: c.double})
			w.Poison()
			wrong := w.Storm(1)
			if !slices.ContainsFunc(wrong, func(e string) bool { return strings.Contains(e, c.want) }) {
				t.Errorf("the oracle says %q, and should find what %q", wrong, c.want)
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
