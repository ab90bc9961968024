package samples

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/encoding/japanese"
)

// format is how a channel is set.
type format struct {
	suffix, mediaType string
	charset           string // said in the Content-Type header; "" leaves it to the document
}

var formats = map[string]format{
	"rss":     {".xml", "application/rss+xml", "utf-8"},
	"podcast": {".xml", "application/rss+xml", "utf-8"},
	"atom":    {".atom", "application/atom+xml", "utf-8"},
	// RSS 1.0 grew up in Japan in the years of EUC-JP; the sample keeps the custom, and names its charset
	// where old feeds do: in the document only.
	"rdf":  {".rdf", "application/rdf+xml", ""},
	"json": {".json", "application/feed+json", "utf-8"},
}

// set makes the document of a channel, for a server at base.
func (c *channel) set(base string) []byte {
	switch c.format {
	case "atom":
		return atom(c, base)
	case "rdf":
		return rdf(c, base)
	case "json":
		return jsonFeed(c, base)
	}
	return rss(c, base)
}

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

// doc builds an XML document.
type doc struct{ strings.Builder }

// line writes a line; its arguments are escaped.
func (d *doc) line(form string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = xmlEscaper.Replace(s)
		}
	}
	fmt.Fprintf(d, form+"\n", args...)
}

// cdata writes markup as it is.
func (d *doc) cdata(name, markup string) {
	d.WriteString("<" + name + "><![CDATA[" + strings.ReplaceAll(markup, "]]>", "]]]]><![CDATA[>") + "]]></" + name + ">\n")
}

// rss sets RSS 2.0, with the podcast tags where there are sounds.
func rss(c *channel, base string) []byte {
	var d doc
	d.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	d.line(`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">`)
	d.line(`<channel>`)
	d.line(`<title>%s</title><link>%s</link><description>%s</description><language>%s</language>`, c.title, base+Prefix, c.description, c.lang)
	d.line(`<atom:link rel="self" type="application/rss+xml" href="%s"/>`, base+c.path())
	if c.format == "podcast" {
		d.line(`<itunes:author>%s</itunes:author><itunes:explicit>false</itunes:explicit><itunes:category text="Music"/>`, c.author)
	}
	for _, it := range c.items {
		d.line(`<item><title>%s</title><link>%s</link><guid isPermaLink="false">%s</guid>`, it.title, base+c.page(it), c.id(it))
		d.line(`<dc:creator>%s</dc:creator>`, c.author)
		if !it.date.IsZero() {
			d.line(`<pubDate>%s</pubDate>`, it.date.Format(time.RFC1123Z))
		}
		for _, tag := range it.tags {
			d.line(`<category>%s</category>`, tag)
		}
		d.line(`<description>%s</description>`, it.summary)
		d.cdata("content:encoded", it.markup())
		if len(it.tone) > 0 {
			d.line(`<enclosure url="%s" type="audio/wav" length="%d"/>`, base+c.sound(it), soundSize)
			d.line(`<itunes:duration>%d</itunes:duration><itunes:episode>%d</itunes:episode>`, soundSeconds, it.number)
		}
		d.line(`</item>`)
	}
	d.line("</channel>\n</rss>")
	return []byte(d.String())
}

// atom sets Atom 1.0 (RFC 4287).
func atom(c *channel, base string) []byte {
	var d doc
	d.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	d.line(`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="%s">`, c.lang)
	d.line(`<title>%s</title><subtitle>%s</subtitle>`, c.title, c.description)
	d.line(`<id>tag:ruri-reader.example,2026:%s</id><updated>%s</updated>`, c.name, c.updated().Format(time.RFC3339))
	d.line(`<link rel="self" type="application/atom+xml" href="%s"/><link href="%s"/>`, base+c.path(), base+Prefix)
	d.line(`<author><name>%s</name></author>`, c.author)
	for _, it := range c.items {
		d.line(`<entry><title>%s</title><link href="%s"/><id>%s</id>`, it.title, base+c.page(it), c.id(it))
		d.line(`<published>%s</published><updated>%s</updated>`, it.date.Format(time.RFC3339), it.date.Format(time.RFC3339))
		for _, tag := range it.tags {
			d.line(`<category term="%s"/>`, tag)
		}
		d.line(`<summary type="text">%s</summary>`, it.summary)
		d.line(`<content type="html">%s</content></entry>`, it.markup())
	}
	d.line(`</feed>`)
	return []byte(d.String())
}

// rdf sets RSS 1.0, in EUC-JP.
func rdf(c *channel, base string) []byte {
	var d doc
	d.line(`<?xml version="1.0" encoding="EUC-JP"?>`)
	d.line(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xml:lang="%s">`, c.lang)
	d.line(`<channel rdf:about="%s"><title>%s</title><link>%s</link><description>%s</description>`, base+c.path(), c.title, base+Prefix, c.description)
	d.line(`<dc:language>%s</dc:language><dc:date>%s</dc:date><items><rdf:Seq>`, c.lang, c.updated().Format(time.RFC3339))
	for _, it := range c.items {
		d.line(`<rdf:li rdf:resource="%s"/>`, base+c.page(it))
	}
	d.line(`</rdf:Seq></items></channel>`)
	for _, it := range c.items {
		d.line(`<item rdf:about="%s"><title>%s</title><link>%s</link>`, base+c.page(it), it.title, base+c.page(it))
		d.line(`<dc:date>%s</dc:date><dc:creator>%s</dc:creator>`, it.date.Format(time.RFC3339), c.author)
		for _, tag := range it.tags {
			d.line(`<dc:subject>%s</dc:subject>`, tag)
		}
		d.line(`<description>%s</description>`, it.summary)
		d.cdata("content:encoded", it.markup())
		d.line(`</item>`)
	}
	d.line(`</rdf:RDF>`)
	out, err := japanese.EUCJP.NewEncoder().String(d.String())
	if err != nil {
		panic(fmt.Errorf("samples: %s: %w", c.name, err)) // our own text; a test reads all of it
	}
	return []byte(out)
}

// jsonFeed sets JSON Feed 1.1.
func jsonFeed(c *channel, base string) []byte {
	type author struct {
		Name string `json:"name"`
	}
	type entry struct {
		ID        string   `json:"id"`
		URL       string   `json:"url"`
		Title     string   `json:"title"`
		HTML      string   `json:"content_html,omitempty"`
		Text      string   `json:"content_text,omitempty"`
		Summary   string   `json:"summary"`
		Published string   `json:"date_published"`
		Tags      []string `json:"tags"`
	}
	feed := struct {
		Version     string   `json:"version"`
		Title       string   `json:"title"`
		HomePage    string   `json:"home_page_url"`
		FeedURL     string   `json:"feed_url"`
		Description string   `json:"description"`
		Language    string   `json:"language"`
		Authors     []author `json:"authors"`
		Items       []entry  `json:"items"`
	}{"https://jsonfeed.org/version/1.1", c.title, base + Prefix, base + c.path(), c.description, c.lang, []author{{c.author}}, nil}
	for _, it := range c.items {
		e := entry{ID: c.id(it), URL: base + c.page(it), Title: it.title, Summary: it.summary, Published: it.date.Format(time.RFC3339), Tags: it.tags}
		if it.text {
			e.Text = it.body
		} else {
			e.HTML = it.body
		}
		feed.Items = append(feed.Items, e)
	}
	out, err := json.MarshalIndent(feed, "", "  ")
	if err != nil {
		panic(err) // strings only
	}
	return append(out, '\n')
}

// markup is the body as HTML.
func (it item) markup() string {
	if it.text {
		return "<pre>" + xmlEscaper.Replace(it.body) + "</pre>"
	}
	return it.body
}
