package webhook_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/arrivals"
	"github.com/ruri-reader/ruri/internal/testkit/faultyqueue"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// TestNewItemsAreDelivered: what arrives after a webhook was made, in order, with each field, to each webhook; not the
// archive, and nothing twice. (issue 4, 3: signed webhooks)
func TestNewItemsAreDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	w.news(a, "before")
	first := w.hook("/first", "new")
	w.news(a, "one", "two")
	w.work()
	w.hook("/second", "new")
	w.news(a, "three")
	w.news(a, "four")
	if n := w.work(); n != 2 {
		t.Errorf("%d messages for two commits", n)
	}
	byPath := map[string][]string{}
	for _, r := range w.received() {
		for _, it := range r.Items {
			byPath[r.path] = append(byPath[r.path], it.Title)
		}
	}
	if got, want := fmt.Sprint(byPath), "map[/first:[one two three four] /second:[three four]]"; got != want {
		t.Errorf("delivered %s, want %s", got, want)
	}
	r := w.received()[0]
	if r.Event != webhook.EventNew || r.Webhook != first || r.Feed.Title != "Feed 1" ||
		r.Items[1].Link != "https://example.org/two" || r.Items[0].FeedID != a.String() {
		t.Errorf("%+v", r)
	}
	id, err := reader.ParseItemID(r.Items[1].ID)
	if err != nil || id.Feed() != a {
		t.Errorf("the item's id is %q", r.Items[1].ID)
	}
}

// TestFeedsWithoutWebhooksCostNothing: there is no message.
func TestFeedsWithoutWebhooksCostNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	f := w.news(w.feed(), "one")
	if n := w.work(); n != 0 {
		t.Errorf("%d messages for news of a feed without webhooks", n)
	}
	w.hook("/a", "starred") // wants no new items
	row, err := w.Store.Feeds.Get(t.Context(), f.ID(), true)
	w.ok(err)
	if row.Hooked {
		t.Error("a webhook for stars wants new items")
	}
}

// TestNewsAheadOfTheCommit: the message goes first, and waits for the commit. Where the crawler died, or is slower than
// the message waits, the delta is not committed as that says any more, so that the crawler has to send another.
func TestNewsAheadOfTheCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	w.hook("/a", "new")
	for i, waits := range []time.Duration{0, 20 * time.Second, 10 * time.Minute} {
		f, err := w.Store.Feeds.Get(t.Context(), a, true)
		w.ok(err)
		stamp := reader.Minute(f.Stamp + 1)
		d, err := store.NewDelta(a, reader.Seq(f.Seq+1), stamp, w.Clock.Now().UnixMilli(), "raw",
			arrivals.Titled(fmt.Sprint("item ", i)))
		w.ok(err)
		w.ok(w.Store.Items.Put(t.Context(), d))
		pass := func(d time.Duration) {
			for end := w.Clock.Now().Add(d); w.Clock.Now().Before(end); w.Clock.Add(time.Second) {
				w.work()
			}
		}
		commit := func() error { // as the crawler's
			w.ok(webhook.Notifier{Queue: w.Queue}.News(t.Context(), f, d))
			pass(waits)
			next := *f
			next.Take(d)
			_, err := w.Store.Feeds.Change(t.Context(), f, &next, store.SameSeq, store.SameStamp)
			return err
		}
		err = commit()
		if isLate := waits > 2*time.Minute; isLate != fault.Is(err, fault.Conflict) || !isLate && err != nil {
			t.Fatalf("the commit after %v: %v", waits, err)
		}
		if waits *= 0; err != nil {
			f, err = w.Store.Feeds.Get(t.Context(), a, true)
			w.ok(err)
			if d.Stamp >= f.Stamp {
				t.Errorf("the crawler would not renew the stamp %d, the feed has %d", d.Stamp, f.Stamp)
			}
			w.ok(w.Store.Items.Restamp(t.Context(), d, stamp+2, w.Clock.Now().UnixMilli()))
			w.ok(commit())
		}
		pass(10 * time.Minute)
	}
	dead, err := w.Queue.Dead(t.Context(), 10)
	w.ok(err)
	if got := w.titles(); len(dead) > 0 || !slices.Equal(got, []string{"item 0", "item 1", "item 2"}) {
		t.Errorf("delivered %q; %d dead letters", got, len(dead))
	}
}

// TestRetriesThenGivesUp: a delivery that fails is tried after growing pauses under one id, then given up, shown, and
// sent again when asked.
func TestRetriesThenGivesUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	hook := w.hook("/a", "new")
	w.answers(always(500))
	w.news(a, "one")
	began := w.Clock.Now()
	for range 26 * 60 {
		w.work()
		w.Clock.Add(time.Minute)
	}
	var at []time.Duration
	ids := map[string]bool{}
	for _, r := range w.received() {
		at = append(at, r.at.Sub(began).Round(time.Minute))
		ids[r.Delivery] = true
	}
	want := []time.Duration{0, time.Minute, 6 * time.Minute, 36 * time.Minute, 156 * time.Minute, 516 * time.Minute,
		1236 * time.Minute}
	if !slices.Equal(at, want) || len(ids) != 1 || len(at) != webhook.Attempts {
		t.Errorf("tried at %v under %d ids, want %v", at, len(ids), want)
	}
	row, err := w.Store.Webhooks.Get(t.Context(), user, hook)
	w.ok(err)
	dead := row.GivenUp()
	if len(dead) != 1 || dead[0].Code != "refused" || dead[0].Status != 500 || dead[0].Tries != webhook.Attempts ||
		len(row.Seen()) != webhook.Attempts || row.Failing == 0 {
		t.Fatalf("given up: %+v, seen %+v", dead, row.Seen())
	}
	w.answers(nil)
	if _, err := w.s.Resend(t.Context(), user, hook, "none"); fault.CodeOf(err) != "delivery_not_found" {
		t.Errorf("a delivery that is not there: %v", err)
	}
	_, err = w.s.Resend(t.Context(), user, hook, dead[0].Delivery)
	w.ok(err)
	w.work()
	row, err = w.Store.Webhooks.Get(t.Context(), user, hook)
	w.ok(err)
	last := w.received()[len(w.received())-1]
	if len(row.GivenUp()) != 0 || row.Failing != 0 || row.Okay == 0 || last.Delivery != dead[0].Delivery {
		t.Errorf("after it was sent again: %+v", row)
	}
}

// TestAWeekOfFailing switches a webhook off, which unmarks the feeds; switched on again it receives what arrives
// then.
func TestAWeekOfFailing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	hook := w.hook("/a", "new")
	w.answers(always(503))
	for i := range 9 * 24 {
		if i%12 == 0 {
			w.news(a, fmt.Sprint("item ", i))
		}
		w.work()
		w.Clock.Add(time.Hour)
	}
	row, err := w.Store.Webhooks.Get(t.Context(), user, hook)
	w.ok(err)
	f, err := w.Store.Feeds.Get(t.Context(), a, true)
	w.ok(err)
	if row.Off != webhook.OffFailing || row.OffAt-row.Failing < 7*24*3600*1000 || f.Hooked {
		t.Fatalf("off: %q, feed hooked: %v", row.Off, f.Hooked)
	}
	w.answers(nil)
	n := len(w.received())
	on := true
	_, err = w.s.Update(t.Context(), user, hook, webhook.Change{On: &on})
	w.ok(err)
	w.news(a, "after")
	w.work()
	if got := w.titles()[n:]; !slices.Equal(got, []string{"after"}) {
		t.Errorf("delivered %q after it was switched on", got)
	}
}

// TestRedirectsAreNotFollowed: G-51, what is signed for one address goes to no other.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	hook := w.hook("/a", "new")
	w.answers(always(307))
	w.news(a, "one")
	w.work()
	row, err := w.Store.Webhooks.Get(t.Context(), user, hook)
	w.ok(err)
	if got := w.received(); len(got) != 1 || got[0].path != "/a" || row.Seen()[0].Code != "redirected" {
		t.Errorf("%d requests, %+v", len(got), row.Seen())
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	for url, code := range map[string]string{
		"http://10.0.0.1/": "webhook_address_refused", "http://169.254.169.254/": "webhook_address_refused",
		"http://[::1]/": "webhook_address_refused", "": "bad_webhook_url", "mailto:a@b.example": "bad_webhook_url",
	} {
		_, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("new")})
		if fault.CodeOf(err) != code {
			t.Errorf("%q: %v", url, err)
		}
	}
	url := w.receiver.URL
	if _, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url}); fault.CodeOf(err) != "webhook_no_events" {
		t.Errorf("no events: %v", err)
	}
	for range webhook.MaxHooks {
		w.hook("/", "new")
	}
	if _, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("new")}); fault.CodeOf(err) !=
		"webhook_limit" {
		t.Errorf("one too many: %v", err)
	}
}

func TestOnlyFeedsThatNotify(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a, b := w.feed(), w.feed()
	sub, err := w.Store.Subscriptions.Get(t.Context(), user, a)
	w.ok(err)
	next := *sub
	next.Notify = true
	_, err = w.Store.Subscriptions.Change(t.Context(), user, sub, &next)
	w.ok(err)
	hook := w.hook("/a", "new")
	yes := true
	_, err = w.s.Update(t.Context(), user, hook, webhook.Change{Notify: &yes})
	w.ok(err)
	w.news(a, "loud")
	w.news(b, "quiet")
	w.work()
	if got := w.titles(); !slices.Equal(got, []string{"loud"}) {
		t.Errorf("delivered %q", got)
	}
}

func (w *world) star(id reader.ItemID, title string) {
	w.t.Helper()
	packed, err := store.PackHeaders([]store.Header{{Title: title, Sort: 1}})
	w.ok(err)
	w.ok(w.Store.Snapshots.Put(w.t.Context(), user, store.Star, id,
		store.SnapshotRow{Feed: uint32(id.Feed()), Seq: 1, At: w.Clock.Now().Unix(), Head: packed}))
}

// TestStarredItemsAreDelivered: the message goes first and waits for the row; a star that is never written is not
// delivered.
func TestStarredItemsAreDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	w.hook("/a", "starred")
	w.hook("/b", "new")
	id, never := reader.NewItemID(1000, a, 1), reader.NewItemID(1000, a, 2)
	w.ok(w.s.BeforeStar(t.Context(), user, id))
	w.ok(w.s.BeforeStar(t.Context(), user, never))
	w.work()
	w.star(id, "a star")
	began := w.Clock.Now()
	for range 200 {
		w.Clock.Add(time.Second)
		w.work()
	}
	dead, err := w.Queue.Dead(t.Context(), 10)
	w.ok(err)
	got := w.received()
	if len(dead) > 0 || len(got) != 1 || got[0].Event != webhook.EventStarred || got[0].Items[0].Title != "a star" ||
		got[0].path != "/a" || got[0].Feed.SiteURL != "https://example.org/" || got[0].at.Sub(began) > 2*time.Second {
		t.Errorf("%d dead; %+v", len(dead), got)
	}
}

func TestTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	hook := w.hook("/a", "new")
	w.answers(always(418))
	out, err := w.s.Test(t.Context(), user, hook)
	w.ok(err)
	row, err := w.Store.Webhooks.Get(t.Context(), user, hook)
	w.ok(err)
	if out.Status != 418 || out.Code != "refused" || len(row.Seen()) != 1 || row.Failing != 0 || w.work() != 0 {
		t.Errorf("%+v, %+v", out, row)
	}
	w.ok(w.s.Delete(t.Context(), user, hook))
	if _, err := w.s.Test(t.Context(), user, hook); fault.CodeOf(err) != "webhook_not_found" {
		t.Errorf("a webhook that is gone: %v", err)
	}
}

var errDied = errors.New("the process died here")

// TestNothingIsLostUnderFaults: whichever call of the table is the last of a worker, and with a queue that doubles,
// loses acknowledgements and reorders: every item is delivered, to a webhook for a saved search each that it matches,
// and never under two delivery ids.
func TestNothingIsLostUnderFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		quiet := true
		w := newWorld(t, options{
			Receives: 1000,
			Table: func(d table.Driver) table.Driver {
				return faultytable.New(d, faultytable.Options{
					Seed: seed, Stale: 0.2, Short: 0.2, Throttle: 0.05, LostBefore: 0.03, LostAfter: 0.03,
					Quiet: func() bool { return quiet },
					After: func(faultytable.Op) error {
						if !quiet && rnd.IntN(25) == 0 {
							return errDied
						}
						return nil
					},
				})
			},
			Queue: func(d queue.Driver) queue.Driver {
				return faultyqueue.New(d, faultyqueue.Options{Seed: seed, Duplicate: 0.2, DropAck: 0.1, Reorder: 0.3,
					Partial: 0.2, Throttle: 0.05})
			},
		})
		a := w.feed()
		w.hook("/a", "new")
		w.hook("/b", "new")
		w.hookFor("/c", w.search(library.Search{Query: "odd"}), "new")
		w.answers(func(n int) int {
			if n%4 == 0 {
				return 500
			}
			return 204
		})
		var want []string
		for i := range 12 {
			title := fmt.Sprint("item ", i, [...]string{" even", " odd"}[i%2])
			w.news(a, title)
			want = append(want, title)
			quiet = false
			w.work()
			quiet = true
			w.Clock.Add(13 * time.Minute)
		}
		w.answers(nil)
		for range 60 {
			w.work()
			w.Clock.Add(time.Hour)
		}
		under := map[string]map[string]bool{} // deliveries by webhook and item
		for _, r := range w.received() {
			for _, it := range r.Items {
				key := r.path + " " + it.Title
				if under[key] == nil {
					under[key] = map[string]bool{}
				}
				under[key][r.Delivery] = true
			}
		}
		all := 0
		for _, title := range want {
			for _, path := range []string{"/a ", "/b ", "/c "} {
				if path == "/c " && !strings.HasSuffix(title, "odd") {
					continue
				}
				all++
				if n := len(under[path+title]); n != 1 {
					t.Errorf("seed %d: %s%s was delivered under %d ids", seed, path, title, n)
				}
			}
		}
		if len(under) != all {
			t.Errorf("seed %d: %d were delivered, want %d", seed, len(under), all)
		}
	}
}
