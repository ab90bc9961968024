// Package queue transports messages: at least once, in no guaranteed order, with a visibility timeout, a count of
// receives, delays, and dead letters for messages that fail too often. Queue implements limits, batches, re-sending and
// the consuming loop once; a Driver (sqsqueue, sqlitequeue) only moves messages. Both drivers pass the suite of
// queuetest.
//
// A received message is hidden from other receivers until its visibility timeout ends. Ack removes it; a message that
// was not acknowledged by then is delivered again, so every handler must be idempotent.
//
// Errors are *fault.Error: TooLarge "message_too_large"; Invalid "bad_message", "bad_delay"; Conflict "stale_handle"
// when a delivery has been superseded; NotFound "dead_letter_not_found", "queue_not_found"; RateLimited; Unavailable,
// with "storage_full" when the disk is full; Cancelled.
package queue

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
)

const (
	// MaxBody bounds a message, and all messages of one batch together, in bytes.
	MaxBody = 256 << 10
	// MaxBatch bounds the messages of one call to a driver.
	MaxBatch = 10
	// MaxDelay bounds the delay of Send (SQS: 15 minutes).
	MaxDelay = 15 * time.Minute
	// MaxVisibility bounds the delay of Release (SQS: 12 hours).
	MaxVisibility = 12 * time.Hour
	// MaxWait bounds one waiting Receive (SQS: 20 s).
	MaxWait = 20 * time.Second
)

// Message is a message as a handler receives it.
type Message struct {
	ID       string    // assigned by the queue; the same at each delivery
	Body     []byte    // JSON with a "kind"
	Receives int       // number of receives, including this one
	Sent     time.Time // UTC
}

// Delivery is a received message, valid until its visibility timeout ends.
type Delivery struct {
	Message
	Handle string // identifies this delivery, not the message; invalid after the next delivery
}

// DeadMessage is a dead letter.
type DeadMessage struct {
	Message
	Reason string    // the last error, or "max_receives" when none is known
	Died   time.Time // UTC; zero when unknown
}

// Policy is the part of Options that drivers need.
type Policy struct {
	Visibility  time.Duration // of a received message
	MaxReceives int           // a message that is visible again after so many receives is dead
}

// Driver is a queue service. Queue has validated the arguments. A driver classifies its errors into fault kinds and is
// safe for concurrent use.
type Driver interface {
	// Send stores up to MaxBatch bodies, together at most MaxBody bytes, and returns the indexes of those that were
	// rejected and may be sent again. After an error none was stored, or it is unknown which.
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) (again []int, err error)
	// Receive returns up to limit (at most MaxBatch) messages, waiting up to wait for the first. None is no error. A
	// message beyond the policy's receives is moved to the dead letters instead.
	Receive(ctx context.Context, limit int, wait time.Duration, p Policy) ([]Delivery, error)
	// Ack removes the message. An absent one is no error; one delivered again since is Conflict "stale_handle", or
	// ignored.
	Ack(ctx context.Context, d Delivery) error
	// Release makes the message visible after a delay.
	Release(ctx context.Context, d Delivery, after time.Duration) error
	// Bury moves the message to the dead letters.
	Bury(ctx context.Context, d Delivery, reason string) error
	// Dead lists up to limit dead letters without removing them, oldest first where the service knows.
	Dead(ctx context.Context, limit int) ([]DeadMessage, error)
	// Redrive sends a dead letter as a new message and removes it; Drop only removes it. An unknown id is NotFound.
	Redrive(ctx context.Context, id string) error
	Drop(ctx context.Context, id string) error
}

// Options of a Queue; zero values mean the defaults.
type Options struct {
	Visibility  time.Duration // 720 s: more than the longest run of a crawler
	MaxReceives int           // 5
	// Sleep waits between the attempts of Send; nil waits in real time. Tests replace it.
	Sleep func(context.Context, time.Duration) error
}

// Queue sends and receives. It is safe for concurrent use.
type Queue struct {
	d      Driver
	policy Policy
	meter  Meter
	sleep  func(context.Context, time.Duration) error
}

// New makes a Queue over a driver. A service's own settings (SQS: redrive policy) must agree with the options.
func New(d Driver, o Options) *Queue {
	if o.Visibility <= 0 {
		o.Visibility = 720 * time.Second
	}
	if o.MaxReceives <= 0 {
		o.MaxReceives = 5
	}
	if o.Sleep == nil {
		o.Sleep = clock.Sleep
	}
	return &Queue{d: d, policy: Policy{Visibility: o.Visibility, MaxReceives: o.MaxReceives}, sleep: o.Sleep}
}

// Receive returns up to max messages, waiting up to wait (at most MaxWait) for the first. No messages is no error, and
// does not prove that the queue is empty.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) (ds []Delivery, err error) {
	err = call(ctx, "queue: receive", func() (err error) {
		if max <= 0 {
			return nil
		}
		ds, err = q.d.Receive(ctx, min(max, MaxBatch), min(wait, MaxWait), q.policy)
		q.meter.received(ds)
		return err
	})
	return ds, err
}

// Ack removes a delivered message. Acknowledging twice is no error.
func (q *Queue) Ack(ctx context.Context, d Delivery) error {
	return call(ctx, "queue: ack", func() error {
		q.meter.acks.Add(1)
		return q.d.Ack(ctx, d)
	})
}

// Release returns a message to the queue, to be received again after a delay (0: at once). With a delay beyond its
// visibility timeout, it extends the timeout.
func (q *Queue) Release(ctx context.Context, d Delivery, after time.Duration) error {
	return call(ctx, "queue: release", func() error {
		q.meter.releases.Add(1)
		return q.d.Release(ctx, d, min(max(after, 0), MaxVisibility))
	})
}

// Bury moves a delivered message that can never succeed to the dead letters, with a reason.
func (q *Queue) Bury(ctx context.Context, d Delivery, reason string) error {
	return call(ctx, "queue: bury", func() error {
		q.meter.buried(d)
		return q.d.Bury(ctx, d, clean(reason))
	})
}

// Dead lists up to max dead letters.
func (q *Queue) Dead(ctx context.Context, max int) (ms []DeadMessage, err error) {
	err = call(ctx, "queue: dead letters", func() (err error) {
		if max <= 0 {
			return nil
		}
		ms, err = q.d.Dead(ctx, max)
		return err
	})
	return ms, err
}

// Redrive sends a dead letter again, as a new message with a new id and no receives.
func (q *Queue) Redrive(ctx context.Context, id string) error {
	return call(ctx, "queue: redrive", func() error { return q.d.Redrive(ctx, id) })
}

// Drop removes a dead letter.
func (q *Queue) Drop(ctx context.Context, id string) error {
	return call(ctx, "queue: drop", func() error { return q.d.Drop(ctx, id) })
}

// call runs an operation of the driver unless ctx has ended, and classifies its error.
func call(ctx context.Context, op string, f func() error) error {
	err := ctx.Err()
	if err == nil {
		err = f()
	}
	return settle(ctx, op, err)
}

// settle adds op to a driver's error. When ctx has ended, the error is Cancelled, whatever the driver returned.
func settle(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	return fault.New(fault.KindOf(err), fault.CodeOf(err), op, err)
}
