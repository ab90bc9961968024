package webhook_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// create makes a webhook of new items, whose feeds have not heard of it yet.
func (w *world) create(path string) string {
	w.t.Helper()
	url := w.receiver.URL + path
	row, err := w.s.Create(w.t.Context(), user, webhook.Change{URL: &url, Events: events("new")})
	w.ok(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secret[row.Hook()] = row.Secret
	return row.Hook()
}

// TestItemsArriveBeforeTheMark: a webhook receives items from its creation on, however late the feeds are marked.
func TestItemsArriveBeforeTheMark(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a, b := w.feed(), w.feed()
	w.news(a, "before")
	w.create("/a")
	w.news(a, "one")
	w.news(a, "two")
	w.news(b, "three")
	w.work()
	w.news(b, "four")
	w.work()
	if got := w.titles(); !slices.Equal(got, []string{"one", "two", "three", "four"}) {
		t.Errorf("delivered %q", got)
	}
}

// TestOneDeletedWhileAnotherIsAdded: whichever the worker sees first, the remaining one receives the items.
func TestOneDeletedWhileAnotherIsAdded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	old := w.hook("/old", "new")
	w.ok(w.s.Delete(t.Context(), user, old))
	w.news(a, "one")
	w.create("/new")
	w.news(a, "two")
	w.work()
	if got := w.titles(); !slices.Equal(got, []string{"two"}) {
		t.Errorf("delivered %q", got)
	}
	for _, h := range []string{"/b", "/c"} {
		w.ok(w.s.Delete(t.Context(), user, w.hook(h, "new")))
	}
	w.work()
	if row, err := w.Store.Feeds.Get(t.Context(), a, true); err != nil || !row.Hooked {
		t.Errorf("others went, and with them the feed: %v", err)
	}
}

// TestSubscribingMeanwhile: a feed subscribed to while a webhook is created is delivered too.
func TestSubscribingMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.create("/a")
	w.work()
	a := w.feed() // its subscriber had asked before there was a webhook
	w.news(a, "one")
	w.work()
	w.news(a, "two")
	w.work()
	if got := w.titles(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("delivered %q", got)
	}
}

// TestLimitOfWebhooks, also when many are made at once. (issue 4, 3: limits of a user)
func TestLimitOfWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.feed()
	for range 2 {
		var group sync.WaitGroup
		for range 40 {
			group.Go(func() {
				url := w.receiver.URL
				_, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("new")})
				if err != nil && fault.CodeOf(err) != "webhook_limit" {
					t.Error(err)
				}
			})
		}
		group.Wait()
		list, err := w.s.List(t.Context(), user)
		w.ok(err)
		if len(list) > webhook.MaxHooks {
			t.Fatalf("%d webhooks", len(list))
		}
	}
}

// TestSlowAddresses: they never hold a worker longer than a function may run, and receive nothing twice.
func TestSlowAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	for i := range webhook.MaxHooks {
		w.hook("/"+string(rune('a'+i)), "new")
	}
	w.answers(func(int) int {
		w.Clock.Add(9 * time.Second)
		return 200
	})
	for _, title := range []string{"one", "two", "three", "four", "five"} {
		w.news(a, title)
	}
	w.work()
	if w.longest > 45*time.Second {
		t.Errorf("a message took %v", w.longest)
	}
	seen := map[string]int{}
	for _, r := range w.received() {
		seen[r.Delivery]++
	}
	if len(seen) != 5*webhook.MaxHooks || len(w.received()) != len(seen) {
		t.Errorf("%d deliveries in %d requests", len(seen), len(w.received()))
	}
}

// TestPasswordsAreNotShown: what is shown can be sent back, and the password stays.
func TestPasswordsAreNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	url, no := strings.Replace(w.receiver.URL, "://", "://me:secret@", 1), false
	row, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("starred")})
	w.ok(err)
	shown := reader.ShownURL(row.URL)
	if strings.Contains(shown, "secret") || !strings.Contains(shown, "me:") {
		t.Errorf("shown as %q", shown)
	}
	row, err = w.s.Update(t.Context(), user, row.Hook(), webhook.Change{URL: &shown, On: &no})
	w.ok(err)
	if row.URL != url || row.On() {
		t.Errorf("%q, on: %v", row.URL, row.On())
	}
	if got := reader.ShownURL("https://example.org/a?b=c"); got != "https://example.org/a?b=c" {
		t.Errorf("shown as %q", got)
	}
}
