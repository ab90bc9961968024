package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	fenced  = regexp.MustCompile("(?s)```.*?```")
)

// anchors returns the anchors that GitHub gives a page's headings.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		all[strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

// TestLinks: every link leads to a file, and to a heading of it where it names one; every page can be reached from
// docs/README.md.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		b, err := os.ReadFile(name)
		pages["docs/"+filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "CHANGELOG.md", "web/README.md"} {
		b, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(b)
	}
	leads := map[string][]string{}
	for name, page := range pages {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, ":") {
				continue
			}
			target := name
			if to != "" {
				target = path.Join(path.Dir(name), to)
			}
			info, err := os.Stat(filepath.Join("..", target))
			if err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
				continue
			}
			if info.IsDir() {
				target = path.Join(target, "README.md")
			}
			leads[name] = append(leads[name], target)
			if anchor != "" && !anchors(pages[target])[anchor] {
				t.Errorf("%s links to %s, which has no such heading", name, m[1])
			}
		}
	}
	reached := map[string]bool{}
	next := []string{"docs/README.md"}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if !reached[name] {
			reached[name] = true
			next = append(next, leads[name]...)
		}
	}
	for name := range pages {
		if strings.HasPrefix(name, "docs/") && !reached[name] {
			t.Errorf("nothing leads from docs/README.md to %s", name)
		}
	}
}

var (
	firstRow = regexp.MustCompile(`(?m)^\| question \| answer \| code \|\n`)
	codePath = regexp.MustCompile("`((?:[a-z0-9_-]+/)+[a-z0-9_-]+(?:\\.[a-z]+)?|[a-z]+)`")
)

// TestWhereToFindIt: the files and folders in the code column of docs/develop/architecture.md are there.
func TestWhereToFindIt(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("develop/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, table := range firstRow.Split(string(b), -1)[1:] {
		table, _, _ = strings.Cut(table, "\n\n")
		for row := range strings.Lines(table) {
			cells := strings.Split(row, " | ")
			for _, m := range codePath.FindAllStringSubmatch(cells[len(cells)-1], -1) {
				n++
				found := false
				for _, root := range []string{"..", "../internal", "../internal/storage"} {
					_, err := os.Stat(filepath.Join(root, m[1]))
					found = found || err == nil
				}
				if !found {
					t.Errorf("%s is not there: %s", m[1], row)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("found only %d paths", n)
	}
}
