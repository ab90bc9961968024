package auth

import (
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// limit is the number of attempts without a wait for a key, and the longest wait after them.
type limit struct {
	free    int
	longest time.Duration
}

// Guessing from one network at one account is slowed down most. An account or a network as a whole has more free
// attempts and shorter waits: knowing a person's e-mail address must not be enough to lock them out, and one address
// may be a whole office or the edge of a content network.
var (
	pairLimit    = limit{free: 5, longest: 15 * time.Minute}
	accountLimit = limit{free: 50, longest: time.Minute}
	addressLimit = limit{free: 50, longest: time.Minute}
)

const (
	// forgetAfter is how long attempts count.
	forgetAfter = time.Hour
	maxKept     = 4096
)

// TooManyError says when the next attempt is allowed.
type TooManyError struct{ RetryAfter time.Duration }

func (e *TooManyError) Error() string { return "too many log-in attempts" }

// throttle slows down guessing, in the memory of one process. Attempts that it allows are also counted for all
// instances together (counters.go), except those of one address at many accounts.
type throttle struct {
	clock clock.Clock
	mu    sync.Mutex
	seen  map[string]store.CounterTries
}

func newThrottle(c clock.Clock) *throttle {
	return &throttle{clock: c, seen: map[string]store.CounterTries{}}
}

type throttleKey struct {
	name string
	limit
}

func throttleKeys(email, from string) [3]throttleKey {
	return [3]throttleKey{{"p:" + email + " " + from, pairLimit}, {"e:" + email, accountLimit},
		{"a:" + from, addressLimit}}
}

// wait returns how long the next attempt has to wait, bounded in case the clock went back.
func (l limit) wait(v store.CounterTries, now time.Time) time.Duration {
	return min(time.UnixMilli(v.Next).Sub(now), l.longest)
}

// after returns the counts with one more attempt.
func (l limit) after(v store.CounterTries, now time.Time) store.CounterTries {
	if isForgotten(v, now) {
		v.N = 0
	}
	v.N, v.Last = v.N+1, now.UnixMilli()
	if v.N >= l.free {
		v.Next = now.Add(min(l.longest, time.Second<<min(v.N-l.free, 10))).UnixMilli()
	}
	return v
}

func isForgotten(v store.CounterTries, now time.Time) bool {
	return now.Sub(time.UnixMilli(v.Last)) > forgetAfter
}

// attempt has the counts before and after an attempt, in the order of throttleKeys.
type attempt struct {
	email, from   string
	before, after [3]store.CounterTries
}

// take counts an attempt before its outcome is known, so that attempts in parallel gain nothing. If it comes too early,
// it returns how long to wait and counts nothing.
func (t *throttle) take(email, from string) (a attempt, wait time.Duration) {
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := throttleKeys(email, from)
	for _, k := range keys {
		wait = max(wait, k.wait(t.seen[k.name], now))
	}
	if wait > 0 {
		return a, wait
	}
	t.prune(now)
	a = attempt{email: email, from: from}
	for i, k := range keys {
		v := t.seen[k.name]
		a.before[i], a.after[i] = v, k.after(v, now)
		t.seen[k.name] = a.after[i]
	}
	return a, 0
}

// undo reverts an attempt that was refused by the counters: refused attempts do not count.
func (t *throttle) undo(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range throttleKeys(a.email, a.from) {
		if t.seen[k.name] == a.after[i] {
			t.seen[k.name] = a.before[i]
		}
	}
}

// prune bounds the memory: entries without effect are dropped first.
func (t *throttle) prune(now time.Time) {
	if len(t.seen) < maxKept {
		return
	}
	for k, v := range t.seen {
		if isForgotten(v, now) || v.Next < now.UnixMilli() {
			delete(t.seen, k)
		}
	}
	if len(t.seen) >= maxKept {
		clear(t.seen)
	}
}

// succeeded clears the account's counts and reverts this one attempt for the address. Other attempts of the address
// still count: signing in to an attacker's own account must not allow more guesses at others.
func (t *throttle) succeeded(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := throttleKeys(a.email, a.from)
	for _, k := range keys[:2] {
		delete(t.seen, k.name)
	}
	name := keys[2].name
	v, ok := t.seen[name]
	if !ok { // pruned meanwhile
		return
	}
	if v == a.after[2] { // no other attempt in between
		v.Last, v.Next = a.before[2].Last, a.before[2].Next
	}
	if v.N--; v.N <= 0 {
		delete(t.seen, name)
		return
	}
	t.seen[name] = v
}
