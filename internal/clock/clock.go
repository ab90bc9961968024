// Package clock is the only place that reads the system's time. Everything else takes a Clock, so that tests can set
// the time.
package clock

import (
	"sync"
	"time"
)

// Clock returns the current time. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock, in UTC.
type System struct{}

// Now returns the current time in UTC.
func (System) Now() time.Time { return time.Now().UTC() }

// Manual is a clock that moves only by Set and Add.
type Manual struct {
	mu  sync.Mutex
	now time.Time
}

// NewManual starts a manual clock.
func NewManual(t time.Time) *Manual { return &Manual{now: t.UTC()} }

// Now returns the time last set.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Set moves the clock to t, forwards or backwards.
func (m *Manual) Set(t time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = t.UTC()
}

// Add moves the clock by d and returns the new time.
func (m *Manual) Add(d time.Duration) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
	return m.now
}
