package cleanup_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// C-10: what is starred stays for ever, with its body, and counts as starred; what was unread below the floor counts no
// more, and marking all read still works.
func TestStarsOutliveTheFloor(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := newHouse(t, 9, cleanup.Options{Expire: true, Keep: 7})
	s := h.Web.Site("https://site.example/feed", 5)
	f := h.Add(s.URL, subscribe.Options{}).ID()
	var oldest reader.ItemID
	for id := range h.check(f) {
		if oldest == 0 || id < oldest {
			oldest = id
		}
	}
	yes := true
	if _, _, err := h.streams.SetState(ctx, flow.User, oldest, stream.Change{Starred: &yes}); err != nil {
		t.Fatal(err)
	}
	for range 260 {
		s.Publish(h.Now(), 1)
		h.day(f)
	}
	if row := h.Feed(f); row.Floor < 200 {
		t.Fatalf("the floor is %d", row.Floor)
	}
	e, sub, err := h.streams.Find(ctx, flow.User, oldest)
	if err != nil || !e.Starred || sub.StarredCount() != 1 {
		t.Fatalf("%+v, %d starred, %v", e, sub.StarredCount(), err)
	}
	if b, err := h.streams.Body(ctx, flow.User, e, sub); err != nil || b.State != stream.ContentFull ||
		!strings.Contains(b.HTML, "item 1") {
		t.Errorf("the body is %+v, %v", b, err)
	}
	p, err := h.streams.List(ctx, flow.User,
		stream.Query{Scope: stream.Scope{Feed: f}, Filter: stream.Starred, Limit: 10})
	if err != nil || len(p.Items) != 1 || p.Items[0].ID != oldest {
		t.Errorf("starred are %+v, %v", p.Items, err)
	}
	h.check(f)
	if sub.Unread() == 0 || sub.Unread() != int(sub.Feed.Seq-sub.Feed.Floor) {
		t.Errorf("%d are unread of %d above the floor", sub.Unread(), sub.Feed.Seq-sub.Feed.Floor)
	}
	h.Advance(time.Minute)
	if done, err := h.streams.MarkRead(ctx, flow.User, stream.Mark{Scope: stream.Scope{Feed: f}}); err != nil ||
		len(done.Feeds) != 1 || done.Feeds[0].Unread() != 0 {
		t.Errorf("marked %+v, %v", done.Feeds, err)
	}
	h.check(f)
}
