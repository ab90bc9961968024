package crawl

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Patience is how long a run of a program waits for another that has its part. It is well below a run's deadline, so
// that both fit into the time that a Lambda function has.
const Patience = 20 * time.Second

// A lease that another process holds is looked at again after firstLook, then after twice as long each time.
const (
	firstLook = 250 * time.Millisecond
	lastLook  = 2 * time.Second
)

// waiters are the runs of this process that wait for a part. The zero value is ready.
type waiters struct {
	mu    sync.Mutex
	parts map[int]int
	freed chan struct{} // closed when this process lets go of a part
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

// next is closed when this process lets go of a part after this call.
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

// await takes a part, again and again while another has it and patience lasts: what else a message could do is to come
// again in half a minute, although most holds last for a second or two.
func (c *Crawler) await(ctx context.Context, part int, take func() error) error {
	freed := c.waiters.next() // before the try, so that what is let go of meanwhile is not missed
	err := take()
	if c.o.Patience <= 0 || !errors.Is(err, ErrBusy) {
		return err
	}
	defer c.waiters.enter(part)()
	limit := c.o.Patience
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, end.Sub(clock.System{}.Now())/3) // the rest is for the work itself
	}
	patience := time.NewTimer(limit)
	defer patience.Stop()
	for look := firstLook; ; look = min(2*look, lastLook) {
		again := time.NewTimer(look)
		select {
		case <-freed:
		case <-again.C:
		case <-patience.C:
			again.Stop()
			return err
		case <-ctx.Done():
			again.Stop()
			return ctx.Err()
		}
		again.Stop()
		freed = c.waiters.next()
		if err = take(); !errors.Is(err, ErrBusy) {
			return err
		}
	}
}
