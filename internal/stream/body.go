package stream

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// ContentState is what a body consists of.
type ContentState string

// The states of a body.
const (
	ContentFull    ContentState = "full"    // what the publisher sent, sanitised
	ContentSummary ContentState = "summary" // the publisher sent no body: the snippet is all there is
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
	// parserVersion is part of every cache key: a new parser or sanitiser starts a new cache.
	parserVersion = 2
	// maxBody bounds a decompressed feed.
	maxBody = 8 << 20
	// maxParsed is how many items of a body are parsed, the newest.
	maxParsed = 200
)

// parsedBytes bounds the parsed feeds held in memory.
const parsedBytes = 8 << 20

// parsed is a feed's bodies by identity, as they are cached.
type parsed map[string]string

func (p parsed) bytes() (n int) {
	for k, v := range p {
		n += len(k) + len(v) + 32
	}
	return n
}

// Body returns an item's content, parsed on demand from the raw feed.
func (s *Service) Body(ctx context.Context, u reader.UserID, e Entry, sub *Subscribed) (Body, error) {
	return s.bodyFrom(ctx, u, &e, func() (parsed, error) { return s.bodies(ctx, e.Raw, sub.FeedRow()) })
}

// bodyFrom returns an item's content. A star's snapshot goes before the feed; a label's is the last resort.
func (s *Service) bodyFrom(ctx context.Context, u reader.UserID, e *Entry, bodies func() (parsed, error)) (Body, error) {
	if e.Starred {
		if b, ok, err := s.keptBody(ctx, u, e.ID, store.Star); err != nil || ok {
			return b, err
		}
	}
	b, err := bodyIn(e, bodies)
	if err == nil && b.State == ContentGone {
		if kept, ok, err := s.keptBody(ctx, u, e.ID, e.Labels...); err != nil || ok {
			return kept, err
		}
	}
	return b, err
}

func (s *Service) body(ctx context.Context, e Entry, f *store.FeedRow) (Body, error) {
	return bodyIn(&e, func() (parsed, error) { return s.bodies(ctx, e.Raw, f) })
}

// bodyIn returns an item's content from its raw feed.
func bodyIn(e *Entry, bodies func() (parsed, error)) (Body, error) {
	if e.Raw == "" {
		return Body{State: ContentGone}, nil
	}
	all, err := bodies()
	var bad *unreadable
	switch {
	case fault.Is(err, fault.NotFound):
		return Body{State: ContentGone}, nil
	case errors.As(err, &bad):
		return Body{State: ContentFailed}, nil
	case err != nil:
		return Body{}, err
	}
	html := all.of(&e.Header)
	if html == "" {
		return Body{State: ContentSummary}, nil
	}
	return fullBody(html), nil
}

// of returns an item's body. An item that shares its guid may be under the guid's identity in a body that lists it alone.
func (p parsed) of(h *store.Header) string {
	html, ok := p[identityKey(h.Identity)]
	if !ok && h.Shared != 0 {
		html = p[identityKey(h.Shared)]
	}
	return html
}

func identityKey(id uint64) string { return strconv.FormatUint(id, 36) }

// bodies returns all bodies of one raw feed (decision 0103): from memory, from the table, or parsed now.
func (s *Service) bodies(ctx context.Context, raw string, f *store.FeedRow) (parsed, error) {
	if p, ok := s.parsed.get(raw); ok {
		s.found(FoundInMemory)
		return p, nil
	}
	key := store.HashToken(raw + "#" + strconv.Itoa(parserVersion))
	if packed, err := s.store.Cache.Get(ctx, key); err == nil {
		var p parsed
		if plain, err := store.Inflate(packed); err == nil && json.Unmarshal(plain, &p) == nil {
			s.parsed.put(raw, p, p.bytes())
			s.found(FoundInTable)
			return p, nil
		}
	}
	s.found(FoundNowhere)
	p, err := s.parseAndHold(ctx, raw, f)
	if err != nil {
		return nil, err
	}
	if plain, err := json.Marshal(p); err == nil {
		if packed, err := store.Deflate(plain); err == nil {
			// A cache that cannot be filled only costs the next reader a parse.
			_ = s.store.Cache.Put(ctx, key, packed)
		}
	}
	return p, nil
}

// parseAndHold parses one raw feed, and holds its bodies in memory.
func (s *Service) parseAndHold(ctx context.Context, raw string, f *store.FeedRow) (parsed, error) {
	p, err := s.parseRaw(ctx, raw, f)
	if err == nil {
		s.parsed.put(raw, p, p.bytes())
	}
	return p, err
}

type unreadable struct{ err error }

func (u *unreadable) Error() string { return "unreadable feed: " + u.err.Error() }

func (s *Service) parseRaw(ctx context.Context, raw string, f *store.FeedRow) (parsed, error) {
	packed, meta, err := s.blobs.Get(ctx, raw)
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
	items, err := parse.Feed(body, meta.ContentType, base, maxParsed)
	if err != nil {
		return nil, &unreadable{err}
	}
	out := make(parsed, len(items))
	for i := range items {
		it := &items[i]
		html := sanitize.HTML(it.Content, it.Base)
		if html != "" || it.Shared != 0 {
			out[identityKey(it.Identity)] = html
		}
		// Items with the same guid were once not distinguished: the first of a body was stored under it.
		if _, ok := out[identityKey(it.Shared)]; it.Shared != 0 && !ok {
			out[identityKey(it.Shared)] = html
		}
	}
	return out, nil
}
