package faults

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// memQueue is a queue driver in memory: at-least-once delivery with visibility timeouts and dead letters, by a manual
// clock. It is not safe for concurrent use.
type memQueue struct {
	clock clock.Clock
	next  int
	live  []*queued
	dead  []queue.DeadMessage
}

type queued struct {
	queue.Message
	visible time.Time
}

func (q *memQueue) find(id string) (int, *queued) {
	for i, m := range q.live {
		if m.ID == id {
			return i, m
		}
	}
	return -1, nil
}

// Send implements queue.Driver.
func (q *memQueue) Send(_ context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	now := q.clock.Now()
	for _, b := range bodies {
		q.next++
		m := &queued{visible: now.Add(delay)}
		m.ID, m.Body, m.Sent = strconv.Itoa(q.next), slices.Clone(b), now
		q.live = append(q.live, m)
	}
	return nil, nil
}

// Receive implements queue.Driver.
func (q *memQueue) Receive(_ context.Context, limit int, _ time.Duration,
	p queue.Policy) (out []queue.Delivery, _ error) {
	now := q.clock.Now()
	q.live = slices.DeleteFunc(q.live, func(m *queued) bool {
		if m.visible.After(now) || m.Receives < p.MaxReceives {
			return false
		}
		q.dead = append(q.dead, queue.DeadMessage{Message: m.Message, Reason: "max_receives", Died: now})
		return true
	})
	for _, m := range q.live {
		if len(out) == limit {
			break
		}
		if m.visible.After(now) {
			continue
		}
		m.Receives++
		m.visible = now.Add(p.Visibility)
		out = append(out, queue.Delivery{Message: m.Message, Handle: m.ID + "/" + strconv.Itoa(m.Receives)})
	}
	return out, nil
}

// held returns the message of a handle, nil if it is gone; a handle is stale once the message was delivered again.
func (q *memQueue) held(handle string) (int, *queued, error) {
	id, receives, _ := strings.Cut(handle, "/")
	i, m := q.find(id)
	if m != nil && strconv.Itoa(m.Receives) != receives {
		return i, m, fault.New(fault.Conflict, "stale_handle", "faults", nil)
	}
	return i, m, nil
}

// Ack implements queue.Driver.
func (q *memQueue) Ack(_ context.Context, d queue.Delivery) error {
	i, m, err := q.held(d.Handle)
	if m != nil && err == nil {
		q.live = slices.Delete(q.live, i, i+1)
	}
	return err
}

// Release implements queue.Driver.
func (q *memQueue) Release(_ context.Context, d queue.Delivery, after time.Duration) error {
	_, m, err := q.held(d.Handle)
	if err == nil && m == nil {
		err = fault.New(fault.Conflict, "stale_handle", "faults", nil)
	}
	if err == nil {
		m.visible = q.clock.Now().Add(after)
	}
	return err
}

// Bury implements queue.Driver.
func (q *memQueue) Bury(ctx context.Context, d queue.Delivery, reason string) error {
	_, m, err := q.held(d.Handle)
	if err == nil && m == nil {
		err = fault.New(fault.Conflict, "stale_handle", "faults", nil)
	}
	if err != nil {
		return err
	}
	q.dead = append(q.dead, queue.DeadMessage{Message: m.Message, Reason: reason, Died: q.clock.Now()})
	return q.Ack(ctx, d)
}

// Dead implements queue.Driver.
func (q *memQueue) Dead(_ context.Context, limit int) ([]queue.DeadMessage, error) {
	return slices.Clone(q.dead[:min(limit, len(q.dead))]), nil
}

// Redrive implements queue.Driver.
func (q *memQueue) Redrive(ctx context.Context, id string) error {
	for _, m := range q.dead {
		if m.ID == id {
			if _, err := q.Send(ctx, [][]byte{m.Body}, 0); err != nil {
				return err
			}
			return q.Drop(ctx, id)
		}
	}
	return fault.New(fault.NotFound, "dead_letter_not_found", "faults", nil)
}

// Drop implements queue.Driver.
func (q *memQueue) Drop(_ context.Context, id string) error {
	n := len(q.dead)
	q.dead = slices.DeleteFunc(q.dead, func(m queue.DeadMessage) bool { return m.ID == id })
	if len(q.dead) == n {
		return fault.New(fault.NotFound, "dead_letter_not_found", "faults", nil)
	}
	return nil
}

var _ queue.Driver = (*memQueue)(nil)
