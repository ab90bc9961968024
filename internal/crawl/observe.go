package crawl

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// kind says what was observed.
type kind uint8

const (
	failed     kind = iota // no feed came
	unmodified             // a 304, or the bytes of the last body
	listed                 // a whole body
	cutOff                 // a body that did not arrive whole
	pushed                 // what a hub sent: it may list its new items alone
	seen                   // a page of a watch, or pages of its results
)

// observation is the outcome of one request or push for a feed. It does not depend on stored rows, so that it can be
// judged again after a lost race; only its list of items collects the results of lookups in the stored items.
type observation struct {
	kind       kind
	resp       *fetch.Response // nil where none came; its body may be gone
	scan       *extract.Feed   // of a body
	items      *itemList       // of a body
	hash       []byte          // of a whole body
	large      bool            // the body is above schedule.LargeBody
	validators pair
	raw        *rawBody        // the body on its way to the blob store
	page       *pages.Snapshot // of a watch

	code string // of a failure
	slow int32  // Options.Slow when it is committed

	keepsTurns bool // the poll moves no turn of the feed
	probes     bool // if it stops the feed, that is probed
}

// observe reads a response. The row is that which the request was made for; v is nil but for a watch.
func (r *run) observe(ctx context.Context, f *store.FeedRow, v *pages.Visit, resp *fetch.Response) *observation {
	obs := r.observation(resp)
	if resp.NotModified && f.HasValidators() {
		obs.kind = unmodified
		return obs
	}
	if resp.Status != 200 {
		return r.failure(resp, reader.HTTPCode(resp.Status, resp.Challenge))
	}
	obs.hash = bodyHash(resp.Body)
	if !resp.Truncated && len(f.Hash) > 0 && bytes.Equal(obs.hash, f.Hash) && (v == nil || !v.IsWhole()) {
		obs.kind = unmodified
		return obs
	}
	if v != nil {
		return r.observePage(ctx, f, v, obs)
	}
	scan, text, err := extract.ScanText(resp.Body, resp.ContentType, resp.FinalURL, r.c.scanOptions(f))
	if err != nil {
		var xe *extract.Error
		code := reader.CodeBadXML
		if errors.As(err, &xe) {
			code = bodyCode(xe.Code)
		}
		if resp.Truncated {
			code = reader.CodeTruncatedBody
		}
		return r.failure(resp, code)
	}
	obs.kind = listed
	// An incomplete document did not arrive whole if only the end of the connection marks its end. If its length was
	// announced and all of it arrived, the publisher's own document is incomplete, and its validators are valid.
	if resp.Truncated || resp.OpenEnded && scan.Truncated {
		obs.kind, obs.code = cutOff, reader.CodeTruncated
		resp.ETag, resp.LastModified = "", "" // they are of the whole document
	}
	r.addBody(obs, f, scan, text)
	return obs
}

func (r *run) observation(resp *fetch.Response) *observation {
	return &observation{
		resp: resp, validators: pairOf(resp), large: len(resp.Body) > schedule.LargeBody,
		keepsTurns: r.keepsTurns(), probes: r.c.o.Probe,
	}
}

// failure is the observation of a poll that brought no feed.
func (r *run) failure(resp *fetch.Response, code string) *observation {
	return &observation{kind: failed, resp: resp, code: code, keepsTurns: r.keepsTurns(), probes: r.c.o.Probe}
}

// addBody adds the content of the body; text is the scanned text.
func (r *run) addBody(obs *observation, f *store.FeedRow, scan *extract.Feed, text []byte) {
	now := r.c.clock.Now()
	obs.scan = scan
	obs.items = newItemList(f, scan, obs.resp, now)
	obs.items.partial = obs.kind != listed
	obs.raw = &rawBody{feed: f, resp: obs.resp, scan: scan, text: text, now: now}
}

// bodyHash is for comparison only; it is no defence, so it may be fast.
func bodyHash(body []byte) []byte {
	return binary.BigEndian.AppendUint64(nil, xxhash.Sum64(body))
}

// itemList is the list of items in one body, to be compared with any state of the feed row.
type itemList struct {
	all    []store.KnownItem  // every item listed, newest knowledge; and a mark for each identity that several share
	header map[uint64]newItem // those that were not known by identity and content
	order  []uint64           // identities of header, oldest first
	marks  []uint64           // marks of values that several items share (shared.go)
	// partial means that the body may not list all items of the feed.
	partial bool

	// The result of a lookup in the stored items (lookup.go).
	returned map[uint64]uint32 // items that the feed row had to forget and a delta still has, with the content it has
	renamed  map[uint64]uint64 // identities under which items are stored, by those they have now
	asked    map[uint64]bool   // unknown items that were looked for
	compared bool              // renamed items were looked for
	// uncounted means that a crash may have come after deltas were edited and before the feed row counted it.
	uncounted bool
}

type newItem struct {
	store.Header
	published time.Time
	text      string    // the whole one, where somebody wants it
	estimate  time.Time // of a first crawl, for an item that the publisher gave no date
	undated   bool      // published is the time of the last edit, the only one that the publisher gives
	was       uint64    // the identity under which it is stored, where that is another
	trusted   bool      // as far as is known, no other item of the feed has its guid
	// the identity it would have among items that share its guid, if it is known with another content
	within uint64
}

// newItemList makes a list of a scan that was made with scanOptions(f). Items that the scan skipped as known have no
// header and never count as new or edited: a newer row knows no less than an older one.
func newItemList(f *store.FeedRow, scan *extract.Feed, resp *fetch.Response, now time.Time) *itemList {
	l := &itemList{
		header: map[uint64]newItem{}, returned: map[uint64]uint32{}, asked: map[uint64]bool{},
		renamed: map[uint64]uint64{},
	}
	for i := range scan.Items {
		it := &scan.Items[i]
		l.all = append(l.all, store.KnownItem{Identity: it.Identity, Content: it.Content})
		if it.Known {
			continue
		}
		l.header[it.Identity] = newItem{Header: header(it, scan.Language), published: it.Published, within: it.Within,
			undated: it.Undated, text: it.Text}
		l.order = append(l.order, it.Identity)
	}
	if len(f.Hash) == 0 {
		modified, _ := extract.ParseDate(resp.LastModified)
		l.estimate(now, scan.Updated, modified)
	}
	// Publishers list the newest first: reversed, then by date; an item of a later crawl that has none
	// counts as arriving now.
	slices.Reverse(l.order)
	slices.SortStableFunc(l.order, func(a, b uint64) int {
		return when(l.header[a], now).Compare(when(l.header[b], now))
	})
	l.mark(scan)
	return l
}

// compare returns the items that a feed row does not know, oldest first, and those whose content it knows otherwise.
func (l *itemList) compare(row *store.FeedRow) (fresh, edited []newItem) {
	known := store.Known(row.Known)
	for _, id := range l.order {
		it := l.header[id]
		content, ok := known.Content(id)
		if !ok {
			content, ok = l.returned[id]
		}
		was, other := l.renamed[id]
		switch {
		case !ok && other:
			it.was = was
			edited = append(edited, it)
		case !ok:
			fresh = append(fresh, it)
		case content != it.Content:
			it.was = was
			edited = append(edited, it)
		}
	}
	return fresh, edited
}

func when(it newItem, now time.Time) time.Time {
	for _, t := range [...]time.Time{it.published, it.estimate} {
		if !t.IsZero() {
			return t
		}
	}
	return now
}

// estimate gives the undated items of a first crawl a time: that of the dated item listed before them, else of the one
// after. Where no item has a date, the first one gets the time of the channel or the response, at the latest a day
// before now, and each further one a day less.
func (l *itemList) estimate(now time.Time, known ...time.Time) {
	var last time.Time
	items := make([]newItem, len(l.order))
	for i, id := range l.order {
		items[i] = l.header[id]
		if !items[i].published.IsZero() {
			last = items[i].published
		}
		items[i].estimate = last
	}
	if last.IsZero() {
		last = now.Add(-day)
		for _, t := range known {
			if !t.IsZero() && t.Before(last) {
				last = t
			}
		}
		for i := range items {
			items[i].estimate = last.Add(-time.Duration(i) * day)
		}
	}
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].estimate.IsZero() { // above the first dated item
			items[i].estimate = items[i+1].estimate
		}
		l.header[l.order[i]] = items[i]
	}
}

const day = 24 * time.Hour

const (
	maxTitle    = 1000 // C-29: trimmed, never refused
	maxAuthor   = 200
	maxSnippet  = 600
	maxCategory = 20
	maxFiles    = 10
)

func header(it *extract.Item, feedLang string) store.Header {
	h := store.Header{
		Identity: it.Identity, Shared: it.Shared, Content: it.Content,
		Title: it.Title, Link: it.Link, Author: it.Author,
		Published: unixOrZero(it.Published), Updated: unixOrZero(it.Updated),
		Snippet: it.Snippet, Image: it.Image, ImageSize: store.Size(it.ImageSize), Lang: it.Lang,
		Length: it.Length,
	}
	cut(&h)
	if h.Lang == "" {
		h.Lang = feedLang
	}
	h.Lang = reader.CutBytes(h.Lang, 35)
	for _, c := range it.Categories[:min(len(it.Categories), maxCategory)] {
		h.Categories = append(h.Categories, reader.CutBytes(c, 100))
	}
	for _, e := range it.Enclosures[:min(len(it.Enclosures), maxFiles)] {
		kind, ok := extract.FileType(e.Type, e.URL)
		if u := link(e.URL); u != "" && ok {
			h.Enclosures = append(h.Enclosures,
				store.Enclosure{URL: u, Type: reader.CutBytes(kind, 100), Length: e.Length})
		}
	}
	return h
}

// cut bounds what a publisher has written.
func cut(h *store.Header) {
	h.Title, h.Author = reader.CutBytes(h.Title, maxTitle), reader.CutBytes(h.Author, maxAuthor)
	h.Snippet = reader.CutBytes(h.Snippet, maxSnippet)
	h.Link, h.Image = link(h.Link), link(h.Image)
}

// link returns an http or https address unchanged, else "".
func link(s string) string {
	if s == "" || len(s) > reader.MaxURL {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
