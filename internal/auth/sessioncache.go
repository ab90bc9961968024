package auth

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// cacheLife is how long a row's state is used without reading it again. Together with the lag of an eventually
	// consistent read it stays below the minute within which an ended session stops working everywhere.
	cacheLife = 50 * time.Second
	maxCached = 4096
	// activityPause is the least time between two writes of the last use.
	activityPause = time.Hour
	// visitPause is how old the last activity of a session is at least when a visit begins: it may have been an hour
	// longer than written, and so nothing was read for an hour.
	visitPause = 2 * activityPause
)

// cached is the last known state of a session's or a token's row; id, scopes, ends and email are a token's.
type cached struct {
	user   reader.UserID
	alive  bool
	active int64  // of the row, or the value that this process is about to write
	before int64  // the last activity before the visit; sessions only
	method string // how the person signed in; sessions only
	until  time.Time

	id     string
	scopes Scopes
	ends   int64
	email  string
}

// cache keeps row states for cacheLife. It is safe for concurrent use.
type cache struct {
	mu   sync.Mutex
	rows map[string]cached
}

func newCache() *cache { return &cache{rows: map[string]cached{}} }

func (m *cache) get(id string, now time.Time) (cached, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.rows[id]
	// If the clock went back, entries must not last longer than cacheLife.
	return r, ok && now.Before(r.until) && r.until.Sub(now) <= cacheLife
}

func (m *cache) put(id string, r cached, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.rows[id]; !there && len(m.rows) >= maxCached {
		for k, v := range m.rows {
			if !now.Before(v.until) {
				delete(m.rows, k)
			}
		}
		if len(m.rows) >= maxCached { // only valid credentials get here: that many are in use
			clear(m.rows)
		}
	}
	r.until = now.Add(cacheLife)
	m.rows[id] = r
}

// take reports whether the caller should write the activity; of several at once, only one. r is the row's new state.
func (m *cache) take(id string, now time.Time) (r cached, isDue bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.rows[id]
	idle := now.Unix() - r.active
	if !ok || idle < int64(activityPause/time.Second) {
		return r, false
	}
	if idle >= int64(visitPause/time.Second) {
		r.before = r.active
	}
	r.active = now.Unix()
	m.rows[id] = r
	return r, true
}

// alive returns nil while the session's row exists, and completes the session from it.
func (s *Service) alive(ctx context.Context, v *Session) error {
	now := s.clock.Now()
	r, ok := s.sessions.get(v.ID, now)
	if !ok || r.user != v.User { // a session id is only valid together with its user
		row, err := s.accounts.Session(ctx, v.User, v.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		r = cached{user: v.User, alive: err == nil}
		if row != nil {
			r.active, r.before, r.method = row.Active, row.Before, row.Method
		}
		s.sessions.put(v.ID, r, now)
	}
	if !r.alive {
		return errUnauthenticated
	}
	v.Method = r.method
	return s.touch(ctx, v, r.active, now)
}

// touch writes a session's last use at most once an hour. A failure of the store is ignored.
func (s *Service) touch(ctx context.Context, v *Session, was int64, now time.Time) error {
	next, isDue := s.sessions.take(v.ID, now)
	v.Before = unixTime(next.before)
	if !isDue {
		return nil
	}
	written, err := s.accounts.TouchSession(ctx, v.User, v.ID, was, next.before, now,
		s.expiry(v.SignIn, now).Add(ttlSlack))
	if err != nil || written {
		return nil //nolint:nilerr // see above
	}
	// Another instance wrote it first, or the session has ended.
	row, err := s.accounts.Session(ctx, v.User, v.ID)
	if fault.Is(err, fault.NotFound) {
		s.sessions.put(v.ID, cached{user: v.User}, now)
		return errUnauthenticated
	}
	if err == nil {
		v.Before = unixTime(row.Before)
		s.sessions.put(v.ID, cached{user: v.User, alive: true, active: row.Active, before: row.Before,
			method: row.Method}, now)
	}
	return nil
}

// unixTime is the zero time for 0.
func unixTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// Sessions lists a user's sessions, the last used first.
func (s *Service) Sessions(ctx context.Context, u reader.UserID) ([]*store.SessionRow, error) {
	list, err := s.accounts.Sessions(ctx, u)
	slices.SortStableFunc(list, func(a, b *store.SessionRow) int { return int(b.Active - a.Active) })
	return list, err
}

// EndSession ends a session: at once in this process, within a minute in others.
func (s *Service) EndSession(ctx context.Context, u reader.UserID, id string) error {
	if err := s.accounts.EndSession(ctx, u, id); err != nil {
		return err
	}
	s.sessions.put(id, cached{user: u}, s.clock.Now())
	return nil
}

// EndAll ends all of a user's sessions except one (may be "") and returns how many. After a failure it can be repeated.
func (s *Service) EndAll(ctx context.Context, u reader.UserID, except string) (ended int, err error) {
	list, err := s.accounts.Sessions(ctx, u)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, row := range list {
		if row.ID() == except {
			continue
		}
		if err := s.EndSession(ctx, u, row.ID()); err != nil {
			errs = append(errs, err)
			continue
		}
		ended++
	}
	return ended, errors.Join(errs...)
}
