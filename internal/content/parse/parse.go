// Package parse reads the bodies of items: the full text that package extract leaves alone, on demand,
// from the raw feed as it was fetched.
//
// Which items there are, what identifies them, and their header fields are decided by extract alone, so that a list and
// the article opened from it can never disagree. This package cuts the items that are wanted out of the document, hands
// gofeed a small document of just these (the items of JSON Feed it reads itself), and takes from it the two texts that
// matter: content and summary, as HTML that is not yet sanitised. So the cost follows what is asked for, not the size
// of the feed, and no DOCTYPE, entity or trailing junk of the original reaches the full parser.
//
// The package is pure, never panics, and is safe for concurrent use.
package parse

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/pattern"
)

// Item is the body of an item.
type Item struct {
	Identity uint64 // 48 bits, the same as extract.Item.Identity when only the body decides what is shared
	Shared   uint64 // as extract.Item.Shared, 0 for an item without guid and link
	// HTML, not sanitised; the summary when the feed carries no more than that, "" when it carries no text
	Content string
	Summary string // HTML, not sanitised; "" when the feed has none besides the content
	Base    string // base of relative addresses in Content and Summary
}

// Feed reads the newest max items of a feed (0: 200, R-31), in document order. The charset is decided
// as extract.Decode does. Errors are *extract.Error. An item whose body cannot be read is still there,
// without content.
func Feed(body []byte, contentType, baseURL string, max int) ([]Item, error) {
	d, err := Open(body, contentType, baseURL, max)
	if err != nil {
		return nil, err
	}
	return d.read(d.feed.Items), nil
}

// Document is a feed whose items are read when they are asked for.
type Document struct {
	text    []byte
	feed    *extract.Feed
	baseURL string
	items   map[int]Item // those that were read together, by their place
}

// Together returns the document with the items of some identities read at once, which costs much less than one after
// another.
func (d *Document) Together(is func(identity, shared uint64) bool) *Document {
	var places []int
	var headers []extract.Item
	for i, h := range d.feed.Items {
		if is(h.Identity, h.Shared) {
			places, headers = append(places, i), append(headers, h)
		}
	}
	all := *d
	all.items = make(map[int]Item, len(places))
	for i, it := range d.read(headers) {
		all.items[places[i]] = it
	}
	return &all
}

// Open finds the items of a feed as Feed does, and reads no bodies yet.
func Open(body []byte, contentType, baseURL string, max int) (d *Document, err error) {
	// extract is not expected to panic; if it does, it must not crash the process.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", &extract.Error{Code: extract.CodeBadXML}, p)
		}
	}()
	feed, text, err := extract.ScanText(body, contentType, baseURL, extract.Options{MaxItems: max})
	if err != nil {
		return nil, err
	}
	return &Document{text: text, feed: feed, baseURL: baseURL}, nil
}

// itemBytes estimates the memory of an item's header.
const itemBytes = 1 << 10

// Bytes estimates the memory of the document.
func (d *Document) Bytes() int { return len(d.text) + itemBytes*len(d.feed.Items) }

// Find reads the item of an identity.
func (d *Document) Find(identity uint64) (Item, bool) {
	return d.first(func(h *extract.Item) bool { return h.Identity == identity })
}

// FindShared reads the first of the items that share a guid or a link, by the identity made of it.
func (d *Document) FindShared(identity uint64) (Item, bool) {
	return d.first(func(h *extract.Item) bool { return h.Shared == identity && h.Shared != extract.Nameless })
}

func (d *Document) first(is func(*extract.Item) bool) (Item, bool) {
	for i := range d.feed.Items {
		if is(&d.feed.Items[i]) {
			if it, ok := d.items[i]; ok {
				return it, true
			}
			return d.read(d.feed.Items[i : i+1])[0], true
		}
	}
	return Item{}, false
}

// read returns items with their bodies, in the order asked for.
func (d *Document) read(headers []extract.Item) []Item {
	items := make([]Item, len(headers))
	bodies := d.bodies(headers)
	for i := range headers {
		items[i] = d.item(&headers[i], bodies[i])
	}
	return items
}

func (d *Document) item(h *extract.Item, b body) Item {
	it := Item{
		Identity: h.Identity, Content: b.content, Summary: b.summary,
		Base: cmp.Or(b.base, h.Link, d.feed.Link, d.baseURL),
	}
	if h.Shared != extract.Nameless {
		it.Shared = h.Shared
	}
	if blank(it.Content) || extract.IsTeaser(it.Content) && !blank(it.Summary) {
		it.Content, it.Summary = it.Summary, ""
	}
	if h.Link != "" && extract.IsTeaser(it.Content) {
		it.Content = "" // it says no more than the title's link does
	}
	return it
}

// blank reports whether a text has nothing to show: empty paragraphs are nothing.
func blank(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || len(s) < 256 && s[0] == '<' && hollow.MatchString(s)
}

var hollow = pattern.New(`^(?:[\s\x{A0}]|&nbsp;|&#160;|<(?i:/?(?:p|div|span)|br)(?:\s[^<>]*)?/?>)*$`)
