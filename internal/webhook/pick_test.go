package webhook_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// search saves a search.
func (w *world) search(x library.Search) reader.SearchID {
	w.t.Helper()
	_, err := w.Store.Searches.Change(w.t.Context(), user, func(l *library.Searches) (err error) {
		x, err = l.Add(x)
		return err
	})
	w.ok(err)
	return x.ID
}

// unsave deletes a search's row alone, as a crash after that would leave things.
func (w *world) unsave(id reader.SearchID) {
	w.t.Helper()
	_, err := w.Store.Searches.Change(w.t.Context(), user, func(l *library.Searches) error { return l.Delete(id) })
	w.ok(err)
}

// hookFor makes a webhook for a saved search.
func (w *world) hookFor(path string, id reader.SearchID, events ...string) string {
	w.t.Helper()
	hook := w.hook(path, events...)
	_, err := w.s.Update(w.t.Context(), user, hook, webhook.Change{Search: &id})
	w.ok(err)
	return hook
}

// subscription changes the settings of one.
func (w *world) subscription(f reader.FeedID, change func(*store.SubscriptionRow)) {
	w.t.Helper()
	sub, err := w.Store.Subscriptions.Get(w.t.Context(), user, f)
	w.ok(err)
	next := *sub
	change(&next)
	_, err = w.Store.Subscriptions.Change(w.t.Context(), user, sub, &next)
	w.ok(err)
}

// TestMatchesOfASavedSearchAreDelivered: of what arrives, a webhook for a saved search gets what the search matches,
// where it searches.
func TestMatchesOfASavedSearchAreDelivered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		search library.Search
		want   string
	}{
		"a word":               {library.Search{Query: "桜"}, "桜1 東京の桜2 桜3 "},
		"in a feed":            {library.Search{Query: "桜", Feed: 1}, "桜1 東京の桜2 "},
		"in a muted feed":      {library.Search{Query: "桜", Feed: 3}, "桜4 "},
		"in a folder":          {library.Search{Query: "桜", Folder: 1}, "桜3 "},
		"without a word":       {library.Search{Query: "桜 -東京"}, "桜1 桜3 "},
		"kana as one":          {library.Search{Query: "さくら", Kana: true}, "サクラ "},
		"kana as they are":     {library.Search{Query: "さくら"}, ""},
		"after a day to come":  {library.Search{Query: "桜 after:2027-01-01"}, ""},
		"before a day to come": {library.Search{Query: "桜 before:2027-01-01"}, "桜1 東京の桜2 桜3 "},
		"unread":               {library.Search{Query: "桜 is:unread", Filter: "unread"}, "桜1 東京の桜2 桜3 "},
		"with a star, typed":   {library.Search{Query: "桜 is:starred"}, ""},
		"with a star":          {library.Search{Query: "桜", Filter: "starred"}, ""},
		"hidden":               {library.Search{Query: "桜", Filter: "hidden"}, ""},
	} {
		w := newWorld(t, options{})
		a, b, muted := w.feed(), w.feed(), w.feed()
		_, err := w.Store.Trees.Change(t.Context(), user, func(tree *library.Tree) error {
			outer, err := tree.AddFolder(0, "Outer")
			w.ok(err)
			inner, err := tree.AddFolder(outer, "Inner")
			w.subscription(b, func(s *store.SubscriptionRow) { s.Folders = []reader.FolderID{inner} })
			return err
		})
		w.ok(err)
		w.subscription(muted, func(s *store.SubscriptionRow) { s.Mute = true })
		w.hookFor("/a", w.search(c.search), "new")
		w.news(a, "桜1", "梅", "東京の桜2", "サクラ")
		w.news(b, "梅だけ")
		w.news(b, "桜3")
		w.news(muted, "桜4")
		w.work()
		got := ""
		for _, r := range w.received() {
			if r.Search == nil || r.Search.ID != "1" || len(r.Items) == 0 {
				t.Errorf("%s: a delivery for %+v with %d items", name, r.Search, len(r.Items))
			}
			for _, it := range r.Items {
				got += it.Title + " "
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// TestMatchingStarsAreDelivered: a webhook of stars for a saved search gets the stars that it matches, also of muted
// feeds and of those that are not followed any more.
func TestMatchingStarsAreDelivered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a, muted, left := w.feed(), w.feed(), reader.FeedID(90)
	w.subscription(muted, func(s *store.SubscriptionRow) { s.Mute = true })
	w.hookFor("/all", w.search(library.Search{Query: "桜", Filter: "starred"}), "starred")
	w.hookFor("/feed", w.search(library.Search{Query: "桜", Feed: a}), "starred")
	for i, x := range []struct {
		feed  reader.FeedID
		title string
	}{{a, "桜1"}, {a, "梅"}, {muted, "桜2"}, {left, "桜3"}} {
		id := reader.NewItemID(1000, x.feed, reader.Seq(i+1))
		w.ok(w.s.BeforeStar(t.Context(), user, id))
		w.star(id, x.title)
	}
	for range 10 {
		w.Clock.Add(time.Second)
		w.work()
	}
	got := map[string][]string{}
	for _, r := range w.received() {
		got[r.path] = append(got[r.path], r.Items[0].Title)
	}
	slices.Sort(got["/all"])
	if !slices.Equal(got["/all"], []string{"桜1", "桜2", "桜3"}) || !slices.Equal(got["/feed"], []string{"桜1"}) {
		t.Errorf("delivered %q", got)
	}
}

// TestADeletedSearchTurnsItsWebhooksOff: with a reason, whether the deletion completes or a delivery finds out; others
// go on.
func TestADeletedSearchTurnsItsWebhooksOff(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"deleted", "died", "folder"} {
		w := newWorld(t, options{})
		a := w.feed()
		var folder reader.FolderID
		_, err := w.Store.Trees.Change(t.Context(), user, func(tree *library.Tree) (err error) {
			folder, err = tree.AddFolder(0, "F")
			return err
		})
		w.ok(err)
		x := library.Search{Query: "桜"}
		if how == "folder" {
			x.Folder = folder
		}
		id := w.search(x)
		hook := w.hookFor("/a", id, "new")
		w.answers(always(500))
		w.subscription(a, func(s *store.SubscriptionRow) { s.Folders = []reader.FolderID{folder} })
		w.news(a, "桜1") // will be retried
		w.work()
		if how == "folder" {
			_, err = w.Store.Trees.Change(t.Context(), user, func(tree *library.Tree) error {
				return tree.DeleteFolder(folder)
			})
			w.ok(err)
		} else {
			w.unsave(id)
		}
		if how == "deleted" {
			w.ok(w.s.SearchDeleted(t.Context(), user, id))
		}
		w.answers(nil)
		w.news(a, "桜2")
		for range 5 {
			w.work()
			w.Clock.Add(time.Minute)
		}
		row, err := w.Store.Webhooks.Get(t.Context(), user, hook)
		w.ok(err)
		if row.Off != webhook.OffSearchGone || row.OffAt == 0 {
			t.Errorf("%s: the webhook is off because of %q", how, row.Off)
		}
		if got := len(w.received()); got != 1 {
			t.Errorf("%s: %d requests", how, got)
		}
		if dead := row.GivenUp(); len(dead) != 1 || dead[0].Code != "switched_off" {
			t.Errorf("%s: what was not delivered is listed as %+v", how, dead)
		}
		f, err := w.Store.Feeds.Get(t.Context(), a, true)
		w.ok(err)
		if f.Hooked {
			t.Errorf("%s: the feed still has a webhook", how)
		}
		yes, none := true, reader.SearchID(0)
		if _, err := w.s.Update(t.Context(), user, hook, webhook.Change{On: &yes}); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: it is turned on: %v", how, err)
		}
		if _, err := w.s.Update(t.Context(), user, hook, webhook.Change{On: &yes, Search: &none}); err != nil {
			t.Errorf("%s: for everything: %v", how, err)
		}
		w.work()
		w.news(a, "梅")
		w.work()
		if got := w.titles(); got[len(got)-1] != "梅" || len(got) != 2 {
			t.Errorf("%s: then it gets %q", how, got)
		}
	}
}

// TestARetryAsksTheSearchAgain: a delivery has what the search matches when it is attempted, under one id; one that
// matches nothing any more is not sent.
func TestARetryAsksTheSearchAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	a := w.feed()
	id := w.search(library.Search{Query: "桜"})
	w.hookFor("/a", id, "new")
	change := func(q string) {
		t.Helper()
		_, err := w.Store.Searches.Change(t.Context(), user, func(l *library.Searches) error {
			return l.Replace(library.Search{ID: id, Query: q})
		})
		w.ok(err)
	}
	w.answers(always(500))
	w.news(a, "桜", "桜と梅")
	w.work()
	change("梅")
	w.Clock.Add(time.Minute)
	w.work()
	change("桃")
	w.Clock.Add(24 * time.Hour)
	w.work()
	got := w.received()
	if len(got) != 2 || got[0].Delivery != got[1].Delivery || strings.Join(w.titles(), " ") != "桜 桜と梅 桜と梅" {
		t.Errorf("%d requests with %q", len(got), w.titles())
	}
}

// TestASearchThatIsNotThere cannot have a webhook.
func TestASearchThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	url, no := w.receiver.URL, reader.SearchID(7)
	_, err := w.s.Create(t.Context(), user, webhook.Change{URL: &url, Events: events("new"), Search: &no})
	if fault.CodeOf(err) != "saved_search_not_found" {
		t.Errorf("made: %v", err)
	}
	hook := w.hook("/a", "new")
	if _, err := w.s.Update(t.Context(), user, hook, webhook.Change{Search: &no}); fault.CodeOf(err) !=
		"saved_search_not_found" {
		t.Errorf("changed: %v", err)
	}
}
