package extract

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// TestDifferential compares the scan with gofeed's full parse of the same decoded bytes, field by field,
// over every document of the corpus that both read. What differs must stand in testdata/differences.tsv
// with the reason why ours is meant; and nothing may stand there that does not differ.
// C-7
func TestDifferential(t *testing.T) {
	t.Parallel()
	listed := map[string]string{}
	for _, r := range corpus.ReadTSV(t, filepath.Join("testdata", "differences.tsv")) {
		if r["reason"] == "" {
			t.Errorf("testdata/differences.tsv: %s %s has no reason", r["file"], r["field"])
		}
		listed[r["file"]+"\t"+r["field"]] = r["reason"]
	}
	found := map[string]string{}
	both, fields := 0, 0
	for _, c := range corpusFiles(t) {
		doc, err := Decode(c.body, c.contentType)
		if err != nil {
			continue
		}
		theirs, err := gofeed.NewParser().Parse(bytes.NewReader(doc))
		if err != nil {
			continue
		}
		base := c.from
		if base == "" {
			base = "http://example.org/feed"
		}
		ours, err := Scan(c.body, c.contentType, base, Options{
			MaxItems: 1 << 20,
			Shared:   func(uint64) bool { return true }, // both rules of identity are compared
		})
		if err != nil {
			found[c.name+"\tfeed"] = err.Error()
			continue
		}
		if ours.Fallback {
			continue
		}
		both++
		d := diff{file: c.name, base: base, found: found}
		d.feed(ours, theirs)
		fields += d.fields
	}
	keys := make([]string, 0, len(found))
	for k := range found {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var report []string
	for _, k := range keys {
		if listed[k] == "" {
			t.Errorf("not listed: %s\t%s", k, found[k])
		}
		report = append(report, k+"\t"+found[k])
	}
	for k := range listed {
		if _, ok := found[k]; !ok {
			t.Errorf("listed, but does not differ: %s", k)
		}
	}
	if path := os.Getenv("RURI_EXTRACT_DIFFERENCES"); path != "" {
		if err := os.WriteFile(path, []byte(strings.Join(report, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d documents, %d fields compared, %d differences (file and field), all listed with reasons", both,
		fields, len(found))
}

type diff struct {
	file, base string
	fields     int
	found      map[string]string
}

// check notes a difference under file and field; one per field of a file is enough to look at.
func (d *diff) check(field string, same bool, ours, theirs any) {
	d.fields++
	if k := d.file + "\t" + field; !same && d.found[k] == "" {
		d.found[k] = fmt.Sprintf("ours %.120q gofeed %.120q", fmt.Sprint(ours), fmt.Sprint(theirs))
	}
}

// same compares what both say; silence on gofeed's side is no contradiction.
func (d *diff) feed(f *Feed, g *gofeed.Feed) {
	d.check("feed.title", corpus.Reduce(f.Title) == corpus.Reduce(g.Title), f.Title, g.Title)
	d.check("feed.description", prefixes(f.Description, g.Description), f.Description, g.Description)
	d.check("feed.link", g.Link == "" || corpus.Absolute(f.Link, d.base) == corpus.Absolute(g.Link, d.base),
		f.Link, g.Link)
	d.check("feed.self", g.FeedLink == "" || f.Format == JSON ||
		corpus.Absolute(f.Self, d.base) == corpus.Absolute(g.FeedLink, d.base), f.Self, g.FeedLink)
	d.check("feed.language", g.Language == "" || f.Language == strings.TrimSpace(g.Language) ||
		f.Language == strings.ReplaceAll(g.Language, "_", "-"), f.Language, g.Language)
	if g.UpdatedParsed != nil && f.Format != JSON {
		d.check("feed.updated", f.Updated.Equal(*g.UpdatedParsed), f.Updated, g.UpdatedParsed)
	}
	d.check("items", len(f.Items)+f.Repeated == len(g.Items), len(f.Items)+f.Repeated, len(g.Items))
	if len(f.Items) != len(g.Items) {
		return
	}
	for i := range f.Items {
		d.item(&f.Items[i], g.Items[i])
	}
}

func (d *diff) item(it *Item, g *gofeed.Item) {
	d.check("title", corpus.Reduce(it.Title) == corpus.Reduce(g.Title) || g.Title == "", it.Title, g.Title)
	d.check("guid", it.GUID == strings.TrimSpace(g.GUID), it.GUID, g.GUID)
	d.check("link", g.Link == "" || corpus.Absolute(it.Link, d.base) == corpus.Absolute(g.Link, d.base),
		it.Link, g.Link)
	if g.PublishedParsed != nil {
		d.check("published", it.Published.Equal(*g.PublishedParsed), it.Published, g.PublishedParsed)
	}
	if g.UpdatedParsed != nil {
		d.check("updated", it.Updated.Equal(*g.UpdatedParsed), it.Updated, g.UpdatedParsed)
	}
	if g.Author != nil && g.Author.Name != "" {
		d.check("author", strings.Contains(corpus.Reduce(it.Author), corpus.Reduce(g.Author.Name)),
			it.Author, g.Author.Name)
	}
	for _, c := range g.Categories {
		have := corpus.Reduce(c) == ""
		for _, o := range it.Categories {
			have = have || corpus.Reduce(o) == corpus.Reduce(c)
		}
		d.check("categories", have, it.Categories, c)
	}
	for _, e := range g.Enclosures {
		have := strings.TrimSpace(e.URL) == ""
		for _, o := range it.Enclosures {
			n, _ := strconv.ParseInt(e.Length, 10, 64)
			have = have || corpus.Absolute(o.URL, d.base) == corpus.Absolute(e.URL, d.base) &&
				(e.Type == "" || o.Type == e.Type) && (n <= 0 || n == o.Length)
		}
		d.check("enclosures", have, it.Enclosures, e.URL)
	}
	summary := g.Description
	if strings.TrimSpace(summary) == "" {
		summary = g.Content
	}
	d.check("snippet", prefixes(it.Snippet, summary) || prefixes(it.Snippet, g.Content), it.Snippet, summary)
	d.check("identity", it.Shared == Identity(g.GUID, g.Link, g.Title, g.Published, summary), it.GUID+" "+it.Link,
		g.GUID+" "+g.Link)
	if g.Title != "" && g.Published != "" { // without them more identifies, which gofeed gives in another form
		d.check("within", it.Identity == IdentityWithin(it.Shared, g.Link, g.Title, g.Published, summary, 0),
			it.Title+" "+it.Link, g.Title+" "+g.Link)
	}
}

// prefixes reports whether a, an excerpt, is the beginning of the markup b.
func prefixes(a, b string) bool {
	plain, _ := appendPlain(nil, []byte(b), 0)
	x, y := corpus.Reduce(a), corpus.Reduce(string(plain))
	return strings.HasPrefix(y, x) && (x != "" || y == "") || y == "" ||
		strings.HasPrefix(corpus.Reduce(b), x) && x != ""
}
