package extract

import "testing"

// TestAside: readings and the texts of pictures are no part of a title or snippet, do not cut the words of a text, and
// are found behind it.
func TestAside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ html, snippet, text string }{
		"one by one": {`今日の<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rp>(</rp><rt>きょう</rt><rp>)</rp></ruby>都`,
			"今日の東京都", "今日の東京都 とうきょう"},
		"each its own": {`<ruby>東<rt>とう</rt></ruby><ruby>京<rt>きょう</rt></ruby>都`,
			"東京都", "東京都 とうきょう"},
		"two words": {`<ruby>東京<rt>とうきょう</rt></ruby>の<ruby>空<rt>そら</rt></ruby>`,
			"東京の空", "東京の空 とうきょう そら"},
		"ends left out": {`<ruby>漢<rt>かん<rb>字<rt>じ</ruby>検定`, "漢字検定", "漢字検定 かんじ"},
		"bases first": {`<ruby><rb>振</rb><rb>仮</rb><rt>ふり</rt><rt>が な</rt></ruby>名`,
			"振仮名", "振仮名 ふりが な"},
		"two readings": {`<ruby>a<rt>x</rt><rtc><rt>y</rt></rtc></ruby>b`, "ab", "ab xy"},
		"blanks":       {`one <RUBY>two <RT> zwei </RT></RUBY> three`, "one two three", "one two three zwei"},
		"marked up":    {`<ruby><b>東</b><rt><i>とう</i> &amp;</rt></ruby>`, "東", "東 とう &"},
		"never ended":  {`<ruby>東<rt>とう<p>next</p>`, "東 next", "東 next とう"},
		"no ruby":      {`<rt>a</rt> <rp>b</rp>`, "a b", "a b"},
		"a picture": {`<p>see<img src="x" alt="a &quot;red&quot;  fox">this</p>`,
			"see this", `see this a "red" fox`},
		"pictures alone":  {`<img alt=fox src=x><IMG ALT='hen'/><img alt=""><img data-alt="no">`, "", "fox hen"},
		"of an end":       {`<p>see <img alt="fox`, "see", "see"},
		"quoted brackets": {`a<img title="x>y" alt="1 > 0">b`, "a b", "a b 1 > 0"},
	} {
		doc := `<rss version="2.0"><channel><item><guid>1</guid><description><![CDATA[` + c.html +
			`]]></description></item><item><guid>2</guid><description>next</description></item></channel></rss>`
		feed, err := Scan([]byte(doc), "", "", Options{Text: true})
		if err != nil {
			t.Fatal(err)
		}
		if it := feed.Items[0]; it.Snippet != c.snippet || it.Text != c.text {
			t.Errorf("%s: snippet %q, text %q, want %q, %q", name, it.Snippet, it.Text, c.snippet, c.text)
		}
		if got := Text(c.html); got != c.text {
			t.Errorf("%s: text alone %q", name, got)
		}
		if it := feed.Items[0]; it.Length != len([]rune(c.snippet)) {
			t.Errorf("%s: %d characters", name, it.Length)
		}
		if got := feed.Items[1].Text; got != "next" {
			t.Errorf("%s: the next text is %q", name, got)
		}
	}
	// An item's identity was made with its readings.
	with := Identity("", "", "<ruby>東<rt>とう</rt></ruby>", "", "")
	if with != Identity("", "", "東とう", "", "") {
		t.Error("readings are no part of identities any more")
	}
}
