package stream_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

func (w *world) labelNames(ids []reader.LabelID) (names []string) {
	w.t.Helper()
	tree, err := w.store.Trees.Get(w.t.Context(), user)
	w.ok(err)
	for _, id := range ids {
		l, _ := tree.Label(id)
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return names
}

// TestImportedStarsHaveTheirLabels: of a feed that is followed or not, imported now or earlier; what a person labels is
// added to.
func TestImportedStarsHaveTheirLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 93)
	feed := w.feed()
	at := w.clk.Now()
	w.items(feed, store.Header{Identity: 1, Title: "Here", Link: "https://example.org/here", Sort: at.Unix()})
	own := w.labelDefined("Own")
	list := []starred.Item{
		{Title: "Here", Link: "https://example.org/here", FeedURL: "https://example.org/1", FeedTitle: "Feed",
			Starred: at, Labels: []string{"To read"}},
		{Title: "There", Link: "https://s.example/1", HTML: "<p>Text</p>", FeedURL: "https://s.example/feed",
			SiteURL: "https://s.example/", Starred: at.Add(-time.Hour), Labels: []string{"To read", "日本", " to  read"}},
		{Title: "Bare", Link: "https://s.example/2", FeedURL: "https://s.example/feed",
			Starred: at.Add(-2 * time.Hour)},
	}
	check := func(want map[string][]string) {
		t.Helper()
		got := map[string][]string{}
		for _, e := range w.pages(stream.Query{Filter: stream.Starred}, func() int { return 2 }) {
			if names := w.labelNames(e.Labels); names != nil {
				got[e.Header.Title] = names
			}
			one, _, err := w.s.Find(t.Context(), user, e.ID)
			w.ok(err)
			if !one.Starred || !slices.Equal(one.Labels, e.Labels) {
				t.Errorf("%s alone: starred %v, %v", e.Header.Title, one.Starred, one.Labels)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	bare := slices.Clone(list)
	for i := range bare {
		bare[i].Labels = nil
	}
	w.imported(bare...)
	check(map[string][]string{})
	for range 2 {
		if done := w.imported(list...); done.Had != 3 || done.Refused != nil {
			t.Errorf("%+v", done)
		}
		check(map[string][]string{"Here": {"To read"}, "There": {"To read", "to read", "日本"}})
	}
	tree, err := w.store.Trees.Get(t.Context(), user)
	w.ok(err)
	if len(tree.Labels) != 4 {
		t.Errorf("%+v", tree.Labels)
	}
	labelled := w.pages(stream.Query{Scope: stream.Scope{Label: tree.LabelNamed("To read")}}, func() int { return 5 })
	if len(labelled) != 2 || labelled[0].Header.Title != "Here" {
		t.Errorf("the list of the label: %+v", labelled)
	}
	there := labelled[1]
	if body, err := w.s.Body(t.Context(), user, there, nil); err != nil || body.HTML != "<p>Text</p>" {
		t.Errorf("%+v, %v", body, err)
	}
	_, _, err = w.s.SetLabels(t.Context(), user, there.ID, []reader.LabelID{own})
	w.ok(err)
	check(map[string][]string{"Here": {"To read"}, "There": {"Own"}})
	if out := w.exported(); !slices.Equal(out[0].Labels, []string{"To read"}) ||
		!slices.Equal(out[1].Labels, []string{"Own"}) || out[2].Labels != nil {
		t.Errorf("%+v", out)
	}
	// Unstarred, it still has its label; a deleted label is on nothing.
	no := false
	_, _, err = w.s.SetState(t.Context(), user, there.ID, stream.Change{Starred: &no})
	w.ok(err)
	if e, _, err := w.s.Find(t.Context(), user, there.ID); err != nil || e.Starred ||
		!slices.Equal(e.Labels, []reader.LabelID{own}) {
		t.Errorf("%+v, %v", e, err)
	}
	w.deleteLabel(tree.LabelNamed("To read"))
	check(map[string][]string{})
}

// TestLabelsThatCannotBeMade: the stars come in, and each label is told once.
func TestLabelsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 94)
	_, err := w.store.Trees.Change(t.Context(), user, func(tr *library.Tree) error {
		for i := range library.MaxLabels - 1 {
			if _, err := tr.AddLabel(fmt.Sprint("l", i)); err != nil {
				return err
			}
		}
		return nil
	})
	w.ok(err)
	item := func(i int, labels ...string) starred.Item {
		return starred.Item{Title: fmt.Sprint(i), Link: fmt.Sprint("https://s.example/", i), Labels: labels}
	}
	long := fmt.Sprintf("%0121d", 7)
	done := w.imported(item(1, "l3", "new"), item(2, "beyond", long), item(3, "beyond", "\u200b"))
	codes := map[string]string{}
	for _, r := range done.Refused {
		codes[r.Name] = fault.CodeOf(r.Err)
	}
	if want := map[string]string{"beyond": "label_limit", long: "bad_name", "\u200b": "bad_name"}; done.Imported != 3 ||
		len(done.Refused) != 3 || !reflect.DeepEqual(codes, want) {
		t.Errorf("%+v", done)
	}
	if out := w.exported(); len(out) != 3 || out[0].Labels == nil && out[1].Labels == nil && out[2].Labels == nil {
		t.Errorf("%+v", out)
	}
}
