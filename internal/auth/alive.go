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
	// sessionMemory is how long a session is believed, or disbelieved, without a look at its row. With what a read
	// of DynamoDB may lag it stays below the minute within which an ended session is over everywhere.
	sessionMemory = 50 * time.Second
	maxRemembered = 4096
	// activityPause is how often at most a session's or token's use is written.
	activityPause = time.Hour
)

// remembered is what was last seen of the row of a session or a token; id, scopes and ends are a token's.
type remembered struct {
	user   reader.UserID
	alive  bool
	active int64 // as the row says, or as this process has taken it on itself to write
	until  time.Time

	id     string
	scopes Scopes
	ends   int64
}

// memory keeps what was seen for a while. It is safe for concurrent use.
type memory struct {
	mu   sync.Mutex
	seen map[string]remembered
}

func newMemory() *memory { return &memory{seen: map[string]remembered{}} }

func (m *memory) get(id string, now time.Time) (remembered, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.seen[id]
	// A clock that went back must not make a memory last: nothing is believed for longer than sessionMemory ahead.
	return r, ok && now.Before(r.until) && r.until.Sub(now) <= sessionMemory
}

func (m *memory) put(id string, r remembered, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.seen[id]; !there && len(m.seen) >= maxRemembered {
		for k, v := range m.seen {
			if !now.Before(v.until) {
				delete(m.seen, k)
			}
		}
		if len(m.seen) >= maxRemembered { // only what is signed or stored comes here: that many are at work
			clear(m.seen)
		}
	}
	r.until = now.Add(sessionMemory)
	m.seen[id] = r
}

// take says whether this caller is to write the activity, of several at once one.
func (m *memory) take(id string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.seen[id]
	if !ok || now.Unix()-r.active < int64(activityPause/time.Second) {
		return false
	}
	r.active = now.Unix()
	m.seen[id] = r
	return true
}

// alive is nil while the session's row is there.
func (s *Service) alive(ctx context.Context, v Session) error {
	now := s.clock.Now()
	r, ok := s.sessions.get(v.ID, now)
	if !ok || r.user != v.User { // what is known of one user's session says nothing about another's
		row, err := s.accounts.Session(ctx, v.User, v.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		r = remembered{user: v.User, alive: err == nil}
		if row != nil {
			r.active = row.Active
		}
		s.sessions.put(v.ID, r, now)
	}
	if !r.alive {
		return unauthenticated()
	}
	return s.touch(ctx, v, r.active, now)
}

// touch notes the use of a session at most once an hour. A store that cannot take it stops nobody from reading.
func (s *Service) touch(ctx context.Context, v Session, was int64, now time.Time) error {
	if !s.sessions.take(v.ID, now) {
		return nil
	}
	written, err := s.accounts.TouchSession(ctx, v.User, v.ID, was, now, s.expiry(v.SignIn, now).Add(ttlSlack))
	if err != nil || written {
		return nil //nolint:nilerr // see above
	}
	// Another instance was quicker, or the session was ended since it was last looked at.
	row, err := s.accounts.Session(ctx, v.User, v.ID)
	if fault.Is(err, fault.NotFound) {
		s.sessions.put(v.ID, remembered{user: v.User}, now)
		return unauthenticated()
	}
	if err == nil {
		s.sessions.put(v.ID, remembered{user: v.User, alive: true, active: row.Active}, now)
	}
	return nil
}

// Sessions lists where a user is signed in, the last used first.
func (s *Service) Sessions(ctx context.Context, u reader.UserID) ([]*store.SessionRow, error) {
	list, err := s.accounts.Sessions(ctx, u)
	slices.SortStableFunc(list, func(a, b *store.SessionRow) int { return int(b.Active - a.Active) })
	return list, err
}

// EndSession signs one device out: at once here, within a minute on every other instance.
func (s *Service) EndSession(ctx context.Context, u reader.UserID, id string) error {
	if err := s.accounts.EndSession(ctx, u, id); err != nil {
		return err
	}
	s.sessions.put(id, remembered{user: u}, s.clock.Now())
	return nil
}

// EndAll signs a user out everywhere but on the device of the session `except`, which may be empty, and tells how
// many sessions ended. After a failure some have; asked again it ends the others.
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
