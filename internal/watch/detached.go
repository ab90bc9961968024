package watch

import (
	"maps"

	"github.com/ruri-reader/ruri/internal/schedule"
)

// Month is the month of the history: "2026-11".
func (h *History) Month() string { return h.month }

// Detached returns a base for another installation, where the items that announced its results are not.
func (s *State) Detached() *State {
	d := NewState()
	d.looks, d.folded = s.looks, s.folded
	for k, r := range s.results {
		r.Seq = 0
		d.results[k] = r
	}
	return d
}

// Detached is that of State for a month.
func (h *History) Detached() *History {
	d := *h
	d.lines = maps.Clone(h.lines)
	for k, l := range d.lines {
		alone := *l
		alone.Mentions = nil
		d.lines[k] = &alone
	}
	return &d
}

// Until is the last tick whose changes a base or a month contains.
func (h *History) Until() schedule.Tick { return h.upTo }
