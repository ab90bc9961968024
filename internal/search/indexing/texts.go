package indexing

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	maxRawBody = 8 << 20
	keptBodies = 4
)

// texts are those of the raw bodies read last, so that each is read once: the items of one follow one another.
type texts struct{ bodies []*body }

// body has the texts of a raw body's items, by identity; of those that share one with others also the first under that.
type body struct {
	raw string
	of  map[uint64]string
}

// text returns the whole text of an item; "" where its raw body is gone or cannot be read.
func (g *gathered) text(ctx context.Context, f *store.FeedRow, raw string, h *store.Header) (string, error) {
	if raw == "" {
		return "", nil
	}
	var b *body
	for _, kept := range g.texts.bodies {
		if kept.raw == raw {
			b = kept
		}
	}
	if b == nil {
		of, err := g.s.extract(ctx, f, raw)
		if err != nil {
			return "", err
		}
		b = &body{raw, of}
		if g.texts.bodies = append(g.texts.bodies, b); len(g.texts.bodies) > keptBodies {
			g.texts.bodies = g.texts.bodies[1:]
		}
	}
	text, ok := b.of[h.Identity]
	if !ok && h.Shared != 0 {
		text = b.of[h.Shared]
	}
	return strings.Clone(text), nil // not the memory of all items
}

// extract reads a raw body.
func (s *Service) extract(ctx context.Context, f *store.FeedRow, raw string) (map[uint64]string, error) {
	packed, meta, err := s.blobs.Get(ctx, raw)
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
		text := query.CutText(it.Text)
		of[it.Identity] = text
		if _, isTaken := of[it.Shared]; it.Shared != 0 && !isTaken {
			of[it.Shared] = text
		}
	}
	return of, nil
}
