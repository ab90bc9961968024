package auth

import (
	"context"
	"maps"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Two things are counted in the table, for all instances together, besides the memory of each (C-3): tries to sign in,
// and registrations, of accounts and of feeds. Each costs one write, and a sign-in that works a second one, which
// forgets the tries before it. What the memory refuses asks the table nothing.

const (
	// maxNetworks is of how many networks the tries at one account are told apart.
	maxNetworks = 32
	// maxCounting is how often a count is begun again when another instance was faster.
	maxCounting = 5
	// registrationPause is how long one registration counts: ten at once, and ten a minute.
	registrationPause = 6 * time.Second
	registrations     = 10
)

// errContended: so many try at once that none is let through.
var errContended = &TooManyError{RetryAfter: time.Second}

// count changes a counter until nobody else has in between. Each gives how long to wait, and then nothing is written.
func (s *Service) count(ctx context.Context, name string, keep time.Duration, each func(row *store.CounterRow) (wait time.Duration)) error {
	for range maxCounting {
		row, err := s.accounts.Counter(ctx, name)
		if err != nil {
			return err
		}
		if wait := each(&row); wait > 0 {
			return &TooManyError{RetryAfter: wait}
		}
		if err = s.accounts.PutCounter(ctx, name, row, keep); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return errContended
}

// take counts a try to sign in, before its outcome is known; TooManyError when it comes too early.
func (s *Service) take(ctx context.Context, email, from string) (attempt, error) {
	try, wait := s.throttle.take(email, from)
	if wait > 0 {
		return try, &TooManyError{RetryAfter: wait}
	}
	err := s.count(ctx, "sign-in "+email, forgetAfter, func(row *store.CounterRow) (wait time.Duration) {
		now := s.clock.Now()
		keys := countersOf(from)
		for _, k := range keys {
			wait = max(wait, triesOf(row, k.name).wait(now, k.limit))
		}
		if wait > 0 {
			return wait
		}
		row.Tries = maps.Clone(row.Tries)
		if row.Tries == nil {
			row.Tries = map[string]store.CounterTries{}
		}
		for _, k := range keys {
			v := triesOf(row, k.name).after(now, k.limit)
			row.Tries[k.name] = store.CounterTries{N: v.n, Last: v.last.UnixMilli(), Next: unixMilli(v.next)}
		}
		forgetNetworks(row)
		return 0
	})
	if err != nil {
		s.throttle.giveBack(try)
	}
	return try, err
}

// succeeded forgets what was tried at an account from this network before: who signs in has not guessed.
func (s *Service) succeeded(ctx context.Context, try attempt) error {
	s.throttle.succeeded(try)
	err := s.count(ctx, "sign-in "+try.email, forgetAfter, func(row *store.CounterRow) time.Duration {
		row.Tries = maps.Clone(row.Tries)
		for _, k := range countersOf(try.from) {
			delete(row.Tries, k.name)
		}
		return 0
	})
	if err == errContended { //nolint:errorlint // ours, as it is: who has proved who they are is not refused for others' tries
		return nil
	}
	return err
}

// CountRegistration counts a feed that a user registers.
func (s *Service) CountRegistration(ctx context.Context, u reader.UserID) error {
	return s.countRegistration(ctx, "feed "+string(u))
}

// countRegistration holds one row to ten a minute: each registration moves a time on by its share, and who would move
// it further ahead than a minute waits.
func (s *Service) countRegistration(ctx context.Context, name string) error {
	return s.count(ctx, name, 2*time.Minute, func(row *store.CounterRow) time.Duration {
		now := s.clock.Now()
		ahead := min(time.UnixMilli(row.At).Sub(now), registrations*registrationPause) // a clock that went back locks nobody out
		if wait := ahead - (registrations-1)*registrationPause; wait > 0 {
			return wait
		}
		row.At = now.Add(max(ahead, 0) + registrationPause).UnixMilli()
		return 0
	})
}

// countersOf are the counters of an account that a try from an address counts in: that of its network, and that of all.
func countersOf(from string) [2]throttleKey {
	net := network(from)
	if net == "" {
		net = "unknown"
	}
	return [2]throttleKey{{net, pairLimit}, {"all", accountLimit}}
}

func triesOf(row *store.CounterRow, name string) tries {
	v, ok := row.Tries[name]
	if !ok {
		return tries{}
	}
	out := tries{n: v.N, last: time.UnixMilli(v.Last)}
	if v.Next > 0 {
		out.next = time.UnixMilli(v.Next)
	}
	return out
}

func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// forgetNetworks bounds a row: the network that has tried longest ago goes first.
func forgetNetworks(row *store.CounterRow) {
	for len(row.Tries) > maxNetworks+1 {
		oldest := ""
		for name, v := range row.Tries {
			if name != "all" && (oldest == "" || v.Last < row.Tries[oldest].Last) {
				oldest = name
			}
		}
		delete(row.Tries, oldest)
	}
}
