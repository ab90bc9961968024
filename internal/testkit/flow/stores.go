package flow

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
)

// Blobs is a driver of the blob seam in memory.
type Blobs struct {
	// Light keeps keys alone: a simulation of months need not hold its bodies.
	Light bool
	// Fail, when set, is asked before each put and gives its error.
	Fail func(key string) error
	// Clock, when set, dates what is put.
	Clock clock.Clock

	mu   sync.Mutex
	rows map[string]stored
}

type stored struct {
	body []byte
	meta blob.Meta
}

// NewBlobs makes an empty store.
func NewBlobs() *Blobs { return &Blobs{rows: map[string]stored{}} }

// Keys lists all blobs.
func (b *Blobs) Keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	keys := make([]string, 0, len(b.rows))
	for k := range b.rows {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Put implements blob.Driver.
func (b *Blobs) Put(_ context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	if b.Fail != nil {
		if err := b.Fail(key); err != nil {
			return false, err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.rows[key]; ok && ifAbsent {
		return false, nil
	}
	m.Size = int64(len(body))
	if b.Clock != nil {
		m.Modified = b.Clock.Now()
	}
	if b.Light {
		body = nil
	}
	b.rows[key] = stored{bytes.Clone(body), m}
	return true, nil
}

// Get implements blob.Driver.
func (b *Blobs) Get(_ context.Context, key string, r blob.Range, _ int64) ([]byte, blob.Meta, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.rows[key]
	if !ok {
		return nil, blob.Meta{}, fault.New(fault.NotFound, "blob_not_found", "flow", nil)
	}
	body := s.body[min(r.Off, int64(len(s.body))):]
	if r.Len > 0 {
		body = body[:min(r.Len, int64(len(body)))]
	}
	return bytes.Clone(body), s.meta, nil
}

// Stat implements blob.Driver.
func (b *Blobs) Stat(ctx context.Context, key string) (blob.Meta, error) {
	_, m, err := b.Get(ctx, key, blob.Range{}, 0)
	return m, err
}

// Delete implements blob.Driver.
func (b *Blobs) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, key)
	return nil
}

// List implements blob.Driver.
func (b *Blobs) List(_ context.Context, prefix, after string, limit int) (page []blob.Object, more bool, err error) {
	for _, k := range b.Keys() {
		if !strings.HasPrefix(k, prefix) || k <= after {
			continue
		}
		if len(page) == limit {
			return page, true, nil
		}
		m, err := b.Stat(context.Background(), k)
		if err != nil {
			return nil, false, err
		}
		page = append(page, blob.Object{Key: k, Size: m.Size, Modified: m.Modified})
	}
	return page, false, nil
}

// Message is one message on its way.
type Message struct {
	Job      job.Job
	At       time.Time // true time from which it is visible
	Receives int
}

// Queue holds messages between planner and workers. It loses nothing and keeps no order.
type Queue struct {
	// Delay, when set, says how long a message takes.
	Delay func() time.Duration

	w       *World
	waiting []Message
}

// Send implements the Sender of orchestrate and subscribe.
func (q *Queue) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		if j.Kind == job.Tidy {
			continue // these worlds look at the crawl; package faults tidies
		}
		at := q.w.now.Add(delay)
		if q.Delay != nil {
			at = at.Add(q.Delay())
		}
		q.waiting = append(q.waiting, Message{Job: j, At: at})
	}
	return nil
}

// Again makes a message visible (again) at a time.
func (q *Queue) Again(m Message, at time.Time) {
	m.At = at
	q.waiting = append(q.waiting, m)
}

// Take gives a message that is visible now.
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

// Next is when the next message becomes visible.
func (q *Queue) Next() (time.Time, bool) {
	var next time.Time
	for _, m := range q.waiting {
		if next.IsZero() || m.At.Before(next) {
			next = m.At
		}
	}
	return next, !next.IsZero()
}

// Waiting lists what is not yet taken.
func (q *Queue) Waiting() []Message { return slices.Clone(q.waiting) }

// Clear forgets all messages.
func (q *Queue) Clear() { q.waiting = nil }
