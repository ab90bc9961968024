package extract

import (
	"html"
	"testing"
)

// TestTitles: words in angle brackets are lost only where they are certainly markup.
func TestTitles(t *testing.T) {
	t.Parallel()
	type title struct{ markup, rss, html string } // html: "" for the same as in RSS
	for _, tt := range []title{
		{"Why Vec<T> beats List<String>", "Why Vec<T> beats List<String>", ""},
		{"Map<K, V> and Option<A>, fn<'a>(x)", "Map<K, V> and Option<A>, fn<'a>(x)", ""},
		{"#include <iostream> and <stdio.h>", "#include <iostream> and <stdio.h>", ""},
		{"Using <my-widget> in forms", "Using <my-widget> in forms", ""},
		{"<dialog> or <table class=\"x\">?", "<dialog> or <table class=\"x\">?", "or ?"},
		{"Re: Anna <anna@example.org> writes", "Re: Anna <anna@example.org> writes", ""},
		{"See <https://a.example/> now", "See <https://a.example/> now", ""},
		{"HTML: is </p> needed?", "HTML: is </p> needed?", "HTML: is needed?"},
		{"How to load a <script> late", "How to load a <script> late", ""},
		{"A<script>alert(1)</script> title", "A title", ""},
		{"What does <?php do", "What does <?php do", ""},
		{"<!DOCTYPE html> explained", "<!DOCTYPE html> explained", ""},
		{"When 3 < 5 and 7 > 2, a<b, c>d", "When 3 < 5 and 7 > 2, a<b, c>d", ""},
		{"if a <b and c> d", "if a <b and c> d", ""},
		{"x <b", "x <b", ""},
		{"I <3 you", "I <3 you", ""},
		{"Read <em>this</em> <B class='x'>now</B>", "Read this now", ""},
		{"one<br>two<br/>three <img src=\"a.png\" alt=\"\"> four", "one two three four", ""},
		{"<a href=\"https://a.example/?a>b\">link</a> H<sub>2</sub>O", "link H2O", ""},
		{"x<!-- hidden -->y", "xy", ""},
		{"<![CDATA[Lettre ouverte]]>", "Lettre ouverte", ""},
		{"a <![CDATA[b]]> c", "a b c", ""},
		{"<p>A title</p>", "A title", ""},
		{"<P>A title</P>", "A title", ""},
		{" <div><p>A</p><p>B</p></div> ", "A B", ""},
		{"<h1>About <main></h1>", "About <main>", "About"},
		{"&lt;colorpicker&gt; &amp; more", "<colorpicker> & more", ""},
	} {
		want := tt.html
		if want == "" {
			want = tt.rss
		}
		for name, doc := range map[string]string{
			"escaped":  html.EscapeString(tt.markup),
			"in CDATA": "<![CDATA[" + tt.markup + "]]>",
		} {
			if got := titleOf(t, `<rss version="2.0"><channel><title>F</title><item><guid>1</guid><title>`+doc+
				`</title></item></channel></rss>`); got != tt.rss {
				t.Errorf("%s, RSS, %s: %q, want %q", tt.markup, name, got, tt.rss)
			}
			if got := titleOf(t, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title type="html">`+doc+
				`</title></entry></feed>`); got != want {
				t.Errorf("%s, Atom's html, %s: %q, want %q", tt.markup, name, got, want)
			}
			if got := titleOf(t, `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title type="text">`+
				html.EscapeString("a <b>c</b>")+`</title></entry></feed>`); got != "a <b>c</b>" {
				t.Errorf("Atom's text: %q", got)
			}
		}
	}
}

func titleOf(t *testing.T, doc string) string {
	t.Helper()
	feed, err := Scan([]byte(doc), "", "https://site.example/f", Options{})
	if err != nil || len(feed.Items) != 1 {
		t.Fatalf("%s: %+v, %v", doc, feed, err)
	}
	return feed.Items[0].Title
}

// A type may have parameters, and any case.
func TestTypesWithParameters(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]string{
		"text/plain;charset=utf-8": "<em>a</em> &amp; b", "TEXT/HTML": "a & b", " text/html; charset": "a & b",
	} {
		doc := `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><title type="` + typ +
			`">&lt;em>a&lt;/em> &amp;amp; b</title><content type="` + typ +
			`">&lt;em>a&lt;/em> &amp;amp; b</content></entry></feed>`
		f, err := Scan([]byte(doc), "", "", Options{})
		if err != nil || f.Items[0].Title != want || f.Items[0].Snippet != want {
			t.Errorf("%q: %+v, %v", typ, f.Items, err)
		}
	}
}
