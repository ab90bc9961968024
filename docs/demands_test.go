package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// demanded are the series of demands of the source documents, with how many each has.
var demanded = map[string]int{"R": 132, "G": 84, "C": 36}

var (
	demandRow = regexp.MustCompile(`^\| ([RGC]-\d+) \| (.+?) \| (.*?) \| (.+?) \|$`)
	quoted    = regexp.MustCompile("`([^`]+)`( Test\\w+)?")
)

// TestDemandsAreAccountedFor: each demand has its row; what a row names is there, and the test that proves it names the
// demand.
func TestDemandsAreAccountedFor(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("demands.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := demandRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			if strings.HasPrefix(line, "| R-") || strings.HasPrefix(line, "| G-") || strings.HasPrefix(line, "| C-") {
				t.Errorf("cannot be read: %s", line)
			}
			continue
		}
		id, where, proof := m[1], m[3], m[4]
		if seen[id] {
			t.Errorf("%s has two rows", id)
		}
		seen[id] = true
		for _, q := range quoted.FindAllStringSubmatch(where, -1) {
			if _, err := os.Stat(filepath.Join("..", q[1])); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		if strings.HasPrefix(proof, "later: ") || strings.HasPrefix(proof, "does not apply: ") {
			continue
		}
		proofs := quoted.FindAllStringSubmatch(proof, -1)
		if len(proofs) == 0 {
			t.Errorf("%s is proved by nothing: %s", id, proof)
		}
		for _, q := range proofs {
			if err := proves(q[1], strings.TrimSpace(q[2]), id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	for series, n := range demanded {
		for i := range n {
			if id := fmt.Sprintf("%s-%d", series, i+1); !seen[id] {
				t.Errorf("docs/demands.md has no row for %s", id)
			}
		}
	}
	if len(seen) != 132+84+36 {
		t.Errorf("docs/demands.md has %d rows", len(seen))
	}
}

// proves tells that a test is there and names the demand.
func proves(file, name, id string) error {
	src, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		return err
	}
	if name != "" && !strings.Contains(string(src), "\nfunc "+name+"(") {
		return fmt.Errorf("%s has no %s", file, name)
	}
	if !regexp.MustCompile(`\b` + id + `\b`).Match(src) {
		return fmt.Errorf("%s does not name %s", file, id)
	}
	return nil
}
