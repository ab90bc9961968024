package query

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/match"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

func parse(t testing.TB, q string, o Options) *Query {
	t.Helper()
	x, err := Parse(q, o)
	if err != nil {
		t.Fatalf("%q: %v", q, err)
	}
	return x
}

// show writes a query down: its terms with what is special about them, then state and time.
func show(q *Query) string {
	var out []string
	for _, t := range q.Terms {
		s := t.Word
		if t.Form == match.Strict {
			s = `"` + s + `"`
		}
		if t.IsOpen {
			s += "*"
		}
		s = [...]string{"", "title:", "author:"}[t.Field] + s
		if t.Not {
			s = "-" + s
		}
		out = append(out, s)
	}
	if q.Unread {
		out = append(out, "unread")
	}
	if q.Starred {
		out = append(out, "starred")
	}
	day := func(name string, at int64) {
		if at != 0 {
			out = append(out, name+time.Unix(at, 0).UTC().Format("2006-01-02T15"))
		}
	}
	day(">=", q.From)
	day("<", q.To)
	return strings.Join(out, " | ")
}

func TestParse(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("", 9*3600)
	for _, c := range []struct{ q, want string }{
		{"go", "go"},
		{"  Go　言語 ", "go | 言語"},
		{"update", "update*"},
		{"go* c* 東京*", "go* | c | 東京"},
		{"node.js next.config", "node.js | next.config*"},
		{"C++ c#", "c++ | c#"},
		{`"Breaking  News"`, `"breaking news"`},
		{"“東京 都” ”桜”", `"東京 都" | "桜"`},
		{"＂東京＂", `"東京"`},
		{"「東京」", "「東京」"},
		{"„Haus am See“ «la mer» »x y« ‹z›", `"haus am see" | "la mer" | "x y" | "z"`},
		{"«\u00a0la mer\u00a0»", `"la mer"`},
		{"don´t covid‑19 so\u00adft", "don't | covid-19 | soft*"},
		{"🎉", "🎉"},
		{`"no end`, `"no end"`},
		{`桜"花見"月`, `桜 | "花見" | 月`},
		{`"machine learn"*x`, `"machine learn" | x`},
		{`"" go " "`, "go"},
		{"go -java", "go | -java*"},
		{"go －ｊａｖａ", "go | -java*"},
		{"go - x", "go | - | x"},
		{"go -", "go | -"},
		{"go --x a-b", "go | --x | a-b"},
		{`go -"a b"`, `go | -"a b"`},
		{"title:go author:Smith", "title:go | author:smith*"},
		{"Title:go ＡＵＴＨＯＲ：山田", "title:go | author:山田"},
		{`-title:"a b" go`, `-title:"a b" | go`},
		{"title: go", "title: | go"},
		{"http://x.test/a", "http://x.test/a"},
		{"label:x", "label:x"},
		{"is:unread go IS:Starred", "go | unread | starred"},
		{"is:new go", "is:new | go"},
		{"is:unreads go", "is:unreads* | go"},
		{"go after:2026-05-03 before:2026/6/1", "go | >=2026-05-02T15 | <2026-05-31T15"},
		{"go after:２０２６－０５－０３", "go | >=2026-05-02T15"},
		{"go after:2026-05-03 after:2026-05-04 before:2026-06-02 before:2026-06-01",
			"go | >=2026-05-03T15 | <2026-05-31T15"},
		{"Café “Café”", `cafe* | "café"`},
		{"a ★", "a | ★"},
		{"テスト", "テスト"},
		{"a\xffb", "a\ufffdb"},
	} {
		if got := show(parse(t, c.q, Options{Zone: tokyo})); got != c.want {
			t.Errorf("%q is %s, want %s", c.q, got, c.want)
		}
	}
	if got := show(parse(t, `テスト "テスト"`, Options{Kana: true})); got != `てすと | "テスト"` {
		t.Errorf("with kana folded: %s", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"":                             "search_empty",
		" 　":                           "search_empty",
		"-a":                           "search_empty",
		"is:unread":                    "search_empty",
		"after:2026-05-03":             "search_empty",
		"★ !":                          "search_empty",
		"★ -a":                         "search_empty",
		`""`:                           "search_empty",
		strings.Repeat("あ", 257):       "search_too_long",
		strings.Repeat("a ", 17):       "search_too_long",
		"go after:yesterday":           "bad_search_day",
		"go after:":                    "bad_search_day",
		"go before:2026-02-30":         "bad_search_day",
		`go after:"2026-05-03"`:        "bad_search_day",
		"go after:2026-05-03T12:00:00": "bad_search_day",
		"go after:99999999999-01-01":   "bad_search_day",
	} {
		_, err := Parse(q, Options{})
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != want || f.Kind != fault.Invalid || f.Field != "q" {
			t.Errorf("%q: %v, want %s", q, err, want)
		}
	}
	for _, q := range []string{strings.Repeat("あ", 256), strings.Repeat("a ", 16), strings.Repeat("㍿", 256)} {
		if _, err := Parse(q, Options{}); err != nil {
			t.Errorf("%d characters: %v", len([]rune(q)), err)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q, text string
		want    bool
	}{
		{"update", "Updates for everyone", true},
		{"pdate", "Updates", false},
		{"go", "google", false},
		{"go", "Go!", true},
		{"go*", "google", true},
		{"g*", "google", false},
		{`"update"`, "updates", false},
		{`"update"`, "an update.", true},
		{"breaking news", "news that is breaking", true},
		{`"breaking news"`, "news that is breaking", false},
		{`"breaking news"`, "a Breaking\n News", true},
		{"京都", "東京都庁", true},
		{"都", "東京都庁", true},
		{"Go言語", "新しいGo言語", true},
		{"Go言語", "言語Go", false},
		{"Go 言語", "言語はGo", true},
		{"서울", "서울에서", true},
		{"การเมือง", "ข่าวการเมืองไทย", true},
		{"моск", "Москва", true},
		{"мос", "Москва", false},
		{"cafe", "Le Café", true},
		{"café", "le cafe", true},
		{`"café"`, "le cafe", false},
		{`"cafe"`, "le café", false},
		{"lodz", "Łódź", true},
		{"カナ", "かな", false},
		{"C++", "C++ and C", true},
		{"c++", "C and C#", false},
		{"node.js", "Node.js 26", true},
		{"node.js", "node.json", false},
		{"go -java", "go and java", false},
		{"go -java", "go and javascript", false}, // java may go on
		{`go -"java"`, "go and javascript", true},
		{"go -rust", "go", true},
		{"１２", "12㌔", true},
		{"キロ", "１２㌔走る", true},
		{"スマートフォン", "ｽﾏｰﾄﾌｫﾝ", true},
		{"don't", "They donʼt", true},
		{`"don't know"`, "They don’t know", true},
		{"strasse", "Straße", true},
		{"straße", "STRASSE", true},
		{"encyclopaedia", "encyclopædia", true},
		{`"encyclopaedia"`, "encyclopædia", false},
		{"coeur", "cœur", true},
		{"еще", "Ещё один", true},
		{`"еще"`, "Ещё один", false},
		{"αθηνα", "Αθήνα", true},
		{"שלום", "שָׁלוֹם", true},
		{"محمد", "مُحَمَّد", true},
		{"葛飾", "葛\U000e0100飾区", true},
		{"10〜20", "10～20人", true},
		{"❤️", "I ❤ it", true},
		{"❤", "I❤️it", true},
		{"🎉", "🎉Party", true},
		{"👍", "👍🏽", true},
		{"🎊", "🎉Party", false},
		{"⚠️", "⚠ closed", true},
		{"usa", "in the U.S.A.", true},
		{"U.S.A.", "the USA", true},
		{"u.k", "the U.K. and", true},
		{"usa", "thusa", false},
	} {
		q := parse(t, c.q, Options{})
		for field, it := range map[string]Item{
			"title": {Title: c.text}, "author": {Author: c.text}, "snippet": {Snippet: c.text}, "text": {Text: c.text},
			"category": {Categories: []string{"x", c.text}},
		} {
			if got := q.Matches(Fold(&it)); got != c.want {
				t.Errorf("%q in the %s %q: %v", c.q, field, c.text, got)
			}
		}
		if got := q.MatchesTitle(Fold(&Item{Title: c.text})); c.want && !got {
			t.Errorf("%q in the title %q is not found there", c.q, c.text)
		}
	}
	kana := Options{Kana: true}
	for q, want := range map[string]bool{"カナ": true, "かな": true, `"カナ"`: false, `"かな"`: true} {
		if got := parse(t, q, kana).Matches(Fold(&Item{Title: "かな"})); got != want {
			t.Errorf("%q with kana folded: %v", q, got)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	it := &Item{Title: "alpha beta", Author: "gamma", Snippet: "delta", Text: "epsilon",
		Categories: []string{"zeta", "eta theta"}}
	for q, want := range map[string]bool{
		"alpha gamma delta epsilon zeta": true, "alpha -gamma": false, "title:alpha author:gamma": true,
		"title:gamma": false, "author:alpha": false,
		`"zeta eta"`: false, `"beta gamma"`: false, "-title:gamma alpha": true, "-author:gamma alpha": false,
	} {
		if got := parse(t, q, Options{}).Matches(Fold(it)); got != want {
			t.Errorf("%q: %v", q, got)
		}
	}
	for q, want := range map[string]bool{"alpha": true, "alpha gamma": false, "alpha author:gamma": true,
		"alpha -gamma": true, "author:gamma": true, "title:beta": true} {
		if got := parse(t, q, Options{}).MatchesTitle(Fold(it)); got != want {
			t.Errorf("%q in the title: %v", q, got)
		}
	}
}

// TestLimits: text beyond the bounds is not compared.
func TestLimits(t *testing.T) {
	t.Parallel()
	q := parse(t, "needle", Options{})
	for size, want := range map[int]bool{MaxText - len(" needle"): true, MaxText - len(" needle") + 3: false} {
		if got := q.Matches(Fold(&Item{Text: strings.Repeat("x", size) + " needle"})); got != want {
			t.Errorf("behind %d bytes: %v", size, got)
		}
	}
	if s := reader.CutBytes(strings.Repeat("あ", MaxText), MaxText); len(s) > MaxText || len(s) < MaxText-3 ||
		strings.ContainsRune(s, '\ufffd') {
		t.Errorf("cut to %d bytes", len(s))
	}
	if !q.Matches(Fold(&Item{Text: strings.Repeat("ﷺ", 1000) + " needle"})) ||
		q.Matches(Fold(&Item{Text: strings.Repeat("ﷺ", 20_000) + " needle"})) {
		t.Error("text that grows when it is folded is not cut where it should be")
	}
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("空は青い。", 100)
	for _, c := range []struct {
		q           string
		it          Item
		title, text Highlight
	}{
		{"go", Item{Title: "go go", Snippet: "no"}, Highlight{"", "go", " go"}, nil},
		{"桜 東京", Item{Title: "満開の桜、東京", Snippet: "桜"}, Highlight{"満開の", "桜", "、", "東京", ""}, Highlight{"", "桜", ""}},
		{"京都 東京", Item{Title: "東京都"}, Highlight{"", "東京都", ""}, nil},
		{"cafe", Item{Title: "Un Cafe\u0301!"}, Highlight{"Un ", "Cafe\u0301", "!"}, nil},
		{"update", Item{Title: "Updates"}, Highlight{"", "Update", "s"}, nil},
		{"title:go author:x -y", Item{Title: "Go", Author: "x", Snippet: "go x"}, Highlight{"", "Go", ""}, nil},
		{"桜", Item{Title: "a", Snippet: "b", Text: long + "桜" + long}, nil, Highlight{
			"…" + strings.Repeat("空は青い。", 8), "桜", strings.Repeat("空は青い。", 23) + "空は青い…",
		}},
		{"end", Item{Text: strings.Repeat("word ", 100) + "end"}, nil,
			Highlight{"…" + strings.Repeat("word ", 31), "end", ""}},
		{"ก", Item{Title: "xกี้y"}, Highlight{"x", "กี้", "y"}, nil},
		{"👩", Item{Title: "x 👩\u200d👧 y"}, nil, nil},
	} {
		q := c.q
		if c.q == "👩" { // a sign alone is no search
			q += " x"
			c.title = Highlight{"", "x", " ", "👩\u200d👧", " y"}
		}
		title, text := parse(t, q, Options{}).Highlight(Fold(&c.it))
		if !reflect.DeepEqual(title, c.title) || !reflect.DeepEqual(text, c.text) {
			t.Errorf("%q: %q, %q, want %q, %q", c.q, title, text, c.title, c.text)
		}
	}
}

func BenchmarkMatches(b *testing.B) {
	en := strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody minds. ", 18)
	ja := strings.Repeat("新しい版では多くの改善があり、ガベージコレクションも速くなりました。", 12)
	for _, c := range []struct{ name, q, body string }{
		{"latin", "update fox", en + " update"}, {"none", "absent", en}, {"quoted", `"lazy dog"`, en},
		{"japanese", "改善 桜", ja + "桜"},
	} {
		b.Run(fmt.Sprintf("%s-%d", c.name, len(c.body)), func(b *testing.B) {
			q := parse(b, c.q, Options{})
			it := &Item{Title: "Go 1.26 がリリースされました", Author: "Yamada", Snippet: c.body[:180], Text: c.body,
				Categories: []string{"Go"}}
			b.ReportAllocs()
			for b.Loop() {
				q.Matches(Fold(it))
			}
		})
	}
}

// FuzzParse: no query takes the parser down, what it makes is within the bounds, and matching and marking agree.
func FuzzParse(f *testing.F) {
	for _, q := range []string{`go -"x y" title:桜* after:2026-05-03`, "“a”－ｂ is:unread", `"` + "\xff" +
		`a* author:`, "カナ é"} {
		f.Add(q, "Go 桜 “a” カナ É", true)
	}
	f.Fuzz(func(t *testing.T, s, text string, kana bool) {
		q, err := Parse(s, Options{Kana: kana})
		if err != nil {
			return
		}
		if len(q.Terms) == 0 || len(q.Terms) > MaxTerms {
			t.Errorf("%q has %d terms", s, len(q.Terms))
		}
		it := &Item{Title: text, Text: text}
		title, body := q.Highlight(Fold(it))
		for _, h := range []Highlight{title, body} {
			if len(h) > 0 && len(h)%2 == 0 {
				t.Errorf("%q in %q: %q", s, text, h)
			}
		}
		if title != nil && strings.Join(title, "") != text {
			t.Errorf("%q in %q: %q", s, text, title)
		}
		positive := func(x Term) bool { return !x.Not && x.Field != Author }
		if q.MatchesTitle(Fold(it)) && title == nil && slices.ContainsFunc(q.Terms, positive) {
			t.Errorf("%q is found in %q, but not marked", s, text)
		}
		if n := utf8.RuneCountInString(strings.Join(body, "")); n > excerptLength+2*maxJoined+2 {
			t.Errorf("an excerpt of %d characters", n)
		}
	})
}

func BenchmarkHighlight(b *testing.B) {
	en := strings.Repeat("The quick brown fox jumps over the lazy dog, and nobody minds. ", 18)
	ja := strings.Repeat("新しい版では多くの改善があり、ガベージコレクションも速くなりました。", 12)
	for _, c := range []struct{ name, q, body string }{
		{"snippet", "fox jumps", en}, {"text", "update", en + " update"}, {"japanese", "桜", ja + "桜" + ja},
	} {
		b.Run(c.name, func(b *testing.B) {
			q := parse(b, c.q, Options{})
			it := &Item{Title: "Go 1.26 がリリースされました", Author: "Yamada", Snippet: c.body[:180], Text: c.body}
			b.ReportAllocs()
			for b.Loop() {
				q.Highlight(Fold(it))
			}
		})
	}
}
