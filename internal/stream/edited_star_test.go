package stream_test

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// A starred item that its publisher edits has one state everywhere: the new one. When the feed is gone, the one that
// was starred.
func TestAnEditedStarIsNewEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 41)
	feed := w.feed()
	identity := w.raw("feeds/old.gz", "<p>old</p>")
	id := w.item(feed, "feeds/old.gz", identity)
	yes := true
	_, _, err := w.s.SetState(t.Context(), user, id, stream.Change{Starred: &yes})
	w.ok(err)
	w.raw("feeds/new.gz", "<p>new</p>")
	row, err := w.store.Items.At(t.Context(), feed, 1)
	w.ok(err)
	row, err = w.store.Items.Get(t.Context(), feed, row.First())
	w.ok(err)
	hs, err := row.Headers()
	w.ok(err)
	hs[0].Title, hs[0].Content, hs[0].Raw = "new", 7, "feeds/new.gz"
	w.ok(w.store.Items.Edit(t.Context(), row, hs))
	w.edited(w.store, feed)
	w.clk.Add(time.Hour)

	look := func(what, title, body string) {
		t.Helper()
		s := stream.New(w.store, w.blobs, w.clk)
		for _, f := range []stream.Filter{stream.Starred, stream.All} {
			p, err := s.List(t.Context(), user, stream.Query{Filter: f, Limit: 10})
			w.ok(err)
			if what == "gone" && f == stream.All {
				continue
			}
			if len(p.Items) != 1 || p.Items[0].Header.Title != title {
				t.Errorf("%s, %v: %+v", what, f, p.Items)
			}
		}
		e, sub, err := s.Find(t.Context(), user, id)
		w.ok(err)
		if b, err := s.Body(t.Context(), user, e, sub); err != nil || e.Header.Title != title || b.HTML != body {
			t.Errorf("%s: %q with %q, %v", what, e.Header.Title, b.HTML, err)
		}
		found, err := s.FindAll(t.Context(), user, []reader.ItemID{id})
		w.ok(err)
		w.ok(s.Bodies(t.Context(), user, found, func(_ int, b stream.Body) (bool, error) {
			if b.HTML != body {
				t.Errorf("%s, several: %q", what, b.HTML)
			}
			return true, nil
		}))
		_, err = s.ExportStars(t.Context(), user, 0, func(it starred.Item) (bool, error) {
			if it.Title != title || it.HTML != body {
				t.Errorf("%s, exported: %q with %q", what, it.Title, it.HTML)
			}
			return true, nil
		})
		w.ok(err)
	}
	look("edited", "new", "<p>new</p>")
	w.ok(w.blobs.Delete(t.Context(), "feeds/new.gz"))
	look("without its raw feed", "new", "<p>old</p>")
	w.ok(w.store.Subscriptions.Remove(t.Context(), user, feed))
	look("gone", "t", "<p>old</p>")
}
