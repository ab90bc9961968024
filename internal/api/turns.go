package api

import (
	"context"
	"sync"
	"time"
)

// turns limit how many requests of each key are handled at a time; the others wait until their deadline. A request that
// waits takes little memory, but an answer stays in memory until the client has read it.
type turns struct {
	atOnce int
	mu     sync.Mutex
	by     map[string]*turn
}

// turn counts the requests of one key.
type turn struct {
	places chan struct{}
	users  int // requests that are handled or wait
}

// retryTurn is the Retry-After of a request that got no place in time.
const retryTurn = 10 * time.Second

// enter waits for a place. The error is *limited if none became free in time.
func (t *turns) enter(ctx context.Context, key string) (leave func(), err error) {
	t.mu.Lock()
	if t.by == nil {
		t.by = map[string]*turn{}
	}
	one := t.by[key]
	if one == nil {
		one = &turn{places: make(chan struct{}, t.atOnce)}
		t.by[key] = one
	}
	one.users++
	t.mu.Unlock()
	done := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.by, key)
		}
	}
	leave = func() { <-one.places; done() }
	select { // a free place first: of two that are ready, select takes any
	case one.places <- struct{}{}:
		return leave, nil
	default:
	}
	select {
	case one.places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		done()
		return nil, &limited{retryTurn}
	}
}
