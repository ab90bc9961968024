package extract

import (
	"strings"
	"testing"
)

// TestRelativeLinks: what an item's addresses count from where they are relative.
func TestRelativeLinks(t *testing.T) {
	t.Parallel()
	const (
		site           = `<link>https://site.example/blog/</link>`
		item           = `<item><title>T</title><link>/a.html</link><enclosure url="b.mp3" type="audio/mpeg"/></item>`
		rss            = `<rss version="2.0"><channel><title>F</title>`
		atSite, atFeed = "https://site.example/a.html https://site.example/blog/b.mp3",
			"https://feeds.example/a.html https://feeds.example/f/b.mp3"
	)
	for name, tt := range map[string]struct{ doc, want string }{
		"the site":                  {rss + site + item + `</channel></rss>`, atSite},
		"the site, said afterwards": {rss + item + site + `</channel></rss>`, atSite},
		"a relative link":           {rss + `<link>/blog/</link>` + item + `</channel></rss>`, atFeed},
		"no link":                   {rss + item + `</channel></rss>`, atFeed},
		"no web address":            {rss + `<link>urn:x</link>` + item + `</channel></rss>`, atFeed},
		"the base of the feed": {strings.Replace(rss, `"2.0"`, `"2.0" xml:base="https://base.example/"`, 1) +
			site + item + `</channel></rss>`, "https://base.example/a.html https://base.example/b.mp3"},
		"the base of the item": {rss + site +
			strings.Replace(item, "<item", `<item xml:base="https://base.example/"`, 1) + `</channel></rss>`,
			"https://base.example/a.html https://base.example/b.mp3"},
		"a link of Atom": {rss +
			`<atom:link xmlns:atom="http://www.w3.org/2005/Atom" href="https://site.example/blog/"/>` + item +
			`</channel></rss>`, atSite},
		"RDF": {
			`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" ` +
				`xmlns="http://purl.org/rss/1.0/"><channel><title>F</title>` + site + `</channel>` + item +
				`</rdf:RDF>`, atSite},
		"read by gofeed": {rss + site + item +
			`<item><title>U</title><description><b></item></channel></rss>`, atSite},
		"JSON Feed": {
			`{"version":"https://jsonfeed.org/version/1","home_page_url":"https://site.example/blog/",` +
				`"items":[{"id":"1","url":"/a.html","attachments":[{"url":"b.mp3"}]}]}`, atSite},
		"JSON Feed, items first": {
			`{"items":[{"id":"1","url":"/a.html","attachments":[{"url":"b.mp3"}]}],"home_page_url":"https://site.` +
				`example/blog/","version":"https://jsonfeed.org/version/1"}`, atSite},
		"JSON Feed without a site": {
			`{"version":"https://jsonfeed.org/version/1","home_page_url":"/blog/","items":[{"id":"1","url":"/a.html",` +
				`"attachments":[{"url":"b.mp3"}]}]}`, atFeed},
		"Atom": {
			`<feed xmlns="http://www.w3.org/2005/Atom"><link ` +
				`href="https://site.example/blog/"/><entry><id>1</id><link href="/a.html"/><link rel="enclosure" ` +
				`href="b.mp3"/></entry></feed>`, atFeed},
	} {
		feed, err := Scan([]byte(tt.doc), "", "https://feeds.example/f/feed", Options{})
		if err != nil || len(feed.Items) == 0 || len(feed.Items[0].Enclosures) != 1 {
			t.Errorf("%s: %+v, %v", name, feed, err)
			continue
		}
		if got := feed.Items[0].Link + " " + feed.Items[0].Enclosures[0].URL; got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestImageInsideXHTML: the lead image counts from the innermost base.
func TestImageInsideXHTML(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`<div xml:base="a/"><b>x</b><p xml:base="b/"><img src="t.png"/></p></div>`: "https://site.example/d/a/" +
			"b/t.png",
		`<div><p xml:base="b/">x</p><br/><img xml:base="/c/" src="t.png"/></div>`: "https://site.example/c/t." +
			"png",
		`<div><p xml:base="b/">x</p><!-- </div> --><img src="t.png"/></div>`: "https://site.example/d/t." +
			"png",
		`<div><p xml:base="urn:x">x</p><p xml:base="urn:x"><img src="t.png"/></p></div>`: "https://site.example/d/t." +
			"png",
	} {
		feed, err := Scan(
			[]byte(`<feed xmlns="http://www.w3.org/2005/Atom" `+
				`xml:base="https://site.example/d/"><entry><id>1</id><content type="xhtml">`+in+
				`</content></entry></feed>`), "", "", Options{})
		if err != nil || feed.Items[0].Image != want {
			t.Errorf("%s: %+v, %v; want %s", in, feed.Items, err, want)
		}
	}
}

func TestKeywordsAreSeveralCategories(t *testing.T) {
	t.Parallel()
	feed, err := Scan(
		[]byte(`<rss version="2.0" `+
			`xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>F</title><item><guid>1</guid>`+
			`<itunes:keywords>a, b c,日本、東京，,</itunes:keywords></item></channel></rss>`), "", "", Options{})
	if err != nil || strings.Join(feed.Items[0].Categories, "|") != "a|b c|日本|東京" {
		t.Errorf("%+v, %v", feed, err)
	}
}
