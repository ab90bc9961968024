// Package texts has the whole texts of items, as searches look at them: those that a crawl has just read from memory,
// others from raw bodies.
package texts

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	maxRawBody = 8 << 20
	keptBodies = 4
	// keptBytes bounds the texts of news: they are needed until the index has them.
	keptBytes  = 4 << 20
	weightless = 150
)

// Texts reads texts. It is safe for concurrent use.
type Texts struct {
	blobs *blob.Bucket
	news  *lru.Cache[textOf, string]
}

// textOf names an item's text: the raw body, and the item's identity in it.
type textOf struct {
	raw      string
	identity uint64
}

// New makes one that reads from a bucket.
func New(b *blob.Bucket) *Texts {
	return &Texts{blobs: b, news: lru.New[textOf, string](keptBytes)}
}

// Keep keeps the text of an item that has just been stored with its raw body.
func (t *Texts) Keep(raw string, identity uint64, text string) {
	text = reader.CutBytes(text, query.MaxText)
	t.news.Put(textOf{raw, identity}, text, weightless+len(raw)+len(text))
}

// Reader reads the texts of items that follow one another: each raw body is read once. It is for one goroutine.
type Reader struct {
	t      *Texts
	bodies []*body
}

// body has the texts of a raw body's items, by identity; of those that share one with others also the first under that.
type body struct {
	raw string
	of  map[uint64]string
}

// Reader makes one.
func (t *Texts) Reader() *Reader { return &Reader{t: t} }

// Known returns an item's text without reading anything, which costs money in the cloud.
func (r *Reader) Known(raw string, h *store.Header) (text string, ok bool) {
	if raw == "" {
		return "", true
	}
	if text, ok = r.t.news.Get(textOf{raw, h.Identity}); ok {
		return text, true
	}
	for _, b := range r.bodies {
		if b.raw == raw {
			return b.text(h), true
		}
	}
	return "", false
}

// Text returns the whole text of an item; "" where its raw body is gone or cannot be read.
func (r *Reader) Text(ctx context.Context, f *store.FeedRow, raw string, h *store.Header) (string, error) {
	if text, ok := r.Known(raw, h); ok {
		return text, nil
	}
	of, err := r.t.extract(ctx, f, raw)
	if err != nil {
		return "", err
	}
	b := &body{raw, of}
	if r.bodies = append(r.bodies, b); len(r.bodies) > keptBodies {
		r.bodies = r.bodies[1:]
	}
	return b.text(h), nil
}

func (b *body) text(h *store.Header) string {
	text, ok := b.of[h.Identity]
	if !ok && h.Shared != 0 {
		text = b.of[h.Shared]
	}
	return strings.Clone(text) // not the memory of all items
}

// extract reads a raw body.
func (t *Texts) extract(ctx context.Context, f *store.FeedRow, raw string) (map[uint64]string, error) {
	packed, meta, err := t.blobs.Get(ctx, raw)
	switch {
	case fault.Is(err, fault.NotFound) || fault.CodeOf(err) == "blob_corrupt":
		return nil, nil
	case err != nil:
		return nil, err
	}
	plain, err := blob.Gunzip(packed, maxRawBody)
	if err != nil {
		return nil, nil //nolint:nilerr // the header is indexed alone
	}
	scan, err := extract.Scan(plain, meta.ContentType, reader.WithoutUser(f.URL), extract.Options{Text: true})
	if err != nil {
		return nil, nil //nolint:nilerr // as above
	}
	of := make(map[uint64]string, len(scan.Items))
	for i := range scan.Items {
		it := &scan.Items[i]
		text := reader.CutBytes(it.Text, query.MaxText)
		of[it.Identity] = text
		if _, isTaken := of[it.Shared]; it.Shared != 0 && !isTaken {
			of[it.Shared] = text
		}
	}
	return of, nil
}
