package watching_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

// A list takes watches along; who imports them confirms first that the sites permit it.
func TestWatchesInLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := w.settings("/search?q=a&b")
	set.Words, set.Events = []string{"Camera"}, []watch.EventKind{watch.Dropped}
	x := w.add(w.user, set)
	feeds, err := w.Subscribe.Export(t.Context(), w.user)
	w.must(err)
	body := opml.Encode("Ruri Reader", feeds, time.Time{})
	if strings.Contains(string(body), "xmlUrl") {
		t.Errorf("a watch is listed as a feed: %s", body)
	}
	doc, err := opml.Decode(body)
	w.must(err)
	for i := range 2 {
		done, err := w.Subscribe.Import(t.Context(), w.owner, doc)
		if err != nil || len(done.Feeds) != 1-i || done.AlreadySubscribed != i || len(done.Failed) > 0 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	list, err := w.List(t.Context(), w.owner)
	w.must(err)
	if len(list) != 1 || list[0].ID() == x.ID() || !list[0].Feed.Paused || list[0].Accepted != 0 ||
		!list[0].Settings.Equal(x.Settings) || list[0].Interval() != 60 {
		t.Fatalf("%+v", list)
	}
	no := false
	if _, err := w.Change(t.Context(), w.owner, list[0].ID(), watching.Change{Paused: &no}); fault.CodeOf(err) !=
		"terms_not_accepted" {
		t.Error(err)
	}
	if y, err := w.Change(t.Context(), w.owner, list[0].ID(), watching.Change{Paused: &no, Accepted: true}); err !=
		nil || !y.Feed.Live() || y.Accepted == 0 {
		t.Errorf("%+v, %v", y, err)
	}
	for _, bad := range []string{"x", "{}", `{"name":"x","url":"javascript:x","layout":{"rows":"li"}}`} {
		doc.Feeds = []opml.Feed{{Title: "x", HTMLURL: "https://x.example/", Watch: bad}}
		done, err := w.Subscribe.Import(t.Context(), w.owner, doc)
		if err != nil || len(done.Feeds) != 0 || len(done.Failed) != 1 || done.Failed[0].Code != "bad_setting" {
			t.Errorf("%s: %+v, %v", bad, done, err)
		}
	}
}
