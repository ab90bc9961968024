package texts

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

var kanaOrKanji = regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Han}]`)

// G-46, G-78
func TestTextsAreBilingual(t *testing.T) {
	t.Parallel()
	// web/src/i18n/catalogs.test.ts checks the page's catalogs for the same
	otherwise := regexp.MustCompile(`ブラウザー|[()]`)
	check := func(key string, list ...Text) {
		for _, s := range list {
			if otherwise.MatchString(s.Ja) {
				t.Errorf("%q: write ブラウザ, and brackets as （）", s.Ja)
			}
			if !strings.HasSuffix(strings.TrimSuffix(s.En, ")"), ".") || !kanaOrKanji.MatchString(s.Ja) ||
				strings.HasSuffix(s.Ja, ".") {
				t.Errorf("%s: %+v", key, s)
			}
		}
	}
	for _, table := range []map[string]Texts{Errors, Sites, Feeds, Entries} {
		for code, s := range table {
			check(code, s.Message, s.Action)
		}
	}
	for _, s := range kindTexts {
		check("a kind", s.Message, s.Action)
	}
	for _, table := range []map[string]Text{Checks, Deliveries, FullTexts, Models, Previews} {
		for code, s := range table {
			check(code, s)
		}
	}
	for why, s := range NoFeeds {
		if check(why, s.Message); s.Action != (Text{}) {
			check(why, s.Action)
		}
	}
}

//
func TestFeedTexts(t *testing.T) {
	t.Parallel()
	if codes := slices.Sorted(maps.Keys(Feeds)); !slices.Equal(codes, reader.FaultCodes()) {
		t.Errorf("texts of %q, codes %q", codes, reader.FaultCodes())
	}
	for code, f := range Feeds {
		if strings.Contains(f.Message.En, ". ") || len(f.Message.En) < 20 {
			t.Errorf("%s: the message is not one sentence: %q", code, f.Message.En)
		}
	}
	if f := Feed("never_heard_of"); f != Feeds[reader.CodeUnknown] {
		t.Errorf("unknown code: %+v", f)
	}
}
