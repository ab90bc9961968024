package takeout_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// packed makes an archive of files.
func packed(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		ok(t, err)
		_, err = w.Write([]byte(text))
		ok(t, err)
	}
	ok(t, z.Close())
	return b.Bytes()
}

func files(change map[string]string) map[string]string {
	out := map[string]string{
		"ruri.json": `{"format":"ruri-takeout","version":1}`, "preferences.json": `{}`, "tree.json": `{"folders":[],"labels":[]}`,
		"subscriptions.jsonl": "", "rules.json": "[]", "items.jsonl": "",
	}
	for name, text := range change {
		if out[name] = text; text == "-" {
			delete(out, name)
		}
	}
	return out
}

func TestWhatIsNoArchive(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	for name, c := range map[string]struct {
		change map[string]string
		code   string
	}{
		"another zip":       {map[string]string{"ruri.json": "-"}, "not_takeout"},
		"another format":    {map[string]string{"ruri.json": `{"format":"x","version":1}`}, "not_takeout"},
		"a later version":   {map[string]string{"ruri.json": `{"format":"ruri-takeout","version":2}`}, "takeout_newer"},
		"no subscriptions":  {map[string]string{"subscriptions.jsonl": "-"}, "takeout_broken"},
		"broken lines":      {map[string]string{"subscriptions.jsonl": `{"url":"https://example.org/a"}` + "\n{"}, "takeout_broken"},
		"a wrong identity":  {map[string]string{"items.jsonl": `{"identity":"xyz"}`}, "takeout_broken"},
		"broken settings":   {map[string]string{"preferences.json": `[]`}, "takeout_broken"},
		"rules of no shape": {map[string]string{"rules.json": `{"a":1}`}, "takeout_broken"},
	} {
		b := packed(t, files(c.change))
		if _, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b))); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, b := range [][]byte{nil, []byte("PK"), []byte("no zip at all")} {
		if _, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b))); fault.CodeOf(err) != "not_takeout" {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// TestAnArchiveIsAStrangersWord: bad lines are told and the others taken, markup is cleaned, addresses of other schemes
// are left out, and what an unknown version set is passed over.
func TestAnArchiveIsAStrangersWord(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	b := packed(t, files(map[string]string{
		"preferences.json":    `{"theme":"dark","itemsPerPage":100000,"of another version":1}`,
		"tree.json":           `{"folders":[["A","B"],[],["` + strings.Repeat("x", 500) + `"]],"labels":["L","L",""]}`,
		"subscriptions.jsonl": `{"url":"javascript:alert(1)"}` + "\n" + `{"url":"https://example.org/feed","folders":[["A","B"]]}`,
		"items.jsonl": `{"identity":"000000000000000a","starredAt":"2020-01-01T00:00:00Z","title":"T","link":"javascript:x","imageUrl":"data:x","contentHtml":"<p onclick=x>Hi<script>alert(1)</script></p>"}` +
			"\n" + `{"identity":"000000000000000b","title":"neither star nor label"}`,
		"rules.json": `[{"id":"r","if":[{"field":"title","mode":"any","words":["x"]}],"do":[{"do":"hide"}],"since":1,"feedUrls":["https://elsewhere.example/"]}]`,
	}))
	done, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b)))
	if err != nil || done.Feeds != 1 || done.Items != 1 || done.Rules != 0 || len(done.Failed) != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	p, err := h.store.Preferences.Get(t.Context(), u)
	if err != nil || string(p.Encode()) != `{"theme":"dark"}` {
		t.Errorf("preferences are %s, %v", p.Encode(), err)
	}
	tree, err := h.store.Trees.Get(t.Context(), u)
	if err != nil || len(tree.Folders) != 3 || len(tree.Labels) != 1 {
		t.Errorf("the tree is %+v, %v", tree, err)
	}
	var star *store.StarRow
	ok(t, h.store.Stars.Descend(t.Context(), u, 0, func(row *store.StarRow) (bool, error) { star = row; return true, nil }))
	head, err := star.Header()
	if err != nil || head.Link != "" || head.Image != "" || head.Title != "T" || star.ID().Feed() != reader.MaxFeedID || star.At != 1577836800 {
		t.Errorf("the star is %+v, %+v, %v", star, head, err)
	}
	var again bytes.Buffer
	ok(t, h.out.Export(t.Context(), u, &again))
	z, err := zip.NewReader(bytes.NewReader(again.Bytes()), int64(again.Len()))
	ok(t, err)
	f, err := z.Open("items.jsonl")
	ok(t, err)
	defer f.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(f)
	if ok(t, err); !strings.Contains(text.String(), `"contentHtml":"<p>Hi</p>"`) {
		t.Errorf("the body is kept as %s", text.String())
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"url":"https://example.org/feed","read":["000000000000000a"]}`), []byte(`{"identity":"000000000000000a","starredAt":"2026-01-01T00:00:00Z","title":"T"}`), []byte(`[]`))
	f.Add([]byte(`{"url":"x","folders":[["a"],[]]}`), []byte(`{"label":"L"}`), []byte(`[{"id":"r","if":[],"do":[{"do":"label"}]}]`))
	f.Fuzz(func(t *testing.T, subscriptions, items, rules []byte) {
		h := newHome(t)
		u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
		ok(t, err)
		b := packed(t, files(map[string]string{"subscriptions.jsonl": string(subscriptions), "items.jsonl": string(items), "rules.json": string(rules), "tree.json": `{"labels":["L"]}`}))
		for range 2 {
			if _, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b))); err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%v", err)
			}
		}
		ok(t, h.out.Export(t.Context(), u, &bytes.Buffer{}))
	})
}
