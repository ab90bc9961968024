// Package faultyqueue wraps a queue driver with what a real service may do and no emulator does on request: messages
// that come twice, acknowledgements that get lost, answers in another order, batches taken in part, throttling.
// All by seed, so that a failing run can be repeated. It is for tests only.
package faultyqueue

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// Options are probabilities from 0 to 1.
type Options struct {
	Seed      uint64
	Duplicate float64 // that a delivery comes a second time, with the same handle, in a later Receive
	DropAck   float64 // that an Ack reports success and does nothing: the message comes again
	Reorder   float64 // that a Receive's messages come shuffled, and with some held back for a later one
	Partial   float64 // that a Send takes only some of its batch
	Throttle  float64 // that a call is refused as RateLimited
}

// Counts tell how often each fault was played.
type Counts struct{ Duplicates, DroppedAcks, Reorders, Partials, Throttles int }

// Driver is a queue.Driver with faults. It is safe for concurrent use, but only a single caller repeats exactly.
type Driver struct {
	queue.Driver
	o Options

	mu     sync.Mutex
	rand   *rand.Rand
	later  []queue.Delivery // duplicates and held-back ones
	counts Counts
}

// New wraps a driver.
func New(d queue.Driver, o Options) *Driver {
	return &Driver{Driver: d, o: o, rand: rand.New(rand.NewPCG(o.Seed, 0))}
}

// Counts gives what has been played so far.
func (d *Driver) Counts() Counts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts
}

// play draws for one fault, and counts it.
func (d *Driver) play(p float64, count *int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rand.Float64() >= p {
		return false
	}
	*count++
	return true
}

func (d *Driver) throttled() error {
	if d.play(d.o.Throttle, &d.counts.Throttles) {
		return fault.New(fault.RateLimited, "queue_throttled", "faulty", nil)
	}
	return nil
}

// Send implements queue.Driver.
func (d *Driver) Send(ctx context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	if err := d.throttled(); err != nil {
		return nil, err
	}
	if !d.play(d.o.Partial, &d.counts.Partials) {
		return d.Driver.Send(ctx, bodies, delay)
	}
	var taken [][]byte
	var index, again []int
	d.mu.Lock()
	for i, b := range bodies {
		if d.rand.IntN(2) == 0 {
			taken, index = append(taken, b), append(index, i)
		} else {
			again = append(again, i)
		}
	}
	d.mu.Unlock()
	if len(taken) > 0 {
		refused, err := d.Driver.Send(ctx, taken, delay)
		if err != nil {
			return nil, err
		}
		for _, i := range refused {
			again = append(again, index[i])
		}
	}
	return again, nil
}

// Receive implements queue.Driver.
func (d *Driver) Receive(ctx context.Context, limit int, wait time.Duration, p queue.Policy) ([]queue.Delivery, error) {
	if err := d.throttled(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	n := min(limit, len(d.later))
	old := append([]queue.Delivery(nil), d.later[:n]...)
	d.later = d.later[n:]
	d.mu.Unlock()
	if n == limit {
		return old, nil
	}
	if n > 0 {
		wait = 0
	}
	fresh, err := d.Driver.Receive(ctx, limit-n, wait, p)
	if err != nil {
		d.hold(old)
		return nil, err
	}
	for _, m := range fresh {
		if d.play(d.o.Duplicate, &d.counts.Duplicates) {
			d.hold([]queue.Delivery{m})
		}
	}
	all := append(old, fresh...)
	if len(all) > 0 && d.play(d.o.Reorder, &d.counts.Reorders) {
		d.mu.Lock()
		d.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		keep := d.rand.IntN(len(all) + 1)
		d.mu.Unlock()
		d.hold(all[keep:])
		all = all[:keep]
	}
	return all, nil
}

func (d *Driver) hold(ds []queue.Delivery) {
	d.mu.Lock()
	d.later = append(d.later, ds...)
	d.mu.Unlock()
}

// Ack implements queue.Driver.
func (d *Driver) Ack(ctx context.Context, m queue.Delivery) error {
	if err := d.throttled(); err != nil {
		return err
	}
	if d.play(d.o.DropAck, &d.counts.DroppedAcks) {
		return nil
	}
	return d.Driver.Ack(ctx, m)
}
