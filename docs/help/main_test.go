package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHelp: every page is there in the folder of its language, says so, and each of its links leads to a page and to a
// heading of it, or to the project.
func TestHelp(t *testing.T) {
	t.Parallel()
	to := t.TempDir()
	if err := writeHelp("../use", to); err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, pattern := range []string{"*.*", "ja/*.*"} {
		names, _ := filepath.Glob(filepath.Join(to, pattern))
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			name, _ = filepath.Rel(to, name)
			pages[name] = string(text)
		}
	}
	for name, lang := range map[string]string{"index.html": "en", "search.html": "en", "ja/index.html": "ja",
		"ja/search.html": "ja", "help.css": ""} {
		if page := pages[name]; page == "" || lang != "" && !strings.Contains(page, `<html lang="`+lang+`">`) {
			t.Errorf("%s is not there, or of another language", name)
		}
	}
	link := regexp.MustCompile(`href="([^"]*)"`)
	for name, page := range pages {
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(to, "https://") || path.Join(path.Dir(name), to) == ".." {
				continue // another site, or the reader itself
			}
			target := name
			if to != "" {
				target = path.Join(path.Dir(name), to)
			}
			if pages[target] == "" || anchor != "" && !strings.Contains(pages[target], `id="`+anchor+`"`) {
				t.Errorf("%s links to %s", name, m[1])
			}
		}
	}
}
