package explore_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

const user = reader.UserID("u1")

var bg = context.Background()

// world is an installation with a user, whose items are counted by rows of cycles as the provider's answers would make
// them.
type world struct {
	t       *testing.T
	rnd     *rand.Rand
	clk     *clock.Manual
	store   *store.Store
	blobs   *blob.Bucket
	streams *stream.Service
	popular *popular.Service
	s       *explore.Service
	yahoo   explore.Extractor
	queue   job.Sender
	feeds   []*feed
	items   []*item
	now     map[*item]int // the counts
	log     []cycle
	headers func(*store.Header)  // edits what arrives, if not nil
	night   map[*feed]reader.Seq // the newest items as of the nightly job
	nightAt time.Time
}

type feed struct {
	id       reader.FeedID
	isMuted  bool
	isOthers bool // of another user
	seq      reader.Seq
}

type item struct {
	feed     *feed
	seq      reader.Seq
	link     string
	sort     int64
	isHidden bool
	header   store.Header
}

// cycle is a cycle and the counts after it.
type cycle struct {
	tick   schedule.Tick
	counts map[*item]int
}

// withoutLog is a table that does not say what changed, as in the cloud.
type withoutLog struct{ table.Driver }

func newWorld(t *testing.T, seed uint64) *world {
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	w := &world{t: t, rnd: rand.New(rand.NewPCG(seed, 15)), clk: clk, now: map[*item]int{}}
	var driver table.Driver = memtable.New()
	if seed%2 == 1 {
		driver = withoutLog{driver}
	}
	w.store = store.New(table.New(driver, table.Options{Clock: clk, Kind: store.Kind}), clk)
	w.blobs = blob.New(memblob.New())
	w.must(w.store.Accounts.SetCounts(bg, true))
	w.restart()
	return w
}

// restart begins a new process.
func (w *world) restart() {
	w.streams = stream.New(w.store, w.blobs, w.clk)
	w.popular = popular.New(w.store, w.blobs, nil, w.clk, slog.New(slog.DiscardHandler), nil, popular.Options{})
	w.s = explore.New(w.store, w.blobs, w.queue, w.streams, w.popular, w.yahoo, w.clk, slog.New(slog.DiscardHandler))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// addFeed adds a feed, and the user's subscription if it is not another's.
func (w *world) addFeed(isMuted, isOthers bool) *feed {
	row, err := w.store.Feeds.Ensure(bg, fmt.Sprint("https://example.org/", len(w.feeds)),
		func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active", Subs: 1}
		})
	w.must(err)
	f := &feed{id: row.ID(), isMuted: isMuted, isOthers: isOthers}
	if !isOthers {
		w.must(w.store.Subscriptions.Add(bg, user, f.id, store.SubscriptionRow{Since: 1, Mute: isMuted}))
	}
	w.feeds = append(w.feeds, f)
	return f
}

// arrive commits new items of a feed, published up to so long ago.
func (w *world) arrive(f *feed, ago time.Duration, links ...string) {
	now := w.clk.Now()
	row, err := w.store.Feeds.Get(bg, f.id, true)
	w.must(err)
	var headers []store.Header
	var sorts []int64
	newest := row.NewestAt
	for _, link := range links {
		f.seq++
		it := &item{feed: f, seq: f.seq, link: link, sort: now.Add(-time.Duration(w.rnd.Int64N(int64(ago)))).Unix()}
		w.items = append(w.items, it)
		newest, sorts = max(newest, it.sort), append(sorts, it.sort)
		h := store.Header{Identity: w.rnd.Uint64(), Title: "about " + link, Link: link, Sort: it.sort, Snippet: "text"}
		if w.headers != nil {
			w.headers(&h)
		}
		it.header = h
		headers = append(headers, h)
	}
	stamp := max(reader.MinuteOf(now), reader.Minute(row.Stamp)+1)
	d, err := store.NewDelta(f.id, reader.Seq(row.Seq)+1, stamp, now.UnixMilli(), "", headers)
	w.must(err)
	w.must(w.store.Items.Put(bg, d))
	_, err = w.store.Feeds.Modify(bg, f.id, func(next *store.FeedRow) {
		next.Seq, next.Stamp, next.NewestAt = uint32(f.seq), uint32(stamp), newest
		next.Ages = row.Ages.Add(reader.Seq(row.Floor), d.First(), sorts)
	})
	w.must(err)
}

// nightly is the job of a night.
func (w *world) nightly() {
	w.must(w.s.Nightly(bg))
	w.nightAt, w.night = w.clk.Now(), map[*feed]reader.Seq{}
	for _, f := range w.feeds {
		w.night[f] = f.seq
	}
}

// count is a cycle that finds new counts, in the next tick.
func (w *world) count(found map[*item]int) {
	tick := schedule.TickOf(w.clk.Now()) + 1
	w.clk.Add(tick.Start().Add(14 * time.Minute).Sub(w.clk.Now()))
	row := store.CycleRow{Began: tick.Start().Unix(), Arrived: uint32(reader.MinuteOf(tick.Start())), Calls: 1}
	w.must(w.store.Cycles.Begin(bg, tick, &row))
	var changes []store.ChangedCount
	for it, n := range found {
		if n == w.now[it] {
			continue
		}
		changes = append(changes, store.ChangedCount{
			Feed: it.feed.id, Seq: it.seq, N: n, Was: w.now[it], Sort: it.sort,
			Story: reader.StoryHash(reader.StoryURL(it.link)),
		})
		w.now[it] = n
	}
	slices.SortFunc(changes, func(a, b store.ChangedCount) int {
		return cmp.Or(cmp.Compare(a.Feed, b.Feed), cmp.Compare(a.Seq, b.Seq))
	})
	row.SetChanged(changes)
	w.must(w.store.Cycles.End(bg, tick, &row))
	after := map[*item]int{}
	for it, n := range w.now {
		if n > 0 {
			after[it] = n
		}
	}
	w.log = append(w.log, cycle{tick, after})
}

// countSome is a cycle that finds the counts of some items changed, up or down.
func (w *world) countSome() {
	found := map[*item]int{}
	for range 1 + w.rnd.IntN(len(w.items)/4+1) {
		it := w.items[w.rnd.IntN(len(w.items))]
		found[it] = max(w.rnd.IntN(30)*w.rnd.IntN(30)/8-4, 0)
	}
	w.count(found)
}

// hide hides an item, as a rule does.
func (w *world) hide(it *item) {
	sub, err := w.streams.Get(bg, user, it.feed.id)
	w.must(err)
	next, isChanged := reader.Apply(sub.State, reader.Change{
		Ops: []reader.Op{{Kind: reader.OpHide, Seqs: []reader.Seq{it.seq}}}, Last: reader.Seq(sub.Feed.Seq),
	})
	if isChanged {
		_, err = w.store.Subscriptions.ChangeState(bg, user, sub.Sub, next)
		w.must(err)
	}
	it.isHidden = true
}

// minute is a time without its seconds.
func minute(t int64) int64 { return t - t%60 }

func (it *item) compare(b *item) int {
	return cmp.Or(cmp.Compare(it.feed.id, b.feed.id), cmp.Compare(it.seq, b.seq))
}

func (it *item) isSeen() bool { return !it.feed.isMuted && !it.feed.isOthers && !it.isHidden }
