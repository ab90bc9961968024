package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

// texts returns every string of a feed.
func texts(f *Feed) []string {
	out := []string{f.Title, f.Description, f.Link, f.Language, f.Icon, f.Hub, f.Self, f.NewURL, f.Author}
	for i := range f.Items {
		it := &f.Items[i]
		out = append(out, it.GUID, it.Title, it.Link, it.Author, it.Image, it.Snippet, it.Lang)
		out = append(out, it.Categories...)
		for _, e := range it.Enclosures {
			out = append(out, e.URL, e.Type)
		}
	}
	return out
}

// addresses returns every string that a page may use as an address.
func addresses(f *Feed) []string {
	out := []string{f.Link, f.Icon, f.Hub, f.Self, f.NewURL}
	for i := range f.Items {
		out = append(out, f.Items[i].Link, f.Items[i].Image)
		for _, e := range f.Items[i].Enclosures {
			out = append(out, e.URL)
		}
	}
	return out
}

// harm names what no output may have, or "".
func harm(f *Feed) string {
	for _, v := range texts(f) {
		if !utf8.ValidString(v) {
			return fmt.Sprintf("invalid UTF-8: %q", v)
		}
		for _, r := range v {
			if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
				return fmt.Sprintf("control character: %q", v)
			}
		}
	}
	for _, v := range addresses(f) {
		low := strings.ToLower(strings.TrimSpace(v))
		for _, bad := range []string{"javascript:", "data:", "vbscript:", "file:"} {
			if strings.HasPrefix(low, bad) {
				return "address with scheme " + bad
			}
		}
	}
	return ""
}

// TestHostileCorpus reads the corpus' hostile documents. Content codings (.gz, .bin) belong to the HTTP
// client and are tested there.
func TestHostileCorpus(t *testing.T) {
	dir := corpus.Dir(t, "hostile")
	raw, err := os.ReadFile(filepath.Join(dir, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		File, Expect string
		HTTPType     string `json:"http_content_type"`
		Fields       []struct {
			Field, Match string
			Expected     any
		}
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	met, total := 0, 0
	for _, c := range cases {
		if strings.HasSuffix(c.File, ".gz") || strings.HasSuffix(c.File, ".bin") {
			continue
		}
		total++
		body, err := os.ReadFile(filepath.Join(dir, "files", c.File))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := Scan(body, c.HTTPType, "http://example.org/feed", Options{})
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 8<<20+20*uint64(len(body)) {
			t.Errorf("%s: %d bytes allocated for %d", c.File, grown, len(body))
		}
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code == "" {
				t.Errorf("%s: no clear error: %v", c.File, err)
			}
			if c.Expect == "accept" || c.Expect == "accept_preferred" {
				t.Errorf("%s: %s: %v", c.File, c.Expect, err)
				continue
			}
			met++
			continue
		}
		if c.Expect == "reject" {
			t.Errorf("%s: must be refused", c.File)
			continue
		}
		if h := harm(f); h != "" {
			t.Errorf("%s: %s", c.File, h)
		}
		if n := len(strings.Join(texts(f), "")); n > 2*len(body)+1000 {
			t.Errorf("%s: %d bytes of output for %d", c.File, n, len(body))
		}
		for _, v := range texts(f) {
			if strings.Contains(v, "root:x:") || strings.Contains(strings.ToLower(v), "<script") {
				t.Errorf("%s: %q", c.File, v)
			}
		}
		ok := true
		for _, x := range c.Fields {
			if m := lightField.FindStringSubmatch(x.Field); m != nil {
				if got, e := fieldOf(f, m), (corpus.Expectation{Match: x.Match, Want: x.Expected}); !e.Met(got,
					"http://example.org/feed") {
					t.Errorf("%s: %s = %q, want %v", c.File, x.Field, got, x.Expected)
					ok = false
				}
			}
		}
		if ok {
			met++
		}
	}
	t.Logf("%d of %d cases met", met, total)
}
