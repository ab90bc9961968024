package cleanup_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/watch"
)

const address = "https://site.example/feed"

// forsaken makes a house whose one feed was left eight days ago, with a starred item.
func forsaken(t *testing.T, seed uint64) (*house, reader.FeedID, reader.ItemID) {
	t.Helper()
	h := newHouse(t, seed, cleanup.Options{Expire: true})
	s := h.Web.Site(address, 5)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	s.Publish(h.Now(), 2)
	h.day(f)
	var id reader.ItemID
	for item := range h.check(f) {
		id = max(id, item)
	}
	yes := true
	if _, _, err := h.streams.SetState(context.Background(), flow.User, id, stream.Change{Starred: &yes}); err != nil {
		t.Fatal(err)
	}
	if err := h.Main().Subscribe.Leave(context.Background(), flow.User, f); err != nil {
		t.Fatal(err)
	}
	h.Advance(8 * 24 * time.Hour)
	return h, f, id
}

// left lists the keys of what is left of a feed.
func (h *house) left(f reader.FeedID) []string {
	h.t.Helper()
	var keys []string
	after := table.Key{}
	for {
		rows, next, err := h.Store().Table().Scan(context.Background(), after, 0)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, r := range rows {
			if strings.HasPrefix(r.Key.PK, "F#"+f.String()) || strings.HasPrefix(r.Key.PK, "FEEDS#") ||
				strings.HasPrefix(r.Key.PK, "URL#") {
				keys = append(keys, r.Key.PK+"/"+r.Key.SK)
			}
		}
		if after = next; next == (table.Key{}) {
			break
		}
	}
	for _, k := range h.Blobs.Keys() {
		if strings.HasPrefix(k, store.RawPrefix) {
			keys = append(keys, k)
		}
	}
	return keys
}

// R-129, C-12, G-43: a feed that nobody reads goes after a week, with all that is its own; a star of it stays.
func TestUnsubscribedFeedsAreRemoved(t *testing.T) {
	t.Parallel()
	h, f, id := forsaken(t, 1)
	h.Clock.Set(h.Now().Add(-2 * 24 * time.Hour))
	if h.mustNight(); h.Feed(f).RemovingSince != 0 {
		t.Error("six days after the last reader left")
	}
	h.Advance(24 * time.Hour)
	if r := h.mustNight(); r.Removed != 1 {
		t.Errorf("%+v", r)
	}
	if left := h.left(f); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
	e, sub, err := h.streams.Find(context.Background(), flow.User, id)
	if err != nil || !e.Starred {
		t.Fatalf("the star is %+v, %v", e, err)
	}
	if b, err := h.streams.Body(context.Background(), flow.User, e, sub); err != nil || b.State != stream.ContentFull {
		t.Errorf("its body is %v, %v", b.State, err)
	}
}

// A removal that dies at any step is gone on with; nothing of it stays.
// C-21
func TestRemovalWithFaultsAtEveryStep(t *testing.T) {
	t.Parallel()
	for step := 0; ; step++ {
		h, f, _ := forsaken(t, 2)
		n, p := 0, h.Main()
		p.Before(func() {
			if n++; n > step {
				p.Kill()
			}
		})
		if _, err := h.night(); p.Dead() != (err != nil) {
			t.Fatalf("step %d: %v", step, err)
		}
		h.Restart()
		h.Advance(24 * time.Hour)
		h.mustNight()
		if left := h.left(f); len(left) != 0 {
			t.Fatalf("step %d: left are %v", step, left)
		}
		if !p.Dead() {
			if step < 12 {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}

// subscribedAgain holds after a removal and a subscription met: the reader has the feed, it is polled, and its news
// come.
func (h *house) subscribedAgain(what string, step int) {
	h.t.Helper()
	ctx := context.Background()
	h.Restart()
	h.Advance(24 * time.Hour)
	h.mustNight()
	list, err := h.streams.Feeds(ctx, flow.User)
	if err != nil || len(list) != 1 {
		h.t.Fatalf("%s %d: the reader has %d feeds, %v", what, step, len(list), err)
	}
	f := list[0].Feed
	owner, err := h.Store().Feeds.FindURL(ctx, address)
	if err != nil || owner != f.ID() || f.Subs != 1 || !f.Live() {
		h.t.Fatalf("%s %d: the address leads to %d, %v; the reader has %+v", what, step, owner, err, f)
	}
	had := h.check(f.ID())
	h.Web.Of(address).Publish(h.Now(), 1)
	h.day(f.ID())
	if now := h.check(f.ID()); len(now) != len(had)+1 || len(had) < 7 {
		h.t.Errorf("%s %d: %d items, and %d after news", what, step, len(had), len(now))
	}
	for range 9 {
		h.day()
	}
	h.check(f.ID())
}

// A new subscription may come between any two steps of a removal, and a removal between any two of a subscription:
// the reader gets the feed in each case.
func TestRemovalMeetsASubscription(t *testing.T) {
	t.Parallel()
	for step, again := 1, true; again; step++ {
		h, _, _ := forsaken(t, 3)
		n, p, other := 0, h.Main(), h.Process(crawl.Options{})
		p.Before(func() {
			if n++; n == step {
				h.add(other, "in the removal's step", step)
			}
		})
		if _, err := h.night(); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		if again = n >= step; again {
			h.subscribedAgain("in the removal's step", step)
		}
	}
	for step, again := 1, true; again; step++ {
		h, _, _ := forsaken(t, 4)
		n, other := 0, h.Process(crawl.Options{})
		other.Before(func() {
			if n++; n == step {
				h.mustNight()
			}
		})
		h.add(other, "with the removal in step", step)
		again = n >= step
		h.subscribedAgain("with the removal in step", step)
	}
}

func (h *house) add(p *flow.Process, what string, step int) {
	h.t.Helper()
	if _, _, err := p.Subscribe.Add(context.Background(), flow.User, address, subscribe.Options{}); err != nil {
		h.t.Errorf("%s %d: %v", what, step, err)
	}
}

// Adding a feed may die between the subscriber's row and the subscription, leaving between the other two: a day
// later nobody is counted who does not read.
func TestAbandonedSubscribersGo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHouse(t, 5, cleanup.Options{})
	s := h.Web.Site(address, 3)
	f := h.Add(s.URL, subscribe.Options{})
	if err := h.Store().Subscriptions.PutSubscriber(ctx, f.ID(),
		store.Subscriber{User: "u2", At: h.Now().Unix()}); err != nil {
		t.Fatal(err)
	}
	h.Patch(f.ID(), func(f *store.FeedRow) { f.Subs = 2 })
	h.Advance(12 * time.Hour)
	h.mustNight()
	if row := h.Feed(f.ID()); row.Subs != 2 {
		t.Errorf("half a day after, %d are counted", row.Subs)
	}
	for range 8 {
		h.day()
	}
	if row := h.Feed(f.ID()); row.Subs != 1 {
		t.Errorf("%d are counted", row.Subs)
	}
	// Leaving died after the subscription: nobody is left, and a week later the feed is not either.
	if err := h.Store().Subscriptions.Remove(ctx, flow.User, f.ID()); err != nil {
		t.Fatal(err)
	}
	for range 16 {
		h.day()
	}
	if _, err := h.Store().Feeds.Get(ctx, f.ID(), true); !fault.Is(err, fault.NotFound) {
		t.Errorf("the feed of nobody is still there: %v", err)
	}
}

// G-42: an import may die at the moment at which its user is removed, and leave a subscription of nobody: a day later
// it goes.
func TestSubscriptionsOfNobodyGo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHouse(t, 6, cleanup.Options{})
	f := h.Add(h.Web.Site(address, 3).URL, subscribe.Options{})
	subs := h.Store().Subscriptions
	if err := subs.PutSubscriber(ctx, f.ID(), store.Subscriber{User: "u2", At: h.Now().Unix()}); err != nil {
		t.Fatal(err)
	}
	if err := subs.Add(ctx, "u2", f.ID(), store.SubscriptionRow{}); err != nil {
		t.Fatal(err)
	}
	h.Patch(f.ID(), func(f *store.FeedRow) { f.Subs = 2 })
	for range 9 {
		h.day()
	}
	if row := h.Feed(f.ID()); row.Subs != 1 {
		t.Errorf("%d are counted", row.Subs)
	}
	if _, err := subs.Get(ctx, "u2", f.ID()); !fault.Is(err, fault.NotFound) {
		t.Errorf("the subscription of nobody is still there: %v", err)
	}
	if _, err := subs.Get(ctx, flow.User, f.ID()); err != nil {
		t.Errorf("that of somebody is gone: %v", err)
	}
}

// Icons that no feed names go, a day after they were put; uploads and pushes on their way after a day.
//
func TestPassingBlobsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	f := w.feed(a)
	put := func(key string) string {
		if err := w.blobs.Put(t.Context(), key, []byte("x"), blob.Meta{}); err != nil {
			t.Fatal(err)
		}
		return key
	}
	named, orphan := put(store.IconBlobKey(hash(1))), put(store.IconBlobKey(hash(2)))
	put(store.ImportPrefix + "u1/1")
	put(store.PushPrefix + "1/aa.gz")
	if _, err := w.store.Feeds.Modify(t.Context(), f, func(f *store.FeedRow) {
		f.Icon, f.IconHash = "https://a.example/icon.svg", hash(1)
	}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(12 * time.Hour)
	w.run()
	if got := w.keys(); len(got) != 4 {
		t.Errorf("after half a day there are %v", got)
	}
	w.clock.Add(26 * time.Hour)
	young := put(store.IconBlobKey(hash(3)))
	w.run()
	if got := w.keys(); len(got) != 2 || got[0] != named || got[1] != young {
		t.Errorf("left are %v; %s is named by nobody", got, orphan)
	}
}

func hash(n byte) []byte { return bytes.Repeat([]byte{n}, 32) }

// private makes a house with a feed whose address holds a password; read has been what it published.
func private(t *testing.T, seed uint64) (*house, reader.FeedID) {
	t.Helper()
	h := newHouse(t, seed, cleanup.Options{Expire: true})
	s := h.Web.Site("https://anna:hunter2@site.example/feed", 5)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	s.Publish(h.Now(), 2)
	h.day(f)
	if len(h.left(f)) < 4 {
		t.Fatalf("of the feed there is only %v", h.left(f))
	}
	return h, f
}

// collectDue works through the messages that leaving feeds has sent, and gives their number.
func (h *house) collectDue() (n int) {
	h.t.Helper()
	for {
		m, ok := h.Queue.Take()
		if !ok {
			return n
		}
		if m.Job.Kind != job.Collect {
			continue
		}
		n++
		if err := h.tidy().Collect(context.Background(), m.Job); err != nil {
			h.t.Fatal(err)
		}
	}
}

// A feed whose address holds a password goes with its last subscriber, with its bodies: the password is not kept for a
// week. One minute is for taking leaving back.
// G-43
func TestPrivateFeedsGoAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h, f := private(t, 3)
	leave := func() {
		t.Helper()
		if err := h.Main().Subscribe.Leave(ctx, flow.User, f); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if n := h.collectDue(); n != 0 {
		t.Errorf("%d messages at once: there is no time to take it back", n)
	}
	back := h.Add("https://anna:hunter2@site.example/feed", subscribe.Options{})
	h.Advance(time.Minute)
	if n := h.collectDue(); n != 1 || back.ID() != f || h.Feed(f).Subs != 1 {
		t.Errorf("%d messages; who came back has feed %v with %d subscribers", n, back.ID(), h.Feed(f).Subs)
	}
	leave()
	h.Advance(time.Minute)
	if n := h.collectDue(); n != 1 {
		t.Errorf("%d messages", n)
	}
	if left := h.left(f); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}

// A message that is lost costs a day, not a week.
func TestThePrivateFeedsOfALostMessageGoAtNight(t *testing.T) {
	t.Parallel()
	h, f := private(t, 4)
	if err := h.Main().Subscribe.Leave(context.Background(), flow.User, f); err != nil {
		t.Fatal(err)
	}
	h.Advance(24 * time.Hour)
	for ok := true; ok; {
		_, ok = h.Queue.Take()
	}
	if r := h.mustNight(); r.Removed != 1 || len(h.left(f)) != 0 {
		t.Errorf("%+v, left are %v", r, h.left(f))
	}
}

// A watch with the address of a feed: its removal takes its rows and its last page, and nothing of the feed's; the
// cleanup does not take the bodies of the feed for the watch's.
func TestAWatchIsRemovedWithoutTheFeedOfItsAddress(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHouse(t, 9, cleanup.Options{Expire: true})
	s := h.Web.Site(address, 5)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	w, err := h.Store().Feeds.Make(ctx, address, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Kind: store.KindWatch, UnsubscribedSince: h.Now().Unix()}
	})
	if err != nil {
		t.Fatal(err)
	}
	row, err := store.NewWatch(w.ID(), flow.User, &watch.Settings{Name: "A watch"}, h.Now())
	if err == nil {
		err = h.Store().Watches.PutSettings(ctx, row)
	}
	bucket := blob.New(h.Blobs)
	for _, key := range []string{store.PageKey(w.ID()), store.PreviewPrefix + "u1/x.gz"} {
		if err == nil {
			err = bucket.Put(ctx, key, []byte("a page"), blob.Meta{})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Publish(h.Now(), 2)
	h.day(f)
	h.Advance(8 * 24 * time.Hour)
	h.mustNight()
	for _, k := range h.left(w.ID()) {
		if strings.HasPrefix(k, "F#"+w.ID().String()+"/") {
			t.Errorf("%s is left", k)
		}
	}
	if _, err := h.Store().Feeds.Get(ctx, w.ID(), true); !fault.Is(err, fault.NotFound) {
		t.Errorf("the watch is left: %v", err)
	}
	for _, key := range []string{store.PageKey(w.ID()), store.PreviewPrefix + "u1/x.gz"} {
		if _, err := bucket.Stat(ctx, key); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s is left: %v", key, err)
		}
	}
	if id, err := h.Store().Feeds.FindURL(ctx, address); err != nil || id != f {
		t.Errorf("the address leads to %d, %v", id, err)
	}
	if raw := h.Feed(f).Raw; raw == "" {
		t.Error("the feed has no body")
	} else if _, err := bucket.Stat(ctx, raw); err != nil {
		t.Errorf("the feed's body: %v", err)
	}
}
