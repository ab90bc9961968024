package page

import "context"

// AtOnce limits the pages that a process parses at a time on behalf of people: each takes many times its size in
// memory.
const AtOnce = 2

var places = make(chan struct{}, AtOnce)

// Turn waits for a place; leave gives it back. Nothing that waits for the network should hold one.
func Turn(ctx context.Context) (leave func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
