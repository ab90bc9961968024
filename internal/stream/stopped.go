package stream

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// continuedFor is how long an item that was begun is offered, and mostContinued how many are.
	continuedFor  = 14 * 24 * time.Hour
	mostContinued = 2
	// mostLookedUp is how many places are resolved for that: the items of some are gone.
	mostLookedUp = 10
	// mostWaiting is the number of users whose places may wait in memory.
	mostWaiting = 1000
)

// unstored are the places of users that came too soon after a write. The device sends them again: in memory they are
// only for readers of the same process until then.
type unstored struct {
	mu   sync.Mutex
	list *lru.Cache[reader.UserID, library.Places]
}

func (w *unstored) of(u reader.UserID) library.Places {
	list, _ := w.list.Get(u)
	return list
}

func (w *unstored) add(u reader.UserID, list library.Places, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list.Put(u, w.of(u).Merge(list, now), 1)
}

// Stopped returns where a user stopped in items.
func (s *Service) Stopped(ctx context.Context, u reader.UserID) (library.Places, error) {
	stored, err := s.store.Places.Get(ctx, u)
	return stored.Merge(s.unstored.of(u), s.clock.Now()), err
}

// Stop adds places to a user's and returns all. It reports false where they were not stored: the device has to send
// them again.
func (s *Service) Stop(ctx context.Context, u reader.UserID, list library.Places) (library.Places, bool, error) {
	now := s.clock.Now()
	s.unstored.add(u, list, now)
	return s.store.Places.Merge(ctx, u, s.unstored.of(u), now)
}

// Continued is an item that was begun, and where.
type Continued struct {
	Entry
	Place library.Place
}

// continued returns the newest items that were begun and still exist, without hidden ones and those of muted feeds.
func (s *Service) continued(ctx context.Context, u reader.UserID, bar *sideBar) (out []Continued, err error) {
	list, err := s.Stopped(ctx, u)
	if err != nil {
		return nil, err
	}
	oldest, looked := s.clock.Now().Add(-continuedFor).Unix(), 0
	for _, at := range list {
		if at.At < oldest || len(out) == mostContinued || looked == mostLookedUp {
			break
		}
		sub := find(bar.all, at.Item.Feed())
		if !at.IsBegun() || sub == nil || sub.Sub.Mute {
			continue
		}
		looked++
		e, err := s.find(ctx, sub, at.Item)
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			return nil, err
		case !e.Hidden:
			out = append(out, Continued{e, at})
		}
	}
	return out, nil
}
