package subscribe_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Nobody but its owner, in its settings, changes the page of a watch, and no feed becomes one with it.
func TestTheAddressOfAWatchStays(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := service(w)
	const address = "https://shop.example/list"
	f, _, err := s.Watch(bg, flow.User, subscribe.NewWatch{Settings: &watch.Settings{Name: "Cameras", URL: address}},
		subscribe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := f.ID()
	feed := w.Web.Site("https://other.example/feed", 5)
	front := page(w, "https://shop.example/", feed.URL) // where a new address would be looked for
	if f, err := s.Repoint(bg, flow.User, id, address); err != nil || f.ID() != id {
		t.Errorf("to its own address: %v", err)
	}
	if _, err := s.Repoint(bg, flow.User, id, feed.URL); fault.CodeOf(err) != "feed_is_watch" {
		t.Errorf("to a feed: %v", err)
	}
	if _, err := w.Store().Feeds.Modify(bg, id, func(f *store.FeedRow) {
		f.Status, f.Site = string(reader.StatusStopped), front.URL
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Relocate(bg, id); fault.CodeOf(err) != "feed_is_watch" {
		t.Errorf("another address was looked for: %v", err)
	}
	if err := s.RunRelocate(bg, job.Job{Kind: job.Relocate, Feeds: []reader.FeedID{id}}); err != nil {
		t.Error(err)
	}
	if len(front.Visits) > 0 || len(feed.Visits) > 0 {
		t.Errorf("%d requests", len(front.Visits)+len(feed.Visits))
	}
	// A feed whose publisher redirects it to the page of the watch.
	a := w.Add(feed.URL, subscribe.Options{})
	if err := s.MoveFeed(bg, w.Feed(a.ID()), address); err != nil {
		t.Fatal(err)
	}
	if f := w.Feed(a.ID()); f.URL != address || f.MergedInto != 0 {
		t.Errorf("the feed: %+v", f)
	}
	f = w.Feed(id)
	if f.URL != address || f.MergedInto != 0 || f.Proposed != "" || f.ProposedAt != 0 || f.Subs != 1 ||
		len(subscriptions(t, w, flow.User)) != 2 {
		t.Errorf("the watch: %+v", f)
	}
}
