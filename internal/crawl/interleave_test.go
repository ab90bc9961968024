package crawl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/testkit/turns"
)

// The commit under every order of steps: several crawlers work on one feed with different bodies, rows as stale as an
// eventually consistent read may be, and deaths at any step. Each seed is one interleaving and can be replayed.

// body is one version of the publisher's feed: item numbers, and how often each was edited.
type body struct {
	version int
	items   []int
	edits   map[int]int
}

// publisher makes a life of bodies: items come, old ones leave, some are edited.
func publisher(rng *rand.Rand) []body {
	var out []body
	next, window := 1, 3+rng.IntN(8)
	edits := map[int]int{}
	var items []int
	for v := range 2 + rng.IntN(4) {
		for range 1 + rng.IntN(4) {
			items = append(items, next)
			next++
		}
		if len(items) > window {
			items = items[len(items)-window:]
		}
		if rng.IntN(3) == 0 {
			edits[items[rng.IntN(len(items))]]++
		}
		b := body{version: v + 1, items: append([]int(nil), items...), edits: map[int]int{}}
		for _, i := range items {
			b.edits[i] = edits[i]
		}
		out = append(out, b)
	}
	return out
}

func (b body) etag() string { return `"` + strconv.Itoa(b.version) + `"` }

// observe is what a crawler makes of a body, given the row it read.
func (b body) observe(row *store.FeedRow, clk clock.Clock) *observation {
	scan := &extract.Feed{Channel: uint64(b.version / 2)} // every other body comes with news of items alone
	known := store.Known(row.Known)
	for _, i := range b.items {
		it := extract.Item{
			Identity: uint64(i), Content: uint32(b.edits[i] + 1), Title: fmt.Sprint("item ", i, " edit ", b.edits[i]),
			Published: clk.Now().Add(-time.Hour),
		}
		c, ok := known.Content(it.Identity)
		it.Known = ok && c == it.Content
		scan.Items = append(scan.Items, it)
	}
	slices.Reverse(scan.Items)
	resp := &fetch.Response{Status: 200}
	return &observation{
		kind: listed, resp: resp, scan: scan, items: newItemList(row, scan, resp, clk.Now()),
		hash:       []byte{byte(b.version)},
		validators: pair{etag: b.etag()}, raw: &rawBody{key: "raw-" + strconv.Itoa(b.version)},
	}
}

type world struct {
	t      *testing.T
	seed   uint64
	rng    *rand.Rand
	mem    table.Driver
	clk    *clock.Manual
	bodies []body
	old    []*store.FeedRow // earlier states of the feed row, for stale reads
	view   *store.Store     // without steps, for looking
	kept   map[reader.Seq]keptDelta
	died   bool // a crawler has
}

// keptDelta is what a reader keeps of a delta, and what the feed's row said before it was read.
type keptDelta struct {
	edited  int64
	edits   uint32
	raw     string
	headers []store.Header
}

// keep has a reader read the row and then a delta, and keep it.
func (w *world) keep() {
	row := w.row()
	if row.Seq == 0 {
		return
	}
	d, err := w.view.Items.At(context.Background(), 1, reader.Seq(1+w.rng.IntN(int(row.Seq))))
	if err != nil {
		w.fail("%v", err)
	}
	hs, err := d.Headers()
	if err != nil {
		w.fail("%v", err)
	}
	w.kept[d.First()] = keptDelta{row.Edited, row.Edits, row.Raw, hs}
}

// checkKept checks that what was kept of a delta is right until the row names a later edit.
func (w *world) checkKept(row *store.FeedRow, d *store.DeltaRow, hs []store.Header) {
	k, ok := w.kept[d.First()]
	if ok && !w.died && k.edited == row.Edited && k.raw == row.Raw && !reflect.DeepEqual(k.headers, hs) {
		w.fail("what was kept of delta %d is old: %+v, now %+v", d.First(), k.headers, hs)
	}
	// The index of searches keeps deltas as well, and asks which were edited since.
	if firsts, all := row.EditedSince(k.edits); ok && !w.died && !all && !slices.Contains(firsts, d.First()) &&
		!reflect.DeepEqual(k.headers, hs) {
		w.fail("an edit of delta %d after %d edits is not counted: %d, %v", d.First(), k.edits, row.Edits, firsts)
	}
}

func newWorld(t *testing.T, seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := &world{
		t: t, seed: seed, rng: rng, mem: memtable.New(),
		clk: clock.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)), bodies: publisher(rng),
		kept: map[reader.Seq]keptDelta{},
	}
	w.view = w.store(w.mem)
	_, err := w.view.Feeds.Ensure(context.Background(), "https://example.org/feed", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "waiting"}
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) store(d table.Driver) *store.Store {
	return store.New(table.New(d, table.Options{Clock: w.clk, Kind: store.Kind}), w.clk)
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d (replay with RURI_SEED=%d): %s", w.seed, w.seed, fmt.Sprintf(format, args...))
}

func (w *world) row() *store.FeedRow {
	row, err := w.view.Feeds.Get(context.Background(), 1, true)
	if err != nil {
		w.fail("the feed row is gone: %v", err)
	}
	return row
}

// race lets some crawlers work at once, each with a body and a row of its own choice, and lets some die.
func (w *world) race(crawlers int) {
	var workers []*turns.Worker
	for range crawlers {
		mortal := w.rng.IntN(3) == 0
		dies := func() bool { return mortal && w.rng.IntN(8) == 0 }
		b := w.bodies[w.rng.IntN(len(w.bodies))]
		row := w.row()
		if len(w.old) > 0 && w.rng.IntN(2) == 0 {
			row = w.old[max(0, len(w.old)-1-w.rng.IntN(3))]
		}
		workers = append(workers, turns.Begin(dies, func(worker *turns.Worker) error {
			c := Crawler{store: w.store(worker.Table(w.mem)), clock: w.clk, o: Options{Keep: 36500}}
			_, err := c.commit(context.Background(), row, b.observe(row, w.clk))
			return err
		}))
	}
	turns.Race(w.rng, workers, func() {
		w.clk.Add(time.Duration(w.rng.IntN(20)) * time.Second)
		if w.rng.IntN(4) == 0 {
			w.old = append(w.old, w.row())
		}
		if w.rng.IntN(2) == 0 {
			w.keep()
		}
	}, func(worker *turns.Worker) {
		err := worker.Err()
		w.died = w.died || err != nil
		if err != nil && !worker.Died() && !errors.Is(err, errTooManyRaces) {
			w.fail("a crawler failed: %v", err)
		}
	})
}

// check compares the store with what must hold at any moment of rest.
func (w *world) check(settled bool) {
	ctx := context.Background()
	st, row := w.view, w.row()
	next := reader.Seq(row.Seq)
	content := map[uint64]uint32{}
	lastStamp, newestStamp := uint32(1<<31), uint32(0)
	err := st.Items.Descend(ctx, 1, 0, func(d *store.DeltaRow) (bool, error) {
		if d.First() > reader.Seq(row.Seq) {
			if settled {
				w.fail("an orphan delta is left at %d above seq %d", d.First(), row.Seq)
			}
			return true, nil
		}
		if d.Last() != next {
			w.fail("a gap: delta %d to %d, expected to end at %d", d.First(), d.Last(), next)
		}
		if d.Stamp > lastStamp {
			w.fail("stamps do not grow: %d before %d", d.Stamp, lastStamp)
		}
		lastStamp = d.Stamp
		newestStamp = max(newestStamp, d.Stamp)
		next = d.First() - 1
		hs, err := d.Headers()
		w.checkKept(row, d, hs)
		for _, h := range hs {
			if _, twice := content[h.Identity]; twice {
				w.fail("item %d is there twice", h.Identity)
			}
			content[h.Identity] = h.Content
		}
		return true, err
	})
	if err != nil {
		w.fail("%v", err)
	}
	if next != 0 {
		w.fail("the deltas begin at %d", next+1)
	}
	for _, b := range w.bodies {
		if row.ETag != b.etag() {
			continue
		}
		// The publisher would answer 304 now: whatever that body holds must be here.
		for _, i := range b.items {
			if _, ok := content[uint64(i)]; !ok {
				w.fail("item %d of version %d is lost: its validators are stored, the item is not", i, b.version)
			}
		}
	}
	if row.Stamp < newestStamp {
		w.fail("the feed's stamp %d is below its deltas'", row.Stamp)
	}
}

// settle publishes one more item and crawls it, alone and whole, as later polls would: what a dead
// crawler left behind is rolled forward by the next change at the latest.
func (w *world) settle() {
	end := w.bodies[len(w.bodies)-1]
	next := body{version: end.version + 1, items: append(append([]int(nil), end.items...), 1000), edits: end.edits}
	w.bodies = append(w.bodies, next)
	for range 3 {
		row := w.row()
		last := w.bodies[len(w.bodies)-1]
		c := Crawler{store: w.view, clock: w.clk, o: Options{Keep: 36500}}
		w.clk.Add(time.Hour)
		if _, err := c.commit(context.Background(), row, last.observe(row, w.clk)); err != nil {
			w.fail("the last crawl failed: %v", err)
		}
	}
	row := w.row()
	if last := w.bodies[len(w.bodies)-1]; row.ETag != last.etag() {
		w.fail("the last validators are %s", row.ETag)
	}
}

// TestInterleavings runs 50,000 of them, 5,000 in a short run.
//
func TestInterleavings(t *testing.T) {
	t.Parallel()
	turns.EachSeed(t, 50_000, 5_000, func(t *testing.T, seeds []uint64) {
		for _, seed := range seeds {
			interleave(t, seed)
		}
	})
}

func interleave(t *testing.T, seed uint64) {
	w := newWorld(t, seed)
	for range 1 + w.rng.IntN(3) {
		w.race(1 + w.rng.IntN(3))
		w.check(false)
		w.clk.Add(time.Duration(w.rng.IntN(60)) * time.Minute)
		if w.rng.IntN(6) == 0 {
			// Longer than an item that left is remembered; nobody sees an old body after that.
			w.clk.Add(40 * 24 * time.Hour)
			w.bodies, w.old = w.bodies[len(w.bodies)-1:], nil
		}
	}
	w.settle()
	w.check(true)
}
