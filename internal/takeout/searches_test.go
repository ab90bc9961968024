package takeout_test

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
)

// TestSavedSearchesComeAndGo: with the addresses of feeds and the paths of folders in place of numbers. What has no
// place here, and what cannot be searched for, is reported; what the account has is not added again.
func TestSavedSearchesComeAndGo(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	const good = `{"name":"Blossoms","q":"桜 -東京","filter":"all","sort":"date"},` +
		`{"name":"In a feed","q":"go","feedUrl":"https://example.org/feed","filter":"unread","sort":"best"},` +
		`{"name":"In a folder","q":"さくら","folderPath":["A","B"],"filter":"all","sort":"popular","kana":true}`
	const bad = `{"name":"x","q":"-only"},{"name":"x","q":"x","filter":"none"},{"name":"x","q":"x","feedUrl":"https:/` +
		`/elsewhere.example/"},{"name":" ","q":"x"},{"name":"x","q":"x","sort":"random"}`
	b := packed(t, files(map[string]string{
		"tree.json": `{"folders":[["A","B"]],"labels":[]}`, "subscriptions.jsonl": `{"url":"https://example.org/feed"}`,
		"searches.json": "[" + good + "," + bad + "]",
	}))
	for range 2 { // the second time adds nothing
		done, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b)))
		ok(t, err)
		var codes []string
		for _, f := range done.Failed {
			codes = append(codes, f.Code)
		}
		if slices.Sort(codes); !slices.Equal(codes,
			[]string{"bad_filter", "bad_name", "bad_search_sort", "feed_not_found", "search_empty"}) {
			t.Errorf("failures are %q", codes)
		}
	}
	tree, err := h.store.Trees.Get(t.Context(), u)
	ok(t, err)
	list, err := h.store.Searches.Get(t.Context(), u)
	ok(t, err)
	want := []library.Search{
		{ID: 1, Name: "Blossoms", Query: "桜 -東京", Filter: "all", Sort: library.ByDate},
		{ID: 2, Name: "In a feed", Query: "go", Feed: 1, Filter: "unread", Sort: library.BestFirst},
		{ID: 3, Name: "In a folder", Query: "さくら", Folder: tree.Find(tree.Find(0, "A"), "B"), Filter: "all",
			Sort: library.PopularFirst, Kana: true},
	}
	if !slices.Equal(list.List, want) || want[2].Folder == 0 {
		t.Errorf("the account has %+v", list.List)
	}
	// One of a folder that is gone stays here: elsewhere it would search everything.
	_, err = h.store.Searches.Change(t.Context(), u, func(l *library.Searches) error {
		_, err := l.Add(library.Search{Name: "gone", Query: "x", Folder: 99, Filter: "all"})
		return err
	})
	ok(t, err)
	var again bytes.Buffer
	ok(t, h.out.Export(t.Context(), u, &again))
	z, err := zip.NewReader(bytes.NewReader(again.Bytes()), int64(again.Len()))
	ok(t, err)
	f, err := z.Open("searches.json")
	ok(t, err)
	text, err := io.ReadAll(f)
	ok(t, err)
	if got := strings.TrimSpace(string(text)); got != "["+good+"]" {
		t.Errorf("the archive has %s", got)
	}

	many := packed(t,
		files(map[string]string{"searches.json": "[" +
			strings.TrimSuffix(strings.Repeat(`{"name":"x","q":"x"},`, library.MaxSearches+1), ",") + "]"}))
	if _, err := h.out.Import(t.Context(), u, bytes.NewReader(many), int64(len(many))); fault.CodeOf(err) !=
		"takeout_too_large" {
		t.Errorf("more than an account may have: %v", err)
	}
}
