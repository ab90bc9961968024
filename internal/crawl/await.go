package crawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Patience is the time that a run of a program waits for another that has its part. It is well below a run's deadline,
// so that both fit into the time that a Lambda function has.
const Patience = 20 * time.Second

// A part that another process holds is tried again after firstPause, then after twice as long each time.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 2 * time.Second
)

// waiters are the runs of this process that wait for a part. The zero value is ready.
type waiters struct {
	mu    sync.Mutex
	parts map[int]int
	turns map[int]chan struct{}
	freed chan struct{} // closed when this process releases a part
}

// turn returns the channel that a run of this process fills while it tries to take a part. Channels are first come,
// first served.
func (w *waiters) turn(part int) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.turns == nil {
		w.turns = map[int]chan struct{}{}
	}
	if w.turns[part] == nil {
		w.turns[part] = make(chan struct{}, 1)
	}
	return w.turns[part]
}

// enter counts a run as waiting until leave.
func (w *waiters) enter(part int) (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.parts == nil {
		w.parts = map[int]int{}
	}
	w.parts[part]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.parts[part]--; w.parts[part] == 0 {
			delete(w.parts, part)
		}
	}
}

func (w *waiters) any(part int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.parts[part] > 0
}

// next returns a channel that is closed when this process releases a part after this call.
func (w *waiters) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.freed == nil {
		w.freed = make(chan struct{})
	}
	return w.freed
}

func (w *waiters) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.freed != nil {
		close(w.freed)
		w.freed = nil
	}
}

// await takes a part, and retries while another run holds it and patience lasts. Most holds last a second or two, while
// the message would be delivered again only after BusyRetry. Runs of this process take a part in the order in which
// they came: one that has just released it must not overtake those that wait.
func (c *Crawler) await(ctx context.Context, part int, take func() error) error {
	if c.o.Patience <= 0 {
		return take()
	}
	limit := c.o.Patience
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, end.Sub(clock.System{}.Now())/3) // the rest is for the work itself
	}
	patience := time.After(limit)
	turn := c.waiters.turn(part)
	select {
	case turn <- struct{}{}:
	default:
		defer c.waiters.enter(part)()
		select {
		case turn <- struct{}{}:
		case <-patience:
			return ErrBusy
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { <-turn }()
	freed := c.waiters.next() // before the try, so that no release is missed
	err := take()
	if !errors.Is(err, ErrBusy) {
		return err
	}
	defer c.waiters.enter(part)()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		select {
		case <-freed:
		case <-time.After(pause):
		case <-patience:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		freed = c.waiters.next()
		if err = take(); !errors.Is(err, ErrBusy) {
			return err
		}
	}
}
