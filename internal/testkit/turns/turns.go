// Package turns lets several workers take turns at single operations of table and blobs, so that a seed of random
// numbers is one history that can be replayed. Workers are coroutines: exactly one of them, or the test, runs at any
// time.
package turns

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
)

// ErrDead is what each operation of a worker returns from its death on.
var ErrDead = errors.New("it died")

// Worker is work that stops before each of its operations until it has its turn.
type Worker struct {
	dies  func() bool
	pause func(struct{}) bool
	next  func() (struct{}, bool)
	died  bool
	err   error
}

// Begin begins work and brings it to its first operation, or to its end. dies decides before each operation whether the
// worker dies there. The work must call its storage from its own goroutine.
func Begin(dies func() bool, work func(w *Worker) error) *Worker {
	w := &Worker{dies: dies}
	w.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		w.pause = yield
		w.err = work(w)
	})
	return w
}

// Race gives turns to workers at random until all have ended: before each turn it calls between, and ended for each
// that has.
func Race(rng *rand.Rand, workers []*Worker, between func(), ended func(w *Worker)) {
	for i := 0; i < len(workers); {
		if w := workers[i]; w.step() {
			i++
		} else {
			workers = append(workers[:i], workers[i+1:]...)
			ended(w)
		}
	}
	for len(workers) > 0 {
		between()
		i := rng.IntN(len(workers))
		if w := workers[i]; !w.step() {
			workers = append(workers[:i], workers[i+1:]...)
			ended(w)
		}
	}
}

// step lets the worker do its operation and brings it to the next one; false when it has ended.
func (w *Worker) step() bool {
	_, isPaused := w.next()
	return isPaused
}

// Died reports whether the worker has died.
func (w *Worker) Died() bool { return w.died }

// Err is what the work returned.
func (w *Worker) Err() error { return w.err }

// wait waits for the worker's turn.
func (w *Worker) wait() error {
	if w.died {
		return ErrDead
	}
	w.pause(struct{}{})
	if w.died = w.dies(); w.died {
		return ErrDead
	}
	return nil
}

// Table is a worker's way to a table.
func (w *Worker) Table(d table.Driver) table.Driver {
	return faultytable.New(d, faultytable.Options{Before: func(faultytable.Op) error { return w.wait() }})
}

// Blobs is a worker's way to blobs.
func (w *Worker) Blobs(d blob.Driver) blob.Driver { return blobsOf{d, w} }

type blobsOf struct {
	blob.Driver
	w *Worker
}

func (b blobsOf) Get(ctx context.Context, key string, most int64) ([]byte, blob.Meta, error) {
	if err := b.w.wait(); err != nil {
		return nil, blob.Meta{}, err
	}
	return b.Driver.Get(ctx, key, most)
}

func (b blobsOf) GetRange(ctx context.Context, key string, at, n int64) ([]byte, error) {
	if err := b.w.wait(); err != nil {
		return nil, err
	}
	return b.Driver.GetRange(ctx, key, at, n)
}

func (b blobsOf) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	if err := b.w.wait(); err != nil {
		return false, err
	}
	return b.Driver.Put(ctx, key, body, m, ifAbsent)
}

func (b blobsOf) Delete(ctx context.Context, key string) error {
	if err := b.w.wait(); err != nil {
		return err
	}
	return b.Driver.Delete(ctx, key)
}
