package stream_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestIDsOfLongFeedsResolve finds items of a feed of many thousands in few reads, whatever their age and
// above any floor.
func TestIDsOfLongFeedsResolve(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 21)
	id := w.feed()
	stamps := map[reader.Seq]reader.Minute{}
	for seq := reader.Seq(1); seq < 20_000; {
		n := 1 + w.rng.IntN(100)
		w.news(id, n)
		f, err := w.store.Feeds.Get(t.Context(), id, true)
		w.ok(err)
		for range n {
			stamps[seq] = reader.Minute(f.Stamp)
			seq++
		}
		w.clk.Add(time.Duration(1+w.rng.IntN(60)) * time.Minute)
	}
	for _, floor := range []uint32{0, 1, 1023, 1024, 7000} {
		_, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) { f.Floor = floor })
		w.ok(err)
		for seq, stamp := range stamps {
			if seq%41 != 0 {
				continue
			}
			before := w.meter.Snapshot().ReadOps
			e, _, err := w.s.Find(t.Context(), user, reader.NewItemID(stamp, id, seq))
			// of them two for an item that is gone: its star, and the labels it may have
			if n := w.meter.Snapshot().ReadOps - before; n > 10 {
				t.Fatalf("seq %d took %d reads", seq, n)
			}
			if gone := seq <= reader.Seq(floor); gone != fault.Is(err, fault.NotFound) || !gone &&
				(err != nil || e.Seq != seq) {
				t.Fatalf("floor %d: seq %d leads to %d, %v", floor, seq, e.Seq, err)
			}
			for _, wrong := range []reader.Minute{stamp - 1, stamp + 1, 1, reader.MaxMinute} {
				e, _, err := w.s.Find(t.Context(), user, reader.NewItemID(wrong, id, seq))
				if err == nil && (stamps[e.Seq] != wrong || e.Seq%1024 != seq%1024) {
					t.Fatalf("an id that never was leads to seq %d", e.Seq)
				}
			}
		}
	}
}

// TestDeepPagesOpenNoFeedTwice: a feed that was shown to its end is not read again for each further page.
// C-24
func TestDeepPagesOpenNoFeedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 22)
	for range 30 {
		w.news(w.feed(), 3)
	}
	long := w.feed()
	w.clk.Add(-60 * 24 * time.Hour) // its items are older than all of the others
	for range 60 {
		w.news(long, 5)
		w.clk.Add(24 * time.Hour)
	}
	cursor, pages := "", 0
	var last int64
	for {
		before := w.meter.Snapshot().ReadOps
		p, err := w.s.List(t.Context(), user, stream.Query{Filter: stream.All, Cursor: cursor, Limit: 20})
		w.ok(err)
		last = w.meter.Snapshot().ReadOps - before
		pages++
		if cursor = p.Next; cursor == "" {
			break
		}
	}
	if pages < 15 || last > 4 {
		t.Errorf("the last of %d pages took %d reads", pages, last)
	}
}

// TestTotalsAreThoseOfTheChange: the counts returned after a change include it, however old the list is.
func TestTotalsAreThoseOfTheChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 23)
	a, b := w.feed(), w.feed()
	w.news(a, 5)
	w.news(b, 7)
	stale, err := w.s.Latest(t.Context(), user, a)
	w.ok(err)
	fresh, _ := w.markFeed(a, 0)
	for name, c := range map[string]struct {
		with *stream.Subscribed
		want int
	}{"nothing": {nil, 7}, "the change": {fresh, 7}, "an older state": {stale, 12}} {
		got, err := w.s.Totals(t.Context(), user, c.with)
		w.ok(err)
		if got.Unread != c.want || got.Feeds != 2 {
			t.Errorf("with %s the totals are %+v, want %d unread", name, got, c.want)
		}
	}
}

// TestSideBarFollowsEveryChange compares the cached side bar with a fresh one, after each change.
//
func TestSideBarFollowsEveryChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 24)
	ids := []reader.FeedID{w.feed(), w.feed(), w.feed()}
	subscribed := map[reader.FeedID]bool{ids[0]: true, ids[1]: true, ids[2]: true}
	for step := range 400 {
		id := ids[w.rng.IntN(len(ids))]
		switch w.rng.IntN(7) {
		case 0:
			w.news(id, 1+w.rng.IntN(3))
			w.clk.Add(time.Hour)
		case 1:
			w.ok(w.store.Subscriptions.Remove(t.Context(), user, id))
			subscribed[id] = false
		case 2:
			if err := w.store.Subscriptions.Add(t.Context(), user, id, store.SubscriptionRow{Since: 1}); err != nil &&
				!fault.Is(err, fault.Conflict) {
				t.Fatal(err)
			}
			subscribed[id] = true
		case 3:
			if subscribed[id] {
				w.markFeed(id, 0)
			}
		case 4:
			_, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
				f.Title = fmt.Sprint("title ", step)
			})
			w.ok(err)
		default: // nothing changes
		}
		got, err := w.s.Feeds(t.Context(), user)
		w.ok(err)
		want, err := stream.New(w.store, w.blobs, w.clk).Feeds(t.Context(), user)
		w.ok(err)
		if describe(got) != describe(want) {
			t.Fatalf("step %d: cached\n%s\nfresh\n%s", step, describe(got), describe(want))
		}
	}
}

func describe(list []*stream.Subscribed) string {
	var b strings.Builder
	for i := range list {
		s := list[i]
		fmt.Fprintln(&b, s.Feed.ID(), s.Title(), s.Unread(), s.StarredCount(), s.Feed.Seq)
	}
	return b.String()
}

// TestFeedRowThatComesBackIsShown: a subscription without its feed is not shown, and is when it is there.
func TestFeedRowThatComesBackIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 25)
	id := w.feed()
	w.ok(w.store.Subscriptions.Add(t.Context(), user, id+1, store.SubscriptionRow{Since: 1}))
	count := func() int {
		list, err := w.s.Feeds(t.Context(), user)
		w.ok(err)
		return len(list)
	}
	if n := count(); n != 1 {
		t.Errorf("%d feeds are shown", n)
	}
	w.feeds++
	_, err := w.store.Feeds.Ensure(t.Context(), "https://example.org/late", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Period: 5, Status: "active", Subs: 1}
	})
	w.ok(err)
	if n := count(); n != 2 {
		t.Errorf("%d feeds are shown when its row is there", n)
	}
}

// raw stores a feed with one item, and gives the identity of that item.
func (w *world) raw(key, html string) uint64 {
	w.t.Helper()
	body := []byte(
		`<rss version="2.0"><channel><title>T</title><item><guid>g</guid><title>t</title><description><![CDATA[` +
			html + `]]></description></item></channel></rss>`)
	f, err := extract.Scan(body, "application/rss+xml", "https://example.org/", extract.Options{})
	w.ok(err)
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, err = z.Write(body)
	w.ok(err)
	w.ok(z.Close())
	w.ok(w.blobs.Put(context.Background(), key, []byte(b.String()), blob.Meta{ContentType: "application/rss+xml"}))
	return f.Items[0].Identity
}

// item commits one item with a body.
func (w *world) item(id reader.FeedID, key string, identity uint64) reader.ItemID {
	w.t.Helper()
	now := w.clk.Now()
	f, err := w.store.Feeds.Get(context.Background(), id, true)
	w.ok(err)
	stamp := max(reader.MinuteOf(now), reader.Minute(f.Stamp)+1)
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), stamp, now.UnixMilli(), key,
		[]store.Header{{Identity: identity, Title: "t", Sort: now.Unix()}})
	w.ok(err)
	w.ok(w.store.Items.Put(context.Background(), d))
	_, err = w.store.Feeds.Modify(context.Background(), id, func(row *store.FeedRow) {
		row.Seq, row.Stamp, row.NewestAt, row.Hash = f.Seq+1, uint32(stamp), now.Unix(), []byte{1}
	})
	w.ok(err)
	return reader.NewItemID(stamp, id, reader.Seq(f.Seq+1))
}

func (w *world) body(id reader.ItemID) (stream.Body, error) {
	e, sub, err := w.s.Find(context.Background(), user, id)
	w.ok(err)
	return w.s.Body(context.Background(), user, e, sub)
}

// noise does not compress, so that a body of it is a blob of its own.
func noise(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return "<p>" + hex.EncodeToString(b) + "</p>"
}

// TestStarsKeepTheirBodies outlives the raw feed and the subscription, small in the row and large in a blob.
func TestStarsKeepTheirBodies(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, html := range map[string]string{"small": "<p>small</p>", "large": noise(20_000)} {
		w := newWorld(t, 26)
		feed := w.feed()
		id := w.item(feed, "feeds/raw.gz", w.raw("feeds/raw.gz", html))
		_, _, err := w.s.SetState(t.Context(), user, id, stream.Change{Starred: &yes})
		w.ok(err)
		w.ok(w.blobs.Delete(t.Context(), "feeds/raw.gz"))
		w.ok(w.store.Subscriptions.Remove(t.Context(), user, feed))
		b, err := w.body(id)
		if err != nil || b.State != stream.ContentFull || b.HTML != html {
			t.Errorf("%s: the body is %q of %d bytes, %v", name, b.State, len(b.HTML), err)
		}
		if blobs := w.count("stars/"); (blobs == 1) != (name == "large") {
			t.Errorf("%s: %d blobs", name, blobs)
		}
		_, _, err = w.s.SetState(t.Context(), user, id, stream.Change{Starred: &no})
		w.ok(err)
		if blobs := w.count("stars/"); blobs != 0 {
			t.Errorf("%s: %d blobs stay without a star", name, blobs)
		}
	}
}

func (w *world) count(prefix string) int {
	w.t.Helper()
	list, _, err := w.blobs.List(context.Background(), prefix, "", 100)
	w.ok(err)
	return len(list)
}

// lagging is a table whose plain reads do not see stars that were just made.
type lagging struct{ table.Driver }

func (l lagging) Get(ctx context.Context, k table.Key, consistent bool) (table.Row, bool, table.Usage, error) {
	if !consistent && strings.HasPrefix(k.SK, "X#") {
		return table.Row{}, false, table.Usage{}, nil
	}
	return l.Driver.Get(ctx, k, consistent)
}

// TestAStarJustMadeCanBeTakenAway although a read that lags does not show it: it would stay for good.
func TestAStarJustMadeCanBeTakenAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 27)
	id := w.item(w.feed(), "feeds/raw.gz", w.raw("feeds/raw.gz", noise(20_000)))
	s := stream.New(store.New(table.New(lagging{w.store.Table().Driver()}, table.Options{Clock: w.clk}), w.clk),
		w.blobs, w.clk)
	for _, starred := range []bool{true, false} {
		_, _, err := s.SetState(t.Context(), user, id, stream.Change{Starred: &starred})
		w.ok(err)
	}
	if _, err := w.store.Snapshots.Latest(t.Context(), user, store.Star, id); !fault.Is(err, fault.NotFound) ||
		w.count("stars/") != 0 {
		t.Errorf("the star is still there: %v, %d blobs", err, w.count("stars/"))
	}
}

// behind is a table whose plain reads give the feed as it was before its newest items.
type behind struct {
	table.Driver
	lag *int // plain reads of a feed row that are still fresh
	old *table.Row
}

func (b behind) Get(ctx context.Context, k table.Key, consistent bool) (table.Row, bool, table.Usage, error) {
	if !consistent && strings.HasPrefix(k.PK, "FEEDS#") {
		if *b.lag--; *b.lag < 0 {
			return *b.old, true, table.Usage{}, nil
		}
	}
	return b.Driver.Get(ctx, k, consistent)
}

// TestMarksOfNewItemsAreKept although the feed's row, read again for the change, is one from before they came.
func TestMarksOfNewItemsAreKept(t *testing.T) {
	t.Parallel()
	yes := true
	for reads := range 4 {
		w := newWorld(t, 28)
		feed := w.feed()
		w.item(feed, "feeds/raw.gz", 1)
		driver := w.store.Table().Driver()
		old, _, _, err := driver.Get(t.Context(), table.Key{PK: "FEEDS#0", SK: "000001"}, true)
		w.ok(err)
		w.clk.Add(time.Hour)
		id := w.item(feed, "feeds/raw.gz", 2)
		lag := reads
		s := stream.New(store.New(table.New(behind{driver, &lag, &old}, table.Options{Clock: w.clk}), w.clk),
			w.blobs, w.clk)
		_, _, err = s.SetState(t.Context(), user, id, stream.Change{Read: &yes, Starred: &yes})
		w.ok(err)
		row, err := w.store.Subscriptions.Get(t.Context(), user, feed)
		w.ok(err)
		if st := row.StateIn(new(store.FeedRow)); !st.IsRead(2) || !st.Stars.Has(2) {
			t.Errorf("%d fresh reads: read %v, starred %v", reads, st.IsRead(2), st.Stars.Has(2))
		}
	}
}

// TestBodiesThatAreNotThere: each way has its state, and a failing store is an error and no state.
//
func TestBodiesThatAreNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 27)
	feed := w.feed()
	identity := w.raw("feeds/raw.gz", "<p>x</p>")
	w.ok(w.blobs.Put(t.Context(), "feeds/garbage.gz", []byte("garbage"), blob.Meta{ContentType: "application/rss+xml"}))
	for name, c := range map[string]struct {
		id   reader.ItemID
		want stream.ContentState
	}{
		"kept":             {w.item(feed, "feeds/raw.gz", identity), stream.ContentFull},
		"not in the body":  {w.item(feed, "feeds/raw.gz", 42), stream.ContentSummary},
		"raw feed gone":    {w.item(feed, "feeds/gone.gz", identity), stream.ContentGone},
		"cannot be parsed": {w.item(feed, "feeds/garbage.gz", identity), stream.ContentFailed},
	} {
		b, err := w.body(c.id)
		if err != nil || b.State != c.want {
			t.Errorf("%s: %q, %v", name, b.State, err)
		}
		yes := true // a star keeps what there is, and is reported as before
		_, _, err = w.s.SetState(t.Context(), user, c.id, stream.Change{Starred: &yes})
		w.ok(err)
		if b, err = w.body(c.id); err != nil || b.State != c.want {
			t.Errorf("%s, starred: %q, %v", name, b.State, err)
		}
	}
}

// failing is a blob store that does not answer.
type failing struct{ blob.Driver }

func (failing) Get(context.Context, string, int64) ([]byte, blob.Meta, error) {
	return nil, blob.Meta{}, fault.New(fault.Unavailable, "storage_failed", "test", errors.New("down"))
}

// TestNoStarWithoutItsBodyWhileTheStoreFails: the client tries again, and the star is whole.
func TestNoStarWithoutItsBodyWhileTheStoreFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 28)
	id := w.item(w.feed(), "feeds/raw.gz", w.raw("feeds/raw.gz", "<p>x</p>"))
	yes := true
	down := stream.New(w.store, blob.New(failing{w.driver}), w.clk)
	if _, _, err := down.SetState(t.Context(), user, id, stream.Change{Starred: &yes}); !fault.Is(err,
		fault.Unavailable) {
		t.Errorf("starring while blobs fail gives %v", err)
	}
	if list := w.all(stream.Starred, func() int { return 10 }); len(list) != 0 {
		t.Errorf("%d stars were made", len(list))
	}
	_, _, err := w.s.SetState(t.Context(), user, id, stream.Change{Starred: &yes})
	w.ok(err)
	if b, err := w.body(id); err != nil || b.HTML != "<p>x</p>" {
		t.Errorf("the star's body is %q, %v", b.HTML, err)
	}
}

// unedited is a table whose plain queries of deltas give one row as it was before an edit.
type unedited struct {
	table.Driver
	old table.Row
}

func (d unedited) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	page, usage, err := d.Driver.Query(ctx, r)
	for i := range page.Rows {
		if !r.Consistent && page.Rows[i].Key == d.old.Key {
			page.Rows[i] = d.old
		}
	}
	return page, usage, err
}

// TestAStarOfAnEditedItemHasItsBody although the row that was read still names the body of before the edit, which is
// gone.
func TestAStarOfAnEditedItemHasItsBody(t *testing.T) {
	t.Parallel()
	yes := true
	w := newWorld(t, 29)
	feed := w.feed()
	id := w.item(feed, "feeds/old.gz", w.raw("feeds/old.gz", "<p>before</p>"))
	driver := w.store.Table().Driver()
	d, err := w.store.Items.Get(t.Context(), feed, 1)
	w.ok(err)
	old, _, _, err := driver.Get(t.Context(), table.Key{PK: d.PK, SK: d.SK}, true)
	w.ok(err)
	hs, err := d.Headers()
	w.ok(err)
	hs[0].Identity, hs[0].Raw = w.raw("feeds/new.gz", "<p>after</p>"), "feeds/new.gz"
	w.ok(w.store.Items.Edit(t.Context(), d, hs))
	w.ok(w.blobs.Delete(t.Context(), "feeds/old.gz"))
	s := stream.New(store.New(table.New(unedited{driver, old}, table.Options{Clock: w.clk}), w.clk), w.blobs, w.clk)
	_, _, err = s.SetState(t.Context(), user, id, stream.Change{Starred: &yes})
	w.ok(err)
	w.ok(w.blobs.Delete(t.Context(), "feeds/new.gz"))
	if b, err := w.body(id); err != nil || b.HTML != "<p>after</p>" {
		t.Errorf("the star's body is %q, %v", b.HTML, err)
	}
}

// TestHiddenItemsAreListedApart: what rules hid is in no stream but its own, and counts nowhere. (issue 4, rules)
func TestHiddenItemsAreListedApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 61)
	id := w.feed()
	for range 12 {
		w.news(id, 6)
		w.clk.Add(5 * time.Hour)
	}
	hidden := []reader.Seq{1, 2, 40, 41, 72}
	sub, err := w.store.Subscriptions.Get(t.Context(), user, id)
	w.ok(err)
	next, _ := reader.Apply(sub.StateIn(new(store.FeedRow)),
		reader.Change{Ops: []reader.Op{{Kind: reader.OpHide, Seqs: hidden}}, Last: 72})
	_, err = w.store.Subscriptions.ChangeState(t.Context(), user, sub, next)
	w.ok(err)
	few := func() int { return 4 }
	for filter, want := range map[stream.Filter]int{stream.All: 67, stream.Unread: 67, stream.Hidden: 5} {
		list := w.all(filter, few)
		for _, e := range list {
			if e.Hidden != (filter == stream.Hidden) {
				t.Errorf("%s: %+v", filter, e)
			}
		}
		if len(list) != want {
			t.Errorf("%s: %d items, want %d", filter, len(list), want)
		}
	}
	totals, err := w.s.Totals(t.Context(), user)
	w.ok(err)
	if totals.Unread != 67 {
		t.Errorf("%d are counted unread", totals.Unread)
	}
}
