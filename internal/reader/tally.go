package reader

import (
	"encoding/binary"
	"iter"
	"time"
)

// Day is a day of UTC, counted from 1970-01-01.
type Day uint32

// DayOf is the day in which a moment lies.
func DayOf(unixMilli int64) Day { return Day(max(unixMilli, 0) / (24 * time.Hour).Milliseconds()) }

// String writes the day as 2006-01-02.
func (d Day) String() string {
	return time.Unix(int64(d)*24*60*60, 0).UTC().Format(time.DateOnly)
}

// Count is what one person did in one feed on one day. What was marked unread again is taken off.
type Count struct {
	Day     Day
	Read    int // items one by one: opened, scrolled past, marked
	Cleared int // items marked read together: a feed, a folder, all that is older
	Starred int
}

func (c Count) plus(o Count) Count {
	c.Read, c.Cleared, c.Starred = c.Read+o.Read, c.Cleared+o.Cleared, c.Starred+o.Starred
	return c
}

func (c Count) isNothing() bool { return c.Read == 0 && c.Cleared == 0 && c.Starred == 0 }

// hasReading tells days on which the person looked at items. Clearing a feed is no looking.
func (c Count) hasReading() bool { return c.Read > 0 || c.Starred > 0 }

// TallyDays is how many days a tally keeps.
const TallyDays = 30

// Tally is what a person did in a feed by day, newest first: some four bytes for each day on which anything was done.
// It rides in the row that the doing writes anyhow. Kept are TallyDays before the newest day, and the
// last day with any reading, however long ago. Values are never changed in place.
type Tally []byte

// All walks the days, newest first. Of bytes that are no tally it gives what can be read.
func (t Tally) All() iter.Seq[Count] {
	return func(yield func(Count) bool) {
		day := Day(0)
		for b := []byte(t); len(b) > 0; {
			var n [4]uint64
			for i := range n {
				v, size := binary.Uvarint(b)
				if size <= 0 || v > 1<<31 {
					return
				}
				n[i], b = v, b[size:]
			}
			if day == 0 {
				day = Day(n[0])
			} else {
				day -= min(day, Day(n[0]))
			}
			if !yield(Count{Day: day, Read: int(n[1]), Cleared: int(n[2]), Starred: int(n[3])}) {
				return
			}
		}
	}
}

// LastRead is the last day with any reading; false when there was none.
func (t Tally) LastRead() (Day, bool) {
	for c := range t.All() {
		if c.hasReading() {
			return c.Day, true
		}
	}
	return 0, false
}

// Plus gives the tally with a count added, whose numbers may be negative, and what was added in truth: no number
// falls below zero, and items that are unread again are taken off those read before those cleared.
func (t Tally) Plus(c Count) (Tally, Count) {
	if c.isNothing() {
		return t, c
	}
	var all []Count
	at := -1
	for have := range t.All() {
		if have.Day < c.Day && at < 0 {
			at = len(all)
			all = append(all, Count{Day: c.Day})
		}
		if have.Day == c.Day {
			at = len(all)
		}
		all = append(all, have)
	}
	if at < 0 {
		at = len(all)
		all = append(all, Count{Day: c.Day})
	}
	was := all[at]
	sum := was.plus(c)
	if sum.Read < 0 {
		sum.Cleared, sum.Read = sum.Cleared+sum.Read, 0
	}
	sum.Cleared, sum.Starred = max(sum.Cleared, 0), max(sum.Starred, 0)
	all[at] = sum
	was.Read, was.Cleared, was.Starred = sum.Read-was.Read, sum.Cleared-was.Cleared, sum.Starred-was.Starred
	return encodeTally(all), was
}

func encodeTally(all []Count) (t Tally) {
	newest, last := Day(0), Day(0)
	hasReading := false
	for _, c := range all {
		if c.isNothing() {
			continue
		}
		newest = max(newest, c.Day)
		if isOld := c.Day+TallyDays <= newest; isOld && (hasReading || !c.hasReading()) {
			continue
		}
		hasReading = hasReading || c.hasReading()
		gap := uint64(c.Day)
		if last > 0 {
			gap = uint64(last - c.Day)
		}
		last = c.Day
		for _, n := range []uint64{gap, uint64(c.Read), uint64(c.Cleared), uint64(c.Starred)} {
			t = binary.AppendUvarint(t, n)
		}
	}
	return t
}

// bytes writes a count whose numbers may be negative; nothing for nothing.
func (c Count) bytes() (b []byte) {
	if c.isNothing() {
		return nil
	}
	b = binary.AppendUvarint(nil, uint64(c.Day))
	for _, n := range []int{c.Read, c.Cleared} {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

// countOf reads what bytes wrote. Stars are not in it: no undo of a mark takes a star back.
func countOf(b []byte) (c Count) {
	day, size := binary.Uvarint(b)
	if size <= 0 {
		return Count{}
	}
	c.Day, b = Day(day), b[size:]
	for _, to := range []*int{&c.Read, &c.Cleared} {
		n, size := binary.Varint(b)
		if size <= 0 {
			return Count{}
		}
		*to, b = int(n), b[size:]
	}
	return c
}
