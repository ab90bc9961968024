package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// ContentState tells what a body is.
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
	// maxParsed is how many items of a body are parsed, the newest.
	maxParsed = 200
	// maxRaw bounds what a stored body may inflate to; the crawler takes no larger ones.
	maxRaw = 8 << 20
)

// parsed is a feed's bodies by identity, as they are cached.
type parsed map[string]string

// Body gives an item's content, parsed on demand from the raw feed.
func (s *Service) Body(ctx context.Context, u reader.UserID, e Entry, sub *Subscribed) (Body, error) {
	if e.Starred {
		if b, ok, err := s.starBody(ctx, u, e.ID); err != nil || ok {
			return b, err
		}
	}
	b, err := s.body(ctx, e, sub.Feed)
	if err == nil && b.State == ContentGone && len(e.Labels) > 0 {
		if kept, ok, err := s.labelBody(ctx, u, e); err != nil || ok {
			return kept, err
		}
	}
	return b, err
}

func (s *Service) body(ctx context.Context, e Entry, f *store.FeedRow) (Body, error) {
	if e.Raw == "" {
		return Body{State: ContentGone}, nil
	}
	bodies, err := s.bodies(ctx, e.Raw, f)
	var bad *unreadable
	switch {
	case fault.Is(err, fault.NotFound):
		return Body{State: ContentGone}, nil
	case errors.As(err, &bad):
		return Body{State: ContentFailed}, nil
	case err != nil:
		return Body{}, err
	}
	html := bodies.of(&e.Header)
	if html == "" {
		return Body{State: ContentSummary}, nil
	}
	return Body{State: ContentFull, HTML: html, Characters: utf8.RuneCountInString(sanitize.Text(html))}, nil
}

// of finds an item's body. One that shares its guid with others has the guid's identity in a body that lists it alone.
func (p parsed) of(h *store.Header) string {
	html, ok := p[identityKey(h.Identity)]
	if !ok && h.Shared != 0 {
		html = p[identityKey(h.Shared)]
	}
	return html
}

func identityKey(id uint64) string { return strconv.FormatUint(id, 36) }

// bodies gives all bodies of one raw feed: from memory, from the table, or parsed now.
func (s *Service) bodies(ctx context.Context, raw string, f *store.FeedRow) (parsed, error) {
	if p, ok := s.memo.get(raw); ok {
		s.found(FoundInMemory)
		return p, nil
	}
	key := store.HashToken(raw + "#" + strconv.Itoa(parserVersion))
	if packed, err := s.store.Cache.Get(ctx, key); err == nil {
		var p parsed
		if plain, err := inflate(packed); err == nil && json.Unmarshal(plain, &p) == nil {
			s.memo.put(raw, p)
			s.found(FoundInTable)
			return p, nil
		}
	}
	s.found(FoundNowhere)
	p, err := s.parseRaw(ctx, raw, f)
	if err != nil {
		return nil, err
	}
	s.memo.put(raw, p)
	if plain, err := json.Marshal(p); err == nil {
		if packed, err := deflate(plain); err == nil {
			// A cache that cannot be filled only costs the next reader a parse.
			_ = s.store.Cache.Put(ctx, key, packed)
		}
	}
	return p, nil
}

type unreadable struct{ err error }

func (u *unreadable) Error() string { return "unreadable feed: " + u.err.Error() }

func (s *Service) parseRaw(ctx context.Context, raw string, f *store.FeedRow) (parsed, error) {
	packed, meta, err := s.blobs.Get(ctx, raw, blob.Range{})
	if err != nil {
		return nil, err
	}
	body, err := gunzip(packed)
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
		content := it.Content
		if content == "" {
			content = it.Summary
		}
		itemBase := it.Base
		if itemBase == "" {
			itemBase = it.Link
		}
		html := sanitize.HTML(content, itemBase)
		if html != "" || it.Shared != 0 {
			out[identityKey(it.Identity)] = html
		}
		// Before items with one guid were told apart, the first of a body was stored under it.
		if _, ok := out[identityKey(it.Shared)]; it.Shared != 0 && !ok {
			out[identityKey(it.Shared)] = html
		}
	}
	return out, nil
}

func gunzip(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readBounded(r)
}

func inflate(packed []byte) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(packed))
	defer r.Close()
	return readBounded(r)
}

func readBounded(r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxRaw+1))
	if err == nil && len(b) > maxRaw {
		err = fault.New(fault.TooLarge, "body_too_large", "stream: body", nil)
	}
	return b, err
}

func deflate(plain []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
