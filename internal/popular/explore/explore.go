// Package explore puts together what is popular among a person's feeds: what the person sees (package stream), how
// often it was bookmarked (popular), and what it is about (content/tags).
package explore

import (
	"context"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
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
	atOnce  int // feeds that the nightly job reads at the same time
}

// Serially has the nightly job read one feed after the other, so that a test can play it again.
func (s *Service) Serially() { s.atOnce = 1 }

// New returns a service.
func New(st *store.Store, b *blob.Bucket, q job.Sender, s *stream.Service, p *popular.Service, x Extractor,
	c clock.Clock, log *slog.Logger) *Service {
	return &Service{store: st, blobs: b, queue: q, streams: s, popular: p, phrases: x, clock: c, log: log,
		atOnce: readAtOnce}
}

// Items returns a page of a stream by popularity: counted items of 30 days by count, then the rest, newest first. All
// pages of a list use the counts of its first.
func (s *Service) Items(ctx context.Context, u reader.UserID, q stream.Query) (stream.Page, error) {
	counts, rest, err := s.popular.ForList(ctx, q.Cursor, popular.ListedFor)
	if err != nil {
		return stream.Page{}, err
	}
	q.Counts, q.CountedSince, q.Cursor = counts.Counts, counts.From, rest
	p, err := s.streams.List(ctx, u, q)
	if p.Next != "" {
		p.Next = counts.Cursor(p.Next)
	}
	return p, err
}

// popularToday is how old an item may be to be popular on a day.
const popularToday = 3 * 24 * time.Hour

// Today returns what a visit begins with; since is the end of the visit before, zero without one.
func (s *Service) Today(ctx context.Context, u reader.UserID, since time.Time) (stream.Today, error) {
	q := stream.TodayQuery{Since: since}
	if c := s.counts(ctx, popularToday); c.IsOn() {
		q.Counts, q.CountedSince = c.Counts, c.From
	}
	return s.streams.Today(ctx, u, q)
}

func badCursor() error { return fault.Coded(fault.Invalid, "bad_cursor").At("cursor") }

// counts returns the counts of a new list of what was posted in some time (0: at any).
func (s *Service) counts(ctx context.Context, within time.Duration) popular.OfList {
	c, _, _ := s.popular.ForList(ctx, "", within) // only a cursor can be wrong
	return c
}
