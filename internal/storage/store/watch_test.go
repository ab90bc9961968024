package store

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/watch"
)

// seen are the changes that a look at one page finds, with a price for each key.
func seen(t *testing.T, st *watch.State, at time.Time, prices map[uint64]int64) *watch.Verdict {
	t.Helper()
	page := &listing.Page{}
	for k, price := range prices {
		page.Rows = append(page.Rows, listing.Row{Key: k, Title: "thing", Link: "https://shop.example/1",
			Price: &listing.Price{Amount: price, Currency: "JPY"}})
	}
	set := &watch.Settings{Layout: &listing.Layout{}, Events: []watch.EventKind{watch.New}}
	return watch.Compare(st, set, &watch.Look{At: at, Tick: schedule.TickOf(at), Page: 1, Read: page})
}

// TestStateOfAWatch: what deltas announce and rows of their own say is one state, whatever is folded.
func TestStateOfAWatch(t *testing.T) {
	t.Parallel()
	w, clk := newStore()
	must := func(err error) {
		t.Helper()
		ok(t, err)
	}
	f, err := w.Feeds.Make(ctx, "https://shop.example/", func(reader.FeedID) FeedRow {
		return FeedRow{Kind: KindWatch}
	})
	must(err)
	if _, err := w.Feeds.FindURL(ctx, f.URL); !fault.Is(err, fault.NotFound) || !f.IsWatch() {
		t.Fatalf("%+v has its address: %v", f, err)
	}
	at := clk.Now()
	load := func() *watch.State {
		t.Helper()
		st, _, err := w.Watches.Load(ctx, f, true)
		must(err)
		return st
	}
	announce := func(prices map[uint64]int64) {
		t.Helper()
		v := seen(t, load(), at, prices)
		hs := make([]Header, len(v.Events))
		for i, e := range v.Events {
			hs[i].Identity = e.Identity
		}
		d, err := NewDelta(f.ID(), reader.Seq(f.Seq+1), reader.MinuteOf(at), at.UnixMilli(), "", hs)
		must(err)
		v.Changes.Announce(d.First(), v.Events)
		d.Announce(&v.Changes)
		must(w.Items.Put(ctx, d))
	}
	first := watch.Compare(load(), &watch.Settings{Layout: &listing.Layout{}},
		&watch.Look{At: at, Page: 1, Read: &listing.Page{Empty: true}})
	must(w.Watches.PutChanges(ctx, f.ID(), 0, &first.Changes, 0, true))
	at = at.Add(time.Minute)
	announce(map[uint64]int64{1: 100, 2: 200})
	if l, err := w.Watches.Log(ctx, f, true); err != nil || l.Orphan == nil || len(load().Live()) != 0 {
		t.Fatalf("what is not committed counts: %+v, %v", l, err)
	}
	f.Seq = 2
	for i, price := range []int64{110, 120} { // silent ones, one after the other in a tick, then in another
		at = at.Add(time.Duration(i) * time.Hour)
		v := seen(t, load(), at, map[uint64]int64{1: price, 2: 200})
		l, err := w.Watches.Log(ctx, f, true)
		must(err)
		n := l.Free(2, v.Changes.Tick)
		must(w.Watches.PutChanges(ctx, f.ID(), 2, &v.Changes, n, i == 1))
		if err := w.Watches.PutChanges(ctx, f.ID(), 2, &v.Changes, n, true); !fault.Is(err, fault.Conflict) {
			t.Errorf("a place was given twice: %v", err)
		}
	}
	check := func(what string) {
		t.Helper()
		l, err := w.Watches.Log(ctx, f, false)
		must(err)
		r, _ := load().Get(1)
		if r.Price != 120 || r.Seq == 0 || len(load().Live()) != 2 {
			t.Errorf("%s: %+v of %d", what, r, len(load().Live()))
		}
		old, now := *f, *f
		old.ReadAt, now.ReadAt = at.Unix()-1, at.Unix()
		if !l.IsStale(&old) || l.IsStale(&now) {
			t.Errorf("%s: validators from before the silent change count, or newer ones do not", what)
		}
	}
	check("before folding")
	for _, upTo := range []schedule.Tick{schedule.TickOf(at) - 1, schedule.TickOf(at)} {
		l, err := w.Watches.Log(ctx, f, true)
		must(err)
		st, folded, err := l.Fold(upTo)
		must(err)
		if len(folded) == 0 {
			t.Error("nothing was folded")
		}
		must(w.Watches.PutBase(ctx, f.ID(), l, st))
		must(w.Watches.PutBase(ctx, f.ID(), l, st)) // again
		check("after folding")
	}
	if _, since, err := w.Watches.Load(ctx, f, true); err != nil || len(since) != 0 {
		t.Errorf("%d groups are left, %v", len(since), err)
	}
}

func TestSettingsOfAWatch(t *testing.T) {
	t.Parallel()
	w, clk := newStore()
	row, err := NewWatch(7, "u1", &watch.Settings{Name: "a"}, clk.Now())
	if err != nil {
		t.Fatal(err)
	}
	stale := *row
	if err := w.Watches.PutSettings(ctx, row); err != nil || row.Rev != 1 {
		t.Fatal(err, row.Rev)
	}
	if err := w.Watches.PutSettings(ctx, &stale); !fault.Is(err, fault.Conflict) {
		t.Errorf("made twice: %v", err)
	}
	first, err := w.Watches.Settings(ctx, 7)
	if err != nil {
		t.Fatal(err)
	}
	second := *first
	if err := first.Change(&watch.Settings{Name: "b"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Watches.PutSettings(ctx, first); err != nil {
		t.Fatal(err)
	}
	if err := w.Watches.PutSettings(ctx, &second); !fault.Is(err, fault.Conflict) {
		t.Errorf("an older change: %v", err)
	}
	got, err := w.Watches.Settings(ctx, 7)
	if err != nil || got.Rev != 2 || got.Owner != "u1" || got.Feed() != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
	if set, err := got.Decode(); err != nil || set.Name != "b" {
		t.Errorf("%+v, %v", set, err)
	}
	if _, err := w.Watches.Settings(ctx, 8); fault.CodeOf(err) != "watch_not_found" {
		t.Errorf("another: %v", err)
	}
}
