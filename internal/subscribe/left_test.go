package subscribe_test

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// TestComingBackFindsWhatWasRead: who unsubscribes and takes it back has the same items read, for a day; what is
// published meanwhile is unread. Later one begins as with any feed.
func TestComingBackFindsWhatWasRead(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		w := flow.New(t, 1, 1)
		site := w.Web.Site("https://a.example/feed", 30)
		f := w.Add(site.URL, subscribe.Options{})
		s := stream.New(w.Store(), blob.New(w.Blobs), w.Clock)
		list, err := s.List(bg, flow.User,
			stream.Query{Scope: stream.Scope{Feed: f.ID()}, Filter: stream.All, Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		read := true
		for _, e := range list.Items[:5] {
			if _, _, err := s.SetState(bg, flow.User, e.ID, stream.Change{Read: &read}); err != nil {
				t.Fatal(err)
			}
		}
		was := subscriptions(t, w, flow.User)[f.ID()]
		if err := service(w).Leave(bg, flow.User, f.ID()); err != nil {
			t.Fatal(err)
		}
		want := 15
		if late {
			w.Clock.Add(store.LeftFor + time.Second)
			want = 20
		}
		for range 2 { // coming back twice is coming back once
			if _, _, err := service(w).Add(bg, flow.User, site.URL, subscribe.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		sub, err := s.Get(bg, flow.User, f.ID())
		if err != nil || sub.Unread() != want {
			t.Errorf("late %v: %d are unread, want %d, %v", late, sub.Unread(), want, err)
		}
		if now := sub.Sub; !late && (now.Rev <= was.Rev || string(now.Runs) != string(was.Runs) ||
			string(now.Tally) != string(was.Tally)) {
			t.Errorf("the row is %+v, was %+v", now, was)
		}
	}
}
