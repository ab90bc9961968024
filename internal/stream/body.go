package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// ContentState says what a body consists of.
type ContentState string

// The states of a body.
const (
	ContentFull ContentState = "full" // what the publisher sent, sanitised
	// there is no body: the snippet is all there is, or what an event of a watch says
	ContentSummary ContentState = "summary"
	ContentGone    ContentState = "notKept" // the raw feed is no longer kept
	ContentFailed  ContentState = "failed"  // the raw feed could not be parsed
)

// Body is an item's sanitised content.
type Body struct {
	State ContentState
	HTML  string
	// Characters counts the text without markup, for the reading time.
	Characters int
}

const (
	// maxBody bounds a decompressed feed.
	maxBody = 8 << 20
	// maxParsed is how many items of a body can be opened, the newest.
	maxParsed = 200
	// documentBytes bounds the feeds held in memory, bodyBytes the sanitised bodies of their items.
	documentBytes = 8 << 20
	// damagedBytes bounds the names of damaged feeds, each of which is reported once.
	damagedBytes = 16 << 10
	bodyBytes    = 2 << 20
	// bodyTTL is how long an opened body stays in the table, if the feed has at least minTabled bytes, and the
	// body at most maxTabled.
	bodyTTL   = time.Hour
	minTabled = 256 << 10
	maxTabled = 96 << 10
	// sanitizerVersion is part of the keys of cached bodies: another parser or sanitiser starts a new cache.
	sanitizerVersion = "5"
)

// bodyKey is an item's body: the raw feed, and the identities under which it may have the item.
type bodyKey struct {
	raw              string
	identity, shared uint64
}

// origin is the source of an item's content.
type origin struct {
	feed func() (*parse.Document, error)
	// isTabled reports that the body may be cached in the table as well: one item of the feed is opened.
	isTabled bool
}

// Body returns an item's content, parsed from the raw feed. That of a large feed is cached in the table.
func (s *Service) Body(ctx context.Context, u reader.UserID, e Entry, sub *Subscribed) (Body, error) {
	feed := func() (*parse.Document, error) { return s.document(ctx, e.Raw, sub.FeedRow()) }
	return s.bodyFrom(ctx, u, &e, origin{feed: feed, isTabled: true})
}

// bodyFrom returns an item's content. While the item is unedited its star's snapshot is read, which costs less than the
// feed; other snapshots are the last resort.
func (s *Service) bodyFrom(ctx context.Context, u reader.UserID, e *Entry, from origin) (Body, error) {
	if e.Starred {
		if b, ok, err := s.keptBody(ctx, u, e, true, store.Star); err != nil || ok {
			return b, err
		}
	}
	b, err := s.bodyIn(ctx, e, from)
	if err == nil && b.State != ContentFull && e.Header.Offer == nil {
		labels := e.Labels
		if e.Starred {
			labels = append([]reader.LabelID{store.Star}, labels...)
		}
		if kept, ok, err := s.keptBody(ctx, u, e, false, labels...); err != nil || ok {
			return kept, err
		}
	}
	return b, err
}

func (s *Service) body(ctx context.Context, e Entry, f *store.FeedRow) (Body, error) {
	return s.bodyIn(ctx, &e, origin{feed: func() (*parse.Document, error) { return s.document(ctx, e.Raw, f) }})
}

// bodyIn returns an item's content from its raw feed.
func (s *Service) bodyIn(ctx context.Context, e *Entry, from origin) (Body, error) {
	if e.Header.Offer != nil {
		return offerBody(&e.Header), nil
	}
	if e.Raw == "" {
		return Body{State: ContentGone}, nil
	}
	b, err := s.sanitized(ctx, e, from)
	var bad *unreadable
	switch {
	case fault.Is(err, fault.NotFound):
		return Body{State: ContentGone}, nil
	case errors.As(err, &bad):
		if _, isKnown := s.damaged.Get(e.Raw); !isKnown {
			s.damaged.Put(e.Raw, true, len(e.Raw))
			s.onDamage(e.Raw, bad.err)
		}
		return Body{State: ContentFailed}, nil
	case err != nil:
		return Body{}, err
	}
	return b, nil
}

// sanitized returns an item's sanitised body: from memory, from the table, or made now.
func (s *Service) sanitized(ctx context.Context, e *Entry, from origin) (Body, error) {
	key := bodyKey{e.Raw, e.Header.Identity, e.Header.Shared}
	if b, ok := s.bodies.Get(key); ok {
		s.opened(true)
		return b, nil
	}
	var html string
	if from.isTabled && s.store.Cache.GetJSON(ctx, key.hash(), &html) {
		s.opened(true)
	} else {
		d, err := from.feed()
		if err != nil {
			return Body{}, err
		}
		if html = bodyOf(d, &e.Header); from.isTabled && d.Bytes() >= minTabled && len(html) <= maxTabled {
			s.store.Cache.PutJSON(ctx, key.hash(), html, bodyTTL)
		}
	}
	b := Body{State: ContentSummary}
	if html != "" {
		b = fullBody(html)
	}
	s.bodies.Put(key, b, len(e.Raw)+len(html)+96)
	return b, nil
}

// hash names the body in the table.
func (k bodyKey) hash() string {
	return store.HashToken(fmt.Sprintf("%s#%x#%x#%s", k.raw, k.identity, k.shared, sanitizerVersion))
}

// bodyOf reads and sanitises one item's body (decision 0103). An item that shares its guid has the guid's identity in
// a body that lists it alone.
func bodyOf(d *parse.Document, h *store.Header) string {
	html, ok := bodyUnder(d, h.Identity, h.Link)
	if !ok && h.Shared != 0 {
		html, _ = bodyUnder(d, h.Shared, h.Link)
	}
	return html
}

func bodyUnder(d *parse.Document, identity uint64, link string) (html string, ok bool) {
	if it, found := d.Find(identity); found {
		if html = sanitize.Article(it.Content, it.Base, cmp.Or(link, it.Base)); html != "" || it.Shared != 0 {
			return html, true
		}
	}
	// Older deltas do not distinguish items with the same guid: the first one of a body stands for all.
	if it, found := d.FindShared(identity); found {
		return sanitize.Article(it.Content, it.Base, cmp.Or(link, it.Base)), true
	}
	return "", false
}

// document returns a raw feed with its items found: from memory, or read now.
func (s *Service) document(ctx context.Context, raw string, f *store.FeedRow) (*parse.Document, error) {
	d, ok := s.documents.Get(raw)
	s.opened(ok)
	if ok {
		return d, nil
	}
	d, err := s.open(ctx, raw, f)
	if err == nil {
		s.documents.Put(raw, d, d.Bytes())
	}
	return d, err
}

type unreadable struct{ err error }

func (u *unreadable) Error() string { return "unreadable feed: " + u.err.Error() }

func (s *Service) open(ctx context.Context, raw string, f *store.FeedRow) (*parse.Document, error) {
	packed, meta, err := s.blobs.Get(ctx, raw)
	if fault.CodeOf(err) == "blob_corrupt" { // for good: the other items of a batch must not fail with it each time
		return nil, &unreadable{err}
	}
	if err != nil {
		return nil, err
	}
	body, err := blob.Gunzip(packed, maxBody)
	if err != nil {
		return nil, &unreadable{err}
	}
	base := ""
	if f != nil {
		base = f.URL
	}
	d, err := parse.Open(body, meta.ContentType, base, maxParsed)
	if err != nil {
		return nil, &unreadable{err}
	}
	return d, nil
}
