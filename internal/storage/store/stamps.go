package store

import (
	"context"
	"sync"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Stamps keeps ids in order. Programs continue from the greatest id they have, so nothing may be committed below it
// later. Where this process alone writes, a list settles what it has, and later commits take the next stamp; else only
// time settles.
type Stamps struct {
	t     *table.Table
	feeds *Feeds

	mu                 sync.Mutex
	settled            reader.ItemID         // nothing up to it is added any more, by any process
	floor              reader.ItemID         // own commits have greater ids: others may have settled up to here
	top                reader.ItemID         // the greatest id that was committed
	under              map[reader.ItemID]int // commits under way, by the id before their first one
	isKnown, isCurrent bool                  // the floor, and the top, are at least the stored ones
}

// Settle returns the id up to which nothing is added any more: at least old, and at most of a minute, so that stamps do
// not run ahead of the clock.
func (s *Stamps) Settle(ctx context.Context, old reader.ItemID, most reader.Minute) reader.ItemID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.Alone(func(stayed bool) {
		if s.isCurrent = s.isCurrent && stayed; !s.isCurrent {
			newest, err := s.newest(ctx)
			if err != nil {
				return
			}
			s.top, s.isCurrent = max(s.top, newest), true
		}
		to := min(s.top, lastID(most, reader.MaxFeedID))
		for id := range s.under {
			to = min(to, id)
		}
		s.settled = max(s.settled, to)
	})
	s.settled = max(s.settled, old)
	s.floor = max(s.floor, s.settled)
	return s.settled
}

// Next is the first stamp from one on that new items of a feed may have.
func (s *Stamps) Next(f reader.FeedID, stamp reader.Minute) reader.Minute {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(f, stamp)
}

func (s *Stamps) next(f reader.FeedID, stamp reader.Minute) reader.Minute {
	if at := s.floor.Stamp(); f > s.floor.Feed() {
		return max(stamp, at)
	} else if s.floor > 0 {
		return max(stamp, at+1)
	}
	return stamp
}

// Begin is Next for a commit that begins: nothing settles its ids until end is called.
func (s *Stamps) Begin(ctx context.Context, f reader.FeedID, stamp reader.Minute) (_ reader.Minute,
	end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isKnown {
		// Items listed by an earlier process, or by one that runs beside this one, are committed.
		if _, canBe := s.t.Alone(func(bool) { s.isCurrent = false }); canBe {
			newest, err := s.newest(ctx)
			if err != nil {
				return 0, nil, err
			}
			s.floor = max(s.floor, newest)
		}
		s.isKnown = true
	}
	stamp = s.next(f, stamp)
	before := reader.NewItemID(stamp, f, 0) - 1
	s.under[before]++
	return stamp, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.under[before]--; s.under[before] == 0 {
			delete(s.under, before)
		}
		s.top = max(s.top, lastID(stamp, f))
	}, nil
}

// newest reads the greatest id that is stored, or one above it of the same commit.
func (s *Stamps) newest(ctx context.Context) (id reader.ItemID, err error) {
	err = s.feeds.Each(ctx, func(f *FeedRow) error {
		if f.Seq > 0 {
			id = max(id, lastID(reader.Minute(f.Stamp), f.ID()))
		}
		return nil
	})
	return id, err
}

func lastID(stamp reader.Minute, f reader.FeedID) reader.ItemID {
	return reader.NewItemID(stamp, f, reader.MaxSeq)
}
