package stream_test

import (
	"slices"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestDamagedSnapshotsHideNothingElse: saving pages, lists, imports and exports go on without a star or labelled item
// whose row cannot be read, and the row is reported once.
func TestDamagedSnapshotsHideNothingElse(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*world, reader.LabelID, reader.ItemID){
		"header": func(w *world, l reader.LabelID, id reader.ItemID) {
			w.ok(w.store.Snapshots.Put(t.Context(), user, l, id, store.SnapshotRow{Head: []byte("no header")}))
		},
		"row": func(w *world, l reader.LabelID, id reader.ItemID) {
			row, err := w.store.Snapshots.Get(t.Context(), user, l, id)
			w.ok(err)
			w.ok(w.store.Table().Put(t.Context(), &struct {
				PK   string `dynamo:"pk"`
				SK   string `dynamo:"sk"`
				Feed string `dynamo:"feed"`
			}{row.PK, row.SK, "no number"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 93)
			told := map[string]int{}
			w.store.OnDamage(func(k table.Key, _ error) { told[k.SK]++ })
			label := w.labelDefined("later")
			save := func(url string) reader.ItemID {
				t.Helper()
				id, err := w.s.SavePage(t.Context(), user, label, stream.WebPage{URL: url, HTML: "<p>Text</p>"})
				w.ok(err)
				return id
			}
			a, b := save("https://example.org/a"), save("https://example.org/b")
			w.imported(starred.Item{Title: "C", Link: "https://example.org/c", Starred: w.clk.Now()},
				starred.Item{Title: "D", Link: "https://example.org/d", Starred: w.clk.Now()})
			stars := w.all(stream.Starred, func() int { return 50 })
			damage(w, label, b)
			damage(w, store.Star, stars[0].ID)

			if again := save("https://example.org/a"); again != a {
				t.Errorf("a page is saved twice: %v, %v", a, again)
			}
			c := save("https://example.org/e")
			p, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Label: label}, Limit: 50})
			w.ok(err)
			if ids := idsOf(p.Items); len(ids) != 2 || !slices.Contains(ids, a) || !slices.Contains(ids, c) {
				t.Errorf("listed: %v", ids)
			}
			if done := w.imported(starred.Item{Link: stars[1].Header.Link, Starred: w.clk.Now()}); done.Had != 1 {
				t.Errorf("imported: %+v", done)
			}
			if out := w.exported(); len(out) != 1 || out[0].Link != stars[1].Header.Link {
				t.Errorf("exported: %+v", out)
			}
			if len(told) != 2 {
				t.Errorf("reported: %v", told)
			}
			for row, n := range told {
				if n != 1 {
					t.Errorf("%s is reported %d times", row, n)
				}
			}
		})
	}
}
