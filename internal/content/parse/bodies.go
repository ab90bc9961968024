package parse

import (
	"bytes"
	"cmp"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

// body is the part of an item that the full parse adds to a header.
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
		for _, item := range [][]byte{raw[i], escapeStray(raw[i])} {
			g := full(bytes.Join([][]byte{f.head, item, f.tail}, nil))
			if g != nil && len(g.Items) == 1 {
				out[i] = assemble(g, 0, note[i])
				break
			}
		}
	}
}

// escapeStray escapes each '<' that begins no markup, which the full parser refuses.
func escapeStray(item []byte) []byte {
	var out []byte
	for i := 0; i < len(item); {
		switch rest := item[i:]; {
		case rest[0] != '<':
			out = append(out, rest[0])
			i++
		case bytes.HasPrefix(rest, []byte("<![CDATA[")), bytes.HasPrefix(rest, []byte("<!--")):
			mark := "-->"
			if rest[2] == '[' {
				mark = "]]>"
			}
			end := past(item, i, mark)
			if end < 0 {
				return append(out, rest...)
			}
			out = append(out, item[i:end]...)
			i = end
		default:
			if len(rest) < 2 || rest[1] != '/' && rest[1] != '!' && rest[1] != '?' && !isNameStart(rest[1]) {
				out = append(out, "&lt;"...)
			} else {
				out = append(out, '<')
			}
			i++
		}
	}
	return out
}

// jsonItems reads each item with the reader of its header, so that a member of an unexpected type costs no other.
func (d *Document) jsonItems(headers []extract.Item, out []body) {
	for i, h := range headers {
		html, text, summary := extract.JSONTexts(d.text[h.Start:h.End])
		out[i] = body{content: html, summary: paragraphs(summary)}
		if blank(html) {
			out[i].content = paragraphs(text)
		}
		out[i].withoutDouble()
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
				n.content.kind = extract.MediaType(c.Type)
			}
		}
		b.content = rebased(markup(it.Content, n.content), n.content)
		b.summary = rebased(markup(it.Description, n.summary), n.summary)
	default:
		b.content, b.summary = guess(cmp.Or(it.Content, n.inline, it.Custom["fullitem"])), guess(it.Description)
	}
	if blank(b.content) && blank(b.summary) {
		b.summary = otherText(it.Extensions)
	}
	if blank(b.content) && n.content.base == "" {
		b.base = cmp.Or(n.summary.base, b.base)
	}
	b.withoutDouble()
	return b
}

// rebased is a text with the bases that it has inside; escaped markup has none.
func rebased(markup string, c construct) string {
	if !c.isXHTML() {
		return markup
	}
	return rebase(markup, c.around)
}

func (b *body) withoutDouble() {
	if b.content == b.summary {
		b.summary = ""
	}
}

// otherText finds a text where podcasts and video sites put it.
func otherText(in ext.Extensions) string {
	for _, v := range []string{
		firstValue(in["itunes"]["summary"]), firstValue(in["dc"]["description"]), mediaText(in["media"]),
		firstValue(in["itunes"]["subtitle"]),
	} {
		if !blank(v) {
			return guess(v)
		}
	}
	return ""
}

// mediaText is the description of an item of Media RSS, or of the group or the file in it.
func mediaText(in map[string][]ext.Extension) string {
	text := firstValue(in["description"])
	for _, inside := range [...]string{"group", "content"} {
		for _, e := range in[inside] {
			if blank(text) {
				text = mediaText(e.Children)
			}
		}
	}
	return text
}

func firstValue(in []ext.Extension) string {
	if len(in) == 0 {
		return ""
	}
	return in[0].Value
}
