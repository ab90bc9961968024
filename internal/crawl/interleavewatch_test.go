package crawl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/testkit/turns"
	"github.com/ruri-reader/ruri/internal/watch"
)

// The commit of watches under every order of steps, as interleave_test.go has it for feeds: several crawlers have seen
// a page at different times, some of them twice, with rows as stale as a read may be, and die at any step.

// counter is a shop's page as it is now: prices of what is on sale, 0 for what is sold.
type counter struct {
	version int
	price   map[uint64]int64
	next    uint64
}

// change lets something happen.
func (p *counter) change(rng *rand.Rand) {
	p.version++
	keys := make([]uint64, 0, len(p.price))
	for k := range p.price {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	switch n := rng.IntN(6); {
	case n < 2 || len(keys) < 3:
		p.next++
		p.price[p.next] = 1000 + rng.Int64N(1000)
	case n < 4:
		p.price[keys[rng.IntN(len(keys))]] = 100 + rng.Int64N(3000)
	case n < 5:
		p.price[keys[rng.IntN(len(keys))]] = 0
	default:
		delete(p.price, keys[rng.IntN(len(keys))])
	}
}

func (p *counter) etag() string { return `"` + strconv.Itoa(p.version) + `"` }

func (p *counter) page() *listing.Page {
	page := &listing.Page{}
	for k := range p.price {
		r := listing.Row{Key: k, Title: fmt.Sprint("thing ", k), Link: fmt.Sprint("https://shop.example/", k),
			Status: listing.OnSale}
		if r.Price = (&listing.Price{Amount: p.price[k], Currency: "JPY"}); p.price[k] == 0 {
			r.Price, r.Status = nil, listing.Sold
		}
		page.Rows = append(page.Rows, r)
	}
	slices.SortFunc(page.Rows, func(a, b listing.Row) int { return int(a.Key) - int(b.Key) })
	return page
}

// observe is what a crawler makes of the page now.
func (p *counter) observe(set *watch.Settings, at time.Time, full bool) func() *observation {
	page, etag, version := p.page(), p.etag(), p.version
	return func() *observation {
		return &observation{
			kind: seen, resp: &fetch.Response{Status: 200}, validators: pair{etag: etag},
			hash: []byte{byte(version >> 8), byte(version)},
			page: &pages.Snapshot{Visit: &pages.Visit{Set: set, Rev: 1, Page: 1, Full: full}, At: at,
				Tick: schedule.TickOf(at), Listing: page, Resp: &fetch.Response{Status: 200}},
		}
	}
}

// bazaar is a world with a watch.
type bazaar struct {
	*world
	shop  counter
	set   *watch.Settings
	pages map[string]map[uint64]int64 // by validator
	blobs *blob.Bucket
}

func newBazaar(t *testing.T, seed uint64) *bazaar {
	rng := rand.New(rand.NewPCG(seed, 11))
	w := &world{t: t, seed: seed, rng: rng, mem: memtable.New(),
		clk: clock.NewManual(time.Date(2026, 11, 1, 0, 0, 30, 0, time.UTC))}
	w.view = w.store(w.mem)
	b := &bazaar{
		world: w, shop: counter{price: map[uint64]int64{}}, pages: map[string]map[uint64]int64{},
		blobs: blob.New(memblob.New()),
		set:   &watch.Settings{Layout: &listing.Layout{Pages: 1}, Events: watch.EventKinds()},
	}
	_, err := w.view.Feeds.Make(context.Background(), "https://shop.example/", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Kind: store.KindWatch, Period: 5, Status: "waiting", Subs: 1}
	})
	if err != nil {
		t.Fatal(err)
	}
	settings, err := store.NewWatch(b.row().ID(), "owner", b.set, w.clk.Now())
	if err == nil {
		err = b.view.Watches.PutSettings(context.Background(), settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		b.shop.change(rng)
	}
	return b
}

// see is what a crawler sees now; the shop goes on.
func (b *bazaar) see() func() *observation {
	b.pages[b.shop.etag()] = b.shop.price
	obs := b.shop.observe(b.set, b.clk.Now(), b.rng.IntN(3) == 0)
	if b.rng.IntN(2) == 0 {
		next := map[uint64]int64{}
		for k, v := range b.shop.price {
			next[k] = v
		}
		b.shop.price = next
		b.shop.change(b.rng)
	}
	b.clk.Add(time.Duration(1+b.rng.IntN(5)) * time.Second)
	return obs
}

func (b *bazaar) race(crawlers int) {
	var workers []*turns.Worker
	var obs func() *observation
	for range crawlers {
		mortal := b.rng.IntN(3) == 0
		dies := func() bool { return mortal && b.rng.IntN(8) == 0 }
		if obs == nil || b.rng.IntN(3) > 0 { // else the same message again
			obs = b.see()
		}
		row, mine := b.row(), obs
		if len(b.old) > 0 && b.rng.IntN(2) == 0 {
			row = b.old[max(0, len(b.old)-1-b.rng.IntN(3))]
		}
		workers = append(workers, turns.Begin(dies, func(worker *turns.Worker) error {
			c := New(b.store(worker.Table(b.mem)), b.blobs, nil, b.clk, Options{Keep: 36500, Log: quietly})
			_, err := c.commit(context.Background(), row, mine())
			return err
		}))
	}
	turns.Race(b.rng, workers, func() {
		b.clk.Add(time.Duration(b.rng.IntN(20)) * time.Second)
		if b.rng.IntN(4) == 0 {
			b.old = append(b.old, b.row())
		}
	}, func(worker *turns.Worker) {
		if err := worker.Err(); err != nil && !worker.Died() && !errors.Is(err, errTooManyRaces) {
			b.fail("a crawler failed: %v", err)
		}
	})
}

// check compares the store with what must hold at any moment of rest.
func (b *bazaar) check(settled bool) {
	ctx, row := context.Background(), b.row()
	log, err := b.view.Watches.Log(ctx, row, true)
	if err != nil {
		b.fail("%v", err)
	}
	st, err := log.State()
	if err != nil {
		b.fail("%v", err)
	}
	if settled && log.Orphan != nil {
		b.fail("an orphan delta is left at %d above seq %d", log.Orphan.First(), row.Seq)
	}
	identities, isNew, next := map[uint64]bool{}, map[uint64]int{}, reader.Seq(row.Seq)
	err = b.view.Items.Descend(ctx, 1, 0, func(d *store.DeltaRow) (bool, error) {
		if d.First() > reader.Seq(row.Seq) {
			return true, nil // an orphan
		}
		if d.Last() != next {
			b.fail("a gap: delta %d to %d, expected to end at %d", d.First(), d.Last(), next)
		}
		next = d.First() - 1
		hs, err := d.Headers()
		for _, h := range hs {
			if identities[h.Identity] {
				b.fail("an event is there twice: %s %+v", h.Title, h.Offer)
			}
			identities[h.Identity] = true
			if h.Offer.Event == string(watch.New) || h.Offer.Event == string(watch.SoldOut) && h.Offer.Before < 0 {
				isNew[h.Offer.Key]++
			}
		}
		return true, err
	})
	if err != nil || next != 0 {
		b.fail("the deltas begin at %d, %v", next+1, err)
	}
	first := int64(math.MaxInt64) // when the baseline was seen, which no event tells
	for _, r := range st.Live() {
		first = min(first, r.FirstSeen)
	}
	for _, r := range st.Live() {
		if n := isNew[uint64(r.Key)]; n != 1 && (n != 0 || r.FirstSeen != first) {
			b.fail("the arrival of %d was announced %d times", r.Key, n)
		}
	}
	if page, ok := b.pages[row.ETag]; ok && !log.IsStale(row) {
		b.compare("the page that the validators are of", st, page)
	}
	if settled {
		b.compare("the last page", st, b.shop.price)
	}
}

// compare compares a state with a page that it should be the state of.
func (b *bazaar) compare(what string, st *watch.State, page map[uint64]int64) {
	for k, price := range page {
		r, ok := st.Get(watch.Key(k))
		isSold := r.Status == watch.Sold
		if !ok || isSold != (price == 0) || !isSold && (r.Status != watch.OnSale || r.Price != price) {
			b.fail("%s: %d costs %d, known is %v %+v", what, k, price, ok, r)
		}
	}
}

// settle crawls the last page, alone and whole, as later polls do.
func (b *bazaar) settle() {
	for range 3 {
		b.clk.Add(time.Hour)
		b.pages[b.shop.etag()] = b.shop.price
		c := New(b.view, b.blobs, nil, b.clk, Options{Keep: 36500, Log: quietly})
		if _, err := c.commit(context.Background(), b.row(), b.shop.observe(b.set, b.clk.Now(), true)()); err != nil {
			b.fail("the last crawl failed: %v", err)
		}
	}
}

// fold is the cleanup's part, without which silent changes expire when every crawler dies for two months.
func (b *bazaar) fold() {
	c := New(b.view, b.blobs, nil, b.clk, Options{Keep: 36500, Log: quietly})
	if err := c.FoldWatch(context.Background(), b.row()); err != nil {
		b.fail("folding failed: %v", err)
	}
}

// TestInterleavingsOfWatches runs 5,000 of them, 300 in a short run.
// M-9
func TestInterleavingsOfWatches(t *testing.T) {
	t.Parallel()
	turns.EachSeed(t, 5_000, 300, func(t *testing.T, seeds []uint64) {
		for _, seed := range seeds {
			b := newBazaar(t, seed)
			for range 1 + b.rng.IntN(4) {
				b.race(1 + b.rng.IntN(3))
				b.check(false)
				b.clk.Add(time.Duration(b.rng.IntN(60)) * time.Minute)
				if b.rng.IntN(4) == 0 {
					b.clk.Add(31 * 24 * time.Hour) // so that a base is due
					b.old = nil
					b.fold()
				}
			}
			b.settle()
			b.check(true)
		}
	})
}

var quietly = slog.New(slog.DiscardHandler)
