package opml

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Decode reads a list. Errors are fault.Invalid with the code opml_empty, not_opml, opml_truncated,
// opml_malformed, opml_too_deep or opml_entities, or fault.TooLarge with opml_too_large; then nothing of the
// document is to be used. A list without feeds is no error.
func Decode(data []byte) (Document, error) { return decode(data, MaxFeeds) }

func decode(data []byte, maxFeeds int) (Document, error) {
	if len(data) > MaxBytes {
		return Document{}, fault.Coded(fault.TooLarge, "opml_too_large", MaxBytes>>20)
	}
	text, err := extract.Decode(data, "")
	if err != nil || strings.TrimSpace(string(text)) == "" {
		return Document{}, fault.Coded(fault.Invalid, "opml_empty")
	}
	d := &decoder{maxFeeds: maxFeeds, scan: newScanner(string(text)), seen: map[string]int{},
		categories: map[int][][]string{}}
	if err := d.run(); err != nil {
		return Document{}, err
	}
	d.file()
	return d.doc, nil
}

type decoder struct {
	maxFeeds int
	scan     *scanner
	doc      Document
	seen     map[string]int // indexes in doc.Feeds by address
	open     []outline
	// categories of feeds by their indexes
	categories map[int][][]string
}

// outline is an open element.
type outline struct {
	name    string // of the element, in lower case
	folder  string // the name of a folder; "" for other elements
	comment bool
	// missing is the problem to report if nothing is inside: an outline that should have had an address is a folder
	// where it holds others.
	missing *Problem
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
			return fault.Coded(fault.Invalid, "not_opml")
		}
		if t.kind == endTag {
			if done, err := d.end(t); done || err != nil {
				return err
			}
			continue
		}
		if len(d.open) >= maxDepth {
			return fault.Coded(fault.Invalid, "opml_too_deep", t.line)
		}
		if t.name == "outline" && len(d.open) > 0 {
			d.open[len(d.open)-1].missing = nil
		}
		o := outline{name: t.name, comment: d.commented()}
		if t.name == "outline" && !d.inHead() {
			d.outline(&o, t)
		}
		if t.empty && o.missing != nil {
			d.problem(*o.missing)
		}
		if !t.empty {
			d.open = append(d.open, o)
		} else if len(d.open) == 0 {
			return nil // <opml/>
		}
	}
}

// ended returns the error of a document that ends before its root does.
func (d *decoder) ended(line int) error {
	if len(d.open) == 0 {
		return fault.Coded(fault.Invalid, "not_opml")
	}
	return fault.Coded(fault.Invalid, "opml_truncated", line)
}

// end closes an element; done: it was the root, and the rest is ignored.
func (d *decoder) end(t tag) (done bool, err error) {
	top := d.open[len(d.open)-1]
	if top.name != t.name {
		return false, fault.Coded(fault.Invalid, "opml_malformed", t.line)
	}
	if t.name == "title" && d.inHead() && d.doc.Title == "" {
		d.doc.Title = reader.Cut(collapse(t.text), maxTitle)
	}
	if top.missing != nil {
		d.problem(*top.missing)
	}
	d.open = d.open[:len(d.open)-1]
	return len(d.open) == 0, nil
}

func (d *decoder) inHead() bool { return len(d.open) > 1 && d.open[1].name == "head" }

func (d *decoder) commented() bool { return len(d.open) > 0 && d.open[len(d.open)-1].comment }

// outline reads one outline: a feed when it has an address, and in any case a folder for its children.
func (d *decoder) outline(o *outline, t tag) {
	name := collapse(t.attrs["text"])
	if name == "" {
		name = collapse(t.attrs["title"])
	}
	o.folder = reader.Cut(name, maxTitle)
	o.comment = o.comment || strings.EqualFold(strings.TrimSpace(t.attrs["iscomment"]), "true")
	address, hasAddress := t.attrs["xmlurl"]
	address = strings.TrimSpace(address)
	kind := strings.ToLower(strings.TrimSpace(t.attrs["type"]))
	if isFeed := kind == "rss" || kind == "atom"; isFeed && address == "" {
		address, hasAddress = strings.TrimSpace(t.attrs["url"]), true
	}
	problem := func(code string) {
		d.problem(Problem{URL: address, Title: o.folder, Code: code})
	}
	if address == "" {
		switch {
		case kind == watchType && t.attrs[attrSettings] != "":
			d.watch(o, t)
		case kind == "include" && t.attrs["url"] != "":
			address = t.attrs["url"]
			problem(Included)
		case hasAddress:
			o.missing = &Problem{Title: o.folder, Code: NoAddress}
		}
		return
	}
	normal, ok := feedAddress(address)
	place, listed := d.seen[normal]
	switch {
	case o.comment:
		problem(Commented)
	case !ok:
		problem(BadAddress)
	case listed:
		d.addFolder(&d.doc.Feeds[place])
	case len(d.doc.Feeds) >= d.maxFeeds:
		problem(OverLimit)
	default:
		d.seen[normal] = len(d.doc.Feeds)
		d.categories[len(d.doc.Feeds)] = categories(t.attrs["category"])
		if o.folder == address || o.folder == normal {
			name = "" // Encode writes the address where there is no title
		}
		site, _ := webAddress(t.attrs["htmlurl"])
		f := Feed{Path: d.path(), Title: reader.Cut(name, maxTitle), XMLURL: normal, HTMLURL: site}
		d.doc.Feeds = append(d.doc.Feeds, f)
	}
}

// The type and attributes of the outline of a watch. Attributes are read in lower case.
const (
	watchType    = "watch"
	attrSettings = "watchsettings"
	attrMinutes  = "watchminutes"
)

// watch reads the outline of a watch. Outlines of this type that other programs wrote are none.
func (d *decoder) watch(o *outline, t tag) {
	page, ok := webAddress(t.attrs["htmlurl"])
	f := Feed{Path: d.path(), Title: o.folder, HTMLURL: page, Watch: t.attrs[attrSettings]}
	f.Minutes, _ = strconv.Atoi(t.attrs[attrMinutes])
	key := watchType + f.Watch
	place, listed := d.seen[key]
	problem := func(code string) { d.problem(Problem{URL: page, Title: o.folder, Code: code}) }
	switch {
	case o.comment:
		problem(Commented)
	case !ok || len(f.Watch) > maxWatch:
		problem(BadAddress)
	case listed:
		d.addFolder(&d.doc.Feeds[place])
	case len(d.doc.Feeds) >= d.maxFeeds:
		problem(OverLimit)
	default:
		d.seen[key] = len(d.doc.Feeds)
		d.doc.Feeds = append(d.doc.Feeds, f)
	}
}

// addFolder handles an entry whose address was listed before: a further folder of the same feed, or a duplicate.
func (d *decoder) addFolder(f *Feed) {
	path := d.path()
	same := func(p []string) bool { return slices.Equal(p, path) }
	if len(path) == 0 || len(f.Path) == 0 || same(f.Path) || slices.ContainsFunc(f.Also, same) ||
		len(f.Also) >= maxAlso {
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
		return
	}
	p.URL = reader.Cut(p.URL, maxTitle)
	d.doc.Problems = append(d.doc.Problems, p)
}

// feedAddress reads an address as feed lists write it: also without a scheme, or with that of a feed.
func feedAddress(s string) (string, bool) {
	rest := WithoutFeedScheme(s)
	switch {
	case strings.HasPrefix(rest, "//"):
		rest = "http:" + rest
	case isHost(rest[:strings.IndexAny(rest+"/", "/?#")]):
		rest = "https://" + rest
	}
	return webAddress(rest)
}

// isHost reports whether a text is the name of a host on the net, perhaps with a port, and not the scheme of a URL.
func isHost(s string) bool {
	name, _, _ := strings.Cut(s, ":")
	return strings.Contains(strings.Trim(name, "."), ".") && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == '@'
	})
}

// feedSchemes are those that browsers once handed to readers, before an address or in place of http.
var feedSchemes = [...]string{"feed:", "rss:", "itpc:", "pcast:"}

// WithoutFeedScheme removes such a scheme: feed:https://… is an address, feed://… is one from its slashes on.
func WithoutFeedScheme(s string) string {
	for _, scheme := range feedSchemes {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return s[len(scheme):]
		}
	}
	return s
}

// webAddress accepts an http or https address with a host, and lowers scheme and host; the rest stays as
// it is written, as publishers may distinguish two spellings of a path.
func webAddress(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > reader.MaxLink || !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7F
	}) {
		return "", false
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || !strings.EqualFold(u.Scheme, "http") &&
		!strings.EqualFold(u.Scheme, "https") {
		return "", false
	}
	start := len(u.Scheme) + len("://")
	end := start + strings.IndexAny(s[start:]+"/", "/?#")
	authority := s[start:end]
	at := strings.LastIndexByte(authority, '@') + 1 // a password keeps its case
	return strings.ToLower(s[:start]) + authority[:at] + strings.ToLower(authority[at:]) + s[end:], true
}

func collapse(s string) string { return strings.Join(strings.Fields(s), " ") }
