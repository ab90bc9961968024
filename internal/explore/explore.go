// Package explore puts together what is popular among a person's feeds: what the person sees (package stream), how often it
// was bookmarked (popular), and what it is about (content/tags).
package explore

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Service answers lists of entries and tags. It is safe for concurrent use.
type Service struct {
	store   *store.Store
	streams *stream.Service
	popular *popular.Service
	blobs   *blob.Bucket
	queue   job.Sender
	phrases Extractor
	clock   clock.Clock
	log     *slog.Logger
	kept    kept
}

// New returns a service.
func New(st *store.Store, b *blob.Bucket, q job.Sender, s *stream.Service, p *popular.Service, x Extractor, c clock.Clock, log *slog.Logger) *Service {
	return &Service{store: st, blobs: b, queue: q, streams: s, popular: p, phrases: x, clock: c, log: log}
}

// countedFor is how long items are in front of lists by popularity.
const countedFor = 30 * 24 * time.Hour

// Items returns a page of a stream by popularity: items of the last 30 days with a count by their counts, then the rest from the
// newest on. All pages of a list are of the counts of its first.
func (s *Service) Items(ctx context.Context, u reader.UserID, q stream.Query) (stream.Page, error) {
	at, rest, err := s.parse(q.Cursor)
	if err != nil {
		return stream.Page{}, err
	}
	counts, all := s.counts(ctx, at, countedFor)
	q.Counts, q.CountedSince, q.Cursor = counts, all.from, rest
	p, err := s.streams.List(ctx, u, q)
	if p.Next != "" {
		p.Next = all.token() + p.Next
	}
	return p, err
}

// asOf is what all pages of a list share.
type asOf struct {
	tick schedule.Tick // of the newest cycle in the counts
	from int64         // nothing that was posted before, in Unix seconds; 0 = no bound
}

// tokenEnd separates what is shared from the rest of a cursor.
const tokenEnd = "."

func (a asOf) token() string {
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(a.tick)), uint64(a.from))
	return base64.RawURLEncoding.EncodeToString(b) + tokenEnd
}

// parse splits a cursor; the first page has none.
func (s *Service) parse(cursor string) (at *asOf, rest string, err error) {
	if cursor == "" {
		return nil, "", nil
	}
	token, rest, isWhole := strings.Cut(cursor, tokenEnd)
	b, err := base64.RawURLEncoding.DecodeString(token)
	d := reader.Decoder{Rest: b, Bad: err != nil || !isWhole || rest == ""}
	at = &asOf{schedule.Tick(d.Uvarint(uint64(schedule.TickOf(s.clock.Now()) + 1))), int64(d.Uvarint(math.MaxInt64))}
	if d.Bad || len(d.Rest) > 0 {
		return nil, "", badCursor()
	}
	return at, rest, nil
}

func badCursor() error { return fault.Coded(fault.Invalid, "bad_cursor").At("cursor") }

// counts returns the counts of a list, and what its pages share. at is that of the pages before; nil for a new list of what was
// posted in some time (0: at any).
func (s *Service) counts(ctx context.Context, at *asOf, within time.Duration) (*popular.Counts, asOf) {
	if at != nil {
		return s.popular.CountsWith(ctx, at.tick).AsOf(at.tick), *at
	}
	c := s.popular.Counts(ctx)
	a := asOf{tick: c.Newest()}
	if within > 0 {
		a.from = max(s.clock.Now().Add(-within).Unix(), 0)
	}
	return c, a
}
