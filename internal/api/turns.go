package api

import (
	"context"
	"sync"
	"time"
)

// turns let a few requests of each key work at a time; the others wait, as long as their deadline. Waiting takes no memory of note, working
// may: what is being answered is in memory until the client has read it.
type turns struct {
	atOnce int
	mu     sync.Mutex
	by     map[string]*turn
}

// turn is that of one key.
type turn struct {
	places chan struct{}
	users  int // that work or wait
}

// retryTurn is after what time whoever waited in vain may try again.
const retryTurn = 10 * time.Second

// enter waits for a place; the error is *limited where there was none in time.
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
