package watch

import (
	"cmp"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// Changes is a group of changes of one look or chain, stored with the delta that announces them, or alone.
type Changes struct {
	// Tick and At order groups. Tick is that of the look, or a later one if the clock was set back (see State.next).
	Tick schedule.Tick
	At   int64 // Unix milliseconds

	entries []entry
	looks   *looks // nil if they have not changed
	size    int    // of the stored form that the group was read from
}

// entry is the new state of a result.
type entry struct {
	Result
	// Text is that of a new result, or of one whose text changed too when another change is written.
	Text     *Text      `json:"text,omitempty"`
	Told     bool       `json:"told,omitempty"`  // history has it: another price or status, or a corrected time
	From     Key        `json:"from,omitempty"`  // its key until now; 0 = the same
	Event    EventKind  `json:"event,omitempty"` // empty: silent
	EventSeq reader.Seq `json:"eventSeq,omitempty"`
}

// IsEmpty reports whether nothing changed.
func (c *Changes) IsEmpty() bool { return len(c.entries) == 0 && c.looks == nil }

// Announce tells a group of changes that its events became items from seq on, in their order.
func (c *Changes) Announce(first reader.Seq, events []Event) {
	for i := range events {
		for j := range c.entries {
			e := &c.entries[j]
			if e.Key != events[i].Key {
				continue
			}
			e.Event, e.EventSeq = events[i].Kind, first+reader.Seq(i)
			if e.Seq == 0 {
				e.Seq = e.EventSeq
			}
		}
	}
}

// stamp orders groups of changes.
type stamp struct {
	tick schedule.Tick
	at   int64
}

// never is before all stamps.
var never = stamp{tick: schedule.NoTick}

func (c *Changes) stamp() stamp { return stamp{c.Tick, c.At} }

func (a stamp) compare(b stamp) int {
	return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.at, b.at))
}

// inOrder returns groups sorted, without those that a base contains.
func inOrder(cs []*Changes, folded schedule.Tick) []*Changes {
	cs = slices.DeleteFunc(slices.Clone(cs), func(c *Changes) bool { return c.Tick <= folded })
	slices.SortStableFunc(cs, func(a, b *Changes) int { return a.stamp().compare(b.stamp()) })
	return cs
}

// A new base is due when reading the changes since costs more than writing it.
const (
	maxSince      = 64
	maxSinceBytes = 24 << 10
)

// NeedsBase reports whether a new base should be written: more than 64 groups of changes or 24 KB stored since.
func NeedsBase(since []*Changes) bool {
	size := 0
	for _, c := range since {
		size += c.size
	}
	return len(since) > maxSince || size > maxSinceBytes
}
