package opml

import (
	"bytes"
	"strings"
	"time"
)

// Encode writes a list as OPML 2.0 in UTF-8: folders in the order of their first feed, feeds in the order
// given, titles both as text and as title, since readers differ in which one they show. The time is
// written as dateCreated unless it is zero. What Encode writes, Decode reads as it was.
func Encode(title string, feeds []Feed, created time.Time) []byte {
	root := &folder{}
	for _, f := range feeds {
		dir := root.sub(f.Path)
		dir.entries = append(dir.entries, entry{feed: &f})
		for _, path := range f.Also {
			dir := root.sub(path)
			dir.entries = append(dir.entries, entry{feed: &f})
		}
	}
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    <title>")
	b.WriteString(escape(title))
	b.WriteString("</title>\n")
	if !created.IsZero() {
		b.WriteString("    <dateCreated>" + created.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") + "</dateCreated>\n")
	}
	b.WriteString("  </head>\n  <body>\n")
	root.write(&b, "    ")
	b.WriteString("  </body>\n</opml>\n")
	return b.Bytes()
}

// folder is a level of the list: its feeds and folders in order.
type folder struct {
	name    string
	entries []entry
}

// entry is a feed or a folder.
type entry struct {
	feed *Feed
	dir  *folder
}

// sub finds or makes the folder at path. Empty names are no level, as in Decode.
func (f *folder) sub(path []string) *folder {
	for _, name := range path {
		if name == "" {
			continue
		}
		f = f.child(name)
	}
	return f
}

func (f *folder) child(name string) *folder {
	for _, e := range f.entries {
		if e.dir != nil && e.dir.name == name {
			return e.dir
		}
	}
	dir := &folder{name: name}
	f.entries = append(f.entries, entry{dir: dir})
	return dir
}

func (f *folder) write(b *bytes.Buffer, indent string) {
	for _, e := range f.entries {
		if e.dir != nil {
			attrs(b, indent+"<outline", "text", e.dir.name, "title", e.dir.name)
			b.WriteString(">\n")
			e.dir.write(b, indent+"  ")
			b.WriteString(indent + "</outline>\n")
			continue
		}
		title := e.feed.Title
		if title == "" {
			title = e.feed.XMLURL // text is required (OPML 2.0)
		}
		attrs(b, indent+"<outline", "type", "rss", "text", title, "title", title, "xmlUrl", e.feed.XMLURL)
		if e.feed.HTMLURL != "" {
			attrs(b, "", "htmlUrl", e.feed.HTMLURL)
		}
		b.WriteString("/>\n")
	}
}

func attrs(b *bytes.Buffer, lead string, pairs ...string) {
	b.WriteString(lead)
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString(" " + pairs[i] + `="` + escape(pairs[i+1]) + `"`)
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n", "&#10;", "\r", "&#13;")

// escape writes text for an attribute or element, without the characters that XML 1.0 (2.2) forbids.
func escape(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
	return escaper.Replace(s)
}
