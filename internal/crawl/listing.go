package crawl

import (
	"bytes"
	"context"
	"crypto/sha256"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// listing turns an extraction into what a commit compares and stores. news is false when items and
// channel say what the feed row already knows, whatever the bytes.
func (r *run) listing(k task, resp *fetch.Response, scan *extract.Feed, hash []byte) (l *listing, news bool) {
	f := k.row
	now := r.c.clock.Now()
	large := len(resp.Body) > schedule.LargeBody // the body itself is let go of below
	l = &listing{
		header: map[uint64]newItem{}, returned: map[uint64]uint32{}, asked: map[uint64]bool{}, renamed: map[uint64]uint64{},
	}
	known := store.Known(f.Known)
	for i := range scan.Items {
		it := &scan.Items[i]
		l.all = append(l.all, store.KnownItem{Identity: it.Identity, Content: it.Content})
		if it.Known {
			continue
		}
		if content, ok := known.Content(it.Identity); !ok || content != it.Content {
			news = true
		}
		l.header[it.Identity] = newItem{Header: header(it, scan.Language), published: it.Published, within: it.Within, undated: it.Undated}
		l.order = append(l.order, it.Identity)
	}
	if len(f.Hash) == 0 {
		l.estimate(now, scan.Updated, lastModified(resp))
	}
	// Publishers list the newest first: reversed, then by date; an item of a later crawl that has none
	// counts as arriving now.
	slices.Reverse(l.order)
	slices.SortStableFunc(l.order, func(a, b uint64) int {
		return when(l.header[a], now).Compare(when(l.header[b], now))
	})
	l.mark(scan)
	if int64(scan.Channel) != f.Channel || len(f.Hash) == 0 || l.unmarked(f) {
		news = true
	}
	if news {
		l.putRaw = r.rawPutter(f, resp, now)
	}
	l.final = func(row *store.FeedRow, seq uint32, added int) store.Patch {
		return r.changed(task{row: row, offTurn: k.offTurn}, resp, scan, hash, large, seq, added)
	}
	return l, news
}

func when(it newItem, now time.Time) time.Time {
	for _, t := range [...]time.Time{it.published, it.estimate} {
		if !t.IsZero() {
			return t
		}
	}
	return now
}

func lastModified(resp *fetch.Response) time.Time {
	t, _ := extract.ParseDate(resp.LastModified)
	return t
}

// estimate gives the undated items of a first crawl a time, since they are not as new as their arrival: that
// of the dated item listed before them, else of the one after. Where no item has a date, the first one stands
// at the time that the channel or the response gives, at the latest a day before now, and each further one a
// day before the one listed above it.
func (l *listing) estimate(now time.Time, known ...time.Time) {
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
	maxURL      = 2000
	maxAuthor   = 200
	maxSnippet  = 600
	maxCategory = 20
	maxFiles    = 10
)

func header(it *extract.Item, feedLang string) store.Header {
	h := store.Header{
		Identity: it.Identity, Shared: it.Shared, Content: it.Content,
		Title: cut(it.Title, maxTitle), Link: link(it.Link), Author: cut(it.Author, maxAuthor),
		Published: unixOrZero(it.Published), Updated: unixOrZero(it.Updated),
		Snippet: cut(it.Snippet, maxSnippet), Image: link(it.Image), ImageSize: store.Size(it.ImageSize), Lang: it.Lang,
	}
	if h.Lang == "" {
		h.Lang = feedLang
	}
	h.Lang = cut(h.Lang, 35)
	for _, c := range it.Categories[:min(len(it.Categories), maxCategory)] {
		h.Categories = append(h.Categories, cut(c, 100))
	}
	for _, e := range it.Enclosures[:min(len(it.Enclosures), maxFiles)] {
		if u := link(e.URL); u != "" {
			h.Enclosures = append(h.Enclosures, store.Enclosure{URL: u, Type: cut(e.Type, 100), Length: e.Length})
		}
	}
	return h
}

// link keeps addresses that a person may be sent to, and drops the rest.
func link(s string) string {
	if s == "" || len(s) > maxURL {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

// cut bounds a text by bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) > n {
		for n > 0 && s[n]&0xC0 == 0x80 {
			n--
		}
		s = s[:n]
	}
	return s
}

// rawPutter stores the body once, compressed as the publisher sent it where that was gzip, under a key
// made of its content: putting it twice is harmless. The body's own memory is given back at once: a
// commit waits for disks and services, while 64 bodies lie in memory.
func (r *run) rawPutter(f *store.FeedRow, resp *fetch.Response, now time.Time) func(context.Context) (string, error) {
	sum := sha256.Sum256(resp.Body)
	packed := resp.Wire
	if resp.WireEncoding != "gzip" || packed == nil {
		packed = pack(resp.Body)
	}
	resp.DropBody()
	key := ""
	return func(ctx context.Context) (string, error) {
		if key != "" {
			return key, nil
		}
		k := store.RawKey(now, f.URL, sum[:], "gz")
		created, err := r.c.blobs.PutIfAbsent(ctx, k, packed, blob.Meta{
			ContentType: plain(resp.ContentType), ContentEncoding: "gzip",
			User: map[string]string{
				"feedid": strconv.Itoa(int(f.ID())), "fetchedat": now.UTC().Format(time.RFC3339),
				"originalurl": publicURL(resp.FinalURL), "etag": cut(resp.ETag, 200), "lastmodified": cut(resp.LastModified, 60),
			},
		})
		if err != nil {
			return "", err
		}
		if created {
			r.countBlob()
		}
		key = k
		return key, nil
	}
}

var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

func pack(body []byte) []byte {
	var buf bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&buf)
	// A bytes.Buffer refuses nothing.
	_, _ = w.Write(body)
	_ = w.Close()
	return buf.Bytes()
}

// plain keeps a header's value for the blob store if it is one that can be sent on: a body is not refused
// for the sake of its label.
func plain(header string) string {
	for i := range len(header) {
		if header[i] < ' ' || header[i] > '~' {
			return ""
		}
	}
	if len(header) > 200 {
		return ""
	}
	return strings.TrimSpace(header)
}

// publicURL leaves out what an address may carry of a person's secrets.
func publicURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return cut(u.String(), 500)
}
