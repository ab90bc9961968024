package corpus

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"
	"testing"
)

// Score counts the rows met by tier and field.
type Score struct {
	met, total map[string]int
	misses     []string
	unmet      map[string]bool
	reasons    map[string]string
}

// NewScore reads the table of the rows that are known not to be met, each with the reason why what is expected there
// is wrong for this product. They count as missed.
func NewScore(t testing.TB, unmet string) *Score {
	t.Helper()
	s := &Score{met: map[string]int{}, total: map[string]int{}, unmet: map[string]bool{}, reasons: map[string]string{}}
	for _, r := range ReadTSV(t, unmet) {
		if r["reason"] == "" {
			t.Errorf("%s: %s %s has no reason", unmet, r["file"], r["field"])
		}
		s.reasons[r["file"]+" "+r["field"]] = r["reason"]
	}
	return s
}

var fieldIndex = regexp.MustCompile(`\[\d+\]`)

// Count takes a row in.
func (s *Score) Count(e *Expectation, got []string, base, note string) {
	hit := e.Met(got, base)
	for _, key := range []string{e.Tier + " " + fieldIndex.ReplaceAllString(e.Field, "[]"), e.Tier + " ALL"} {
		s.total[key]++
		if hit {
			s.met[key]++
		}
	}
	if !hit {
		s.unmet[e.Key()] = true
		s.misses = append(s.misses, fmt.Sprintf("%s\t%s\t%s\t%s\tgot %.300q\twant %.300s\t%s\t%s", e.Tier, e.File,
			e.Field, e.Match, got, e.JSON, note, s.reasons[e.Key()]))
	}
}

// Report logs the shares, and fails the test when a tier is below its floor or the rows that are not met differ from
// the table. The rows missed are written to the file that the environment variable names.
func (s *Score) Report(t *testing.T, env string, floors map[string]float64) {
	t.Helper()
	keys := make([]string, 0, len(s.total))
	for k := range s.total {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t.Logf("%-44s %5d of %5d  %.4f", k, s.met[k], s.total[k], float64(s.met[k])/float64(s.total[k]))
	}
	if path := os.Getenv(env); path != "" {
		if err := os.WriteFile(path, []byte(strings.Join(s.misses, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for row := range s.unmet {
		if s.reasons[row] == "" {
			t.Errorf("not met, and not in the table: %s", row)
		}
	}
	for row := range s.reasons {
		if !s.unmet[row] {
			t.Errorf("in the table, but met: %s", row)
		}
	}
	for tier, floor := range floors {
		if share := float64(s.met[tier+" ALL"]) / float64(s.total[tier+" ALL"]); share < floor {
			t.Errorf("%s rows met: %.4f, were at least %.4f", tier, share, floor)
		}
	}
}
