package table

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
)

// Full jitter (Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog 2015): a wait is uniform between zero
// and a doubling bound, which spreads callers that were throttled together.
const (
	firstWait = 25 * time.Millisecond
	longWait  = 2 * time.Second
)

type retrier struct {
	sleep    func(context.Context, time.Duration) error
	attempts int
}

func (r retrier) wait(ctx context.Context, attempt int) error {
	bound := min(longWait, firstWait<<min(attempt, 10))
	return r.sleep(ctx, rand.N(bound))
}

// do repeats f while it is throttled and, if f is idempotent, a few times while the store is unavailable.
func (t *Table) do(ctx context.Context, idempotent bool, f func() error) error {
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return cancelled(err)
		}
		err := f()
		if err == nil {
			return nil
		}
		throttled := fault.Is(err, fault.RateLimited)
		if throttled {
			t.countThrottled(ctx)
		}
		again := throttled && fault.CodeOf(err) != "write_rate" || idempotent && fault.Is(err, fault.Unavailable) &&
			!permanent(err) && attempt < 2
		if !again || attempt+1 >= t.retry.attempts {
			return classified(err)
		}
		if err := t.retry.wait(ctx, attempt); err != nil {
			return cancelled(err)
		}
	}
}

// permanent reports whether an outage will not end within moments.
func permanent(err error) bool {
	switch fault.CodeOf(err) {
	case "storage_full", "storage_failed", "storage_corrupt", "closed":
		return true
	}
	return false
}

func classified(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return cancelled(err)
	}
	return fault.New(fault.Unavailable, "storage_failed", "table", err)
}

func cancelled(err error) error { return fault.New(fault.Cancelled, "cancelled", "table", err) }

// bucket is a token bucket for capacity. Callers take the estimated cost before a request and debit the difference
// after it; a negative balance delays the next requests. A nil bucket is unlimited.
type bucket struct {
	mu     sync.Mutex
	rate   float64
	burst  float64
	tokens float64
	at     time.Time
	clock  clock.Clock
	sleep  func(context.Context, time.Duration) error
}

func newBucket(rate, burst float64, c clock.Clock, sleep func(context.Context, time.Duration) error) *bucket {
	burst = max(burst, 1)
	return &bucket{rate: rate, burst: burst, tokens: burst, at: c.Now(), clock: c, sleep: sleep}
}

func (b *bucket) take(ctx context.Context, units float64) error {
	if b == nil {
		return nil
	}
	wait := b.debit(units)
	if wait <= 0 {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(b.clock.Now().Add(wait)) {
		b.debit(-units)
		return fault.New(fault.RateLimited, "write_rate", "table", nil)
	}
	if err := b.sleep(ctx, wait); err != nil {
		b.debit(-units)
		return cancelled(err)
	}
	return nil
}

// debit takes units (negative: returns them) and returns how long the balance stays negative.
func (b *bucket) debit(units float64) time.Duration {
	if b == nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	if now.After(b.at) {
		b.tokens = min(b.burst, b.tokens+b.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
	b.tokens -= units
	if b.tokens >= 0 {
		return 0
	}
	return time.Duration(-b.tokens / b.rate * float64(time.Second))
}
