package tags

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// H-7: an item's tags are what its title is about; scores are at most 1.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text Text
		want []Tag
	}{
		{Text{}, nil},
		{Text{Title: "European Commission fines Apple over App Store rules"},
			[]Tag{{"European Commission", 1}, {"App Store", 1}, {"Apple", 0.7}}},
		{Text{Title: "Apple's New Vision Pro Is Lighter"}, []Tag{{"Vision Pro", 1}, {"Apple", 0.7}, {"Lighter", 0.7}}},
		{Text{Title: "NASA LAUNCHES NEW PROBE"}, []Tag{{"nasa", 1}, {"probe", 1}}},
		{Text{Title: "Kubernetes 1.34: what's new in the scheduler | Cloud Blog"},
			[]Tag{{"Kubernetes", 1}, {"scheduler", 0.77}}},
		{Text{Title: "Why I moved from C++ to Go in March"}, []Tag{{"C++", 1}, {"Go", 1}}},
		{Text{Title: "The iPhone 17 Pro"}, []Tag{{"iPhone 17 Pro", 1}}},
		{Text{Title: "【速報】東京都知事選、投票率は40%"}, []Tag{{"東京都知事選", 1}, {"投票率", 0.72}}},
		{Text{Title: "AWS Lambdaの料金を300円に抑える方法"}, []Tag{{"AWS Lambda", 1}, {"料金", 0.58}}},
		{Text{Title: "『すずめの戸締まり』が興行収入100億円を突破"}, []Tag{{"すずめの戸締まり", 1}, {"興行収入", 0.86}}},
		{Text{Title: "新NISAの始め方"}, []Tag{{"新NISA", 1}}},
		{Text{Title: "夏祭りの屋台と値上げ"}, []Tag{{"夏祭り", 1}, {"値上げ", 0.88}, {"屋台", 0.75}}},
		{Text{Title: "ＧＯとﾚｼﾋﾟ"}, []Tag{{"GO", 1}, {"レシピ", 0.75}}},
		// Categories come after the best phrase, and raise a phrase that says the same.
		{Text{Title: "Faster vacuum in PostgreSQL", Categories: []string{" #Databases ", "postgresql", "", "#"}},
			[]Tag{{"PostgreSQL", 1}, {"Databases", 0.9}, {"vacuum", 0.77}}},
		{Text{Categories: []string{"a", "b", "c", "d", "e", "f"}},
			[]Tag{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}}},
		// A phrase of the snippet counts where the title has it too, or says nothing.
		{Text{Title: "What we learned", Snippet: "Notes on ocean plastic"}, []Tag{{"ocean plastic", 1}}},
	} {
		if got := Of(&c.text, nil); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.text, got, c.want)
		}
	}
}

// Categories that three in ten items of a feed have are no tags of one of them.
func TestUsualOf(t *testing.T) {
	t.Parallel()
	items := make([][]string, 10)
	for i := range items {
		items[i] = []string{"News", "news"}
		if i < 3 {
			items[i] = append(items[i], "Ｓport")
		}
		if i < 2 {
			items[i] = append(items[i], "Chess", "chess")
		}
	}
	got := Of(&Text{Categories: []string{"NEWS", "Sport", "Chess"}}, UsualOf(items))
	if want := []Tag{{"Chess", 1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if u := UsualOf(items[:9]); u != nil {
		t.Errorf("nine items say %v", u)
	}
}

// H-7: phrases of somebody else stand in for those of the text, under the same rules, beside the categories.
func TestPhrasesOfOthers(t *testing.T) {
	t.Parallel()
	text := Text{Title: "東京ミッドタウンの公園で桜まつり", Categories: []string{"旅行"}, Phrases: []Tag{
		{"東京ミッドタウン", 1}, {"ミッドタウン", 0.9}, {" 公園 ", 0.41}, {"", 0.8}, {"桜", 0.39},
	}}
	if got, want := Of(&text, nil), []Tag{{"東京ミッドタウン", 1}, {"旅行", 0.9}, {"公園", 0.41}}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	text.Phrases = []Tag{{" ", 1}}
	if got := Of(&text, nil); got[0].Name != "東京ミッドタウン" && len(got) < 2 {
		t.Errorf("without phrases of others: %v", got)
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "Go 1.26 | x", "新NISA『』『a』11/29 vol.41 10GB、5G使い方", "C++ — “quotes” #1 'tis",
		"ｶﾞ㌢ー・ー", strings.Repeat("a-", 400)} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, title, snippet, category string) {
		text := Text{Title: title, Snippet: snippet, Categories: []string{category, title}}
		got := Of(&text, nil)
		if len(got) > Max {
			t.Errorf("%d tags", len(got))
		}
		keys := map[string]bool{}
		for i, tag := range got {
			if tag.Name == "" || utf8.RuneCountInString(tag.Name) > MaxName ||
				tag.Name != strings.TrimSpace(tag.Name) || keys[Key(tag.Name)] {
				t.Errorf("a tag %q", tag.Name)
			}
			keys[Key(tag.Name)] = true
			if tag.Score <= 0 || tag.Score > 1 || i == 0 && tag.Score != 1 || i > 0 && tag.Score > got[i-1].Score {
				t.Errorf("scores %v", got)
			}
		}
		if again := Of(&text, nil); !reflect.DeepEqual(got, again) {
			t.Errorf("%v, then %v", got, again)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	text := Text{Title: "衆議院議員総選挙、投票率は過去最低　AWS Lambdaの料金も", Snippet: strings.Repeat("政策金利の据え置きを決めた。", 20)}
	for b.Loop() {
		Of(&text, nil)
	}
}
