package auth

import (
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

// limit is how many tries a key may make for nothing, and how long the next ones wait at most.
type limit struct {
	free    int
	longest time.Duration
}

// A guesser at one address is slowed down for the account it guesses at. Accounts and addresses as such
// get more patience and shorter waits: whoever knows a person's e-mail address must not be able to lock
// the person out, and one address may be a whole office, or the edge of a content network.
var (
	pairLimit    = limit{free: 5, longest: 15 * time.Minute}
	accountLimit = limit{free: 50, longest: time.Minute}
	addressLimit = limit{free: 50, longest: time.Minute}
)

const (
	// forgetAfter is how long a key's tries are held against it.
	forgetAfter = time.Hour
	maxKept     = 4096
)

// TooManyError asks for patience.
type TooManyError struct{ RetryAfter time.Duration }

func (e *TooManyError) Error() string { return "too many log-in attempts" }

// throttle slows down guessing in the memory of one process. What it lets through is counted for all instances together
// (counters.go), but for the tries of an address at many accounts, which each instance counts for itself.
type throttle struct {
	clock clock.Clock
	mu    sync.Mutex
	seen  map[string]tries
}

type tries struct {
	n          int
	last, next time.Time
}

func newThrottle(c clock.Clock) *throttle { return &throttle{clock: c, seen: map[string]tries{}} }

type throttleKey struct {
	name string
	limit
}

func throttleKeys(email, from string) [3]throttleKey {
	return [3]throttleKey{{"p:" + email + " " + from, pairLimit}, {"e:" + email, accountLimit}, {"a:" + from, addressLimit}}
}

// wait is how long the next try has to wait. A clock that went back must not lock anybody out.
func (v tries) wait(now time.Time, l limit) time.Duration { return min(v.next.Sub(now), l.longest) }

// after counts one more try.
func (v tries) after(now time.Time, l limit) tries {
	if now.Sub(v.last) > forgetAfter {
		v.n = 0
	}
	v.n, v.last = v.n+1, now
	if v.n >= l.free {
		v.next = now.Add(min(l.longest, time.Second<<min(v.n-l.free, 10)))
	}
	return v
}

// attempt is what a try has taken: how each of its counts was before it, and after; that of the address comes last.
type attempt struct {
	email, from   string
	before, after [3]tries
}

// take counts an attempt before its outcome is known, so that many at once gain nothing; or tells how
// long to wait when it comes too early, and then counts nothing.
func (t *throttle) take(email, from string) (a attempt, wait time.Duration) {
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := throttleKeys(email, from)
	for _, k := range keys {
		wait = max(wait, t.seen[k.name].wait(now, k.limit))
	}
	if wait > 0 {
		return a, wait
	}
	t.makeRoom(now)
	a = attempt{email: email, from: from}
	for i, k := range keys {
		v := t.seen[k.name]
		a.before[i], a.after[i] = v, v.after(now, k.limit)
		t.seen[k.name] = a.after[i]
	}
	return a, 0
}

// giveBack takes back what a try has counted that came to nothing: it was refused elsewhere, and a refused one does not
// count.
func (t *throttle) giveBack(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, k := range throttleKeys(a.email, a.from) {
		if t.seen[k.name] == a.after[i] {
			t.seen[k.name] = a.before[i]
		}
	}
}

// makeRoom bounds the memory: what is no longer held against anybody goes first.
func (t *throttle) makeRoom(now time.Time) {
	if len(t.seen) < maxKept {
		return
	}
	for k, v := range t.seen {
		if now.Sub(v.last) > forgetAfter || v.next.Before(now) {
			delete(t.seen, k)
		}
	}
	if len(t.seen) >= maxKept {
		clear(t.seen)
	}
}

// succeeded clears the account's counts and gives the address back what this one attempt took: who signs in has not
// guessed. All else that was counted against the address stays: an attacker's own account must not buy further guesses
// at others.
func (t *throttle) succeeded(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	keys := throttleKeys(a.email, a.from)
	for _, k := range keys[:2] {
		delete(t.seen, k.name)
	}
	name := keys[2].name
	v, ok := t.seen[name]
	if !ok { // forgotten meanwhile
		return
	}
	if v == a.after[2] { // nobody tried in between
		v.last, v.next = a.before[2].last, a.before[2].next
	}
	if v.n--; v.n <= 0 {
		delete(t.seen, name)
		return
	}
	t.seen[name] = v
}
