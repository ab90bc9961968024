package samples

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
)

const base = "http://127.0.0.1:8080"

func site() http.Handler {
	return Handler(func(*http.Request) string {
		return base
	}, clock.NewManual(time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)))
}

func get(t *testing.T, h http.Handler, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) []byte {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryFeedIsReadByGofeedAndByUs(t *testing.T) {
	t.Parallel()
	h := site()
	want := map[string]struct {
		items int
		kind  string
		lang  string
	}{
		"/samples/kami-to-gamen.xml":      {7, "rss 2.0", "ja"},
		"/samples/the-quiet-web.atom":     {7, "atom 1.0", "en"},
		"/samples/kisetsu-no-dougu.rdf":   {5, "rss 1.0", "ja"},
		"/samples/small-tools.json":       {6, "json https://jsonfeed.org/version/1.1", "en"},
		"/samples/three-small-sounds.xml": {5, "rss 2.0", "en"},
		"/samples/undated-notebook.xml":   {5, "rss 2.0", "en"},
	}
	if len(List()) != len(want) {
		t.Errorf("%d feeds", len(List()))
	}
	total := 0
	ids := map[string]bool{}
	for _, f := range List() {
		w, ok := want[f.Path]
		if !ok {
			t.Errorf("unexpected %s", f.Path)
			continue
		}
		res := get(t, h, f.Path)
		if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), f.ContentType) {
			t.Fatalf("%s: %d %s", f.Path, res.StatusCode, res.Header.Get("Content-Type"))
		}
		data := body(t, res)
		total += len(data)
		g, err := gofeed.NewParser().Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		if kind := g.FeedType + " " + g.FeedVersion; len(g.Items) != w.items || f.Items != w.items || kind != w.kind ||
			f.Lang != w.lang || g.Title != f.Title {
			t.Errorf("%s: %d items, %s, %s, %q", f.Path, len(g.Items), kind, f.Lang, g.Title)
		}
		for _, it := range g.Items {
			if id := it.GUID + it.Link; ids[id] || it.Title == "" || it.Link == "" {
				t.Errorf("%s: item %q", f.Path, it.Title)
			} else {
				ids[id] = true
			}
		}
		scanned, err := extract.Scan(data, res.Header.Get("Content-Type"), base+f.Path, extract.Options{})
		if err != nil || len(scanned.Items) != w.items || scanned.Fallback || scanned.Title != f.Title {
			t.Errorf("%s: extract: %v", f.Path, err)
		}
		checkItems(t, h, f, scanned.Items, data, res.Header.Get("Content-Type"))
	}
	if total > 120_000 {
		t.Errorf("the feeds take %d bytes", total)
	}
	t.Logf("%d bytes in all", total)
}

// checkItems reads the feed as the product does and follows every link.
func checkItems(t *testing.T, h http.Handler, f Feed, items []extract.Item, data []byte, contentType string) {
	t.Helper()
	bodies, err := parse.Feed(data, contentType, base+f.Path, 0)
	if err != nil || len(bodies) != len(items) {
		t.Fatalf("%s: %d bodies of %d items, %v", f.Path, len(bodies), len(items), err)
	}
	dated := 0
	for i, it := range items {
		content := bodies[i].Content
		if strings.Contains(content, "\uFFFD") || sanitize.HTML(content, bodies[i].Base) == "" ||
			bodies[i].Summary == "" {
			t.Errorf("%s: %s: content %q", f.Path, it.Title, content)
		}
		if !it.Published.IsZero() {
			dated++
			if it.Published.After(time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)) || it.Published.Year() != 2026 {
				t.Errorf("%s: dated %s", f.Path, it.Published)
			}
		}
		page, ok := strings.CutPrefix(it.Link, base)
		if !ok {
			t.Errorf("%s: link %s", f.Path, it.Link)
			continue
		}
		if res := get(t, h, page); res.StatusCode != http.StatusOK ||
			!strings.Contains(string(body(t, res)), html.EscapeString(it.Title)) {
			t.Errorf("%s: %d", page, res.StatusCode)
		}
		for _, e := range it.Enclosures {
			checkSound(t, h, e)
		}
	}
	wantDated := len(items)
	if strings.Contains(f.Path, "undated") {
		wantDated = 0
	}
	if dated != wantDated {
		t.Errorf("%s: %d items with a date", f.Path, dated)
	}
	if podcast := strings.Contains(f.Path, "sounds"); podcast && len(items[0].Enclosures) != 1 {
		t.Errorf("%s: enclosures %+v", f.Path, items[0].Enclosures)
	}
}

func checkSound(t *testing.T, h http.Handler, e extract.Enclosure) {
	t.Helper()
	path := strings.TrimPrefix(e.URL, base)
	res := get(t, h, path)
	data := body(t, res)
	if e.Type != "audio/wav" || res.Header.Get("Content-Type") != "audio/wav" || int64(len(data)) != e.Length {
		t.Errorf("%s: %s, %d bytes of %d", path, e.Type, len(data), e.Length)
	}
	if !bytes.HasPrefix(data, []byte("RIFF")) || string(data[8:16]) != "WAVEfmt " || string(data[36:40]) != "data" {
		t.Errorf("%s is no WAV file", path)
	}
	loud := 0
	for _, v := range data[44:] {
		if v < 100 || v > 156 {
			loud++
		}
	}
	if loud == 0 {
		t.Errorf("%s is silent", path)
	}
	part := get(t, h, path, "Range", "bytes=0-43")
	if part.StatusCode != http.StatusPartialContent || part.Header.Get("Content-Range") != "bytes 0-43/"+
		strconv.Itoa(len(data)) {
		t.Errorf("%s: part: %d %s", path, part.StatusCode, part.Header.Get("Content-Range"))
	}
}

func TestTheIndexNamesTheFeeds(t *testing.T) {
	t.Parallel()
	res := get(t, site(), Prefix)
	page := body(t, res)
	found := discover.Links(base+Prefix, page, res.Header.Get("Content-Type"))
	if len(found) != len(List()) {
		t.Fatalf("%d of %d feeds found", len(found), len(List()))
	}
	for i, f := range List() {
		if found[i].URL != base+f.Path || found[i].Title != f.Title || found[i].Type != f.ContentType {
			t.Errorf("%+v for %+v", found[i], f)
		}
	}
	for _, want := range []string{`<html lang="en">`, `<main>`, `<h1>`, `<title>`, `lang="ja"`, `name="viewport"`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	h := site()
	paths := []string{Prefix, Prefix + "style.css", Prefix + "audio/three-small-sounds-1.wav",
		Prefix + "a/kami-to-gamen/1"}
	for _, f := range List() {
		paths = append(paths, f.Path)
	}
	for _, path := range paths {
		first := get(t, h, path)
		whole := body(t, first)
		etag, modified := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
		if first.StatusCode != http.StatusOK || etag == "" || modified == "" || len(whole) == 0 {
			t.Fatalf("%s: %d, ETag %q, Last-Modified %q", path, first.StatusCode, etag, modified)
		}
		if res := get(t, h, path, "If-None-Match", etag); res.StatusCode != http.StatusNotModified ||
			len(body(t, res)) > 0 || res.Header.Get("ETag") != etag {
			t.Errorf("%s with its ETag: %d", path, res.StatusCode)
		}
		if res := get(t, h, path, "If-Modified-Since", modified); res.StatusCode != http.StatusNotModified {
			t.Errorf("%s with its date: %d", path, res.StatusCode)
		}
		if res := get(t, h, path, "If-None-Match", `"other"`, "If-Modified-Since", modified); res.StatusCode !=
			http.StatusOK {
			t.Errorf("%s with another ETag: %d", path, res.StatusCode)
		}
	}
}

func TestSampleNotFound(t *testing.T) {
	t.Parallel()
	h := site()
	for _, path := range []string{"/samples", "/samples/nothing.xml", "/samples/a/kami-to-gamen/99",
		"/samples/../go.mod", "/other"} {
		if res := get(t, h, path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, Prefix, nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("POST: %d", w.Code)
	}
}

func TestAnotherAddressChangesLinksAndNotIdentities(t *testing.T) {
	t.Parallel()
	other := Handler(func(*http.Request) string { return "https://reader.example/" }, clock.System{})
	for _, f := range List() {
		if strings.HasSuffix(f.Path, ".rdf") {
			continue // RSS 1.0 has no identifier besides the link
		}
		a, errA := extract.Scan(body(t, get(t, site(), f.Path)), f.ContentType, base+f.Path, extract.Options{})
		b, errB := extract.Scan(body(t, get(t, other, f.Path)), f.ContentType, "https://reader.example"+f.Path,
			extract.Options{})
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		for i := range a.Items {
			if a.Items[i].Identity != b.Items[i].Identity {
				t.Errorf("%s: %s: another identity", f.Path, a.Items[i].Title)
			}
			if !strings.HasPrefix(b.Items[i].Link, "https://reader.example/samples/a/") {
				t.Errorf("%s: link %s", f.Path, b.Items[i].Link)
			}
		}
	}
}
