package parse

import (
	"bytes"
	"cmp"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	gojson "github.com/mmcdole/gofeed/json"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// body is what the full parse adds to a header.
type body struct{ content, summary, base string }

// bodies reads the texts of items, in the same order; what cannot be read is empty.
func (d *Document) bodies(headers []extract.Item) []body {
	out := make([]body, len(headers))
	switch {
	case len(headers) == 0:
	case d.feed.Fallback:
		d.wholeDocument(headers, out)
	case d.feed.Format == extract.JSON:
		d.jsonItems(headers, out)
	default:
		d.xmlItems(headers, out)
	}
	return out
}

// xmlItems cuts the items out and parses them together, or one by one when one of them spoils the rest.
func (d *Document) xmlItems(headers []extract.Item, out []body) {
	f := d.frame()
	raw := make([][]byte, len(headers))
	note := make([]notes, len(headers))
	size := len(f.head) + len(f.tail)
	for i, h := range headers {
		raw[i] = bytes.Clone(d.text[h.Start:h.End])
		note[i] = annotate(raw[i], f.base, d.baseURL)
		if note[i].tooDeep {
			raw[i] = nil
		}
		size += len(raw[i])
	}
	all := bytes.Join([][]byte{f.head, bytes.Join(raw, nil), f.tail}, nil)
	if g := full(all); g != nil && len(g.Items) == len(headers) {
		for i := range headers {
			out[i] = assemble(g, i, note[i])
		}
		return
	}
	for i := range headers {
		if g := full(bytes.Join([][]byte{f.head, raw[i], f.tail}, nil)); g != nil && len(g.Items) == 1 {
			out[i] = assemble(g, 0, note[i])
		}
	}
}

func (d *Document) jsonItems(headers []extract.Item, out []body) {
	wrap := func(items []byte) *gofeed.Feed {
		return full(bytes.Join([][]byte{[]byte(`{"version":"https://jsonfeed.org/version/1.1","items":[`), items, []byte(`]}`)}, nil))
	}
	raw := make([][]byte, len(headers))
	for i, h := range headers {
		raw[i] = d.text[h.Start:h.End]
	}
	if g := wrap(bytes.Join(raw, []byte(","))); g != nil && len(g.Items) == len(headers) {
		for i := range headers {
			out[i] = assemble(g, i, notes{})
		}
		return
	}
	for i := range headers {
		if g := wrap(raw[i]); g != nil && len(g.Items) == 1 {
			out[i] = assemble(g, 0, notes{})
		}
	}
}

// wholeDocument parses what extract itself could only read with gofeed. Both pass the same text to gofeed, so that an
// item is at the same index for both.
func (d *Document) wholeDocument(headers []extract.Item, out []body) {
	g := full(d.text)
	if g == nil {
		return
	}
	for i, h := range headers {
		if h.Start < len(g.Items) {
			out[i] = assemble(g, h.Start, notes{})
		}
	}
}

// full is gofeed's reading, nil when it has none.
func full(text []byte) (g *gofeed.Feed) {
	// Hostile input has made parsers panic before; one item without a body is all it may cost.
	defer func() {
		if recover() != nil {
			g = nil
		}
	}()
	p := gofeed.NewParser()
	p.KeepOriginalFeed = true
	g, err := p.Parse(bytes.NewReader(extract.DropControls(text)))
	if err != nil {
		return nil
	}
	return g
}

// assemble makes the body of the item at i.
func assemble(g *gofeed.Feed, i int, n notes) body {
	it := g.Items[i]
	b := body{content: it.Content, summary: it.Description, base: cmp.Or(n.content.base, n.base)}
	switch original := g.OriginalFeed().(type) {
	case *atom.Feed:
		if len(original.Entries) == len(g.Items) {
			if c := original.Entries[i].Content; c != nil && n.content.kind == "" {
				n.content.kind = c.Type
			}
		}
		b.content = markup(it.Content, n.content)
		b.summary = markup(it.Description, n.summary)
	case *gojson.Feed:
		if len(original.Items) == len(g.Items) {
			o := original.Items[i]
			b.content, b.summary = o.ContentHTML, paragraphs(o.Summary)
			if blank(b.content) {
				b.content = paragraphs(o.ContentText)
			}
		}
	default:
		b.content, b.summary = guess(cmp.Or(it.Content, n.inline, it.Custom["fullitem"])), guess(it.Description)
		if blank(b.content) && blank(b.summary) {
			b.summary = otherText(it)
		}
	}
	if blank(b.content) && n.content.base == "" {
		b.base = cmp.Or(n.summary.base, b.base)
	}
	if b.content == b.summary {
		b.summary = ""
	}
	return b
}

// otherText finds a text where podcasts and video sites put it.
func otherText(it *gofeed.Item) string {
	if it.ITunesExt != nil && it.ITunesExt.Summary != "" {
		return guess(it.ITunesExt.Summary)
	}
	media := it.Extensions["media"]
	for _, e := range media["description"] {
		return guess(e.Value)
	}
	for _, group := range media["group"] {
		for _, e := range group.Children["description"] {
			return guess(e.Value)
		}
	}
	return ""
}
