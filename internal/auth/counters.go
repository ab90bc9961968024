package auth

import (
	"context"
	"maps"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Two things are counted in the table for all instances together (C-3): attempts to sign in, and registrations of
// accounts and feeds. Each costs one write; a successful sign-in costs a second one that clears its attempts. Attempts
// that the throttle in memory refuses do not reach the table.

const (
	// maxNetworks limits the networks for which the attempts at one account are counted separately.
	maxNetworks = 32
	// maxCounting limits the retries after a lost race for a counter.
	maxCounting = 5
	// A registration counts for registrationPause: ten at once, and ten a minute.
	registrationPause = 6 * time.Second
	registrations     = 10
)

// errContended: too many concurrent attempts.
var errContended = &TooManyError{RetryAfter: time.Second}

// count changes a counter, again after lost races. If change returns a wait, nothing is written and the error is a
// TooManyError.
func (s *Service) count(ctx context.Context, name string, keep time.Duration,
	change func(row *store.CounterRow) (wait time.Duration)) error {
	for range maxCounting {
		row, err := s.accounts.Counter(ctx, name)
		if err != nil {
			return err
		}
		if wait := change(&row); wait > 0 {
			return &TooManyError{RetryAfter: wait}
		}
		if err = s.accounts.PutCounter(ctx, name, row, keep); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return errContended
}

// take counts an attempt to sign in before its outcome is known; a TooManyError if it comes too early.
func (s *Service) take(ctx context.Context, email, from string) (attempt, error) {
	try, wait := s.throttle.take(email, from)
	if wait > 0 {
		return try, &TooManyError{RetryAfter: wait}
	}
	err := s.count(ctx, "sign-in "+email, forgetAfter, func(row *store.CounterRow) (wait time.Duration) {
		now := s.clock.Now()
		keys := countersOf(from)
		for _, k := range keys {
			wait = max(wait, k.wait(row.Tries[k.name], now))
		}
		if wait > 0 {
			return wait
		}
		row.Tries = maps.Clone(row.Tries)
		if row.Tries == nil {
			row.Tries = map[string]store.CounterTries{}
		}
		for _, k := range keys {
			row.Tries[k.name] = k.after(row.Tries[k.name], now)
		}
		dropNetworks(row)
		return 0
	})
	if err != nil {
		s.throttle.undo(try)
	}
	return try, err
}

// succeeded clears the attempts at an account from this network.
func (s *Service) succeeded(ctx context.Context, try attempt) error {
	s.throttle.succeeded(try)
	err := s.count(ctx, "sign-in "+try.email, forgetAfter, func(row *store.CounterRow) time.Duration {
		row.Tries = maps.Clone(row.Tries)
		for _, k := range countersOf(try.from) {
			delete(row.Tries, k.name)
		}
		return 0
	})
	// A proven sign-in is not refused because of others' attempts.
	if err == errContended { //nolint:errorlint // returned unwrapped
		return nil
	}
	return err
}

// CountRegistration counts a feed that a user adds; a TooManyError if there were too many.
func (s *Service) CountRegistration(ctx context.Context, u reader.UserID) error {
	return s.countRegistration(ctx, "feed "+string(u))
}

// countRegistration limits registrations to ten a minute: each moves a time in the row forward by its share, and the
// time may be at most a minute ahead.
func (s *Service) countRegistration(ctx context.Context, name string) error {
	return s.count(ctx, name, 2*time.Minute, func(row *store.CounterRow) time.Duration {
		now := s.clock.Now()
		// bounded in case the clock went back
		ahead := min(time.UnixMilli(row.At).Sub(now), registrations*registrationPause)
		if wait := ahead - (registrations-1)*registrationPause; wait > 0 {
			return wait
		}
		row.At = now.Add(max(ahead, 0) + registrationPause).UnixMilli()
		return 0
	})
}

// countersOf returns the keys of an account's counters for an address: its network's and the total.
func countersOf(from string) [2]throttleKey {
	net := network(from)
	if net == "" {
		net = "unknown"
	}
	return [2]throttleKey{{net, pairLimit}, {"all", accountLimit}}
}

// dropNetworks bounds a row: the network with the oldest attempt goes first.
func dropNetworks(row *store.CounterRow) {
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
