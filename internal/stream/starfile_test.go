package stream_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

func (w *world) imported(items ...starred.Item) stream.StarsImported {
	w.t.Helper()
	done, err := w.s.ImportStars(w.t.Context(), user, items)
	w.ok(err)
	return done
}

func (w *world) exported() (out []starred.Item) {
	w.t.Helper()
	_, err := w.s.ExportStars(w.t.Context(), user, 0, func(it starred.Item) (bool, error) {
		out = append(out, it)
		return true, nil
	})
	w.ok(err)
	return out
}

// TestStarsFromElsewhereKeepTheirFeed: what came in goes out with the address of its feed and site, whether or not the
// feed was ever known here; so does a star whose feed was left.
func TestStarsFromElsewhereKeepTheirFeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 91)
	at := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	in := []starred.Item{
		{
			Title: "A", Link: "https://s.example/1", HTML: "<p>Text</p>", Published: at, Starred: at,
			FeedURL:   "https://s.example/feed",
			FeedTitle: "S", SiteURL: "https://s.example/",
		},
		{Title: "No address of its own", Published: at, Starred: at.Add(-time.Hour), FeedURL: "https://s.example/feed"},
	}
	if done := w.imported(in...); done.Imported != 2 {
		t.Fatalf("%+v", done)
	}
	out := w.exported()
	if len(out) != 2 {
		t.Fatalf("%+v", out)
	}
	if done := w.imported(out...); done.Imported != 0 || done.Had != 2 {
		t.Errorf("its own export: %+v", done)
	}
	in[1].FeedTitle = in[1].FeedURL // what has no title is called by its address
	for i := range out {
		out[i].ID = ""
	}
	if !reflect.DeepEqual(in, out) {
		t.Errorf("\n%+v became\n%+v", in, out)
	}

	id := w.feed()
	w.news(id, 1)
	yes := true
	p, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: id}})
	w.ok(err)
	_, _, err = w.s.SetState(t.Context(), user, p.Items[0].ID, stream.Change{Starred: &yes})
	w.ok(err)
	w.ok(w.store.Subscriptions.Remove(t.Context(), user, id))
	if left := w.exported()[0]; left.FeedURL != "https://example.org/1" {
		t.Errorf("of a feed that was left: %+v", left)
	}
}

// TestStarsOfItemsThatAreThere: what a list names by feed and address, and a feed of the user has, is starred where it
// lies, once, whatever broke off before; what lies deep is kept beside.
func TestStarsOfItemsThatAreThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 92)
	id := w.feed()
	at := w.clk.Now()
	for i := range 210 {
		w.items(id, store.Header{Identity: uint64(i + 1), Title: fmt.Sprint("t", i),
			Link: fmt.Sprintf("https://example.org/item/%d", i), Sort: at.Unix()})
	}
	item := func(i int, html string) starred.Item {
		return starred.Item{
			Title: "As it was", Link: fmt.Sprintf("https://example.org/item/%d", i), HTML: html,
			Starred: at.Add(-48 * time.Hour),
			FeedURL: "https://example.org/1", FeedTitle: "Feed",
		}
	}
	list := []starred.Item{item(209, "<p>kept<script>x</script></p>"), item(200, ""), item(200, ""), item(3, "deep"),
		{Title: "x", Link: "https://example.org/item/208", FeedURL: "https://elsewhere.example/"}}
	if done := w.imported(list...); done.Imported != 4 || done.Had != 1 {
		t.Fatalf("%+v", done)
	}
	stars := func() (out map[string]stream.Entry) {
		out = map[string]stream.Entry{}
		for _, e := range w.pages(stream.Query{Filter: stream.Starred}, func() int { return 50 }) {
			out[e.Header.Link] = e
		}
		if len(out) != 4 {
			t.Fatalf("%d stars", len(out))
		}
		return out
	}
	sub, err := w.s.Get(t.Context(), user, id)
	w.ok(err)
	now := stars()
	first := now["https://example.org/item/209"]
	if first.Feed != id || first.Seq != 210 || first.Header.Title != "t209" ||
		now["https://example.org/item/200"].Seq != 201 ||
		!sub.State.Stars.Has(210) || !sub.State.Stars.Has(201) || sub.StarredCount() != 2 {
		t.Errorf("%+v, %d starred", now, sub.StarredCount())
	}
	if body, err := w.s.Body(t.Context(), user, first, sub); err != nil || body.HTML != "<p>kept</p>" {
		t.Errorf("the body is %+v, %v", body, err)
	}
	if row, err := w.store.Snapshots.Latest(t.Context(), user, store.Star, first.ID); err != nil ||
		row.At != at.Add(-48*time.Hour).Unix() {
		t.Errorf("starred at %+v, %v", row, err)
	}
	if len(sub.State.Tally) != 0 {
		t.Error("an import counts as the person's reading")
	}
	for _, link := range []string{"https://example.org/item/3", "https://example.org/item/208"} {
		if now[link].Feed != reader.ArchiveFeed {
			t.Errorf("%s is %+v", link, now[link])
		}
	}
	// It died after the rows: the bits come with the next.
	next, _ := reader.Apply(sub.State,
		reader.Change{Ops: []reader.Op{{Kind: reader.OpUnstar, Seqs: []reader.Seq{201, 210}}}})
	_, err = w.store.Subscriptions.ChangeState(t.Context(), user, sub.Sub, next)
	w.ok(err)
	if done := w.imported(list...); done.Imported != 0 || done.Had != 5 {
		t.Errorf("again: %+v", done)
	}
	if sub, err = w.s.Get(t.Context(), user, id); err != nil || sub.StarredCount() != 2 {
		t.Errorf("%d starred, %v", sub.StarredCount(), err)
	}
	stars()
	no := false
	_, _, err = w.s.SetState(t.Context(), user, first.ID, stream.Change{Starred: &no})
	w.ok(err)
	if _, _, err := w.s.Find(t.Context(), user, first.ID); err != nil {
		t.Errorf("the item went with its star: %v", err)
	}
	if n := len(w.pages(stream.Query{Filter: stream.Starred}, func() int { return 50 })); n != 3 {
		t.Errorf("%d stars are left", n)
	}
	if out := w.exported(); !strings.HasPrefix(out[0].FeedURL, "https://") {
		t.Errorf("%+v", out[0])
	}
}
