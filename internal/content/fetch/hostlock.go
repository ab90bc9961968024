package fetch

import (
	"context"
	"slices"
	"sync"
)

// HostLocks is a mutex for each host, fair to those who wait, and without cost for unused hosts.
// The zero value is ready; safe for concurrent use.
type HostLocks struct {
	mu   sync.Mutex
	held map[string][]chan struct{} // present = held; the channels are those who wait, first come first
}

// Lock waits until the host is free, or returns ctx's error.
func (l *HostLocks) Lock(ctx context.Context, host string) error {
	l.mu.Lock()
	waiting, busy := l.held[host]
	if !busy {
		if l.held == nil {
			l.held = make(map[string][]chan struct{})
		}
		l.held[host] = nil
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.held[host] = append(waiting, turn)
	l.mu.Unlock()

	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	waiting = l.held[host]
	if i := slices.Index(waiting, turn); i >= 0 {
		l.held[host] = slices.Delete(waiting, i, i+1)
		l.mu.Unlock()
		return context.Cause(ctx)
	}
	l.mu.Unlock()
	l.Unlock(host) // the turn came together with the end of ctx: pass it on
	return context.Cause(ctx)
}

// Unlock hands the host to the next who waits. Unlocking a host that is not held is a mistake and panics.
func (l *HostLocks) Unlock(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting, busy := l.held[host]
	switch {
	case !busy:
		panic("fetch: unlock of a host that is not locked")
	case len(waiting) == 0:
		delete(l.held, host)
	default:
		next := waiting[0] // Delete moves the others down
		l.held[host] = slices.Delete(waiting, 0, 1)
		close(next)
	}
}
