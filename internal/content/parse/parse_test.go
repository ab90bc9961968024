package parse

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

const feedURL = "https://site.example/feed.xml"

func one(t *testing.T, doc string) Item {
	t.Helper()
	items, err := Feed([]byte(doc), "", feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 1 {
		t.Fatalf("%d items", len(items))
	}
	return items[0]
}

// R-28, G-63
func TestTexts(t *testing.T) {
	t.Parallel()
	rss := func(item string) string {
		return `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" ` +
			`xmlns:media="http://search.yahoo.com/mrss/" ` +
			`xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>F</title><language>ja</` +
			`language><item><guid>1</guid><link>https://site.example/1</link>` + item + `</item></channel></rss>`
	}
	atom := func(entry string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><id>1</id><link ` +
			`href="https://site.example/1"/>` + entry + `</entry></feed>`
	}
	json := func(item string) string {
		return `{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[{"id":"1","url":"https://site.` +
			`example/1",` + item + `}]}`
	}
	tests := map[string]struct{ doc, content, summary string }{
		"a body of XHTML": {
			rss(`<description>Short</description><x:body xmlns:x="http://www.w3.org/1999/xhtml"><x:p>Long ` +
				`<x:b>b</x:b></x:p></x:body>`), "<p>Long <b>b</b></p>", "Short"},
		"an escaped body": {rss(`<body>&lt;p>Long&lt;/p></body>`), "<p>Long</p>", ""},
		"base64 of a type": {
			atom(`<content type="text/html" mode="base64">PGI+YTwvYj4=</content><summary type="html" ` +
				`mode="base64">not base64!</summary>`), "<b>a</b>", "not base64!"},
		"base64 of none": {atom(`<content mode="base64">PGI+YTwvYj4=</content>`), "<b>a</b>", ""},
		"fullitem of RSS": {rss(`<description>Short</description><fullitem>&lt;p>Long&lt;/p></fullitem>`),
			"<p>Long</p>", "Short"},
		"encoded before description": {
			rss(`<description>short</description><content:encoded><![CDATA[<p>long</p>]]></content:encoded>`),
			"<p>long</p>", "short"},
		"a sign without its escape": {rss(`<description>a & b < c, x<=y <![CDATA[ < ]]></description>`),
			"a &amp; b &lt; c, x&lt;=y  &lt;", ""},
		"an empty paragraph beside a text": {rss(`<content:encoded><![CDATA[<p>&nbsp;</p><br />]]></content:encoded>` +
			`<description>Words</description>`), "Words", ""},
		"a picture is something": {rss(`<content:encoded><![CDATA[<p><img src="a.png"></p>]]></content:encoded>` +
			`<description>Words</description>`), `<p><img src="a.png"></p>`, "Words"},
		"description alone": {rss(`<description>&lt;p&gt;a &amp;amp; b&lt;/p&gt;</description>`),
			"<p>a &amp; b</p>", ""},
		"description is text": {rss(`<description>a &lt; b &amp;&amp; c</description>`),
			"a &lt; b &amp;&amp; c", ""},
		"text with paragraphs": {rss("<description>one\ntwo\n\nthree</description>"),
			"<p>one<br>two</p><p>three</p>", ""},
		"video description": {
			rss(`<media:group><media:description>x &lt; y</media:description></media:group>`), "x &lt; y", ""},
		"video in a file": {rss(`<media:content url="v.mp4"><media:description>one
two</media:description></media:content>`), "<p>one<br>two</p>", ""},
		"podcast subtitle": {rss(`<itunes:subtitle>notes</itunes:subtitle>`), "notes", ""},
		"podcast summary":  {rss(`<itunes:summary>notes</itunes:summary>`), "notes", ""},
		"atom video": {
			atom(`<media:group xmlns:media="http://search.yahoo.com/mrss/"><media:title>t</media:title><media:description>One
Two: https://a.example/?a=1&amp;b=2.

Three</media:description></media:group>`),
			`<p>One<br>Two: <a ` +
				`href="https://a.example/?a=1&amp;b=2">https://a.example/?a=1&amp;b=2</a>.</p><p>Three</p>`, ""},
		"atom video beside a body": {
			atom(`<media:description xmlns:media="http://search.yahoo.com/mrss/">v</media:description><content ` +
				`type="html">c</content>`), "c", ""},
		"atom podcast summary": {
			atom(`<itunes:summary xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">notes</itunes:summary>`),
			"notes", ""},
		"no text at all": {atom(`<title>t</title>`), "", ""},
		"a picture in place of a text": {rss(`<media:content url="https://site.example/p.jpg" type="image/jpeg"/>`), "",
			""},
		"atom html":          {atom(`<content type="html">&lt;b&gt;x&lt;/b&gt;</content>`), "<b>x</b>", ""},
		"atom html in CDATA": {atom(`<content type="html"><![CDATA[<b>x</b>]]></content>`), "<b>x</b>", ""},
		"atom text is escaped": {atom(`<content type="text">&lt;b&gt; is a tag</content>`),
			"&lt;b&gt; is a tag", ""},
		"atom text in CDATA": {atom(`<content type="text"><![CDATA[<b> & co]]></content>`),
			"&lt;b&gt; &amp; co", ""},
		"atom summary text": {
			atom(`<summary type="text">a &lt;i&gt; b</summary><content type="html">c</content>`), "c", "a &lt;i&gt; b"},
		"atom xhtml": {
			atom(`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt; b</p></div></content>`),
			"<p>a &lt; b</p>", ""},
		"atom xhtml with a prefix": {
			atom(`<content type="xhtml"><h:div ` +
				`xmlns:h="http://www.w3.org/1999/xhtml"><h:p>a</h:p><h:br/></h:div></content>`),
			`<div xmlns:h="http://www.w3.org/1999/xhtml"><p>a</p><br/></div>`, ""},
		"atom text with a charset": {atom(`<content type="text/plain;charset=utf-8">&lt;b&gt; is a tag</content>`),
			"&lt;b&gt; is a tag", ""},
		"atom html in capitals": {atom(`<content type="TEXT/HTML">1 &amp;amp;lt; 2</content>`), "1 &amp;lt; 2", ""},
		"atom html with a charset": {atom(`<content type="text/html; charset">1 &amp;amp;lt; 2</content>`),
			"1 &amp;lt; 2", ""},
		"atom xhtml as a media type": {
			atom(`<content type="Application/XHTML+XML; charset=utf-8"><div xmlns="http://www.w3.org/1999/xhtml">a &lt; b` +
				`</div></content>`), "a &lt; b", ""},
		"atom without type is guessed": {atom(`<content>&lt;p&gt;a&lt;/p&gt;</content>`), "<p>a</p>", ""},
		"json html": {json(`"content_html":"<p>a</p>","summary":"s <x>"`), "<p>a</p>",
			"s &lt;x&gt;"},
		"json text": {json(`"content_text":"a <b>\n\nc"`), "<p>a &lt;b&gt;</p><p>c</p>", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it := one(t, tt.doc)
			if it.Content != tt.content || it.Summary != tt.summary {
				t.Errorf("content %q, summary %q\n   want %q and %q", it.Content, it.Summary, tt.content, tt.summary)
			}
			if it.Base != "https://site.example/1" {
				t.Errorf("base %q", it.Base)
			}
		})
	}
}

func TestBase(t *testing.T) {
	t.Parallel()
	feed := func(root, entry, content string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"` + root + `><title>F</title><entry` + entry +
			`><id>1</id><link href="l.html"/><content type="html"` + content +
			`>&lt;a href="x.html"&gt;x&lt;/a&gt; xml:base="kept"</content></entry></feed>`
	}
	tests := map[string]struct{ doc, base string }{
		"none: the link": {feed("", "", ""), "https://site.example/l.html"},
		"of the feed": {feed(` xml:base="https://b.example/d/f.xml" xml:lang="en"`, "", ""),
			"https://b.example/d/f.xml"},
		"of the entry": {feed(` xml:base="https://b.example/d/f.xml"`, ` xml:base="e/" xml:lang="ja"`, ""),
			"https://b.example/d/e/"},
		"of the content": {feed(` xml:base="https://b.example/d/f.xml"`, ` xml:base='e/'`,
			` xml:base="../c/p.html" xml:lang="fr"`), "https://b.example/d/c/p.html"},
		"relative to the address":   {feed(` xml:base="/r/"`, "", ""), "https://site.example/r/"},
		"of no web address: passed": {feed(` xml:base="urn:x:y"`, "", ""), "https://site.example/l.html"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it := one(t, tt.doc)
			if it.Base != tt.base {
				t.Errorf("base %q; want %q", it.Base, tt.base)
			}
			if want := `<a href="x.html">x</a> xml:base="kept"`; it.Content != want {
				t.Errorf("content %q: addresses are resolved later, once", it.Content)
			}
		})
	}
}

// TestBaseInsideXHTML: a part of a text may have a base of its own.
func TestBaseInsideXHTML(t *testing.T) {
	t.Parallel()
	feed := func(content string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom" ` +
			`xml:base="https://site.example/d/"><title>F</title><entry><id>1</id><link ` +
			`href="https://site.example/1"/>` + content + `</entry></feed>`
	}
	xhtml := func(base, in string) string {
		return feed(`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"` + base + `>` + in +
			`</div></content>`)
	}
	const base = "https://site.example/d/"
	tests := map[string]struct{ doc, base, content string }{
		"of a paragraph": {
			xhtml(` xml:base="a/"`,
				`<p xml:base="b/"><img src="t.png"/><b><a href="u">u</a></b></p><img src="v.png"/>`), base + "a/",
			`<p xml-base="b/"><img src="https://site.example/d/a/b/t.png"/><b><a ` +
				`href="https://site.example/d/a/b/u">u</a></b></p><img src="v.png"/>`},
		"of the element itself": {xhtml("", `<a xml:base="../m/" href="s">s</a> <a href="t">t</a>`), base,
			`<a href="https://site.example/m/s" xml-base="../m/">s</a> <a href="t">t</a>`},
		"one inside another": {
			xhtml("", `<p xml:base="a/"><b xml:base="b/"><i><img src="c"/></i></b><img src="d"/></p>`), base,
			`<p xml-base="a/"><b xml-base="b/"><i><img src="https://site.example/d/a/b/c"/></i></b><img ` +
				`src="https://site.example/d/a/d"/></p>`},
		"of no web address": {xhtml("", `<p xml:base="urn:x:y"><img src="c"/></p>`), base,
			`<p xml-base="urn:x:y"><img src="c"/></p>`},
		"a fragment": {xhtml("", `<p xml:base="a/"><a href="#n">1</a></p>`), base,
			`<p xml-base="a/"><a href="#n">1</a></p>`},
		"pictures in sizes": {xhtml("", `<img xml:base="a/" srcset="s.png 1x, l.png 2x,x.png" src="s.png"/>`), base,
			`<img xml-base="a/" srcset="https://site.example/d/a/s.png 1x, https://site.example/d/a/l.png 2x,x.png" ` +
				`src="https://site.example/d/a/s.png"/>`},
		"not in escaped markup": {
			feed(`<content type="html">&lt;p xml:base="b/">&lt;img src="t.png">&lt;/p></content>`), base,
			`<p xml:base="b/"><img src="t.png"></p>`},
		"of a summary": {
			feed(`<summary type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p xml:base="/s/"><img ` +
				`src="t"/></p></div></summary>`), base, `<p xml-base="/s/"><img src="https://site.example/s/t"/></p>`},
		"XHTML in RSS": {
			`<rss version="2.0"><channel><title>F</title><item><guid>1</guid><link>https://site.example/1</link>` +
				`<body xmlns="http://www.w3.org/1999/xhtml"><p xml:base="https://o.example/x/"><img ` +
				`src="t"/></p><img src="u"/></body></item></channel></rss>`, "https://site.example/1",
			`<p xml-base="https://o.example/x/"><img src="https://o.example/x/t"/></p><img src="u"/>`},
		"relative to no base": {`<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><id>1</id><link ` +
			`href="https://site.example/1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p ` +
			`xml:base="a/"><img src="t"/></p></div></content></entry></feed>`, "https://site.example/1",
			`<p xml-base="a/"><img src="https://site.example/a/t"/></p>`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if it := one(t, tt.doc); it.Content != tt.content || it.Base != tt.base {
				t.Errorf("%s, base %s\nwant %s, base %s", it.Content, it.Base, tt.content, tt.base)
			}
		})
	}
}

// C-7: a member of JSON Feed with a value of an unexpected type is ignored, and nothing else is lost with it.
func TestJSONMembersOfUnexpectedTypes(t *testing.T) {
	t.Parallel()
	const (
		head = `"version":"https://jsonfeed.org/version/1.1","title":"F"`
		item = `"id":"1","title":"T","url":"https://site.example/1","content_html":"<p>long</p>","summary":"short"`
	)
	whole := `{` + head + `,"items":[{` + item + `}]}`
	want, err := Feed([]byte(whole), "", feedURL, 0)
	if err != nil || len(want) != 1 {
		t.Fatalf("%+v, %v", want, err)
	}
	check := func(t *testing.T, doc string) {
		t.Helper()
		same(t, []byte(doc), "application/feed+json", feedURL)
		got, err := Feed([]byte(doc), "application/feed+json", feedURL, 0)
		if err != nil || len(got) != 1 || got[0] != want[0] {
			t.Errorf("%s: %+v, %v; want %+v", doc, got, err, want)
		}
	}
	values := []string{`7`, `-1.5e3`, `true`, `false`, `null`, `"review"`, `{}`, `[]`, `[7]`, `[null]`, `[[]]`, `[{}]`,
		`["x",{"name":7,"url":[],"type":{},"mime_type":false}]`, `{"name":["x"],"url":{}}`}
	for _, v := range values {
		for _, name := range []string{
			"image", "banner_image", "author", "authors", "tags", "attachments", "language", "external_url",
			"date_published", "date_modified",
			"content_text", "_own",
		} {
			check(t, `{`+head+`,"items":[{"`+name+`":`+v+`,`+item+`}]}`)
			check(t, `{`+head+`,"items":[{`+item+`,"`+name+`":`+v+`}]}`)
		}
		for _, name := range []string{
			"description", "user_comment", "next_url", "icon", "favicon", "author", "authors", "language", "expired",
			"hubs", "home_page_url", "feed_url",
		} {
			check(t, `{`+head+`,"`+name+`":`+v+`,"items":[{`+item+`}]}`)
		}
		if !strings.HasPrefix(v, "{") { // what is no object is no item
			check(t, `{`+head+`,"items":[`+v+`,{`+item+`},`+v+`]}`)
		}
	}
	for _, v := range []string{`7`, `null`, `{}`, `[7]`, `"F"`} {
		check(t, `{"version":`+v+`,"title":"F","items":[{`+item+`}]}`)
		check(t, `{"version":"https://jsonfeed.org/version/1","title":`+v+`,"items":[{`+item+`}]}`)
	}
	for doc, content := range map[string]string{
		`"id":7,"url":7,"content_html":"<p>a</p>"`:                            "<p>a</p>",
		`"id":{},"url":[],"title":7,"content_html":"<p>a</p>"`:                "<p>a</p>",
		`"id":"1","content_html":{"a":1},"content_text":"a"`:                  "a",
		`"id":"1","content_html":7,"content_text":["x"],"summary":"a"`:        "a",
		`"id":"1","content_html":"\u003cp\u003ea \ud83d\ude00\u003c/p\u003e"`: "<p>a 😀</p>",
		`"id":"1","content_text":"a\nb","summary":{}`:                         "a<br>b",
	} {
		if got := one(t, `{`+head+`,"items":[{`+doc+`}]}`); !strings.Contains(got.Content, content) {
			t.Errorf("%s: %+v", doc, got)
		}
		same(t, []byte(`{`+head+`,"items":[{`+doc+`}]}`), "", feedURL)
	}
}

// TestBodiesWithin: both readings see the same document behind what a server has put in front of it.
func TestBodiesWithin(t *testing.T) {
	t.Parallel()
	const rss = `<?xml version="1.0"?><rss ` +
		`version="2.0"><channel><title>F</title><item><guid>1</guid><description>body</description></item></channel>` +
		`</rss>`
	const json = `{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","content_text":"body"}]}`
	for _, doc := range []string{
		"<br />\n<b>Warning</b>: x in <b>/srv/a.php</b><br />\n" + rss, "<html><body>" + rss + "</body></html>",
		"<script>a</script>" + rss, "\x00" + rss,
		"<html><body>" + strings.Replace(rss, "</item>", "<b></item>", 1) + "</body></html>", // read by gofeed
		")]}'" + json, "f(" + json + ")",
	} {
		if it := one(t, doc); it.Content != "body" {
			t.Errorf("%s: %+v", doc, it)
		}
		same(t, []byte(doc), "", feedURL)
	}
}

func TestAddressesOfPlainText(t *testing.T) {
	t.Parallel()
	link := func(address string) string { return `<a href="` + address + `">` + address + `</a>` }
	for text, want := range map[string]string{
		"see https://a.example/x.": "see " + link("https://a.example/x") + ".",
		"(https://a.example/x_(y)), HTTP://b.example": "(" + link("https://a.example/x_(y)") + "), " +
			link("HTTP://b.example"),
		"詳細はhttps://a.example/をご覧ください":    "詳細は" + link("https://a.example/") + "をご覧ください",
		"「https://a.example/p?q=1&r=2」":   "「" + link("https://a.example/p?q=1&amp;r=2") + "」",
		"https://de.example/wiki/Müller!": link("https://de.example/wiki/Müller") + "!",
		`"https://a.example/" <https://b.example/>`: `&#34;` + link("https://a.example/") + `&#34; &lt;` +
			link("https://b.example/") + `&gt;`,
		"https:// and http://, nothing":       "https:// and http://, nothing",
		"javascript:alert(1) ftp://a.example": "javascript:alert(1) ftp://a.example",
	} {
		if got := paragraphs(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestItemsBesideTheChannel(t *testing.T) {
	t.Parallel()
	items, err := Feed(
		[]byte(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel rdf:about="https://site.example/"><title>F</title></channel>
<item rdf:about="https://site.example/1"><title>一</title><link>https://site.example/1</link><content:encoded><![CDATA[<p>本文</p>]]></content:encoded></item>
<item rdf:about="https://site.example/2"><title>二</title><link>https://site.example/2</link><description>要約</description></item>
</rdf:RDF>`), "application/rdf+xml", feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 2 || items[0].Content != "<p>本文</p>" || items[1].Content != "要約" {
		t.Errorf("%+v", items)
	}
}

//
func TestTheNewest200AreRead(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>F</title>`)
	for i := range 300 { // the oldest first
		fmt.Fprintf(&b,
			`<item><guid>g%d</guid><pubDate>%02d Nov 2026 %02d:%02d:00 GMT</pubDate><description>body `+
				`%d</description></item>`, i, 1+i/24/12, i/12%24, i%12*5, i)
	}
	b.WriteString(`</channel></rss>`)
	doc := []byte(b.String())
	items, err := Feed(doc, "", feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 200 || items[0].Content != "body 100" || items[199].Content != "body 299" {
		t.Fatalf("%d items, %q to %q", len(items), items[0].Content, items[len(items)-1].Content)
	}
}

func TestOneBadItemDoesNotAffectTheRest(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<div>", 5000) + strings.Repeat("</div>", 5000)
	items, err := Feed([]byte(`<rss version="2.0"><channel><title>F</title><item><guid>1</guid><description>`+deep+
		`</description></item><item><guid>2</guid><description>ok</description></item></channel></rss>`),
		"", feedURL, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(items) != 2 || items[0].Content != "" || items[1].Content != "ok" {
		t.Errorf("%+v", items)
	}
}

func TestErrorsAreThoseOfExtract(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]string{
		"empty": "", "a page": "<!doctype html><html><body>x</body></html>", "text": "hello", "cut": "<rss><chan",
	} {
		var e *extract.Error
		if _, err := Feed([]byte(doc), "", feedURL, 0); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEntityBombIsNotExpanded(t *testing.T) {
	t.Parallel()
	doc := `<!DOCTYPE rss [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM ` +
		`"file:///etc/passwd">]><rss ` +
		`version="2.0"><channel><title>F</title><item><guid>1</guid><description>&b;&x;</description></item></` +
		`channel></rss>`
	items, err := Feed([]byte(doc), "", feedURL, 0)
	if err != nil {
		return // refusing is fine
	}
	for _, it := range items {
		if strings.Contains(it.Content, "lol") || strings.Contains(it.Content, "root:") {
			t.Errorf("expanded: %q", it.Content)
		}
	}
}

// FuzzFeed: no panic, and the identities of parse are those of extract.
func FuzzFeed(f *testing.F) {
	f.Add([]byte(
		`<rss version="2.0" `+
			`xml:base="http://x/"><channel><item><guid>1</guid><description><![CDATA[<b>]]></description></item></`+
			`channel></rss>`), "text/xml")
	f.Add([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><entry xml:base='a/'><id>i</id><content `+
		`type="xhtml"><div xml:base="b">x</div></content></entry></feed>`), "application/atom+xml; charset=utf-8")
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"id":1,"content_text":"a"},{"id":2}]}`),
		"application/json")
	f.Add([]byte(`<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel><item><guid>&a;</guid><description>&a;<![CDATA[&a;`), "")
	f.Add([]byte(`{"feed":{"title":"T","items":{"0":{"id":"a","content_text":"A"},"1":{"id":"b"}}}}`), "")
	f.Add([]byte(`<rdf:RDF xmlns:rdf="r"><channel/><item><title>a</title></item><!DOCTYPE [</rdf:RDF>`), "")
	f.Add([]byte("{\"versi\x03on\":\"jsonfeed.org\"}"), "0") // a control character in a name is part of it
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		same(t, body, contentType, feedURL)
	})
}

// same compares the identities that the two readings give.
func same(t *testing.T, body []byte, contentType, base string) (items int) {
	t.Helper()
	feed, scanErr := extract.Scan(body, contentType, base, extract.Options{})
	parsed, err := Feed(body, contentType, base, 0)
	if (scanErr == nil) != (err == nil) {
		t.Errorf("extract says %v, parse says %v", scanErr, err)
		return 0
	}
	if err != nil {
		return 0
	}
	if len(feed.Items) != len(parsed) {
		t.Errorf("extract finds %d items, parse %d", len(feed.Items), len(parsed))
		return 0
	}
	for i, it := range feed.Items {
		if it.Identity != parsed[i].Identity {
			t.Errorf("item %d: identity %x and %x", i, it.Identity, parsed[i].Identity)
		}
	}
	return len(parsed)
}

func TestSingleEntryDocument(t *testing.T) {
	t.Parallel()
	got := one(t,
		`<?xml version="1.0"?><a:entry xmlns:a="http://www.w3.org/2005/Atom"><a:title>A</a:title><a:content `+
			`type="html">&lt;p>b&lt;/p></a:content></a:entry>`)
	if got.Content != "<p>b</p>" {
		t.Errorf("%+v", got)
	}
}

func TestBaseOfASummaryAlone(t *testing.T) {
	t.Parallel()
	got := one(t,
		`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://site.example/a/"><entry><id>1</id><summary `+
			`type="html" xml:base="https://site.example/b/">&lt;a href="c">c&lt;/a></summary></entry></feed>`)
	if got.Base != "https://site.example/b/" {
		t.Errorf("base %q", got.Base)
	}
}

// TestOneItemIsReadAsAmongAll: an item that is read alone has the body that it has where all are read.
func TestOneItemIsReadAsAmongAll(t *testing.T) {
	t.Parallel()
	compared := 0
	check := func(name string, body []byte, contentType, base string) {
		all, err := Feed(body, contentType, base, 0)
		if err != nil {
			return
		}
		d, err := Open(body, contentType, base, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range all {
			compared++
			if got, ok := d.Find(want.Identity); !ok || got != want {
				t.Errorf("%s, item %d: %+v, %v\nwant %+v", name, i, got, ok, want)
			}
			if want.Shared == 0 {
				continue
			}
			if got, ok := d.FindShared(want.Shared); !ok || got.Shared != want.Shared {
				t.Errorf("%s, item %d: under the shared guid %+v, %v", name, i, got, ok)
			}
		}
		if _, ok := d.Find(0); ok {
			t.Errorf("%s has an item without identity", name)
		}
	}
	for _, s := range samples(t) {
		check(s.file, s.body, s.contentType, s.base)
	}
	check("items that share a guid", []byte(`<rss version="2.0"><channel><title>F</title>
<item><guid>1</guid><link>https://a.example/1</link><description>one</description></item>
<item><guid>1</guid><link>https://a.example/2</link><description>two</description></item>
<item><title>no guid</title><description>three</description></item></channel></rss>`), "", feedURL)
	check("an item that spoils the rest",
		[]byte(`<rss version="2.0"><channel><title>F</title><item><guid>1</guid><description>a &bad; `+
			`<b></description></item><item><guid>2</guid><description>ok</description></item></channel></rss>`), "",
		feedURL)
	if compared < 5 {
		t.Errorf("%d items compared", compared)
	}
}

// Items that are read together are as each alone, and the others can still be read.
func TestItemsReadTogether(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`<rss version="2.0"><channel><title>t</title>`)
	for i := range 30 {
		fmt.Fprintf(&b,
			`<item><guid isPermaLink="false">%d</guid><title>%d</title><description>&lt;p&gt;Text `+
				`%d</description></item>`, i, i, i)
	}
	b.WriteString(`</channel></rss>`)
	d, err := Open([]byte(b.String()), "text/xml", "https://a.org/feed", 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	some := d.Together(func(identity, _ uint64) bool { n++; return n%2 == 0 })
	if len(some.items) != 15 {
		t.Fatalf("%d items are read", len(some.items))
	}
	for _, h := range d.feed.Items {
		alone, ok := d.Find(h.Identity)
		together, isThere := some.Find(h.Identity)
		if !ok || !isThere || alone != together || alone.Content == "" {
			t.Errorf("%+v alone, %+v together", alone, together)
		}
	}
}
