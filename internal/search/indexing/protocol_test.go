package indexing

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/testkit/turns"
)

// The protocol under every order of steps: crawlers, editors, replays, retention, the removal of feeds and several
// indexing jobs take turns at single operations of table and blobs, reads lag behind, and each may die before any
// operation. Between the steps somebody searches, and every answer is compared with the deltas. Each seed is one
// history and can be replayed.

var bg = context.Background()

// world is one history.
type world struct {
	seed     uint64
	rng      *rand.Rand
	clk      *clock.Manual
	rows     table.Driver // without lag
	lagging  table.Driver
	blobs    blob.Driver
	view     *store.Store // sees what was acknowledged, without steps
	careless careless
	// least is the version of each item that a search must find at least: that of the last edit that a feed's row
	// counts.
	least map[query.Ref]int
	deaths,
	searches int
	before *store.SearchRow // as it was lately, for searches that read it late
}

// wrong is what a history shows to be wrong.
type wrong struct{ what string }

func (w *world) fail(format string, args ...any) {
	panic(wrong{fmt.Sprintf("seed %d (replay with RURI_SEED=%d): ", w.seed, w.seed) + fmt.Sprintf(format, args...)})
}

const feeds = 2

func newWorld(seed uint64, c careless) *world {
	return newWorldOn(seed, c, memtable.New(), memblob.New())
}

func newWorldOn(seed uint64, c careless, rows table.Driver, blobs blob.Driver) *world {
	w := &world{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 3)),
		clk:      clock.NewManual(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)),
		careless: c, least: map[query.Ref]int{},
	}
	w.open(rows, blobs)
	for i := range feeds {
		_, err := w.view.Feeds.Ensure(bg, fmt.Sprintf("https://example.org/%d", i), func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active"}
		})
		w.must(err)
	}
	return w
}

// open sets the storage.
func (w *world) open(rows table.Driver, blobs blob.Driver) {
	w.rows, w.blobs, w.view = rows, blobs, w.store(rows)
	w.lagging = faultytable.New(rows, faultytable.Options{Seed: w.seed, Stale: 0.3})
}

func (w *world) must(err error) {
	if err != nil {
		w.fail("%v", err)
	}
}

func (w *world) store(d table.Driver) *store.Store {
	return store.New(table.New(d, table.Options{Clock: w.clk, Kind: store.Kind}), w.clk)
}

func (w *world) service(d table.Driver, b blob.Driver) *Service {
	s := New(w.store(d), blob.New(b), nil, w.clk, slog.New(slog.DiscardHandler), Options{})
	s.small, s.most, s.stepItems, s.busyFor, s.careless = 500, 1500, 1+w.rng.IntN(8), 0, w.careless
	if w.rng.IntN(2) == 0 {
		s.dropAfter = dropAfter
	}
	return s
}

func title(f reader.FeedID, seq reader.Seq, version int) string {
	return fmt.Sprintf("%d %d %d", f, seq, version)
}

func versionOf(title string) int {
	n, err := strconv.Atoi(title[strings.LastIndexByte(title, ' ')+1:])
	if err != nil {
		return -1
	}
	return n
}

// crawl commits a delta, or one that somebody has left behind.
func (w *world) crawl(s *store.Store, f reader.FeedID, items int, restamp bool) error {
	row, err := s.Feeds.Get(bg, f, true)
	if err != nil {
		return err
	}
	first := reader.Seq(row.Seq + 1)
	hs := make([]store.Header, items)
	for i := range hs {
		seq := first + reader.Seq(i)
		hs[i] = store.Header{Identity: uint64(seq), Sort: int64(seq), Title: title(f, seq, 0)}
	}
	d, err := store.NewDelta(f, first, reader.MinuteOf(w.clk.Now()), w.clk.Now().UnixMilli(), "raw", hs)
	if err != nil {
		return err
	}
	if err = s.Items.Put(bg, d); fault.Is(err, fault.Conflict) {
		d, err = s.Items.Get(bg, f, first)
	}
	if err == nil && (restamp || d.Stamp < row.Stamp) {
		// As crawl/commit.go does it: the row takes the new stamp first.
		base := *row
		base.Stamp = max(d.Stamp, row.Stamp) + 1
		if _, err = s.Feeds.Change(bg, row, &base, store.SameSeq, store.SameStamp); err == nil {
			row, err = &base, s.Items.Restamp(bg, d, reader.Minute(base.Stamp), w.clk.Now().UnixMilli())
		}
	}
	if err != nil {
		return err
	}
	next := *row
	next.Seq, next.Stamp = uint32(d.Last()), d.Stamp
	_, err = s.Feeds.Change(bg, row, &next, store.SameSeq, store.SameStamp)
	return err
}

// edit gives one item, or all of a feed, a new version; the feed's row counts it then.
func (w *world) edit(s *store.Store, f reader.FeedID, all bool) error {
	row, err := s.Feeds.Get(bg, f, true)
	if err != nil || row.Seq == 0 {
		return err
	}
	if all {
		next := *row
		next.Edited = -w.clk.Now().UnixMilli()
		if _, err := s.Feeds.Change(bg, row, &next, store.SameSeq); err != nil {
			return err
		}
	}
	at := reader.Seq(1 + w.rng.IntN(int(row.Seq)))
	edited := map[query.Ref]int{}
	var firsts []reader.Seq
	err = s.Items.Ascend(bg, f, 0, true, func(d *store.DeltaRow) (bool, error) {
		if d.Last() > reader.Seq(row.Seq) || !all && (at < d.First() || at > d.Last()) {
			return true, nil
		}
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		for i := range hs {
			if seq := d.First() + reader.Seq(i); all || seq == at {
				v := versionOf(hs[i].Title) + 1
				hs[i].Title = title(f, seq, v)
				edited[query.Ref{Feed: f, Seq: seq}] = v
			}
		}
		firsts = append(firsts, d.First())
		return true, s.Items.Edit(bg, d, hs)
	})
	for err == nil {
		if row, err = s.Feeds.Get(bg, f, true); err != nil {
			break
		}
		next := *row
		next.Edited = w.clk.Now().UnixMilli()
		if all {
			next.NoteEditOfAll()
		} else {
			next.NoteEdits(firsts)
		}
		if _, err = s.Feeds.Change(bg, row, &next, store.SameEdits); err == nil {
			for ref, v := range edited {
				w.least[ref] = max(w.least[ref], v)
			}
			return nil
		}
		if fault.Is(err, fault.Conflict) {
			err = nil
		}
	}
	return err
}

// expire moves a feed's floor.
func (w *world) expire(s *store.Store, f reader.FeedID) error {
	row, err := s.Feeds.Get(bg, f, true)
	if err != nil || row.Seq == row.Floor {
		return err
	}
	next := *row
	next.Floor += 1 + uint32(w.rng.IntN(int(row.Seq-row.Floor)))
	_, err = s.Feeds.Change(bg, row, &next, store.SameFloor)
	return err
}

// remove removes a feed as the cleanup does.
func (w *world) remove(s *store.Store, f reader.FeedID) error {
	row, err := s.Feeds.Get(bg, f, true)
	if err != nil {
		return err
	}
	next := *row
	next.RemovingSince = w.clk.Now().Unix()
	if row, err = s.Feeds.Change(bg, row, &next, store.SameRemovingSince); err != nil {
		return err
	}
	var firsts []reader.Seq
	err = s.Items.Ascend(bg, f, 0, true, func(d *store.DeltaRow) (bool, error) {
		firsts = append(firsts, d.First())
		return true, nil
	})
	if err == nil {
		err = s.Items.Drop(bg, f, firsts)
	}
	if err == nil {
		err = s.Feeds.Remove(bg, f, row.RemovingSince)
	}
	return err
}

// race lets some workers work at once.
func (w *world) race() {
	var workers []*turns.Worker
	for range 1 + w.rng.IntN(4) {
		mortal := w.rng.IntN(3) == 0
		dies := func() bool { return mortal && w.rng.IntN(8) == 0 }
		workers = append(workers, turns.Begin(dies, func(worker *turns.Worker) error {
			return w.work(worker.Table(w.lagging), worker.Blobs(w.blobs))
		}))
	}
	turns.Race(w.rng, workers, func() {
		w.clk.Add(time.Duration(w.rng.IntN(20)) * time.Second)
		if w.rng.IntN(3) == 0 {
			w.search()
		}
	}, func(worker *turns.Worker) {
		if worker.Died() {
			w.deaths++
		} else if err := worker.Err(); err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
			w.fail("a worker failed: %v", err)
		}
	})
}

// work is what one of them does.
func (w *world) work(rows table.Driver, blobs blob.Driver) error {
	f := reader.FeedID(1 + w.rng.IntN(feeds))
	switch kind := w.rng.IntN(20); {
	case kind < 9:
		_, err := w.service(rows, blobs).Step(bg, false)
		return err
	case kind < 13:
		return w.crawl(w.store(rows), f, 1+w.rng.IntN(3), w.rng.IntN(4) == 0)
	case kind < 17:
		return w.edit(w.store(rows), f, false)
	case kind == 17:
		return w.edit(w.store(rows), f, true)
	case kind == 18:
		return w.expire(w.store(rows), f)
	case w.rng.IntN(4) > 0:
		return w.crawl(w.store(rows), f, 1, false)
	}
	return w.remove(w.store(rows), f)
}

// found is an item as a search finds it.
type found struct {
	version int
	stamp   uint32
}

// search finds all items, in the segments and in the deltas that no segment has, and compares them with the deltas.
func (w *world) search() {
	w.searches++
	row, err := w.view.Search.Get(bg, true)
	w.must(err)
	lib := w.library()
	if w.before != nil && w.rng.IntN(2) == 0 {
		row = w.before
	} else {
		w.before = row
	}
	got, _, err := w.read(row, lib)
	if fault.Is(err, fault.NotFound) { // a late read of the row: once more
		row, err = w.view.Search.Get(bg, true)
		w.must(err)
		got, _, err = w.read(row, lib)
	}
	w.must(err)
	want := lib.truth()
	for ref, f := range want {
		it, isFound := got[ref]
		switch least := w.least[ref]; {
		case !isFound:
			w.fail("item %d of feed %d is not found", ref.Seq, ref.Feed)
		case it.version < least || it.version > f.version:
			w.fail("item %d of feed %d is found as version %d, not %d to %d", ref.Seq, ref.Feed, it.version,
				least, f.version)
		case it.stamp != f.stamp:
			w.fail("item %d of feed %d is found under another number", ref.Seq, ref.Feed)
		}
	}
	if len(got) > len(want) {
		w.fail("%d items are found of %d", len(got), len(want))
	}
}

// shelf is a feed with its deltas.
type shelf struct {
	*store.FeedRow
	deltas []stored
}

type stored struct {
	*store.DeltaRow
	headers []store.Header
}

// library is all feeds that are not being removed.
type library []shelf

func (w *world) library() (lib library) {
	w.must(w.view.Feeds.Each(bg, func(f *store.FeedRow) error {
		if f.RemovingSince > 0 {
			return nil
		}
		x := shelf{FeedRow: f}
		err := w.view.Items.Ascend(bg, f.ID(), 0, true, func(d *store.DeltaRow) (bool, error) {
			hs, err := d.Headers()
			x.deltas = append(x.deltas, stored{d, hs})
			return true, err
		})
		lib = append(lib, x)
		return err
	}))
	return lib
}

// truth is all items as the deltas have them.
func (lib library) truth() map[query.Ref]found {
	all := map[query.Ref]found{}
	for _, f := range lib {
		for _, d := range f.deltas {
			for i := range d.headers {
				if seq := d.First() + reader.Seq(i); seq > reader.Seq(f.Floor) && seq <= reader.Seq(f.Seq) {
					all[query.Ref{Feed: f.ID(), Seq: seq}] = found{versionOf(d.headers[i].Title), d.Stamp}
				}
			}
		}
	}
	return all
}

// read is a search for everything, as package search does it. indexed are those of the items that segments have.
func (w *world) read(row *store.SearchRow, lib library) (got, indexed map[query.Ref]found, err error) {
	list, err := row.List()
	if err != nil {
		return nil, nil, err
	}
	b := blob.New(w.blobs)
	files, tails := make([][]byte, len(list)), make([]*segment.Tail, len(list))
	for i := range list {
		if files[i], _, err = b.Get(bg, store.SegmentKey(list[i].Name)); err != nil {
			return nil, nil, err
		}
		tails[i], err = segment.OpenFile(files[i])
		w.must(err)
		if len(files[i]) != list[i].Size || len(tails[i].Documents) != list[i].Documents {
			w.fail("the row has %+v for a file of %d bytes, %d documents", list[i], len(files[i]),
				len(tails[i].Documents))
		}
	}
	got, indexed = map[query.Ref]found{}, map[query.Ref]found{}
	rows, scanned := map[reader.FeedID]*store.FeedRow{}, map[query.Ref]bool{}
	for _, f := range lib {
		rows[f.ID()] = f.FeedRow
		c := segment.Covered{}
		if len(tails) > 0 {
			c = tails[len(tails)-1].CoveredOf(f.ID())
		}
		firsts, all := f.EditedSince(c.Edits)
		for _, d := range f.deltas {
			if d.Last() > reader.Seq(f.Seq) || !all && d.First() <= c.Seq && !slices.Contains(firsts, d.First()) {
				continue
			}
			for i := range d.headers {
				ref := query.Ref{Feed: f.ID(), Seq: d.First() + reader.Seq(i)}
				if scanned[ref] = true; ref.Seq > reader.Seq(f.Floor) {
					got[ref] = found{versionOf(d.headers[i].Title), d.Stamp}
				}
			}
		}
	}
	for i := len(tails) - 1; i >= 0; i-- {
		t := tails[i]
		for j := range t.Documents {
			e := &t.Documents[j]
			ref := query.Ref{Feed: e.Feed, Seq: e.Seq}
			isOld := slices.ContainsFunc(tails[i+1:], func(newer *segment.Tail) bool {
				return newer.Replaced(e.Feed, e.Seq)
			})
			if f := rows[e.Feed]; isOld || f == nil || e.Seq <= reader.Seq(f.Floor) {
				continue
			}
			block, place := e.Text()
			at := t.Text(block)
			texts, err := segment.ReadTexts(files[i][at.At : at.At+at.Size])
			w.must(err)
			record, _, err := texts.Get(place)
			w.must(err)
			h, err := store.ParseRecord(record)
			w.must(err)
			if _, isTwice := indexed[ref]; isTwice {
				w.fail("item %d of feed %d is in the index twice", ref.Seq, ref.Feed)
			}
			indexed[ref] = found{versionOf(h.Title), uint32(e.Stamp)}
			if !scanned[ref] {
				got[ref] = indexed[ref]
			}
		}
	}
	return got, indexed, nil
}

// settle lets one job work alone until nothing is left to do, and compares the index with the deltas.
func (w *world) settle() {
	w.clk.Add(2 * time.Hour)
	// A replay that died is made again, as an operator would.
	w.must(w.view.Feeds.Each(bg, func(f *store.FeedRow) error {
		if f.Edited >= 0 || f.RemovingSince > 0 {
			return nil
		}
		return w.edit(w.view, f.ID(), true)
	}))
	s := w.service(w.rows, w.blobs)
	for round := 0; ; round++ {
		r, err := s.Step(bg, false)
		w.must(err)
		if r.Lost || round > 500 {
			w.fail("a job alone has no end: %+v", r)
		}
		if r.Done {
			break
		}
	}
	w.search()
	row, err := w.view.Search.Get(bg, true)
	w.must(err)
	lib := w.library()
	_, indexed, err := w.read(row, lib)
	w.must(err)
	want := lib.truth()
	for ref, f := range want {
		if least := w.least[ref]; indexed[ref].version < least || indexed[ref].version > f.version ||
			indexed[ref].stamp != f.stamp {
			w.fail("at rest item %d of feed %d is %+v in the index, and %+v in its delta", ref.Seq, ref.Feed,
				indexed[ref], f)
		}
	}
	if len(indexed) != len(want) {
		w.fail("at rest the index has %d items, the deltas %d", len(indexed), len(want))
	}
	// Every blob is one that the row names, but for those that a job left that died or was overtaken.
	named := map[string]bool{}
	list, err := row.List()
	w.must(err)
	for _, x := range list {
		named[store.SegmentKey(x.Name)] = true
	}
	dropped, err := row.ListDropped()
	w.must(err)
	for _, x := range dropped {
		named[store.SegmentKey(x.Name)] = true
	}
	orphans := 0
	page, _, err := w.blobs.List(bg, store.SearchPrefix, "", 1000)
	w.must(err)
	for _, o := range page {
		if key := o.Key; !named[key] && key != store.SegmentKey(row.Making) {
			orphans++
		}
	}
	if orphans > w.deaths {
		w.fail("%d blobs that no row names, after %d deaths", orphans, w.deaths)
	}
}

// history runs one seed and returns what was wrong, "" if nothing was.
func history(seed uint64, c careless) (what string, searches int) {
	w := newWorld(seed, c)
	defer func() {
		searches = w.searches
		if r := recover(); r != nil {
			x, isOurs := r.(wrong)
			if !isOurs {
				panic(r)
			}
			what = x.what
		}
	}()
	for range 2 + w.rng.IntN(5) {
		w.race()
		w.search()
		w.clk.Add(time.Duration(w.rng.IntN(120)) * time.Minute)
		w.before = nil
	}
	w.settle()
	return "", w.searches
}

// TestProtocol runs 100,000 histories, 4,000 in a short run.
//
func TestProtocol(t *testing.T) {
	t.Parallel()
	turns.EachSeed(t, 100_000, 4_000, func(t *testing.T, seeds []uint64) {
		searches := 0
		for _, seed := range seeds {
			what, n := history(seed, careless{})
			if what != "" {
				t.Fatal(what)
			}
			searches += n
		}
		t.Logf("%d searches", searches)
	})
}

// What the protocol asks for is needed: without it some history goes wrong.
func TestProtocolNeedsItsRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]careless{
		"deltas that were edited are read consistently": {staleEdits: true},
		"new deltas are read without gaps":              {staleNews: true},
		"the last step has a condition":                 {lastWins: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(20_000) {
				if what, _ := history(seed, c); what != "" {
					t.Logf("noticed: %s", what)
					return
				}
			}
			t.Error("nothing goes wrong without it")
		})
	}
}
