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

// What a status without texts of its own means for a feed, a page that is added, and a full text.
func TestUnusualStatus(t *testing.T) {
	t.Parallel()
	page, ok := Of("http_418")
	for _, c := range []struct{ got, want Text }{
		{Feed("http_418").Message,
			Text{"The server sent an unexpected response (418).", "サーバーから予期しない応答が返されました（418）。"}},
		{Feed("http_418").Action, checkURL},
		{page.Message, Text{"The site sent an unexpected response (418).", "サイトから予期しない応答が返されました（418）。"}},
		{page.Action, siteBrowser},
		{FullText("failed", "http_451"), Feeds["http_451"].Message},
		{FullText("failed", "http_418"), page.Message},
	} {
		if !ok || c.got != c.want {
			t.Errorf("%+v, want %+v", c.got, c.want)
		}
	}
	if _, ok := Of("http_nonsense"); ok {
		t.Error("a code that names no status has texts")
	}
}
