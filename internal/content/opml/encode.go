package opml

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Encode writes a list as OPML 2.0 in UTF-8: folders in the order of their first feed, feeds in the order given, titles
// both as text and as title, since readers differ in which one they show. The time is written as dateCreated unless it
// is zero. Decode reads the result as the same list.
func Encode(title string, feeds []Feed, created time.Time) []byte {
	root := &folder{}
	for _, f := range feeds {
		for _, path := range append([][]string{f.Path}, f.Also...) {
			dir := root.sub(path)
			dir.entries = append(dir.entries, entry{feed: &f})
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head>\n    "+
		"<title>%s</title>\n", escape(title))
	if !created.IsZero() {
		fmt.Fprintf(&b, "    <dateCreated>%s</dateCreated>\n", created.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"))
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
		i := slices.IndexFunc(f.entries, func(e entry) bool { return e.dir != nil && e.dir.name == name })
		if i < 0 {
			i = len(f.entries)
			f.entries = append(f.entries, entry{dir: &folder{name: name}})
		}
		f = f.entries[i].dir
	}
	return f
}

func (f *folder) write(b *bytes.Buffer, indent string) {
	for _, e := range f.entries {
		if e.dir != nil {
			name := escape(e.dir.name)
			fmt.Fprintf(b, "%s<outline text=\"%s\" title=\"%s\">\n", indent, name, name)
			e.dir.write(b, indent+"  ")
			fmt.Fprintf(b, "%s</outline>\n", indent)
			continue
		}
		if e.feed.Watch != "" {
			title := escape(cmp.Or(e.feed.Title, e.feed.HTMLURL))
			fmt.Fprintf(b, "%s<outline type=\"watch\" text=\"%s\" title=\"%s\" htmlUrl=\"%s\" watchMinutes=\"%d\" "+
				"watchSettings=\"%s\"/>\n",
				indent, title, title, escape(e.feed.HTMLURL), e.feed.Minutes, escape(e.feed.Watch))
			continue
		}
		title := escape(cmp.Or(e.feed.Title, e.feed.XMLURL)) // text is required (OPML 2.0)
		fmt.Fprintf(b, "%s<outline type=\"rss\" text=\"%s\" title=\"%s\" xmlUrl=\"%s\"", indent, title, title,
			escape(e.feed.XMLURL))
		if e.feed.HTMLURL != "" {
			fmt.Fprintf(b, " htmlUrl=\"%s\"", escape(e.feed.HTMLURL))
		}
		b.WriteString("/>\n")
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\t", "&#9;", "\n",
	"&#10;", "\r", "&#13;")

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
