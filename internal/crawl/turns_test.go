package crawl

import (
	"sync"
	"testing"
	"time"
)

// TestWaitingRunsAreNotOvertaken: a worker that has just released a part and wants it again comes after those that
// waited. Else a message could wait until its receives are used up, while the other worker handles a backlog of the
// same part.
func TestWaitingRunsAreNotOvertaken(t *testing.T) {
	t.Parallel()
	c := &Crawler{}
	c.o.Patience = time.Minute
	var mu sync.Mutex
	busy := true // the part is held by the worker that releases it below
	var order []string
	run := func(name string) error {
		return c.await(t.Context(), 3, func() error {
			mu.Lock()
			defer mu.Unlock()
			if busy {
				return ErrBusy
			}
			busy = true
			order = append(order, name)
			return nil
		})
	}
	var g sync.WaitGroup
	start := func(name string) {
		g.Go(func() {
			if err := run(name); err != nil {
				t.Error(err)
			}
			mu.Lock()
			busy = false
			mu.Unlock()
			c.waiters.wake()
		})
	}
	start("waiting")
	for !c.waiters.any(3) {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	busy = false
	mu.Unlock()
	start("again")
	for range 50 { // it has every chance to be first
		time.Sleep(time.Millisecond)
		mu.Lock()
		n := len(order)
		mu.Unlock()
		if n > 0 {
			break
		}
	}
	c.waiters.wake()
	g.Wait()
	if len(order) != 2 || order[0] != "waiting" {
		t.Errorf("the part was taken by %v", order)
	}
}
