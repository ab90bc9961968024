// Package queue carries messages from those who decide to those who do: at least once, in no promised order, with
// a visibility timeout, a count of receives, delays, and dead letters for what fails too often. Queue is the
// portable type: limits, batches, re-sending and the consuming loop live here once; a Driver below (sqsqueue,
// sqlitequeue) only moves messages. Both drivers pass the suite of queuetest.
//
// A received message is hidden from others until its visibility timeout ends; Ack removes it, and what was not
// acknowledged by then comes again. So every handler must bear the same message twice.
//
// Errors are *fault.Error: TooLarge "message_too_large"; Invalid "bad_message", "bad_delay"; Conflict
// "stale_handle" when a delivery is no longer ours; NotFound "dead_letter_not_found", "queue_not_found";
// RateLimited; Unavailable, with "storage_full" when the disk is full; Cancelled.
package queue

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
)

const (
	// MaxBody is the longest message in bytes, and the most that one batch carries.
	MaxBody = 256 << 10
	// MaxBatch is the most messages of one call to a driver.
	MaxBatch = 10
	// MaxDelay bounds the delay of Send (SQS: 15 minutes).
	MaxDelay = 15 * time.Minute
	// MaxVisibility bounds the delay of Release (SQS: 12 hours).
	MaxVisibility = 12 * time.Hour
	// MaxWait bounds one waiting Receive (SQS: 20 s).
	MaxWait = 20 * time.Second
)

// Message is what a handler sees.
type Message struct {
	ID       string    // given by the queue; a message that comes again has the same
	Body     []byte    // JSON with a "kind"
	Receives int       // how often it was received, this time included
	Sent     time.Time // UTC
}

// Delivery is a message in our hands until its visibility ends.
type Delivery struct {
	Message
	Handle string // names this delivery, not the message: an older one's handle does not count any more
}

// DeadMessage is a message that nobody shall receive any more.
type DeadMessage struct {
	Message
	Reason string    // the last failure in words, or "max_receives" when nobody left one
	Died   time.Time // UTC; zero when the driver does not know
}

// Policy is what a driver must know of the queue's rules.
type Policy struct {
	Visibility  time.Duration // of a received message
	MaxReceives int           // a message that was received so often and is visible again is dead
}

// Driver is what a queueing service offers. What reaches it is already checked. It classifies its errors into
// fault kinds and is safe for concurrent use.
type Driver interface {
	// Send stores up to MaxBatch bodies, together at most MaxBody bytes, and gives the indexes of those that were
	// not taken but may be if sent again. An error means that none was taken, or that it is not known which.
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) (again []int, err error)
	// Receive gives up to limit (at most MaxBatch) messages, waiting up to wait for the first. None is no error.
	// A message past the policy's receives goes to the dead letters instead.
	Receive(ctx context.Context, limit int, wait time.Duration, p Policy) ([]Delivery, error)
	// Ack removes the message for good. One that is gone already is a success; one delivered anew since is
	// Conflict "stale_handle", or left alone.
	Ack(ctx context.Context, d Delivery) error
	// Release makes the message visible after a time, counted from now.
	Release(ctx context.Context, d Delivery, after time.Duration) error
	// Bury moves the message to the dead letters.
	Bury(ctx context.Context, d Delivery, reason string) error
	// Dead lists up to limit dead letters, oldest first where the service knows; they stay where they are.
	Dead(ctx context.Context, limit int) ([]DeadMessage, error)
	// Redrive sends a dead letter as a new message and removes it; Drop only removes it. An id that is not there
	// is NotFound.
	Redrive(ctx context.Context, id string) error
	Drop(ctx context.Context, id string) error
}

// Options are the queue's rules; zero values mean the defaults.
type Options struct {
	Clock       clock.Clock   // the system's
	Visibility  time.Duration // 720 s: more than the longest run of a crawler
	MaxReceives int           // 5
	// Sleep waits between the attempts of Send; nil waits in real time. Tests replace it.
	Sleep func(context.Context, time.Duration) error
}

// Queue sends and receives. It is safe for concurrent use.
type Queue struct {
	d      Driver
	clock  clock.Clock
	policy Policy
	meter  Meter
	sleep  func(context.Context, time.Duration) error
}

// New makes a Queue over a driver. Where the service keeps rules of its own (SQS: redrive policy), they must agree
// with the options.
func New(d Driver, o Options) *Queue {
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Visibility <= 0 {
		o.Visibility = 720 * time.Second
	}
	if o.MaxReceives <= 0 {
		o.MaxReceives = 5
	}
	if o.Sleep == nil {
		o.Sleep = pause
	}
	return &Queue{d: d, clock: o.Clock, policy: Policy{Visibility: o.Visibility, MaxReceives: o.MaxReceives}, sleep: o.Sleep}
}

// Spent tells whether a message was received as often as the rules allow: if it fails once more, nobody shall
// receive it again.
func (q *Queue) Spent(m Message) bool { return m.Receives >= q.policy.MaxReceives }

// Receive gives up to max messages, waiting up to wait (cut at MaxWait) for the first. An empty answer is no error,
// and does not prove that the queue is empty.
func (q *Queue) Receive(ctx context.Context, max int, wait time.Duration) ([]Delivery, error) {
	const op = "queue: receive"
	if err := ctx.Err(); err != nil {
		return nil, settle(ctx, op, err)
	}
	if max <= 0 {
		return nil, nil
	}
	ds, err := q.d.Receive(ctx, min(max, MaxBatch), min(wait, MaxWait), q.policy)
	q.meter.received(ds)
	return ds, settle(ctx, op, err)
}

// Ack removes a delivered message. Acknowledging twice succeeds.
func (q *Queue) Ack(ctx context.Context, d Delivery) error {
	const op = "queue: ack"
	if err := ctx.Err(); err != nil {
		return settle(ctx, op, err)
	}
	q.meter.acks.Add(1)
	return settle(ctx, op, q.d.Ack(ctx, d))
}

// Release gives a message back, to be received again after a time (0: at once). Asked for a later time than its
// visibility, it prolongs our hold.
func (q *Queue) Release(ctx context.Context, d Delivery, after time.Duration) error {
	const op = "queue: release"
	if err := ctx.Err(); err != nil {
		return settle(ctx, op, err)
	}
	q.meter.releases.Add(1)
	return settle(ctx, op, q.d.Release(ctx, d, min(max(after, 0), MaxVisibility)))
}

// Bury moves a delivered message to the dead letters with a reason, for what will never succeed.
func (q *Queue) Bury(ctx context.Context, d Delivery, reason string) error {
	const op = "queue: bury"
	if err := ctx.Err(); err != nil {
		return settle(ctx, op, err)
	}
	q.meter.buried(d)
	return settle(ctx, op, q.d.Bury(ctx, d, clean(reason)))
}

// Dead lists up to max dead letters.
func (q *Queue) Dead(ctx context.Context, max int) ([]DeadMessage, error) {
	const op = "queue: dead letters"
	if err := ctx.Err(); err != nil {
		return nil, settle(ctx, op, err)
	}
	if max <= 0 {
		return nil, nil
	}
	ms, err := q.d.Dead(ctx, max)
	return ms, settle(ctx, op, err)
}

// Redrive sends a dead letter again, as a new message with a new id and no receives.
func (q *Queue) Redrive(ctx context.Context, id string) error {
	const op = "queue: redrive"
	if err := ctx.Err(); err != nil {
		return settle(ctx, op, err)
	}
	return settle(ctx, op, q.d.Redrive(ctx, id))
}

// Drop removes a dead letter.
func (q *Queue) Drop(ctx context.Context, id string) error {
	const op = "queue: drop"
	if err := ctx.Err(); err != nil {
		return settle(ctx, op, err)
	}
	return settle(ctx, op, q.d.Drop(ctx, id))
}

// settle gives an error its kind: what ended because the caller went away is Cancelled, whatever a driver made of
// it.
func settle(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	return fault.New(fault.KindOf(err), fault.CodeOf(err), op, err)
}
