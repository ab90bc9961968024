package parse

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

type sample struct {
	file, contentType, base string
	body                    []byte
}

// samples reads the feeds of the corpus with the headers that belong to them.
func samples(t testing.TB) []sample {
	t.Helper()
	dir := corpus.Dir(t, "feeds")
	table, err := os.ReadFile(filepath.Join(dir, "files.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(table)), "\n")
	column := map[string]int{}
	for i, name := range strings.Split(rows[0], "\t") {
		column[strings.TrimSpace(name)] = i
	}
	var out []sample
	for _, row := range rows[1:] {
		cells := strings.Split(row, "\t")
		s := sample{file: cells[column["file"]], contentType: cells[column["http_content_type"]],
			base: cells[column["fetched_from"]]}
		if s.base == "" {
			s.base = feedURL
		}
		if cells[column["fetched_from"]] == "" &&
			(strings.HasSuffix(s.file, "_base_docuri.xml") || strings.HasSuffix(s.file, "_description_spaces.xml")) {
			s.base = "http://127.0.0.1:8097/" // where feedparser's own tests fetch these from
		}
		if s.body, err = os.ReadFile(filepath.Join(dir, "files", s.file)); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

//
func TestCorpusIdentitiesAreThoseOfExtract(t *testing.T) {
	t.Parallel()
	files, items := 0, 0
	for _, s := range samples(t) {
		t.Run(s.file, func(t *testing.T) {
			n := same(t, s.body, s.contentType, s.base)
			items += n
			files++
		})
	}
	t.Logf("%d documents, %d items: same identities", files, items)
}

// TestCorpusBodiesAreThoseOfGofeed compares the text of each item with gofeed's reading of the whole
// document: cutting the items out must lose nothing.
func TestCorpusBodiesAreThoseOfGofeed(t *testing.T) {
	t.Parallel()
	compared, equal, lost := 0, 0, 0
	for _, s := range samples(t) {
		items, err := Feed(s.body, s.contentType, s.base, 100_000)
		if err != nil {
			continue
		}
		text, err := extract.Decode(s.body, s.contentType)
		if err != nil {
			t.Fatal(err)
		}
		g, err := gofeed.NewParser().Parse(bytes.NewReader(text))
		if err != nil || len(g.Items) != len(items) {
			continue
		}
		for i, it := range items {
			want := squeeze(cmp.Or(g.Items[i].Content, g.Items[i].Description))
			if want == "" {
				continue
			}
			compared++
			switch got := squeeze(it.Content); {
			case got == want || strings.Contains(got, want):
				equal++
			case got == "":
				lost++
				t.Errorf("%s, item %d: body lost, gofeed has %.80q", s.file, i, want)
			default:
				t.Logf("%s, item %d: %.80q, gofeed has %.80q", s.file, i, got, want)
			}
		}
	}
	t.Logf("bodies compared %d: the same text %d, another %d, lost %d", compared, equal, compared-equal-lost, lost)
	if compared > 0 && equal*100 < compared*97 {
		t.Errorf("only %d of %d bodies have gofeed's text", equal, compared)
	}
}

func squeeze(markup string) string {
	return strings.ReplaceAll(sanitize.Text(sanitize.Text(markup)), " ", "")
}

func TestCorpusHostileDocumentsDoNoHarm(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t, "hostile")
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		items, err := Feed(body, "", feedURL, 0)
		if err == nil && len(items) > extract.DefaultMaxItems {
			t.Errorf("%s: %d items", path, len(items))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d hostile documents read or refused", n)
}

// BenchmarkFeed reads the feeds of the corpus between 20 and 60 KB; BenchmarkGofeed is the
// full parse of the same bodies.
func BenchmarkFeed(b *testing.B) {
	bench(b, func(s sample) { _, _ = Feed(s.body, s.contentType, s.base, 0) })
}

func BenchmarkGofeed(b *testing.B) {
	bench(b, func(s sample) { _, _ = gofeed.NewParser().Parse(bytes.NewReader(s.body)) })
}

func bench(b *testing.B, read func(sample)) {
	var chosen []sample
	size := 0
	for _, s := range samples(b) {
		if len(s.body) > 20<<10 && len(s.body) < 60<<10 {
			chosen = append(chosen, s)
			size += len(s.body)
		}
	}
	b.SetBytes(int64(size / len(chosen)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		read(chosen[i%len(chosen)])
	}
}
