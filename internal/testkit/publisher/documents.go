package main

import (
	"fmt"
	"strings"
	"time"
)

const (
	rssType  = "application/rss+xml; charset=utf-8"
	atomType = "application/atom+xml; charset=utf-8"
	htmlType = "text/html; charset=utf-8"
)

// newest dates the newest item of every feed. Dates are fixed, so that each run serves the same bytes.
var newest = time.Date(2026, 10, 30, 9, 0, 0, 0, time.UTC)

// document is a page or feed that never changes. base is the site's address as the client sees it.
type document struct {
	contentType string
	body        func(base string) string
}

// documents are the fixed ones, by path.
func documents() map[string]document {
	fixed := func(contentType, body string) document {
		return document{contentType, func(string) string { return body }}
	}
	return map[string]document{
		"/feeds/plain.xml":    {rssType, plain().rss},
		"/feeds/nihongo.atom": {atomType, nihongo().atom},
		"/feeds/long.xml":     {rssType, long().rss},
		"/feeds/rich.xml":     {rssType, rich().rss},
		"/feeds/gallery.xml":  {rssType, gallery().rss},
		"/feeds/podcast.xml":  {rssType, podcast().rss},
		"/feeds/teasers.xml":  {rssType, teasers().rss},
		"/pages/read.html":    fixed(htmlType, longRead()),
		"/feeds/rtl.xml":      {rssType, rightToLeft().rss},
		"/pages/bare.html":    fixed(htmlType, page("A page without a feed", "")),
		"/pages/site.html": fixed(htmlType,
			page("A site with a feed",
				`<link rel="alternate" type="application/atom+xml" title="雨の日の覚え書き" href="/feeds/nihongo.atom">`)),
		"/pages/several.html": fixed(htmlType,
			page("A site with several feeds",
				`<link rel="alternate" type="application/rss+xml" title="Plain Notes" href="/feeds/plain.xml"><link `+
					`rel="alternate" type="application/atom+xml" title="雨の日の覚え書き" href="/feeds/nihongo.atom"><link `+
					`rel="alternate" type="application/rss+xml" title="Spoken" href="/feeds/podcast.xml">`)),
		"/pages/dangling.html": fixed(htmlType,
			page("A site whose feeds are gone",
				`<link rel="alternate" type="application/rss+xml" title="Old news" href="/status/404"><link `+
					`rel="alternate" type="application/rss+xml" title="Older news" href="/status/410">`)),
		"/pages/shop.html": fixed(htmlType, shop()),
		"/a/text.txt":      fixed("text/plain; charset=utf-8", "Only words.\n"),
	}
}

func page(title, head string) string {
	return "<!doctype html><html lang=en><meta charset=utf-8><title>" + title + "</title>" + head + "<h1>" + title +
		"</h1><p>Words for people.</p>"
}

// shop is a page without a feed that lists things with prices.
func shop() string {
	var b strings.Builder
	b.WriteString(page("Cameras in the harbour shop", ""))
	b.WriteString("<ul class=things>")
	for i, name := range []string{"Box camera", "Folding camera", "Pocket camera", "Stereo camera", "Studio camera",
		"Toy camera"} {
		fmt.Fprintf(&b,
			`<li class=thing><h3><a href="/pages/shop.html?thing=%d">%s</a></h3><p class=caption>Number %d on the `+
				`shelf</p><p class=price>¥%d,800</p><p class=by>%s</p></li>`,
			i+1, name, i+1, 12+(i*5)%7, []string{"Mori", "Sato"}[i%2])
	}
	b.WriteString("</ul>")
	return b.String()
}

// item is one item of a feed.
type item struct {
	id, title, html string
	enclosure       string // attributes of an RSS enclosure
	tags            []string
	page            string // a path of the site that it links to; else a text of its own
	isSummary       bool   // the text is said to be a description only
	isUndated       bool
}

// channel is a feed before it takes a format.
type channel struct {
	title, lang string
	items       []item // the newest first
}

func (c channel) rss(base string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<?xml version="1.0" encoding="utf-8"?><rss version="2.0" `+
			`xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>%s</title><link>%s/</link>`+
			`<description>A feed for tests.</description><language>%s</language>`, c.title, base, c.lang)
	for i, it := range c.items {
		page, text := it.page, "content:encoded"
		if page == "" {
			page = "/a/text.txt"
		}
		if it.isSummary {
			text = "description"
		}
		fmt.Fprintf(&b,
			`<item><guid isPermaLink="false">%s</guid><title>%s</title><link>%s%s?%s</link><%s><![CDATA[%s]]></%s>`,
			it.id, it.title, base, page, it.id, text, it.html, text)
		if !it.isUndated {
			fmt.Fprintf(&b, `<pubDate>%s</pubDate>`, newest.Add(time.Duration(-i)*7*time.Hour).Format(time.RFC1123Z))
		}
		for _, tag := range it.tags {
			fmt.Fprintf(&b, `<category>%s</category>`, tag)
		}
		if it.enclosure != "" {
			fmt.Fprintf(&b, `<enclosure %s/>`, it.enclosure)
		}
		b.WriteString("</item>")
	}
	b.WriteString("</channel></rss>\n")
	return b.String()
}

func (c channel) atom(base string) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		`<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" `+
			`xml:lang="%s"><title>%s</title><id>urn:test:%s</id><link `+
			`href="%s/"/><updated>%s</updated><author><name>瑠璃</name></author>`,
		c.lang, c.title, c.items[0].id, base, newest.Format(time.RFC3339))
	for i, it := range c.items {
		at := newest.Add(time.Duration(-i) * 9 * time.Hour).Format(time.RFC3339)
		fmt.Fprintf(&b,
			`<entry><id>urn:test:%s</id><title>%s</title><link `+
				`href="%s/a/text.txt?%s"/><updated>%s</updated><published>%s</published><content `+
				`type="html"><![CDATA[%s]]></content></entry>`,
			it.id, it.title, base, it.id, at, at, it.html)
	}
	b.WriteString("</feed>\n")
	return b.String()
}
