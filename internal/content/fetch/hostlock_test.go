package fetch

import (
	"context"
	"sync"
	"testing"
)

func TestHostLocksExclude(t *testing.T) {
	t.Parallel()
	var l HostLocks
	var wg sync.WaitGroup
	counts := map[string]*int{"a": new(int), "b": new(int), "c": new(int)}
	for i := range 3000 {
		host := string(rune('a' + i%3))
		wg.Go(func() {
			if err := l.Lock(t.Context(), host); err != nil {
				t.Error(err)
				return
			}
			*counts[host]++ // the race detector watches
			l.Unlock(host)
		})
	}
	wg.Wait()
	for host, n := range counts {
		if *n != 1000 {
			t.Errorf("%s: %d", host, *n)
		}
	}
	if len(l.held) != 0 {
		t.Errorf("left: %v", l.held)
	}
}

func TestHostLocksServeInOrder(t *testing.T) {
	t.Parallel()
	var l HostLocks
	ctx := t.Context()
	_ = l.Lock(ctx, "h")
	var order []int
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			_ = l.Lock(ctx, "h")
			order = append(order, i)
			l.Unlock("h")
		})
		l.waitFor(i + 1)
	}
	l.Unlock("h")
	wg.Wait()
	for i, n := range order {
		if n != i {
			t.Fatalf("order %v", order)
		}
	}
}

func TestHostLocksCancelWaiting(t *testing.T) {
	t.Parallel()
	var l HostLocks
	_ = l.Lock(t.Context(), "h")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if l.Lock(ctx, "h") == nil {
			t.Error("locked although held")
		}
	})
	got := make(chan struct{})
	l.waitFor(1)
	wg.Go(func() {
		if err := l.Lock(t.Context(), "h"); err != nil {
			t.Error(err)
		}
		close(got)
	})
	l.waitFor(2)
	cancel()
	l.waitFor(1)
	l.Unlock("h")
	<-got
	l.Unlock("h")
	wg.Wait()
	if len(l.held) != 0 {
		t.Errorf("left: %v", l.held)
	}
}

// waitFor spins until n wait for "h".
func (l *HostLocks) waitFor(n int) {
	for {
		l.mu.Lock()
		now := len(l.held["h"])
		l.mu.Unlock()
		if now == n {
			return
		}
	}
}
