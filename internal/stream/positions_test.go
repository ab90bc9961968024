package stream_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
)

// twin is a world and another with the same feeds, in which a mark of several feeds is one mark of each.
type twin struct {
	t            *testing.T
	rng          *rand.Rand
	w, naive     *world
	ids          []reader.FeedID
	items        map[reader.FeedID][]reader.ItemID // that arrived, by seq
	unsubscribed map[reader.FeedID]bool
	folder       reader.FolderID
	asOf         string
	undos        []twinUndo
	seldom       *stream.Service // a process that is seldom asked
}

// twinUndo takes back a mark: with one token, or naively with that of each feed.
type twinUndo struct {
	token string
	feeds map[reader.FeedID]string
}

func (x *twin) both(do func(*world)) { do(x.w); do(x.naive) }

func (x *twin) feed() {
	var id reader.FeedID
	inFolder := x.rng.IntN(2) == 0
	x.both(func(w *world) {
		id = w.feed()
		if inFolder {
			w.settings(id, func(row *store.SubscriptionRow) { row.Folders = []reader.FolderID{x.folder} })
		}
	})
	x.ids = append(x.ids, id)
}

func (x *twin) crawl() {
	id := x.ids[x.rng.IntN(len(x.ids))]
	titles := make([]string, 1+x.rng.IntN(4))
	for i := range titles {
		titles[i] = []string{"plain", "plain", "spam", "dull"}[x.rng.IntN(4)]
	}
	x.both(func(w *world) { w.titled(id, titles...) })
	f, err := x.w.store.Feeds.Get(x.t.Context(), id, true)
	x.w.ok(err)
	for len(x.items[id]) < int(f.Seq) {
		x.items[id] = append(x.items[id], reader.NewItemID(reader.Minute(f.Stamp), id, reader.Seq(len(x.items[id])+1)))
	}
}

// mark marks all, a folder or a feed: now, as a list showed them, or what arrived before a time.
func (x *twin) mark() {
	m := stream.Mark{}
	switch x.rng.IntN(5) {
	case 0:
		m.Folder = x.folder
	case 1:
		m.Feed = x.ids[x.rng.IntN(len(x.ids))]
	}
	switch x.rng.IntN(4) {
	case 0:
		m.AsOf = x.asOf
	case 1:
		m.Before = x.w.clk.Now().Add(-time.Duration(x.rng.IntN(300)) * time.Minute)
	}
	undo := twinUndo{feeds: map[reader.FeedID]string{}}
	writes := x.w.meter.Snapshot().TotalWrites()
	done, err := x.w.s.MarkRead(x.t.Context(), user, m)
	if x.isGone(err) {
		return
	}
	if n := x.w.meter.Snapshot().TotalWrites() - writes; n > 1 && !x.hasRules() {
		x.t.Fatalf("%+v cost %v write units", m, n)
	}
	undo.token = done.Undo
	list, err := x.naive.s.Feeds(x.t.Context(), user)
	x.naive.ok(err)
	n := 0
	for _, sub := range list {
		id := sub.Feed.ID()
		if m.Feed > 0 && m.Feed != id || m.Folder > 0 && !slices.Contains(sub.Sub.Folders, m.Folder) {
			continue
		}
		one := m
		one.Scope = stream.Scope{Feed: id}
		done, err := x.naive.s.MarkRead(x.t.Context(), user, one)
		x.naive.ok(err)
		if n += len(done.Feeds); done.Undo != "" {
			undo.feeds[id] = done.Undo
		}
	}
	if n != len(done.Feeds) {
		x.t.Fatalf("%+v changed %d feeds, naively %d", m, len(done.Feeds), n)
	}
	if undo.token != "" {
		x.undos = append(x.undos, undo)
	}
}

func (x *twin) hasRules() bool {
	list, _, err := x.w.s.Rules(x.t.Context(), user)
	x.w.ok(err)
	return len(list) > 0
}

func (x *twin) isGone(err error) bool {
	if err != nil && !fault.Is(err, fault.NotFound) {
		x.t.Fatal(err)
	}
	return err != nil
}

// undo takes back one of the last marks, in all feeds or in one.
func (x *twin) undo() {
	if len(x.undos) == 0 {
		return
	}
	u := x.undos[max(0, len(x.undos)-1-x.rng.IntN(3))]
	only := reader.FeedID(0)
	if x.rng.IntN(4) == 0 {
		for only = range u.feeds {
			break
		}
		if x.unsubscribed[only] {
			return
		}
	}
	back, err := x.w.s.Undo(x.t.Context(), user, only, u.token)
	if err != nil && !fault.Is(err, fault.Conflict) {
		x.t.Fatal(err)
	}
	n := 0
	for id, token := range u.feeds {
		if x.unsubscribed[id] || only > 0 && id != only {
			continue
		}
		list, err := x.naive.s.Undo(x.t.Context(), user, id, token)
		if err != nil && !fault.Is(err, fault.Conflict) {
			x.t.Fatal(err)
		}
		n += len(list)
	}
	if len(back) != n {
		x.t.Fatalf("undone in %d feeds, naively in %d", len(back), n)
	}
}

// single changes one item.
func (x *twin) single() {
	id := x.ids[x.rng.IntN(len(x.ids))]
	if len(x.items[id]) == 0 {
		return
	}
	item, c := x.items[id][x.rng.IntN(len(x.items[id]))], stream.Change{}
	switch x.rng.IntN(4) {
	case 0:
		c.Read = yes()
	case 1, 2:
		c.Read = no()
	default:
		c.Starred = yes()
	}
	remember := x.rng.IntN(3) == 0
	x.both(func(w *world) {
		_, err := w.s.Flush(x.t.Context(), user, stream.Flush{
			Remember: remember, Changes: []stream.BulkChange{{IDs: []reader.ItemID{item}, Change: c}},
		})
		w.ok(err)
	})
}

// leave unsubscribes from a feed as subscribe.Leave does, or subscribes to one again as Attach does.
func (x *twin) leave() {
	id := x.ids[x.rng.IntN(len(x.ids))]
	x.both(func(w *world) {
		subs, ctx := w.store.Subscriptions, x.t.Context()
		if x.unsubscribed[id] {
			f, err := w.store.Feeds.Get(ctx, id, true)
			w.ok(err)
			row := store.NewSubscription(f)
			row.Since = w.clk.Now().Unix()
			w.ok(subs.TakeUp(ctx, user, id, &row))
			w.ok(subs.Add(ctx, user, id, row))
			return
		}
		row, err := subs.Get(ctx, user, id)
		w.ok(err)
		w.ok(subs.PutLeft(ctx, user, row, w.clk.Now()))
		w.ok(subs.Remove(ctx, user, id))
	})
	x.unsubscribed[id] = !x.unsubscribed[id]
}

func (x *twin) retain() {
	id, n := x.ids[x.rng.IntN(len(x.ids))], uint32(x.rng.IntN(4))
	x.both(func(w *world) {
		_, err := w.store.Feeds.Modify(x.t.Context(), id, func(f *store.FeedRow) { f.Floor = min(f.Floor+n, f.Seq) })
		w.ok(err)
	})
}

// compare fails where the worlds differ in what a user sees: of memory, and of a process that starts now.
func (x *twin) compare(step string) {
	x.t.Helper()
	want := x.look(x.naive.s)
	services := []*stream.Service{x.w.s, stream.New(x.w.store, x.w.blobs, x.w.clk)}
	if x.rng.IntN(20) == 0 {
		services = append(services, x.seldom)
	}
	for _, s := range services {
		if got := x.look(s); got != want {
			x.t.Fatalf("after %s\n%s\nnaively\n%s", step, got, want)
		}
	}
}

func (x *twin) look(s *stream.Service) string {
	var out bytes.Buffer
	list, err := s.Feeds(x.t.Context(), user)
	x.w.ok(err)
	for _, sub := range list {
		floor, last := reader.Seq(sub.Feed.Floor), reader.Seq(sub.Feed.Seq)
		fmt.Fprintf(&out, "%d: %d unread, %d starred, at %d, ", sub.Feed.ID(), sub.Unread(), sub.StarredCount(),
			sub.State.ReadAt)
		for seq := floor + 1; seq <= last; seq++ {
			switch {
			case sub.State.Hid.Has(seq):
				out.WriteByte('h')
			case sub.State.IsRead(seq):
				out.WriteByte('r')
			default:
				out.WriteByte('.')
			}
		}
		for c := range sub.State.Tally.All() {
			fmt.Fprintf(&out, " %v", c)
		}
		out.WriteByte('\n')
	}
	totals, err := s.Totals(x.t.Context(), user)
	x.w.ok(err)
	fmt.Fprintf(&out, "%+v\n", totals)
	return out.String()
}

// TestMarksTogetherAgainstMarksOfEach compares marks of several feeds in one write with a write of each feed, after
// each of many random steps: counts, states and the tally, over a table that can tell what has changed and one that
// cannot.
func TestMarksTogetherAgainstMarksOfEach(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		x := &twin{
			t: t, rng: rand.New(rand.NewPCG(seed, 9)), w: newWorld(t, seed), naive: newWorld(t, seed),
			items: map[reader.FeedID][]reader.ItemID{}, unsubscribed: map[reader.FeedID]bool{},
		}
		x.both(func(w *world) {
			_, err := w.store.Trees.Change(t.Context(), user, func(tr *library.Tree) error {
				x.folder = tr.Ensure([]string{"news"})
				return nil
			})
			w.ok(err)
		})
		if seed%2 == 1 {
			far := table.New(remoteTable{x.w.store.Table().Driver()}, table.Options{Clock: x.w.clk, Kind: store.Kind})
			x.w.meter, x.w.store = far.Meter(), store.New(far, x.w.clk)
			x.w.s = stream.New(x.w.store, x.w.blobs, x.w.clk)
		}
		x.seldom = stream.New(x.w.store, x.w.blobs, x.w.clk)
		for range 2 + x.rng.IntN(5) {
			x.feed()
		}
		if seed%3 == 0 {
			x.both(func(w *world) {
				w.setRules(hide("a", "spam"))
			})
		}
		for n := range 150 {
			apart := time.Duration(1+x.rng.IntN(4)) * time.Minute
			if x.rng.IntN(8) == 0 {
				apart = time.Duration(x.rng.IntN(40)) * time.Hour
			}
			x.both(func(w *world) { w.clk.Add(apart) })
			var step string
			var do func()
			switch x.rng.IntN(16) {
			case 0, 1, 2, 3:
				step, do = "a crawl", x.crawl
			case 4, 5, 6:
				step, do = "a mark", x.mark
			case 7, 8:
				step, do = "an undo", x.undo
			case 9, 10, 11, 12:
				step, do = "a single change", x.single
			case 13:
				step, do = "leaving or coming back", x.leave
			case 14:
				step, do = "retention", x.retain
			default:
				p, err := x.w.s.List(t.Context(), user, stream.Query{Fresh: true})
				x.w.ok(err)
				step, do, x.asOf = "a list", func() {}, p.AsOf
			}
			do()
			x.compare(fmt.Sprintf("seed %d, step %d, %s", seed, n, step))
		}
	}
}

// TestOneWriteMarksAll: marking everything and taking it back are one write each, whose units grow with its bytes
// alone; it reads nothing but the side bar.
func TestOneWriteMarksAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		feeds int
		units float64
	}{{100, 1}, {1000, 5}, {5000, 25}} {
		if c.feeds > 1000 && testing.Short() {
			continue
		}
		w := newWorld(t, 31)
		for range c.feeds {
			w.news(w.feed(), 1+w.rng.IntN(3))
		}
		_, err := w.s.Feeds(t.Context(), user)
		w.ok(err)
		before := w.meter.Snapshot()
		done, err := w.s.MarkRead(t.Context(), user, stream.Mark{})
		w.ok(err)
		after := w.meter.Snapshot()
		writes, units := after.RowsWritten-before.RowsWritten, after.TotalWrites()-before.TotalWrites()
		if writes != 1 || units > c.units || after.TotalReads() != before.TotalReads() || len(done.Feeds) != c.feeds ||
			w.unread() != 0 {
			t.Errorf("%d feeds: %d rows, %v write units, %v read units, %d are unread", c.feeds, writes, units,
				after.TotalReads()-before.TotalReads(), w.unread())
		}
		before = w.meter.Snapshot()
		_, err = w.s.Undo(t.Context(), user, 0, done.Undo)
		w.ok(err)
		if after = w.meter.Snapshot(); after.RowsWritten-before.RowsWritten != 1 || w.unread() < c.feeds {
			t.Errorf("%d feeds: undone with %d rows, %d are unread", c.feeds,
				after.RowsWritten-before.RowsWritten, w.unread())
		}
	}
}

// TestManyMarksAreFolded: marks that wait for the rows of feeds are bounded; no day of the tally is lost.
func TestManyMarksAreFolded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 32)
	ids := []reader.FeedID{w.feed(), w.feed(), w.feed()}
	for range 30 {
		for _, id := range ids {
			w.news(id, 1)
		}
		_, err := w.s.MarkRead(t.Context(), user, stream.Mark{})
		w.ok(err)
		w.clk.Add(24 * time.Hour)
	}
	for _, id := range ids {
		sub, err := w.s.Get(t.Context(), user, id)
		w.ok(err)
		days := 0
		for c := range sub.State.Tally.All() {
			if days++; c.Cleared != 1 {
				t.Errorf("feed %d: %+v", id, c)
			}
		}
		if n := sub.Sub.Pending(); n > 8 || days != 30 {
			t.Errorf("feed %d: %d marks are waiting, the tally has %d days", id, n, days)
		}
	}
}

// TestMarksThatMeet: another change is made at the moment of a write. None is lost, and each order gives what its later
// one says.
func TestMarksThatMeet(t *testing.T) {
	t.Parallel()
	type what func(t *testing.T, w *world, s *stream.Service, undo string) error
	markAll := func(t *testing.T, _ *world, s *stream.Service, _ string) error {
		_, err := s.MarkRead(t.Context(), user, stream.Mark{})
		return err
	}
	single := func(c stream.Change) what {
		return func(t *testing.T, w *world, s *stream.Service, _ string) error {
			f, err := w.store.Feeds.Get(t.Context(), 1, true)
			w.ok(err)
			_, _, err = s.SetState(t.Context(), user, reader.NewItemID(reader.Minute(f.Stamp), 1, 3), c)
			return err
		}
	}
	undo := func(t *testing.T, _ *world, s *stream.Service, undo string) error {
		_, err := s.Undo(t.Context(), user, 0, undo)
		return err
	}
	for _, c := range []struct {
		name          string
		marked        bool // all was marked before, with the token of undo
		last, earlier what // earlier comes at the moment of last's first conditional write
		unread        int  // of feed 1 and 2, with 4 items each
		cleared       int  // of both
	}{
		{"two marks of all", false, markAll, markAll, 0, 8},
		{"a mark of all after a single one", false, markAll, single(stream.Change{Read: yes()}), 0, 7},
		{"a single mark after that of all", false, single(stream.Change{Read: yes()}), markAll, 0, 7},
		{"an item made unread while all is marked again", true, single(stream.Change{Read: no()}), markAll, 1, 7},
		{"an undo while a row takes the mark", true, single(stream.Change{Starred: yes()}), undo, 8, 0},
		{"a row takes the mark while it is undone", true, undo, single(stream.Change{Starred: yes()}), 8, 0},
		{"an undo while an item is made unread", true, undo, single(stream.Change{Read: no()}), 8, 0},
		{"two undos", true, undo, undo, 8, 0},
	} {
		w := newWorld(t, 33)
		w.news(w.feed(), 4)
		w.news(w.feed(), 4)
		token := ""
		if c.marked {
			done, err := w.s.MarkRead(t.Context(), user, stream.Mark{})
			w.ok(err)
			token = done.Undo
		}
		met := 0
		behind := faultytable.New(w.store.Table().Driver(), faultytable.Options{Before: func(op faultytable.Op) error {
			if op.Write && op.Conditional && met == 0 {
				met++
				return c.earlier(t, w, w.s, token)
			}
			return nil
		}})
		last := stream.New(store.New(table.New(behind, table.Options{Clock: w.clk, Kind: store.Kind}), w.clk),
			w.blobs, w.clk)
		if err := c.last(t, w, last, token); err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: %v", c.name, err)
		}
		list, err := stream.New(w.store, w.blobs, w.clk).Feeds(t.Context(), user)
		w.ok(err)
		cleared := 0
		for _, sub := range list {
			for n := range sub.State.Tally.All() {
				cleared += n.Cleared
			}
		}
		if n := stream.Sum(list).Unread; n != c.unread || cleared != c.cleared || met != 1 || w.unread() != n {
			t.Errorf("%s: %d are unread, %d cleared; met %d times, in memory %d", c.name, n, cleared, met, w.unread())
		}
	}
}

// TestProcessThatWasNotAskedForLong: a process that has seen a mark finds it undone when it is asked again long after
// that, when the positions have forgotten both.
func TestProcessThatWasNotAskedForLong(t *testing.T) {
	t.Parallel()
	list, clk := openSQLite(t, 2)
	w := &world{t: t, rng: rand.New(rand.NewPCG(35, 3)), clk: clk, s: list[0].s, store: list[0].store,
		blobs: list[0].blobs}
	ids := []reader.FeedID{w.feed(), w.feed(), w.feed()}
	for _, id := range ids {
		w.news(id, 2)
	}
	done, err := w.s.MarkRead(t.Context(), user, stream.Mark{})
	w.ok(err)
	_, err = list[1].s.Feeds(t.Context(), user)
	w.ok(err)
	_, err = w.s.Undo(t.Context(), user, 0, done.Undo)
	w.ok(err)
	_, err = w.s.Undo(t.Context(), user, 0, done.Undo)
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("undone twice: %v", err)
	}
	for range 2 {
		clk.Add(2 * time.Hour)
		w.news(ids[1], 1)
		w.news(ids[2], 1)
		_, err = w.s.MarkRead(t.Context(), user, stream.Mark{AsOf: w.asOfTwo(ids[1], ids[2])})
		w.ok(err)
	}
	for n, p := range list {
		feeds, err := p.s.Feeds(t.Context(), user)
		w.ok(err)
		if got := stream.Sum(feeds); got.Unread != 2 {
			t.Errorf("process %d shows %+v", n, got)
		}
	}
}

// asOfTwo is what a list of a folder with two feeds says that it covers.
func (w *world) asOfTwo(a, b reader.FeedID) string {
	w.t.Helper()
	folder := reader.FolderID(0)
	_, err := w.store.Trees.Change(w.t.Context(), user, func(tr *library.Tree) error {
		folder = tr.Ensure([]string{"two"})
		return nil
	})
	w.ok(err)
	for _, id := range []reader.FeedID{a, b} {
		w.settings(id, func(row *store.SubscriptionRow) { row.Folders = []reader.FolderID{folder} })
	}
	p, err := w.s.List(w.t.Context(), user, stream.Query{Scope: stream.Scope{Folder: folder}})
	w.ok(err)
	return p.AsOf
}

// TestLeavingAfterAnUndo: of a subscription that was made before the feed's first crawl, and in which nothing is read
// after all, nothing is kept that would be taken up.
func TestLeavingAfterAnUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 37)
	for range 2 {
		id := w.feed()
		w.news(id, 60)
		_, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) { f.FirstSeq = f.Seq })
		w.ok(err)
	}
	want := w.unread()
	done, err := w.s.MarkRead(t.Context(), user, stream.Mark{})
	w.ok(err)
	_, err = w.s.Undo(t.Context(), user, 0, done.Undo)
	w.ok(err)
	x := &twin{t: t, rng: w.rng, w: w, naive: newWorld(t, 38), ids: []reader.FeedID{1},
		unsubscribed: map[reader.FeedID]bool{}}
	x.naive.news(x.naive.feed(), 60)
	x.leave()
	x.leave()
	if n := w.unread(); n != want || want == 120 {
		t.Errorf("%d are unread, before %d", n, want)
	}
}

// TestMarkOfALaterList: a list may name seqs that its feed does not have, of a table that was restored since. What
// arrives later stays unread.
func TestMarkOfALaterList(t *testing.T) {
	t.Parallel()
	later, w := newWorld(t, 36), newWorld(t, 36)
	for range 3 {
		later.news(later.feed(), 20)
		w.news(w.feed(), 5)
	}
	p, err := later.s.List(t.Context(), user, stream.Query{})
	w.ok(err)
	done, err := w.s.MarkRead(t.Context(), user, stream.Mark{AsOf: p.AsOf})
	w.ok(err)
	for id := range reader.FeedID(3) {
		w.news(id+1, 4)
	}
	if n := w.unread(); len(done.Feeds) != 3 || n != 12 {
		t.Errorf("%d feeds were marked, then %d of 12 are unread", len(done.Feeds), n)
	}
}

// A mark of all computes the new state of each feed for the answer, and once more for the side bar in memory, and so
// does its undo.
func TestAMarkOfAllComputesFewStates(t *testing.T) {
	const feeds = 100
	w := newWorld(t, 36)
	for range feeds {
		w.news(w.feed(), 2)
	}
	n := testing.AllocsPerRun(5, func() {
		w.clk.Add(20 * time.Minute)
		done, err := w.s.MarkRead(t.Context(), user, stream.Mark{})
		w.ok(err)
		_, err = w.s.Undo(t.Context(), user, 0, done.Undo)
		w.ok(err)
	})
	if n > 36*feeds {
		t.Errorf("%v allocations a feed for a mark and its undo, want at most 36", n/feeds)
	}
}

// BenchmarkMarkAll marks 5,000 feeds and takes it back.
func BenchmarkMarkAll(b *testing.B) {
	w := newWorld(&testing.T{}, 34)
	for range 5000 {
		w.news(w.feed(), 2)
	}
	b.ReportAllocs()
	for b.Loop() {
		w.clk.Add(20 * time.Minute)
		done, err := w.s.MarkRead(b.Context(), user, stream.Mark{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := w.s.Undo(b.Context(), user, 0, done.Undo); err != nil {
			b.Fatal(err)
		}
	}
}
