package assist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/stream/assist"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"Dr. Vaal met J. Smith at 5.30 p.m. on Monday. He left.", []string{
			"Dr. Vaal met J. Smith at 5.30 p.m. on Monday.", "He left."}},
		{`She said "No." Then she left.`, []string{`She said "No."`, "Then she left."}},
		{"See e.g. the U.S. report, v1.2.3, of example.org today. Fine.", []string{
			"See e.g. the U.S. report, v1.2.3, of example.org today.", "Fine."}},
		{"灯台は古い。「行こう。」と彼は言った。本当か！？そうだ。", []string{"灯台は古い。", "「行こう。」と彼は言った。", "本当か！？", "そうだ。"}},
		{"バージョン2.0が出た。iPhone 17 も出た。", []string{"バージョン2.0が出た。", "iPhone 17 も出た。"}},
		{strings.Repeat("word ", 200), nil},
		{"", nil},
	} {
		if got := assist.Split(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q is split into %q", c.text, got)
		}
	}
}

const logs = `<h1>Five columns</h1><p>A lighthouse log has five columns: date, wind, glass, oil and remarks. It is dull. The
	first four are numbers, written in the same hand at the same hours for years. The fifth column, for remarks, is the only
	place on the page where the keepers live.</p><figure><img src="a.png"><figcaption>The log. The keepers. The remarks of
	the keepers in the log.</figcaption></figure><p>I spent October in the reading room of the harbour office. Do keepers
	write what they see? They do. This is what they wrote. Nobody had asked for the log books before. After a month of remarks
	the keepers found that nearly everything touches the light.</p><pre>The log of keepers. Remarks of keepers. Log of
	keepers.</pre><p>Subscribe to our newsletter.</p>`

const todai = `<p>灯台守の日誌には五つの欄がある。日付、風、気圧、油、そして備考である。これは退屈だ。備考欄だけが、灯台守の暮らしを伝えている。
	十月は港湾事務所の閲覧室で過ごした。誰が日誌を読むのだろうか？</p><p>一か月後、灯台守たちは備考欄にほとんどすべてを書くようになった。
	日誌の数字は暖かい台所でも作れる。備考はそうはいかない。</p>`

// TestKeySentences: they are the article's own, in its order, of its prose alone, and seldom need the one before.
func TestKeySentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		title, html string
		of          int
		has, hasNot []string
	}{
		{"What the keepers wrote in the log", logs, 11, []string{"five columns", "fifth column"},
			[]string{"Subscribe", "It is dull", "Do keepers", "newsletter", "This is what"}},
		{"灯台守の日誌と備考欄", todai, 9, []string{"五つの欄", "備考欄"}, []string{"これは", "だろうか", "閲覧室"}},
	} {
		got := assist.Key(c.title, c.html)
		all := strings.Join(got.Sentences, "\n")
		if got.Of != c.of || len(got.Sentences) != 3 {
			t.Errorf("%s: %d of %d: %s", c.title, len(got.Sentences), got.Of, all)
		}
		last := 0
		flat := strings.Join(strings.Fields(c.html), " ")
		for _, s := range got.Sentences {
			at := strings.Index(flat, s)
			if at < last {
				t.Errorf("%s: %q is not the article's, or not in its order", c.title, s)
			}
			last = at
		}
		for _, s := range c.has {
			if !strings.Contains(all, s) {
				t.Errorf("%s: without %q: %s", c.title, s, all)
			}
		}
		for _, s := range c.hasNot {
			if strings.Contains(all, s) {
				t.Errorf("%s: with %q: %s", c.title, s, all)
			}
		}
	}
}

func TestArticlesWithoutKeySentences(t *testing.T) {
	t.Parallel()
	for _, html := range []string{"", "<p>One. Two.</p>", "<pre>One. Two. Three. Four.</pre>",
		"<h1>A</h1><table><tr><td>x", "<p><", "no end <p", strings.Repeat("<div>", 1000)} {
		if got := assist.Key("title", html); got.Sentences != nil {
			t.Errorf("%q: %q", html, got.Sentences)
		}
	}
}

// FuzzKey: whatever an article is, its key sentences are parts of it, at most three.
func FuzzKey(f *testing.F) {
	f.Add("A title", logs)
	f.Add("題", todai)
	f.Fuzz(func(t *testing.T, title, html string) {
		got := assist.Key(title, html)
		if len(got.Sentences) > 3 || got.Of < len(got.Sentences) || slices.Contains(got.Sentences, "") {
			t.Errorf("%+v", got)
		}
	})
}

func BenchmarkKeySentences(b *testing.B) {
	html := strings.Repeat(logs, 10)
	for b.Loop() {
		assist.Key("What the keepers wrote in the log", html)
	}
}
