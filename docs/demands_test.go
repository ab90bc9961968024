package docs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// demanded are the series of demands of the source documents, with how many each has.
var demanded = map[string]int{"R": 132, "G": 84, "C": 36, "H": 39, "K": 24, "M": 37}

var (
	demandRow = regexp.MustCompile(`^\| ([RGCHKM]-\d+) \| (.+?) \| (.*?) \| (.+?) \|$`)
	quoted    = regexp.MustCompile("`([^`]+)`(?: (Test\\w+)| \"([^\"]+)\")?")
)

// TestDemandsAreAccountedFor: each demand has its row; what a row names is there, and the very test that is named says
// which demand it proves.
func TestDemandsAreAccountedFor(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("develop/demands.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		m := demandRow.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			if len(line) > 4 && line[:2] == "| " && line[3] == '-' && demanded[line[2:3]] > 0 {
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
		proof, shown := strings.CutPrefix(proof, "shown in: ")
		proofs := quoted.FindAllStringSubmatch(proof, -1)
		if len(proofs) == 0 {
			t.Errorf("%s is proved by nothing: %s", id, proof)
		}
		for _, q := range proofs {
			src, err := os.ReadFile(filepath.Join("..", q[1]))
			if err == nil && !shown {
				err = proves(string(src), q[2], q[3], id)
			}
			if err != nil {
				t.Errorf("%s, %s: %v", id, q[1], err)
			}
		}
	}
	for series, n := range demanded {
		for i := range n {
			if id := fmt.Sprintf("%s-%d", series, i+1); !seen[id] {
				t.Errorf("docs/develop/demands.md has no row for %s", id)
			}
		}
	}
	sum := 0
	for _, n := range demanded {
		sum += n
	}
	if len(seen) != sum {
		t.Errorf("docs/develop/demands.md has %d rows, there are %d demands", len(seen), sum)
	}
}

// proves tells that a file has the test, a Go function or one of the page's by its title, and that the comment right
// above it, or the test itself, names the demand.
func proves(src, function, title, id string) error {
	begin := "\nfunc " + function + "("
	if title != "" {
		begin = "\ntest(\"" + title + "\""
	} else if function == "" {
		return errors.New("no test of it is named")
	}
	at := strings.Index(src, begin)
	if at < 0 {
		return fmt.Errorf("there is no %s%s", function, title)
	}
	test, _, _ := strings.Cut(src[at+1:], "\n}")
	comment := src[:at]
	for strings.HasPrefix(comment[strings.LastIndex(comment, "\n")+1:], "//") {
		line := comment[strings.LastIndex(comment, "\n")+1:]
		test, comment = line+"\n"+test, comment[:strings.LastIndex(comment, "\n")]
	}
	if !regexp.MustCompile(`\b` + id + `\b`).MatchString(test) {
		return fmt.Errorf("%s%s does not name it", function, title)
	}
	return nil
}

// TestProofsAreExact: an id that stands elsewhere in the file proves nothing.
func TestProofsAreExact(t *testing.T) {
	t.Parallel()
	const src = "package x\n\n// R-1\nfunc TestA(t *testing.T) {\n}\n\n// of R-2 and\n// R-3\nfunc TestB(t " +
		"*testing.T) {\n\t// R-4\n}\n\n// G-1\ntest(\"a title\", () => {\n})\n"
	for _, c := range []struct {
		function, title, id string
		want                bool
	}{
		{"TestA", "", "R-1", true},
		{"TestB", "", "R-1", false},
		{"TestB", "", "R-2", true},
		{"TestB", "", "R-3", true},
		{"TestB", "", "R-4", true},
		{"TestA", "", "R-4", false},
		{"", "a title", "G-1", true},
		{"", "a title", "R-1", false},
		{"", "another", "G-1", false},
		{"", "", "R-1", false},
	} {
		if err := proves(src, c.function, c.title, c.id); (err == nil) != c.want {
			t.Errorf("%s%s for %s: %v", c.function, c.title, c.id, err)
		}
	}
}
