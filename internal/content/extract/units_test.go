package extract

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const japaneseFeed = `<rss><channel><title>表の一覧と申します</title><description>これは日本語の文章で、かなと漢字がまざっています。</description></` +
	`channel></rss>`

func encode(t *testing.T, e encoding.Encoding, v string) string {
	t.Helper()
	out, err := e.NewEncoder().String(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDecode(t *testing.T) {
	t.Parallel()
	by := func(name, v string) string {
		e, err := htmlindex.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		return encode(t, e, v)
	}
	decl := func(name, v string) string { return `<?xml version="1.0" encoding="` + name + `"?>` + v }
	cafe, seoul, beijing, moscow := "<rss><channel><title>café “ok”</title></channel></rss>", "<rss>서울의 한국어 신문</rss>",
		"<rss>北京的中文新闻</rss>", "<rss>Москва</rss>"
	taipei := "<rss>臺北的中文新聞</rss>"
	for _, c := range []struct{ name, body, header, want string }{
		{"plain", cafe, "", cafe},
		{"byte order mark", "\ufeff" + cafe, "", cafe},
		{"two marks", "\ufeff\ufeff" + cafe, "", cafe},
		{"Shift_JIS declared", by("shift_jis", decl("Shift_JIS", japaneseFeed)), "", japaneseFeed},
		{"Windows-31J declared", by("shift_jis", decl("Windows-31J", japaneseFeed)), "", japaneseFeed},
		{"Shift_JIS by header", by("shift_jis", japaneseFeed), "text/xml; charset=Shift_JIS", japaneseFeed},
		{"Shift_JIS by sniffing", by("shift_jis", japaneseFeed), "", japaneseFeed},
		{"Shift_JIS called Latin-1 by the server", by("shift_jis", decl("Shift_JIS", japaneseFeed)),
			"text/xml; charset=ISO-8859-1", japaneseFeed},
		{"Shift_JIS called UTF-8", by("shift_jis", decl("utf-8", japaneseFeed)),
			"text/xml; charset=utf-8", japaneseFeed},
		{"EUC-JP declared", by("euc-jp", decl("EUC-JP", japaneseFeed)), "", japaneseFeed},
		{"EUC-JP by sniffing", by("euc-jp", japaneseFeed), "", japaneseFeed},
		{"ISO-2022-JP undeclared", by("iso-2022-jp", japaneseFeed), "", japaneseFeed},
		{"GB18030", by("gb18030", decl("gb18030", beijing)), "", beijing},
		{"GB2312", by("gbk", decl("gb2312", beijing)), "", beijing},
		{"Big5", by("big5", decl("Big5", taipei)), "", taipei},
		{"EUC-KR", by("euc-kr", decl("euc-kr", seoul)), "", seoul},
		{"windows-1251", by("windows-1251", decl("windows-1251", moscow)), "", moscow},
		{"windows-1252 undeclared", by("windows-1252", cafe), "", cafe},
		{"windows-1252 called UTF-8", by("windows-1252", decl("UTF-8", cafe)), "text/xml; charset=utf-8", cafe},
		{"UTF-8 called Latin-1", decl("ISO-8859-1", cafe), "text/xml; charset=iso-8859-1", cafe},
		{"UTF-16 with mark", encode(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), decl("UTF-16", cafe)), "",
			cafe},
		{"UTF-16BE without", encode(t, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), cafe), "", cafe},
		{"UTF-32", encode(t, utf32.UTF32(utf32.BigEndian, utf32.UseBOM), cafe), "", cafe},
		{"UTF-7 is never decoded", decl("UTF-7", "<rss>+ADw-script+AD4-</rss>"), "", "<rss>+ADw-script+AD4-</rss>"},
		{"unknown name", decl("x-nonsense", cafe), "", cafe},
		{"damaged UTF-8", "<rss>café \xff münchen</rss>", "", "<rss>café \ufffd münchen</rss>"},
		{"cut UTF-8", "<rss>日本\xe8\xaa", "", "<rss>日本\ufffd"},
		{"UTF-8 with a byte of windows-1252", "<rss>café \x93ok\x94 — naïve d\xe9j\xe0</rss>", "",
			"<rss>café “ok” — naïve déjà</rss>"},
		{"UTF-8 called Latin-1, with such a byte", decl("iso-8859-1", "<rss>café, naïve, déjà, don\x92t</rss>"),
			"text/xml; charset=iso-8859-1", "<rss>café, naïve, déjà, don’t</rss>"},
		{"one letter each", "<rss>café, don\x92t</rss>", "text/xml; charset=utf-8", "<rss>café, don’t</rss>"},
		{"Japanese cut in the middle", decl("Shift_JIS", strings.Replace(japaneseFeed, "本語", "本\xe8\xaa", 1)), "",
			strings.Replace(japaneseFeed, "本語", "本\ufffd", 1)},
		{"a cut before ASCII", "<rss>“one”, “two”, caf\xc3...</rss>", "", "<rss>“one”, “two”, caf\ufffd...</rss>"},
		{"byte order mark and a stray byte", "\ufeff<rss>don\x92t</rss>", "", "<rss>don’t</rss>"},
		{"controls", "<rss>a\x00b\x0bc\x7f</rss>", "", "<rss>abc</rss>"},
		{"two-byte GBK that is valid UTF-8", decl("gb2312", "<rss>\xc1\xaa\xcd\xa8</rss>"), "", "<rss>联通</rss>"},
	} {
		out, err := Decode([]byte(c.body), c.header)
		got := strings.TrimPrefix(string(out), `<?xml version="1.0" encoding="UTF-8"?>`)
		got = strings.TrimPrefix(got, `<?xml version="1.0" encoding="utf-8"?>`)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
	clean := []byte(cafe)
	if out, err := Decode(clean, ""); err != nil || &out[0] != &clean[0] {
		t.Errorf("clean UTF-8 is copied: %v", err)
	}
}

func TestPlainText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"a <b>bo</b>ld word", "a bold word"},
		{"<p>one</p><p>two</p>three<br>four", "one two three four"},
		{"x<script>alert('</p>')</script>y<style>b{}</style>z", "x y z"},
		{"1 < 2 && 3 > 2", "1 < 2 && 3 > 2"},
		{"a&nbsp;b\u00a0c &amp; &eacute; &#8217; &#x1F600; &#146;", "a b c & é ’ 😀 ’"},
		{"&#0;&#8;&#xD800;&#x110000;x", "x"},
		{"&copy=1 &bogus; &", "&copy=1 &bogus; &"},
		{"<!-- <b> -->x<!doctype y>", "x"},
		{`<a title="a > b">t</a>`, "t"},
		{"<ruby>漢<rt>かん</rt></ruby>字", "漢字"},
		{"  \n\t lead\r\n\r\ntrail \v ", "lead trail"},
		{"<SCRIPT>x</SCRIPT >y", "y"},
		{"cut <b", "cut"},
		{"", ""},
	} {
		if got, _ := appendPlain(nil, []byte(c.in), 0); string(got) != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
	long := strings.Repeat("あ い ", 500)
	if got, done := appendPlain(nil, []byte(long), 200); !done || len([]rune(string(got))) != 200 {
		t.Errorf("%d runes", len([]rune(string(got))))
	}
}

// TestSnippetReadsNoMore: text far into a body is found behind any markup, and the rest is not decoded.
func TestSnippetReadsNoMore(t *testing.T) {
	t.Parallel()
	markup := strings.Repeat(`&lt;div class=&quot;x&quot;&gt;`, 2000)
	f := mustScan(t, rss(`<item><guid>1</guid><description>`+markup+`behind</description></item>`), Options{})
	if f.Items[0].Snippet != "behind" {
		t.Errorf("%q", f.Items[0].Snippet)
	}
	raw := bytes.Repeat([]byte("word &amp; "), 100_000)
	if _, read := appendXML(nil, raw, 800); read > 2000 {
		t.Errorf("%d bytes were read for 800", read)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ref, base, want string }{
		{"https://a.example/x y", "", "https://a.example/x%20y"},
		{" /p?q=1 ", "http://b.example/dir/feed", "http://b.example/p?q=1"},
		{"../up", "http://b.example/dir/sub/feed", "http://b.example/dir/up"},
		{"//c.example/", "https://b.example/", "https://c.example/"},
		{"java\nscript:alert(1)", "http://b.example/", ""},
		{"JavaScript:alert(1)", "http://b.example/", ""},
		{"data:text/html,x", "", ""},
		{"file:///etc/passwd", "", ""},
		{"relative", "", "relative"},
		{"x:y", "", ""},
		{"mailto:a@b.example", "", "mailto:a@b.example"},
		{"magnet:?xt=urn:btih:1", "http://b.example/", "magnet:?xt=urn:btih:1"},
		{"rel", "javascript:alert(1)", "rel"},
		{"http://日本.example/道", "", "http://日本.example/道"},
		{strings.Repeat("a", 5000), "http://b.example/", ""},
	} {
		s := newScanner(nil, "", Options{})
		if got := s.resolve([]byte(c.ref), c.base); got != c.want {
			t.Errorf("%.40q against %q gives %.60q, want %q", c.ref, c.base, got, c.want)
		}
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"Mon, 06 Apr 2026 10:00:00 +0200", "2026-04-06T08:00:00Z"},
		{"6 Apr 26 10:00 GMT", "2026-04-06T10:00:00Z"},
		{"2026-04-06", "2026-04-06T00:00:00Z"},
		{"2026-04", "2026-04-01T00:00:00Z"},
		{"2026-04-06T10:00+09:00", "2026-04-06T01:00:00Z"},
		{"2026-04-06T10:00:00,5Z", "2026-04-06T10:00:00.5Z"},
		{"20260406T100000Z", "2026-04-06T10:00:00Z"},
		{"20260406100000", "2026-04-06T10:00:00Z"},
		{"2026-W15-1", "2026-04-06T00:00:00Z"},
		{"2026-096", "2026-04-06T00:00:00Z"},
		{"1775469600", "2026-04-06T10:00:00Z"},
		{"1775469600123", "2026-04-06T10:00:00.123Z"},
		{"2026年4月6日 10時05分", "2026-04-06T10:05:00Z"},
		{"令和8年4月6日", "2026-04-05T15:00:00Z"},
		{"2026-04-06 午後3:04", "2026-04-06T15:04:00Z"},
		{"6 апреля 2026 10:00", "2026-04-06T10:00:00Z"},
		{"06.04.2026 10:00", "2026-04-06T10:00:00Z"},
		{"Mon, 04/06/2026 10:00", "2026-04-06T10:00:00Z"},
		{"Mon, 06/04/2026 10:00", "2026-04-06T10:00:00Z"},
		{"Mon Apr  6 10:00:00 PDT 2026", "2026-04-06T17:00:00Z"},
		{"Mon, 6 Apr 2026 10:00:00 America/New_York", "2026-04-06T14:00:00Z"},
		{"Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z"},
		{"April 6, 2026 at 12:30 am", "2026-04-06T00:30:00Z"},
		{"", ""},
		{"yesterday", ""},
		{"A Jan 2024 10:00:00 GMT", "2024-01-01T10:00:00Z"},
		{"2026-02-30", ""},
		{"Mon, 06 Apr 2026 25:00:00 GMT", ""},
		{"Mon, 06 Foo 2026 10:00:00 GMT", ""},
		{"99/99/2026", ""},
		{strings.Repeat("1 ", 80), ""},
	} {
		got, ok := ParseDate(c.in)
		if ok != (c.want != "") || ok && !got.Equal(utc(c.want)) {
			t.Errorf("%q = %v %v, want %q", c.in, got, ok, c.want)
		}
	}
}
