package parse

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/testkit/corpus"
)

var textField = regexp.MustCompile(`^entries\[(\d+)\]\.(summary|content)$`)

// textFloors are the shares of rows met; a change must not lower them.
var textFloors = map[string]float64{"core": 0.998, "extended": 0.96}

// TestCorpusTexts scores summaries and contents as they are shown: sanitised, and one for the other where an item has
// only one of them.
//
func TestCorpusTexts(t *testing.T) {
	t.Parallel()
	items, bases := map[string][]Item{}, map[string]string{}
	for _, s := range samples(t) {
		items[s.file], _ = Feed(s.body, s.contentType, s.base, 1<<20)
		bases[s.file] = s.base
	}
	score := corpus.NewScore(t, filepath.Join("testdata", "unmet.tsv"))
	for _, e := range corpus.Expectations(t) {
		m := textField.FindStringSubmatch(e.Field)
		if m == nil {
			continue
		}
		i, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		list := items[e.File]
		if i >= len(list) {
			t.Logf("%s: %s is missing among %d items", e.File, e.Field, len(list)) // an earlier item has its identity
			continue
		}
		it := list[i]
		got := it.Content
		if m[2] == "summary" && it.Summary != "" {
			got = it.Summary
		}
		got = sanitize.HTML(got, it.Base)
		if want, ok := e.Want.(string); ok && e.Match == "html" && got == sanitize.HTML(want, bases[e.File]) {
			e.Want = got // markup that a sanitiser drops is no error
		}
		score.Count(&e, []string{got}, bases[e.File], "")
	}
	score.Report(t, "RURI_PARSE_MISSES", textFloors)
}
