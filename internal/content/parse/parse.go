// Package parse reads the bodies of items: the full text that package extract leaves alone, on demand,
// from the raw feed as it was fetched.
//
// Which items there are, what identifies them, and their header fields are decided by extract alone, so
// that a list and the article opened from it can never disagree. This package cuts the items that are
// wanted out of the document, hands gofeed a small document of just these, and takes from it the two
// texts that matter: content and summary, as HTML that is not yet sanitised. So the cost follows what is
// asked for, not the size of the feed, and no DOCTYPE, entity or trailing junk of the original reaches
// the full parser.
//
// The package is pure, never panics, and is safe for concurrent use.
package parse

import (
	"fmt"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
)

// Item is an item with its body.
type Item struct {
	Identity   uint64 // 48 bits, the same as extract.Item.Identity when nothing but the body tells what is shared
	Shared     uint64 // as extract.Item.Shared, 0 for an item without guid and link
	GUID       string
	Title      string // plain text
	Link       string // absolute
	Author     string
	Content    string // HTML, not sanitised; the summary when the feed carries no more than that
	Summary    string // HTML, not sanitised; "" when the feed has none beside the content
	Partial    bool   // Content is only the summary, or the beginning, of the item
	Lang       string // as declared for the content, the item or the feed; "" when not at all
	Base       string // what relative addresses in Content and Summary refer to
	Published  time.Time
	Updated    time.Time
	Categories []string
	Enclosures []extract.Enclosure
	Image      string
}

// Feed reads the newest max items of a feed (0: 200, R-31), in document order. The charset is decided
// as extract.Decode does. Errors are *extract.Error. An item whose body cannot be read is still there,
// with what its header tells.
func Feed(body []byte, contentType, baseURL string, max int) ([]Item, error) {
	d, err := open(body, contentType, baseURL, max)
	if err != nil {
		return nil, err
	}
	return d.read(d.feed.Items), nil
}

// One reads a single item of a feed, by its identity. fault.NotFound (code item_not_in_body) says that
// the body does not have it.
func One(body []byte, contentType, baseURL string, identity uint64) (Item, error) {
	d, err := open(body, contentType, baseURL, 0)
	if err != nil {
		return Item{}, err
	}
	for i := range d.feed.Items {
		if d.feed.Items[i].Identity == identity {
			return d.read(d.feed.Items[i : i+1])[0], nil
		}
	}
	return Item{}, fault.New(fault.NotFound, "item_not_in_body", "parse: one", nil)
}

// document is a feed as extract read it, with its text.
type document struct {
	text    []byte
	feed    *extract.Feed
	baseURL string
}

func open(body []byte, contentType, baseURL string, max int) (d *document, err error) {
	// The walls behind this one are meant to hold; a feed that finds a way through must not take the
	// process with it.
	defer func() {
		if p := recover(); p != nil {
			err = &extract.Error{Code: extract.CodeBadXML, Message: fmt.Sprintf("The feed could not be read (%v).", p)}
		}
	}()
	feed, text, err := extract.ScanText(body, contentType, baseURL, extract.Options{MaxItems: max})
	if err != nil {
		return nil, err
	}
	return &document{text: text, feed: feed, baseURL: baseURL}, nil
}

// read gives items with their bodies, in the order asked for.
func (d *document) read(headers []extract.Item) []Item {
	items := make([]Item, len(headers))
	bodies := d.bodies(headers)
	for i := range headers {
		items[i] = d.item(&headers[i], bodies[i])
	}
	return items
}

func (d *document) item(h *extract.Item, b body) Item {
	it := Item{
		Identity: h.Identity, GUID: h.GUID, Title: h.Title, Link: h.Link, Author: h.Author,
		Content: b.content, Summary: b.summary, Lang: or(b.lang, h.Lang, d.feed.Language),
		Base:      or(b.base, h.Link, d.feed.Link, d.baseURL),
		Published: h.Published, Updated: h.Updated, Categories: h.Categories,
		Enclosures: h.Enclosures, Image: h.Image,
	}
	if h.Shared != extract.Nameless {
		it.Shared = h.Shared
	}
	if blank(it.Content) {
		it.Content, it.Summary, it.Partial = it.Summary, "", true
	}
	if blank(it.Content) { // nothing to be had but what the list shows
		it.Content = paragraphs(h.Snippet)
	}
	return it
}

func or(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
