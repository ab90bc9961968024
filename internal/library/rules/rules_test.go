package rules

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

func compile(t testing.TB, list ...Rule) *Set {
	t.Helper()
	for i := range list {
		if list[i].ID == "" {
			list[i].ID = fmt.Sprint("r", i)
		}
		if len(list[i].Actions) == 0 {
			list[i].Actions = []Action{{Do: Hide}}
		}
	}
	s, err := Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWords: demand 9 of FEATURES.md (mute words, block and keep), in Japanese and English.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		mode       Mode
		words      []string
		want       bool
	}{
		{"a word", "The Go release", AnyWord, []string{"go"}, true},
		{"part of a word", "Good morning", AnyWord, []string{"go"}, false},
		{"end of a word", "the cargo", AnyWord, []string{"go"}, false},
		{"found behind a part of a word", "cargo and go", AnyWord, []string{"go"}, true},
		{"next to punctuation", "(Go), again", AnyWord, []string{"GO"}, true},
		{"next to Japanese", "新しいGo言語の話", AnyWord, []string{"go"}, true},
		{"next to a number", "go1.26", AnyWord, []string{"go"}, false},
		{"full width", "Ｇｏ　１．２６", AnyWord, []string{"go 1.26"}, true},
		{"full width asked", "go 1.26", AnyWord, []string{"Ｇｏ"}, true},
		{"Japanese stands anywhere", "東京都知事選挙の開票", AnyWord, []string{"知事選"}, true},
		{"kana within kana", "スマートフォンケース", AnyWord, []string{"フォン"}, true},
		{"half-width kana", "ｽﾏｰﾄﾌｫﾝ", AnyWord, []string{"スマートフォン"}, true},
		{"voiced half-width kana", "ｶﾞｼﾞｪｯﾄ", AnyWord, []string{"ガジェット"}, true},
		{"hiragana is not katakana", "すまーとふぉん", AnyWord, []string{"スマートフォン"}, false},
		{"the long mark ends no word", "サーバーA", AnyWord, []string{"サーバ"}, true},
		{"Korean with its particle", "서울에서", AnyWord, []string{"서울"}, true},
		{"Thai", "ข่าวการเมืองไทย", AnyWord, []string{"การเมือง"}, true},
		{"Cyrillic has borders", "Москва", AnyWord, []string{"моск"}, false},
		{"Greek sigma", "ΟΔΥΣΣΕΥΣ", AnyWord, []string{"οδυσσευς"}, true},
		{"composed and not", "Cafe\u0301 noir", AnyWord, []string{"café"}, true},
		{"an accent is another letter", "cafe", AnyWord, []string{"café"}, false},
		{"ligature", "ﬁle", AnyWord, []string{"file"}, true},
		{"square unit", "１２㌔走る", AnyWord, []string{"キロ"}, true},
		{"any of two", "news of the day", AnyWord, []string{"sport", "news"}, true},
		{"none of two", "news of the day", AnyWord, []string{"sport", "ads"}, false},
		{"all", "PR: 新製品 sale", AllWords, []string{"pr", "新製品"}, true},
		{"not all", "PR: 新製品", AllWords, []string{"pr", "sale"}, false},
		{"phrase", "a  breaking\n news item", Phrase, []string{"Breaking", "news"}, true},
		{"phrase in one word", "a breaking news item", Phrase, []string{"breaking news"}, true},
		{"words apart are no phrase", "breaking the news", Phrase, []string{"breaking", "news"}, false},
		{"punctuation", "C++ and C#", AnyWord, []string{"c#"}, true},
		{"broken text", "a\xffgo b", AnyWord, []string{"go"}, true},
		{"empty text", "", AnyWord, []string{"go"}, false},
	} {
		s := compile(t, Rule{Conditions: []Condition{{Field: Title, Mode: c.mode, Words: c.words}}})
		it := &Item{Title: c.text}
		if v := s.For(1, nil).Judge(it, Always); v.Hide != c.want {
			t.Errorf("%s: %q in %q is %v", c.name, c.words, c.text, v.Hide)
		}
		ok, parts := s.Only("r0").Show(it)
		if ok != c.want || ok && len(parts) == 0 {
			t.Errorf("%s: shown as %v, %v", c.name, ok, parts)
		}
		for _, p := range parts {
			if !strings.Contains(c.text, p.Before+p.Match+p.After) {
				t.Errorf("%s: %q is not in %q", c.name, p, c.text)
			}
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	it := &Item{
		Title: "Alpha", Author: "Beta", Content: "Gamma", Link: "https://delta.example/epsilon",
		Categories: []string{"Zeta", "スポーツ"},
	}
	for _, c := range []struct {
		field Field
		mode  Mode
		what  string
		want  bool
	}{
		{Title, AnyWord, "alpha", true},
		{Title, AnyWord, "beta", false},
		{Author, AnyWord, "beta", true},
		{Content, AnyWord, "gamma", true},
		{Link, AnyWord, "delta.example", true},
		{Category, AnyWord, "スポーツ", true},
		{Category, Pattern, "^Zeta$", true},
		{Category, Pattern, "Zeta.*スポーツ", false}, // one category at a time
		{Anywhere, AnyWord, "alpha", true},
		{Anywhere, AnyWord, "zeta", true},
		{Anywhere, AnyWord, "epsilon", false}, // a link is no text
		{Anywhere, Pattern, "^G", true},
		{Title, Pattern, "alpha", false}, // as it is
		{Title, Pattern, "(?i)alpha", true},
	} {
		for _, not := range []bool{false, true} {
			cond := Condition{Field: c.field, Mode: c.mode, Not: not}
			if c.mode == Pattern {
				cond.Pattern = c.what
			} else {
				cond.Words = []string{c.what}
			}
			s := compile(t, Rule{Conditions: []Condition{cond}})
			if v := s.For(1, nil).Judge(it, Always); v.Hide != (c.want != not) {
				t.Errorf("%+v: %v", cond, v.Hide)
			}
		}
	}
}

func title(words ...string) Condition { return Condition{Field: Title, Mode: AnyWord, Words: words} }

func TestCombination(t *testing.T) {
	t.Parallel()
	not := title("b")
	not.Not = true
	for _, c := range []struct {
		any  bool
		cond []Condition
		text string
		want bool
	}{
		{false, []Condition{title("a"), title("b")}, "a b", true},
		{false, []Condition{title("a"), title("b")}, "a", false},
		{true, []Condition{title("a"), title("b")}, "b", true},
		{true, []Condition{title("a"), title("b")}, "c", false},
		{false, []Condition{title("a"), not}, "a", true},
		{false, []Condition{title("a"), not}, "a b", false},
		{true, []Condition{title("a"), not}, "c", true},
		{true, []Condition{title("a"), not}, "b", false},
	} {
		s := compile(t, Rule{Any: c.any, Conditions: c.cond})
		if v := s.For(1, nil).Judge(&Item{Title: c.text}, Always); v.Hide != c.want {
			t.Errorf("%+v of %q: %v", c, c.text, v.Hide)
		}
	}
}

func TestOrderScopeAndTime(t *testing.T) {
	t.Parallel()
	s := compile(t,
		Rule{ID: "keep", Folders: []reader.FolderID{7}, Conditions: []Condition{title("keep")},
			Actions: []Action{{Do: Star}, {Do: WithLabel, Label: 3}}, Stop: true},
		Rule{ID: "off", Off: true, Conditions: []Condition{title("x", "keep")}, Actions: []Action{{Do: MarkRead}}},
		Rule{ID: "one", Feeds: []reader.FeedID{5}, Conditions: []Condition{title("x", "keep")},
			Actions: []Action{{Do: Hide}, {Do: WithLabel, Label: 3}}},
		Rule{ID: "later", Since: 100, Conditions: []Condition{title("x")},
			Actions: []Action{{Do: Hide}, {Do: MarkRead}, {Do: WithLabel, Label: 3}, {Do: WithLabel, Label: 4}}},
	)
	for _, c := range []struct {
		feed    reader.FeedID
		folders []reader.FolderID
		text    string
		at      int64
		want    Verdict
	}{
		{1, nil, "x", 100, Verdict{}},
		{1, nil, "x", 101, Verdict{Hide: true, Read: true, Labels: []reader.LabelID{3, 4}, HiddenBy: "later"}},
		{5, nil, "x", 101, Verdict{Hide: true, Read: true, Labels: []reader.LabelID{3, 4}, HiddenBy: "one"}},
		{5, nil, "keep", 101, Verdict{Hide: true, Labels: []reader.LabelID{3}, HiddenBy: "one"}},
		{5, []reader.FolderID{7}, "keep", 101, Verdict{Star: true, Labels: []reader.LabelID{3}}},
		{5, []reader.FolderID{8}, "nothing", 101, Verdict{}},
	} {
		got := s.For(c.feed, c.folders).Judge(&Item{Title: c.text}, c.at)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	if s.For(1, nil).Since() != 100 || s.For(5, nil).Since() != 0 || !(*Set)(nil).For(1, nil).None() ||
		!(*Set)(nil).Empty() {
		t.Error("what looks at a feed is not told")
	}
	if r, ok := s.Rule("one"); !ok || r.Feeds[0] != 5 {
		t.Error("a rule is not found")
	}
	if _, ok := s.Rule("none"); ok {
		t.Error("a rule is found that is not there")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	good := func() Rule {
		return Rule{ID: "a", Conditions: []Condition{title("x")}, Actions: []Action{{Do: Hide}}}
	}
	pattern := func(p string) func(*Rule) {
		return func(r *Rule) { r.Conditions = []Condition{{Field: Title, Mode: Pattern, Pattern: p}} }
	}
	for _, c := range []struct {
		name   string
		change func(*Rule)
		want   []string // code at field
	}{
		{"good", func(*Rule) {}, nil},
		{"no conditions", func(r *Rule) { r.Conditions = nil }, []string{"bad_rule_count rules[0].conditions"}},
		{"no actions", func(r *Rule) { r.Actions = nil }, []string{"bad_rule_count rules[0].actions"}},
		{"unknown action", func(r *Rule) {
			r.Actions[0].Do = "eat"
		}, []string{"bad_rule_value rules[0].actions[0].type"}},
		{"no label", func(r *Rule) {
			r.Actions[0].Do = WithLabel
		}, []string{"bad_rule_value rules[0].actions[0].label"}},
		{"unknown field", func(r *Rule) {
			r.Conditions[0].Field = "body"
		}, []string{"bad_rule_value rules[0].conditions[0].field"}},
		{"unknown mode", func(r *Rule) {
			r.Conditions[0].Mode = ""
		}, []string{"bad_rule_value rules[0].conditions[0].mode"}},
		{"no words", func(r *Rule) {
			r.Conditions[0].Words = nil
		}, []string{"bad_rule_count rules[0].conditions[0].words"}},
		{"empty word", func(r *Rule) {
			r.Conditions[0].Words = []string{"a", " \u3000"}
		}, []string{"bad_rule_word rules[0].conditions[0].words[1]"}},
		{"long word", func(r *Rule) {
			r.Conditions[0].Words = []string{strings.Repeat("あ", 101)}
		}, []string{"rule_text_too_long rules[0].conditions[0].words[0]"}},
		{"words and pattern", func(r *Rule) {
			r.Conditions[0].Pattern = "x"
		}, []string{"bad_rule_value rules[0].conditions[0].pattern"}},
		{"long name", func(r *Rule) {
			r.Name = strings.Repeat("x", 101)
		}, []string{"rule_text_too_long rules[0].name"}},
		{"no feed", func(r *Rule) { r.Feeds = []reader.FeedID{0} }, []string{"bad_rule_value rules[0].feeds[0]"}},
		{"a search", func(r *Rule) {
			r.Conditions[0] = Condition{Field: Anywhere, Mode: Search, Pattern: "x -y", Kana: true}
		}, nil},
		{"an empty search", func(r *Rule) {
			r.Conditions[0] = Condition{Field: Anywhere, Mode: Search, Pattern: "-y"}
		}, []string{"search_empty rules[0].conditions[0].pattern"}},
		{"a search for a state", func(r *Rule) {
			r.Conditions[0] = Condition{Field: Anywhere, Mode: Search, Pattern: "x is:unread"}
		}, []string{"bad_rule_search rules[0].conditions[0].pattern"}},
		{"a search for a time", func(r *Rule) {
			r.Conditions[0] = Condition{Field: Anywhere, Mode: Search, Pattern: "x after:2026-05-03"}
		}, []string{"bad_rule_search rules[0].conditions[0].pattern"}},
		{"a search in one field", func(r *Rule) {
			r.Conditions[0] = Condition{Field: Title, Mode: Search, Pattern: "x"}
		}, []string{"bad_rule_value rules[0].conditions[0].field"}},
		{"a search with words", func(r *Rule) {
			r.Conditions[0] = Condition{Field: Anywhere, Mode: Search, Pattern: "x", Words: []string{"y"}}
		}, []string{"bad_rule_count rules[0].conditions[0].words"}},
		{"kana without a search", func(r *Rule) {
			r.Conditions[0].Kana = true
		}, []string{"bad_rule_value rules[0].conditions[0].kana"}},
		{"no pattern", pattern(""), []string{"rule_text_too_long rules[0].conditions[0].pattern"}},
		{"huge repetition", pattern("(a{100}){10}b{900}"), []string{"regexp_too_large rules[0].conditions[0].pattern"}},
		{"two faults", func(r *Rule) {
			r.ID, r.Actions = "", nil
		}, []string{"bad_rule_id rules[0].id", "bad_rule_count rules[0].actions"}},
	} {
		r := good()
		c.change(&r)
		if got := faults(Check([]Rule{r})); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	r := good()
	if got := faults(Check([]Rule{r, r})); !slices.Equal(got, []string{"bad_rule_id rules[1].id"}) {
		t.Errorf("twice the same id: %q", got)
	}
	if got := faults(Check(make([]Rule, MaxRules+1))); !slices.Equal(got, []string{"too_many_rules rules"}) {
		t.Errorf("too many: %q", got)
	}
	var many []Rule
	for i := range 40 {
		r := good()
		pattern("a{400}")(&r)
		r.ID = fmt.Sprint(i)
		many = append(many, r)
	}
	if got := faults(Check(many)); !slices.Equal(got, []string{"patterns_too_large rules"}) {
		t.Errorf("large together: %q", got)
	}
}

// faults lists an error's codes and fields.
func faults(err error) (out []string) {
	var fe *fault.Error
	if !errors.As(err, &fe) {
		return nil
	}
	if fe.Field != "" {
		out = append(out, fe.Code+" "+fe.Field)
	}
	for _, p := range fe.Parts {
		out = append(out, faults(p)...)
	}
	return out
}

func TestPlaceOfARegexpsFault(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]int{
		"(a": 3, "日本(": 4, "a)b": 2, "(a)b)": 5, "[a": 3, "ab**": 3, "+a": 1, "a{1001}": 2, `あ\`: 3, `\8`: 1,
		"(?<n": 1, "x[z-a]": 3,
	} {
		err := Check([]Rule{{ID: "a", Conditions: []Condition{{Field: Title, Mode: Pattern, Pattern: p}},
			Actions: []Action{{Do: Hide}}}})
		var fe *fault.Error
		if !errors.As(err, &fe) || fe.Code != "bad_regexp" || fe.Args[0] != want {
			t.Errorf("%q: %v, want character %d", p, err, want)
		}
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	list := []Rule{
		{ID: "a", Name: "宣伝", Feeds: []reader.FeedID{1, 2}, Conditions: []Condition{title("PR", "広告")},
			Actions: []Action{{Do: Hide}}, Since: 5},
		{ID: "b", Off: true, Any: true, Folders: []reader.FolderID{3},
			Conditions: []Condition{{Field: Link, Mode: Pattern, Pattern: "^https", Not: true},
				{Field: Anywhere, Mode: Search, Pattern: "桜", Kana: true}},
			Actions: []Action{{Do: WithLabel, Label: 9}}, Stop: true},
	}
	b, err := Pack(list)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Unpack(b)
	if err != nil || !reflect.DeepEqual(back, list) {
		t.Errorf("%+v, %v", back, err)
	}
	if none, err := Unpack(nil); none != nil || err != nil {
		t.Errorf("%v, %v", none, err)
	}
	for _, bad := range [][]byte{{1, 2, 3}, b[:len(b)/2]} {
		if _, err := Unpack(bad); !fault.Is(err, fault.Internal) {
			t.Errorf("% x: %v", bad, err)
		}
	}
}

// TestSearchIsRule: a rule made of a search matches what the search matches, and quoted words what words of rules
// match.
func TestSearchIsRule(t *testing.T) {
	t.Parallel()
	words := []string{
		"go", "Go", "google", "update", "updates", "café", "cafe", "東京", "東京都", "都", "かな", "カナ", "ｶﾅ", "서울에서", "서울",
		"c++", "★", "node.js",
	}
	operators := []string{"", "", "", "-", "title:", "author:", "-title:"}
	found := 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(n int) string {
			var out []string
			for range r.IntN(n) + 1 {
				out = append(out, words[r.IntN(len(words))])
			}
			return strings.Join(out, []string{" ", "", ", "}[r.IntN(3)])
		}
		it := &Item{Title: some(4), Author: some(2), Content: some(5), Link: some(2),
			Categories: []string{some(2), some(2)}}
		sees := query.Fold(&query.Item{Title: it.Title, Author: it.Author, Snippet: it.Content,
			Categories: it.Categories})
		var q string
		for range r.IntN(3) + 1 {
			w := words[r.IntN(len(words))]
			switch r.IntN(4) {
			case 0:
				w = `"` + w + `"`
			case 1:
				w += "*"
			}
			q += operators[r.IntN(len(operators))] + w + " "
		}
		kana := r.IntN(2) == 0
		x, err := query.Parse(q, query.Options{Kana: kana})
		if err != nil {
			continue // nothing but signs, or nothing that is wanted
		}
		want := x.Matches(sees)
		s := compile(t, Rule{Conditions: []Condition{{Field: Anywhere, Mode: Search, Pattern: q, Kana: kana}}})
		if v := s.For(1, nil).Judge(it, Always); v.Hide != want {
			t.Fatalf("seed %d: %q in %+v: the rule says %v", seed, q, it, v.Hide)
		}
		shown, parts := s.Only("r0").Show(it)
		if shown != want || shown && len(parts) == 0 {
			t.Fatalf("seed %d: %q in %+v is shown as %v, %v", seed, q, it, shown, parts)
		}
		if want {
			found++
		}
		w := some(2)
		quoted, err := query.Parse(`"`+w+`"`, query.Options{})
		if err != nil {
			continue
		}
		s = compile(t, Rule{Conditions: []Condition{{Field: Anywhere, Mode: AnyWord, Words: []string{w}}}})
		if v := s.For(1, nil).Judge(it, Always); v.Hide != quoted.Matches(sees) {
			t.Fatalf("seed %d: the word %q in %+v: the rule says %v", seed, w, it, v.Hide)
		}
	}
	if found < 1000 {
		t.Errorf("only %d items were found", found)
	}
}

// FuzzUnpack: no bytes take it down, and what it reads is what is stored again.
func FuzzUnpack(f *testing.F) {
	b, err := Pack([]Rule{{ID: "a", Conditions: []Condition{title("x")}, Actions: []Action{{Do: Hide}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Unpack(b)
		if err != nil {
			return
		}
		again, err := Pack(list)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Unpack(again)
		if err != nil || !reflect.DeepEqual(back, list) {
			t.Errorf("%+v became %+v, %v", list, back, err)
		}
	})
}

// FuzzMatch: no pattern or text takes the matcher down, and what is judged is what is shown.
func FuzzMatch(f *testing.F) {
	f.Add("Ｇｏ言語 の話", "go", "(?i)go")
	f.Add("ｶﾞｼﾞｪｯﾄ㌔", "キロ", "[ｱ-ﾝ]+")
	f.Add("Cafe\u0301\u0301 \xff x", "café", "(a|b)*")
	f.Fuzz(func(t *testing.T, text, word, pattern string) {
		s, err := Compile([]Rule{{
			ID: "a", Any: true, Actions: []Action{{Do: Hide}},
			Conditions: []Condition{{Field: Anywhere, Mode: Phrase, Words: []string{word}},
				{Field: Title, Mode: Pattern, Pattern: pattern}},
		}})
		if err != nil {
			return
		}
		it := &Item{Title: text, Categories: []string{text}}
		hidden := s.For(1, nil).Judge(it, Always).Hide
		if shown, _ := s.Only("a").Show(it); shown != hidden {
			t.Errorf("judged %v, shown %v", hidden, shown)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	var list []Rule
	for i := range 50 {
		list = append(list, Rule{ID: fmt.Sprint(i), Conditions: []Condition{
			{Field: Anywhere, Mode: AnyWord, Words: []string{fmt.Sprint("word", i), "知らない言葉"}},
		}, Actions: []Action{{Do: Hide}}})
	}
	s := compile(b, list...)
	it := &Item{
		Title: "Go 1.26 がリリースされました", Author: "山田", Link: "https://example.org/posts/1",
		Content: strings.Repeat("新しい版では多くの改善があり、ガベージコレクションも速くなりました。", 6), Categories: []string{"Go", "プログラミング"},
	}
	b.ReportAllocs()
	for b.Loop() {
		s.For(1, nil).Judge(it, Always)
	}
}
