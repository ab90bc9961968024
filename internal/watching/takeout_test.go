package watching_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

// An archive takes watches to another installation, with results and history; what was announced is not announced
// again.
func TestWatchesInArchives(t *testing.T) {
	t.Parallel()
	t.Run("one line", func(t *testing.T) { takeWatch(t, func(text string) string { return text + "\n" }) })
	t.Run("two lines", func(t *testing.T) { takeWatch(t, func(text string) string { return inTwoLines(t, text) }) })
}

func takeWatch(t *testing.T, change func(string) string) {
	t.Helper()
	t.Parallel()
	here, there := newWorld(t), newWorld(t)
	x := here.add(here.user, here.settings("/search"))
	here.shop.set(func(s *shop) { s.things[4].price, s.things[0].sold = 640, true })
	here.look(x)
	var file bytes.Buffer
	here.must(here.archive.Export(t.Context(), here.user, &file))
	b := rewritten(t, file.Bytes(), change)
	there.clock.Set(here.clock.Now())
	for i := range 2 {
		done, err := there.archive.Import(t.Context(), there.user, bytes.NewReader(b), int64(len(b)))
		if err != nil || done.Feeds != 1 || len(done.Made) != 1-i || done.Waiting != 0 || len(done.Failed) > 0 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	list, err := there.List(t.Context(), there.user)
	if err != nil || len(list) != 1 || !list[0].Feed.Paused || list[0].Accepted != x.Accepted ||
		!list[0].Settings.Equal(x.Settings) {
		t.Fatalf("%+v, %v", list, err)
	}
	all := watching.Query{}
	want, err := here.Results(t.Context(), here.user, here.get(here.user, x.ID()), all)
	here.must(err)
	got, err := there.Results(t.Context(), there.user, list[0].Watch, all)
	there.must(err)
	for i := range want.Results { // items are not those of the other installation
		want.Results[i].Seq, want.Results[i].Events = 0, nil
		want.Results[i].Item = 0
	}
	if len(got.Results) != 8 || !reflect.DeepEqual(got.Results, want.Results) {
		t.Errorf("there are\n%+v\nof\n%+v", got.Results, want.Results)
	}
	no := false
	y, err := there.Change(t.Context(), there.user, list[0].ID(), watching.Change{Paused: &no})
	there.must(err)
	there.look(y)
	here.shop.set(func(s *shop) { s.things[5].price = 620 })
	there.look(y)
	y = there.get(there.user, y.ID())
	if y.Feed.Seq != 1 {
		t.Errorf("%d changes were announced", y.Feed.Seq)
	}
	if p, err := there.Results(t.Context(), there.user, y, watching.Query{Status: watch.OnSale}); err != nil ||
		p.Total != 7 || p.Results[0].Price != 620 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Of a deleted account no settings, results or history stay.
func TestRemovedAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search"))
	w.look(x)
	w.must(w.archive.Remove(t.Context(), w.user, ""))
	if _, err := w.store.Watches.Settings(t.Context(), x.ID()); fault.CodeOf(err) != "watch_not_found" {
		t.Error(err)
	}
	f, err := w.store.Feeds.Get(t.Context(), x.ID(), true)
	w.must(err)
	st, _, err := w.store.Watches.Load(t.Context(), f, true)
	months, err2 := w.store.Watches.Histories(t.Context(), x.ID(), "0000", "9999")
	if err != nil || err2 != nil || f.Live() || len(months) != 0 {
		t.Errorf("%+v, %d months, %v, %v", st, len(months), err, err2)
	}
}

// What an archive claims to have been found is checked: a broken line is reported, and nothing of it stays.
func TestArchivesAreUntrusted(t *testing.T) {
	t.Parallel()
	here, there := newWorld(t), newWorld(t)
	here.shop.set(func(s *shop) { s.things[0].title = "Camera X with a lens" })
	here.add(here.user, here.settings("/search"))
	var file bytes.Buffer
	here.must(here.archive.Export(t.Context(), here.user, &file))
	for name, change := range map[string][]string{
		"another form":          {`"results":"`, `"results":"AAAA`},
		"a month of another":    {`"2026-11":`, `"2026-10":`},
		"an address of another": {`"url":"http://127.0.0.1`, `"url":"javascript://127.0.0.1`},
		"no settings":           {`"settings":{`, `"settings":null,"x":{`},
	} {
		b := rewritten(t, file.Bytes(), strings.NewReplacer(change...).Replace)
		done, err := there.archive.Import(t.Context(), there.user, bytes.NewReader(b), int64(len(b)))
		if err != nil || len(done.Failed) != 1 || done.Feeds != 0 {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	if n, err := there.store.Feeds.Count(t.Context()); err != nil || n != 0 {
		t.Error("a feed was made", n, err)
	}
}

// inTwoLines divides the line of a watch as one with a long history is.
func inTwoLines(t *testing.T, text string) string {
	t.Helper()
	var first, second map[string]json.RawMessage
	for _, line := range []*map[string]json.RawMessage{&first, &second} {
		if err := json.Unmarshal([]byte(text), line); err != nil || len((*line)["months"]) < 10 {
			t.Fatalf("%.200s, %v", text, err)
		}
	}
	first["continues"] = json.RawMessage("true")
	delete(first, "results")
	delete(second, "months")
	a, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(second)
	if err != nil {
		t.Fatal(err)
	}
	return string(a) + "\n" + string(b) + "\n"
}

// rewritten changes the watches of an archive.
func rewritten(t *testing.T, file []byte, change func(string) string) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range in.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "watches.jsonl" {
			changed := change(string(b))
			if changed == string(b) {
				t.Fatalf("nothing was replaced in %.300s", b)
			}
			b = []byte(changed)
		}
		w, err := z.Create(f.Name)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
