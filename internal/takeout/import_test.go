package takeout_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
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
		"ruri.json": `{"format":"ruri-takeout","version":1}`, "preferences.json": `{}`,
		"tree.json":           `{"folders":[],"labels":[]}`,
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
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	for name, c := range map[string]struct {
		change map[string]string
		code   string
	}{
		"another zip":      {map[string]string{"ruri.json": "-"}, "not_takeout"},
		"another format":   {map[string]string{"ruri.json": `{"format":"x","version":1}`}, "not_takeout"},
		"a later version":  {map[string]string{"ruri.json": `{"format":"ruri-takeout","version":3}`}, "takeout_newer"},
		"no subscriptions": {map[string]string{"subscriptions.jsonl": "-"}, "takeout_broken"},
		"broken lines": {map[string]string{"subscriptions.jsonl": `{"url":"https://example.org/a"}` + "\n{"},
			"takeout_broken"},
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
		if _, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b))); fault.CodeOf(err) !=
			"not_takeout" {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// TestAnArchiveIsUntrusted: bad lines are reported and the others imported, markup is cleaned, addresses of other
// schemes are left out, and what an unknown version set is passed over.
func TestAnArchiveIsUntrusted(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	b := packed(t, files(map[string]string{
		"preferences.json": `{"theme":"dark","itemsPerPage":100000,"of another version":1}`,
		"tree.json": `{"folders":[["A","B"],[],["` + strings.Repeat("x", 500) +
			`"]],"labels":["L","L",""],"readLater":"L"}`,
		"subscriptions.jsonl": `{"url":"javascript:alert(1)"}` + "\n" +
			`{"url":"https://example.org/feed","folders":[["A","B"]],"title":"` + strings.Repeat("題", 500) +
			`","position":-5,"intervalMinutes":7}`,
		"items.jsonl": `{"identity":"000000000000000a","starredAt":"2020-01-01T00:00:00Z","title":"T",` +
			`"link":"javascript:x","imageUrl":"data:x","contentHtml":"<p onclick=x>Hi<script>alert(1)</script></p>"}` +
			"\n" + `{"identity":"000000000000000b","title":"neither star nor label"}`,
		"rules.json": `[{"id":"r","if":[{"field":"title","mode":"any","words":["x"]}],"do":[{"do":"hide"}],"since":1,` +
			`"feedUrls":["https://elsewhere.example/"]}]`,
	}))
	done, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b)))
	if err != nil || done.Feeds != 1 || done.Items != 1 || done.Rules != 0 || len(done.Failed) != 4 {
		t.Fatalf("%+v, %v", done, err)
	}
	p, err := h.store.Preferences.Get(t.Context(), u)
	if err != nil || string(p.Encode()) != `{"theme":"dark"}` {
		t.Errorf("preferences are %s, %v", p.Encode(), err)
	}
	tree, err := h.store.Trees.Get(t.Context(), u)
	if err != nil || len(tree.Folders) != 2 || len(tree.Labels) != 1 || tree.ReadLater() == 0 {
		t.Errorf("the tree is %+v, %v", tree, err)
	}
	ok(t, h.store.Subscriptions.EachLatest(t.Context(), u, func(row *store.SubscriptionRow) error {
		if row.Title != strings.Repeat("題", library.MaxTitle) || row.Position != 0 || row.Interval != 0 {
			t.Errorf("the subscription is %+v", row)
		}
		return nil
	}))
	var star *store.SnapshotRow
	ok(t, h.store.Snapshots.Walk(t.Context(), u, store.Star, 0, true, 64, func(row *store.SnapshotRow) (bool, error) {
		star = row
		return true, nil
	}))
	head, err := star.Header()
	if err != nil || head.Link != "" || head.Image != "" || head.Title != "T" || star.ID().Feed() != reader.MaxFeedID ||
		star.At != 1577836800 {
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

// TestStarsFromElsewhereTwice: what another reader's file brought along goes out with its feed's addresses, and comes
// in once, also into the account that it came from.
func TestStarsFromElsewhereTwice(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	head, err := store.PackHeaders(
		[]store.Header{{Identity: 7, Title: "T", Link: "https://s.example/1", Sort: 1700000000}})
	ok(t, err)
	id := reader.NewItemID(77, reader.ArchiveFeed, 1023)
	row := store.SnapshotRow{
		Feed: uint32(reader.ArchiveFeed), Seq: 1023, At: 1700000100, Title: "S", Head: head,
		Origin: "https://s.example/feed", Site: "https://s.example/",
	}
	ok(t, h.store.Snapshots.Put(t.Context(), u, store.Star, id, row))
	var b bytes.Buffer
	ok(t, h.out.Export(t.Context(), u, &b))
	other, err := h.auth.AddUser(t.Context(), "b@example.org", "", false)
	ok(t, err)
	taken := row
	taken.Head, err = store.PackHeaders([]store.Header{{Identity: 8, Title: "Another"}})
	ok(t, err)
	ok(t, h.store.Snapshots.Put(t.Context(), other, store.Star, id, taken))
	for who, want := range map[reader.UserID]int{u: 1, other: 2} {
		for range 2 {
			_, err := h.out.Import(t.Context(), who, bytes.NewReader(b.Bytes()), int64(b.Len()))
			ok(t, err)
		}
		n := 0
		ok(t, h.store.Snapshots.EachLatest(t.Context(), who, func(r *store.SnapshotRow) error {
			if n++; r.Origin != row.Origin || r.Site != row.Site || r.Title != "S" || r.At != row.At ||
				r.Feed != row.Feed {
				t.Errorf("%+v", r)
			}
			return nil
		}))
		if n != want {
			t.Errorf("%d stars, want %d", n, want)
		}
	}
}

// TestALargeLabelledBody lies under a name that is a label's: under a star's it would be removed, for no star has it.
func TestALargeLabelledBody(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "%x ", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
	}
	b := packed(t, files(map[string]string{
		"tree.json": `{"labels":["L"]}`,
		"items.jsonl": `{"identity":"000000000000000a","label":"L","labelledAt":"2026-01-01T00:00:00Z","title":"T",` +
			`"contentHtml":"<p>` + text.String() + `</p>"}`,
	}))
	_, err = h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b)))
	ok(t, err)
	n := 0
	ok(t, h.store.Snapshots.EachLatest(t.Context(), u, func(row *store.SnapshotRow) error {
		n++
		who, label, id, is := store.ParseSnapshotBlobKey(row.Blob)
		if !is || who != u || label != row.Label() || id != row.ID() {
			t.Errorf("the body lies in %q", row.Blob)
		}
		return nil
	}))
	if n != 1 {
		t.Errorf("%d labelled", n)
	}
}

func FuzzImport(f *testing.F) {
	f.Add([]byte(`{"url":"https://example.org/feed","read":["000000000000000a"]}`),
		[]byte(`{"identity":"000000000000000a","starredAt":"2026-01-01T00:00:00Z","title":"T"}`), []byte(`[]`))
	f.Add([]byte(`{"url":"x","folders":[["a"],[]]}`), []byte(`{"label":"L"}`),
		[]byte(`[{"id":"r","if":[],"do":[{"do":"label"}]}]`))
	f.Fuzz(func(t *testing.T, subscriptions, items, rules []byte) {
		h := newInstallation(t)
		u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
		ok(t, err)
		b := packed(t,
			files(map[string]string{"subscriptions.jsonl": string(subscriptions), "items.jsonl": string(items),
				"rules.json": string(rules), "tree.json": `{"labels":["L"]}`}))
		for range 2 {
			if _, err := h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b))); err != nil &&
				!fault.Is(err, fault.Invalid) {
				t.Errorf("%v", err)
			}
		}
		ok(t, h.out.Export(t.Context(), u, &bytes.Buffer{}))
	})
}

// TestNeverCountIsTakenAlong: a feed that no provider may be asked for is none from its first crawl on.
func TestNeverCountIsTakenAlong(t *testing.T) {
	t.Parallel()
	h := newInstallation(t)
	u, err := h.auth.AddUser(t.Context(), "a@example.org", "", false)
	ok(t, err)
	b := packed(t,
		files(map[string]string{"subscriptions.jsonl": `{"url":"https://example.org/feed","neverCount":true}`}))
	_, err = h.out.Import(t.Context(), u, bytes.NewReader(b), int64(len(b)))
	ok(t, err)
	id, err := h.store.Feeds.FindURL(t.Context(), "https://example.org/feed")
	ok(t, err)
	f, err := h.store.Feeds.Get(t.Context(), id, true)
	ok(t, err)
	row, err := h.store.Subscriptions.Get(t.Context(), u, id)
	if ok(t, err); !f.NoCounts || !row.NeverCount {
		t.Errorf("the feed %v, the subscription %v", f.NoCounts, row.NeverCount)
	}
	var again bytes.Buffer
	ok(t, h.out.Export(t.Context(), u, &again))
	z, err := zip.NewReader(bytes.NewReader(again.Bytes()), int64(again.Len()))
	ok(t, err)
	lines, err := fs.ReadFile(z, "subscriptions.jsonl")
	if ok(t, err); !strings.Contains(string(lines), `"neverCount":true`) {
		t.Errorf("exported as %s", lines)
	}
}
