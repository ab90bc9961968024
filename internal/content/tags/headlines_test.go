package tags

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

type labelled struct {
	Title, Snippet string
	Tags, Also     []string
}

// overlap reports whether two phrases are equal or one contains the other, as testdata/README.md says it.
func overlap(a, b string, isJapanese bool) bool {
	a, b = Key(a), Key(b)
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if isJapanese {
		return utf8.RuneCountInString(a) >= 2 && strings.Contains(b, a)
	}
	words := func(s string) string { return " " + strings.Join(strings.FieldsFunc(s, isMark), " ") + " " }
	return strings.Contains(words(b), words(a))
}

// H-6: of the tags that a reader would give, at least 70 % are found, and at least 70 % of the phrases are good. Rules
// were only improved on every other headline; the rest shows how they do on headlines that nobody looked at.
func TestLabelledHeadlines(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"ja", "en"} {
		raw, err := os.ReadFile("testdata/headlines-" + language + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Headlines []labelled }
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		if len(file.Headlines) != 200 {
			t.Fatalf("%d headlines", len(file.Headlines))
		}
		for half, name := range []string{"looked at", "not looked at"} {
			tags, found, phrases, good := 0, 0, 0, 0
			for i := half; i < 200; i += 2 {
				h := file.Headlines[i]
				got := Of(&Text{Title: h.Title, Snippet: h.Snippet}, nil)
				for _, want := range h.Tags {
					tags++
					for _, g := range got {
						if overlap(want, g.Name, language == "ja") {
							found++
							break
						}
					}
				}
				for _, g := range got {
					phrases++
					for _, want := range append(h.Also, h.Tags...) {
						if overlap(want, g.Name, language == "ja") {
							good++
							break
						}
					}
				}
				if half == 0 {
					t.Logf("%s | %s: %s; want %v, or %v", h.Title, h.Snippet, names(got), h.Tags, h.Also)
				}
			}
			t.Logf("%s, %s: %.1f %% of %d tags found, %.1f %% of %d phrases good", language, name,
				100*float64(found)/float64(tags), tags, 100*float64(good)/float64(phrases), phrases)
			if 10*found < 7*tags || 10*good < 7*phrases {
				t.Errorf("%s, %s: too few", language, name)
			}
		}
	}
}

func names(tags []Tag) string {
	all := make([]string, 0, len(tags))
	for _, t := range tags {
		all = append(all, t.Name)
	}
	return strings.Join(all, ", ")
}
