// Package search finds items by words: in the segments of the index, and in the items that no segment has yet. The
// caller decides which items a person may see.
package search

import (
	"context"
	"sync/atomic"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/search/texts"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Mode says which texts are indexed.
type Mode string

// The modes, as RURI_SEARCH names them.
const (
	Off    Mode = "off"
	Titles Mode = "titles" // titles, authors, categories and snippets
	Bodies Mode = "bodies" // and whole texts
)

// Feed is a feed to search.
type Feed struct {
	Row *store.FeedRow // a current one
	// Wants reports whether an item is above the floor, not hidden, and in the state that was asked for.
	Wants func(reader.Seq) bool
	// Above: only items with a greater seq are wanted; zero for all.
	Above reader.Seq
}

// Request is one page of a search.
type Request struct {
	Query *query.Query
	Feeds []Feed // in order of number
	Best  bool   // titles that match come first
	// Count gives bookmark counts: counted items that were posted at CountedFrom or later come first, by count. It must
	// be the same for all pages, and excludes Best.
	Count       func(reader.FeedID, reader.Seq) int
	CountedFrom int64
	Cursor      string
	// Mark distinguishes cursors of different searches.
	Mark  uint32
	Limit int
}

// Hit is an item that was found.
type Hit struct {
	Feed   reader.FeedID
	Seq    reader.Seq
	Stamp  reader.Minute
	Header store.Header
	// Title and Text are its title and an excerpt with the matches marked.
	Title, Text query.Highlight
}

// Result is a page of hits.
type Result struct {
	Hits []Hit
	Next string // the cursor of the next page; empty at the end
	// Reached is the sort time down to which was searched, if the page ended early; zero otherwise.
	Reached int64
	// IsBuilding reports that many items are not indexed yet, so that some could not be searched.
	IsBuilding bool
	Total      Total // of all pages; only with the first one
}

// Total says how much a search finds.
type Total struct {
	Items, Feeds int
	IsLeast      bool // there may be more
}

// Service searches. It is safe for concurrent use.
type Service struct {
	store *store.Store
	clock clock.Clock
	index *index
	lost  func(context.Context, error) // see OnLost
	told  atomic.Int64                 // when it was last called, in Unix seconds
	texts *texts.Texts                 // see ReadTexts
	fresh *lru.Cache[reader.FeedID, *news]
	// Limits of reading items that are not indexed yet, for one search.
	maxDeltas, maxBodies int64
}

// freshBytes bounds the memory for items that are not indexed yet.
const freshBytes = 8 << 20

// ReadTexts makes searches cover the whole texts of items that are not indexed yet, as the index does for all others.
func (s *Service) ReadTexts(t *texts.Texts) { s.texts = t }

// lostEvery is the least time between two reports of a damaged index, in seconds.
const lostEvery = 600

// OnLost sets the function that is called for a missing or damaged part of the index, so that the index can be rebuilt.
func (s *Service) OnLost(report func(context.Context, error)) { s.lost = report }

// Serially makes a search read one thing at a time, so that a test can replay it.
func (s *Service) Serially() { s.index.atOnce = 1 }

// New makes a service.
func New(s *store.Store, b *blob.Bucket, c clock.Clock) *Service {
	return &Service{
		store: s, clock: c, index: newIndex(s, b), fresh: lru.New[reader.FeedID, *news](freshBytes),
		maxDeltas: maxDeltas, maxBodies: int64(newsWorth / b.Gap()),
	}
}

// Search returns a page. Errors are fault.Invalid bad_cursor, fault.Unavailable search_damaged and the storage's.
func (s *Service) Search(ctx context.Context, r Request) (Result, error) {
	at, err := decodeCursor(r.Cursor, r.Mark)
	if err != nil {
		return Result{}, err
	}
	feeds := newScope(r.Feeds)
	if feeds == nil {
		return Result{}, nil
	}
	res, err := s.page(ctx, &r, feeds, at, false)
	if isLost(err) { // a merge has deleted a segment since the row was read, or it is damaged
		res, err = s.page(ctx, &r, newScope(r.Feeds), at, true)
	}
	if isLost(err) {
		if now, told := s.clock.Now().Unix(), s.told.Load(); s.lost != nil && now-told >= lostEvery &&
			s.told.CompareAndSwap(told, now) {
			s.lost(ctx, err)
		}
		err = fault.New(fault.Unavailable, "search_damaged", "search", err)
	}
	return res, err
}

// isLost reports whether a part of the index is missing or damaged.
func isLost(err error) bool {
	switch fault.CodeOf(err) {
	case "blob_not_found", "blob_corrupt", "bad_range", "bad_search_row", "bad_record":
		return true
	}
	return segment.IsDamaged(err)
}
