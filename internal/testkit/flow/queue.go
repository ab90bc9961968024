package flow

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
)

// Message is a message in the queue.
type Message struct {
	Job      job.Job
	At       time.Time // true time from which it is visible
	Receives int
}

// Queue holds messages between planner and workers. It loses none and keeps no order.
type Queue struct {
	// Delay, when set, returns the delivery time of a message.
	Delay func() time.Duration

	w       *Env
	waiting []Message
}

// Send implements the Sender of orchestrate and subscribe.
func (q *Queue) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		if j.Kind == job.Cleanup {
			continue // cleanup is tested in package faults
		}
		at := q.w.now.Add(delay)
		if q.Delay != nil {
			at = at.Add(q.Delay())
		}
		q.waiting = append(q.waiting, Message{Job: j, At: at})
	}
	return nil
}

// Again puts a message back, visible from a time on.
func (q *Queue) Again(m Message, at time.Time) {
	m.At = at
	q.waiting = append(q.waiting, m)
}

// Take returns a message that is visible now, and removes it.
func (q *Queue) Take() (Message, bool) {
	for i, m := range q.waiting {
		if !m.At.After(q.w.now) {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			m.Receives++
			return m, true
		}
	}
	return Message{}, false
}

// Next returns when the next message becomes visible.
func (q *Queue) Next() (time.Time, bool) {
	var next time.Time
	for _, m := range q.waiting {
		if next.IsZero() || m.At.Before(next) {
			next = m.At
		}
	}
	return next, !next.IsZero()
}

// Waiting returns the messages that were not taken yet.
func (q *Queue) Waiting() []Message { return slices.Clone(q.waiting) }

// Clear removes all messages.
func (q *Queue) Clear() { q.waiting = nil }
