package opml

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
)

// Decode reads a list. Errors are fault.Invalid with the code opml_empty, not_opml, opml_truncated,
// opml_malformed, opml_too_deep or opml_entities, or fault.TooLarge with opml_too_large; each has a
// message for a person, and then nothing of the document is to be used. A list without feeds is no error.
func Decode(data []byte, limits Limits) (Document, error) {
	limits = limits.withDefaults()
	if len(data) > limits.Bytes {
		return Document{}, fault.Newf(fault.TooLarge, "opml_too_large",
			"The file is larger than %d MB, the most that one import takes.", limits.Bytes>>20)
	}
	text, err := extract.Decode(data, "")
	if err != nil || strings.TrimSpace(string(text)) == "" {
		return Document{}, fault.Newf(fault.Invalid, "opml_empty", "The file is empty.")
	}
	d := &decoder{limits: limits, scan: scanner{in: string(text), line: 1}, seen: map[string]int{}}
	if err := d.run(); err != nil {
		return Document{}, err
	}
	return d.doc, nil
}

type decoder struct {
	limits Limits
	scan   scanner
	doc    Document
	seen   map[string]int // addresses taken, by the feed in doc that has them
	open   []outline
}

// outline is an open element.
type outline struct {
	name    string // of the element, in lower case
	folder  string // what it is called, for those inside it; "" for what is no outline
	comment bool
}

func (d *decoder) run() error {
	for {
		t, err := d.scan.next()
		if err != nil {
			return err
		}
		if t.kind == endOfInput {
			return d.ended(t.line)
		}
		if len(d.open) == 0 && (t.name != "opml" || t.kind == endTag) {
			return fault.Newf(fault.Invalid, "not_opml", "This is not an OPML file (it starts with <%s>).", clip(t.name, 40))
		}
		if t.kind == endTag {
			if done, err := d.end(t); done || err != nil {
				return err
			}
			continue
		}
		if len(d.open) >= maxDepth {
			return fault.Newf(fault.Invalid, "opml_too_deep", "The file nests folders more than %d deep (line %d).", maxDepth, t.line)
		}
		o := outline{name: t.name, comment: d.commented()}
		if t.name == "outline" && !d.inHead() {
			d.outline(&o, t)
		}
		if !t.empty {
			d.open = append(d.open, o)
		} else if len(d.open) == 0 {
			return nil // <opml/>
		}
	}
}

// ended judges a document that ends before its root does.
func (d *decoder) ended(line int) error {
	if len(d.open) == 0 {
		return fault.Newf(fault.Invalid, "not_opml", "This is not an OPML file.")
	}
	return fault.Newf(fault.Invalid, "opml_truncated",
		"The file is cut off: it ends at line %d inside <%s>. Nothing was imported.", line, d.open[len(d.open)-1].name)
}

// end closes an element; done tells that it was the root, after which nothing counts.
func (d *decoder) end(t tag) (done bool, err error) {
	top := d.open[len(d.open)-1]
	if top.name != t.name {
		return false, fault.Newf(fault.Invalid, "opml_malformed",
			"The file is damaged: line %d closes <%s> where <%s> is open. Nothing was imported.", t.line, clip(t.name, 40), top.name)
	}
	if t.name == "title" && d.inHead() && d.doc.Title == "" {
		d.doc.Title = clip(collapse(t.text), maxTitle)
	}
	d.open = d.open[:len(d.open)-1]
	return len(d.open) == 0, nil
}

func (d *decoder) inHead() bool { return len(d.open) > 1 && d.open[1].name == "head" }

func (d *decoder) commented() bool { return len(d.open) > 0 && d.open[len(d.open)-1].comment }

// outline takes one outline: a feed when it has an address, and in any case a folder for what is in it.
func (d *decoder) outline(o *outline, t tag) {
	name := collapse(t.attr("text"))
	if name == "" {
		name = collapse(t.attr("title"))
	}
	o.folder = clip(name, maxTitle)
	o.comment = o.comment || strings.EqualFold(strings.TrimSpace(t.attr("isComment")), "true")
	address := strings.TrimSpace(t.attr("xmlUrl"))
	kind := strings.ToLower(strings.TrimSpace(t.attr("type")))
	problem := func(code, format string, args ...any) {
		d.problem(Problem{URL: address, Title: o.folder, Code: code, Message: fmt.Sprintf(format, args...), Line: t.line})
	}
	if address == "" {
		switch {
		case kind == "include" && t.attr("url") != "":
			address = t.attr("url")
			problem(Included, "The entry stands for another list, which is not fetched. Import that list itself.")
		case kind == "rss" || kind == "atom" || t.has("xmlUrl"):
			problem(NoAddress, "The entry has no feed address.")
		}
		return
	}
	normal, ok := feedAddress(address)
	switch {
	case o.comment:
		problem(Commented, "The entry is switched off in the list.")
	case !ok:
		problem(BadAddress, "This is not the address of a feed: only http and https addresses are.")
	case d.has(normal):
		d.again(&d.doc.Feeds[d.seen[normal]])
	case len(d.doc.Feeds) >= d.limits.Feeds:
		problem(OverLimit, "One import takes %d feeds; this one is beyond them. Import the rest in a second file.", d.limits.Feeds)
	default:
		d.seen[normal] = len(d.doc.Feeds)
		if o.folder == address || o.folder == normal {
			name = "" // an address is no title; Encode writes it where there is none
		}
		site, _ := webAddress(t.attr("htmlUrl"))
		d.doc.Feeds = append(d.doc.Feeds, Feed{Path: d.path(), Title: clip(name, maxTitle), XMLURL: normal, HTMLURL: site})
	}
}

func (d *decoder) has(address string) bool {
	_, ok := d.seen[address]
	return ok
}

// again takes an entry whose address was listed before: a further folder of the same feed, or a duplicate.
func (d *decoder) again(f *Feed) {
	path := d.path()
	same := func(p []string) bool { return slices.Equal(p, path) }
	if len(path) == 0 || len(f.Path) == 0 || same(f.Path) || slices.ContainsFunc(f.Also, same) || len(f.Also) >= maxAlso {
		d.doc.Duplicates++
		return
	}
	f.Also = append(f.Also, path)
}

func (d *decoder) path() []string {
	var path []string
	for _, o := range d.open {
		if o.folder != "" {
			path = append(path, o.folder)
		}
	}
	return path
}

func (d *decoder) problem(p Problem) {
	if len(d.doc.Problems) >= maxProblems {
		d.doc.MoreProblems++
		return
	}
	p.URL = clip(p.URL, maxTitle)
	d.doc.Problems = append(d.doc.Problems, p)
}

// feedAddress reads an address as feed lists write it; feed:https://… and feed://… are the forms that
// browsers once handed to readers.
func feedAddress(s string) (string, bool) {
	if len(s) > 5 && strings.EqualFold(s[:5], "feed:") {
		if s = s[5:]; strings.HasPrefix(s, "//") {
			s = "http:" + s
		}
	}
	return webAddress(s)
}

// webAddress accepts an http or https address with a host, and lowers scheme and host; the rest stays as
// it is written, as publishers may tell two spellings of a path apart.
func webAddress(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxAddress || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return "", false
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
		return "", false
	}
	start := len(u.Scheme) + len("://")
	end := start + strings.IndexAny(s[start:]+"/", "/?#")
	authority := s[start:end]
	at := strings.LastIndexByte(authority, '@') + 1 // a password keeps its case
	return strings.ToLower(s[:start]) + authority[:at] + strings.ToLower(authority[at:]) + s[end:], true
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts s to n runes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
