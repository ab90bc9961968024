package stream

import (
	"context"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

// A program that synchronises asks several times in a row about one side bar. Where changes are unknown, these requests
// share it for some seconds, as long as this process writes nothing; writes of other processes show seconds later.

const (
	syncHeld = 5 * time.Second
	// readsLag is longer than most eventually consistent reads lag. A side bar read that soon after a write is not
	// held.
	readsLag = time.Second
)

type syncingKey struct{}

// Syncing returns the context of a request of a program that synchronises.
func Syncing(ctx context.Context) context.Context {
	return context.WithValue(ctx, syncingKey{}, true)
}

// syncedView is a side bar that was read for such a program.
type syncedView struct {
	*view
	at      time.Time
	written int64 // what the table's meter said before
}

// calm knows when this process last wrote anything.
type calm struct {
	mu      sync.Mutex
	written int64
	since   time.Time
}

// read records what the table's meter says, and reports whether it has said so for a while.
func (c *calm) read(written int64, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if written != c.written {
		c.written, c.since = written, now
	}
	return now.Sub(c.since) >= readsLag
}

// readFor is read for a request, which may be one of a program that synchronises.
func (v *views) readFor(ctx context.Context, u reader.UserID, l *live, held bool) (*view, error) {
	if ctx.Value(syncingKey{}) == nil {
		return v.read(ctx, u, held)
	}
	now, written := v.clock.Now(), v.store.Table().Meter().Written()
	if w := l.synced; w.view != nil && w.written == written && now.Sub(w.at).Abs() < syncHeld {
		return w.view, nil
	}
	isCalm := v.calm.read(written, now)
	w, err := v.read(ctx, u, true)
	if err == nil && isCalm {
		l.synced = syncedView{w, now, written}
	}
	return w, err
}

// SavedSearch reads a saved search of a user.
func (s *Service) SavedSearch(ctx context.Context, u reader.UserID, id reader.SearchID) (library.Search, error) {
	list, err := s.store.Searches.Get(ctx, u)
	if err != nil {
		return library.Search{}, err
	}
	return list.Get(id)
}

// Tree returns a user's folders and labels: for a program that synchronises, those that came with the side bar.
func (s *Service) Tree(ctx context.Context, u reader.UserID) (library.Tree, error) {
	if ctx.Value(syncingKey{}) == nil {
		return s.store.Trees.Get(ctx, u)
	}
	v, err := s.views.of(ctx, u, true)
	if err != nil {
		return library.Tree{}, err
	}
	return v.ruling.Tree, nil
}
