package opml

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

type expectation struct {
	File, Parse string
	Feeds       []struct {
		Path         []string
		Titles       []string
		XMLURL       string `json:"xmlUrl"`
		HTMLURL      string `json:"htmlUrl"`
		PathFlexible bool   `json:"path_flexible"`
	}
	Count *int
}

// everything lifts the limit on feeds, which the corpus passes on purpose.
const everything = 100_000

func TestCorpusImport(t *testing.T) {
	t.Parallel()
	dir := corpus.Dir(t, "opml")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var expected []expectation
	if err := json.Unmarshal(data, &expected); err != nil {
		t.Fatal(err)
	}
	points, possible, refused := 0, 0, 0
	for _, e := range expected {
		body, err := os.ReadFile(filepath.Join(dir, "files", e.File))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := decode(body, everything)
		switch {
		case e.Parse == "must_not":
			if err == nil {
				t.Errorf("%s: accepted", e.File)
			}
			continue
		case err != nil && e.Parse == "may":
			t.Logf("%s: refused: %v", e.File, err)
			refused++
			continue
		case err != nil:
			t.Errorf("%s: %v", e.File, err)
			continue
		}
		checkRoundTrip(t, e.File, doc)
		if e.Count == nil {
			continue
		}
		got, want := score(t, e, doc)
		points, possible = points+got, possible+want
	}
	t.Logf("import: %d of %d points; %d documents, %d of those that may be refused were", points, possible,
		len(expected), refused)
	if points < possible {
		t.Errorf("import score %d of %d", points, possible)
	}
}

// score returns a point for the address, the folder and the title of each expected feed, and takes one
// for each that nobody expects.
func score(t *testing.T, e expectation, doc Document) (points, possible int) {
	t.Helper()
	got := map[string]Feed{}
	for _, f := range doc.Feeds {
		got[f.XMLURL] = f
	}
	seen := map[string]bool{}
	for _, want := range e.Feeds {
		address, ok := webAddress(strings.TrimSpace(want.XMLURL))
		if !ok {
			t.Logf("%s: expected address %q is none", e.File, want.XMLURL)
		}
		if seen[address] {
			continue // one subscription; its folder and title are those of the first
		}
		seen[address] = true
		possible += 3
		f, ok := got[address]
		if !ok {
			t.Errorf("%s: %s is missing; problems %+v", e.File, want.XMLURL, doc.Problems)
			continue
		}
		points++
		if want.PathFlexible || slices.Equal(f.Path, want.Path) || len(f.Path)+len(want.Path) == 0 {
			points++
		} else {
			t.Errorf("%s: %s in folder %q, want %q", e.File, f.XMLURL, f.Path, want.Path)
		}
		if len(want.Titles) == 0 || slices.Contains(want.Titles, f.Title) {
			points++
		} else {
			t.Errorf("%s: %s is called %q, want one of %q", e.File, f.XMLURL, f.Title, want.Titles)
		}
		if want.HTMLURL != "" && strings.HasPrefix(want.HTMLURL, "http") &&
			!strings.EqualFold(f.HTMLURL, strings.TrimSpace(want.HTMLURL)) {
			t.Errorf("%s: site %q, want %q", e.File, f.HTMLURL, want.HTMLURL)
		}
	}
	for address := range got {
		if !seen[address] {
			points--
			t.Errorf("%s: %s is not expected", e.File, address)
		}
	}
	return points, possible
}

// checkRoundTrip exports, reads the export with ours and with a strict parser, and compares.
func checkRoundTrip(t *testing.T, name string, doc Document) {
	t.Helper()
	out := Encode(doc.Title, doc.Feeds, time.Date(2026, 11, 20, 1, 2, 3, 0, time.UTC))
	if !utf8.Valid(out) {
		t.Errorf("%s: export is not UTF-8", name)
	}
	strict := xml.NewDecoder(strings.NewReader(string(out)))
	for {
		if _, err := strict.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Errorf("%s: export is not well-formed: %v", name, err)
			break
		}
	}
	again, err := decode(out, everything)
	if err != nil {
		t.Errorf("%s: export is not read: %v", name, err)
		return
	}
	if len(again.Problems) > 0 {
		t.Errorf("%s: export has problems: %+v", name, again.Problems)
	}
	if a, b := byAddress(doc), byAddress(again); !reflect.DeepEqual(a, b) {
		t.Errorf("%s: round trip changed the list:\n%v\n%v", name, a, b)
	}
}

// byAddress forgets the order: feeds of one folder come together in an export.
func byAddress(d Document) map[string]Feed {
	m := map[string]Feed{}
	for _, f := range d.Feeds {
		if len(f.Path) == 0 {
			f.Path = nil
		}
		m[f.XMLURL] = f
	}
	return m
}
