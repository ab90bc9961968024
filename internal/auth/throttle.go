package auth

import (
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

const (
	// freeTries of a log-in may fail before the next has to wait.
	freeTries = 5
	maxWait   = 15 * time.Minute
	maxKept   = 4096
)

// TooManyError asks for patience.
type TooManyError struct{ RetryAfter time.Duration }

func (e *TooManyError) Error() string { return "too many log-in attempts" }

// throttle slows down guessing, by account and by address, in memory alone: no write for a request
// (C-3). Several instances each count for themselves.
type throttle struct {
	clock clock.Clock
	mu    sync.Mutex
	seen  map[string]*tries
}

type tries struct {
	n    int
	next time.Time
}

func newThrottle(c clock.Clock) *throttle { return &throttle{clock: c, seen: map[string]*tries{}} }

// take counts an attempt, and tells how long to wait when it comes too early.
func (t *throttle) take(email, from string) time.Duration {
	now := t.clock.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) > maxKept {
		for k, v := range t.seen {
			if now.After(v.next.Add(maxWait)) {
				delete(t.seen, k)
			}
		}
	}
	var wait time.Duration
	for _, key := range []string{"e:" + email, "a:" + from} {
		v := t.seen[key]
		if v == nil {
			v = &tries{}
			t.seen[key] = v
		}
		if now.Before(v.next) {
			wait = max(wait, v.next.Sub(now))
			continue
		}
		if v.n++; v.n >= freeTries {
			v.next = now.Add(min(maxWait, time.Second<<min(v.n-freeTries, 10)))
		}
	}
	return wait
}

// forget clears the count after a success.
func (t *throttle) forget(email, from string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.seen, "e:"+email)
	delete(t.seen, "a:"+from)
}
