package reader

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"time"
)

// Day is a day of UTC, counted from 1970-01-01.
type Day uint32

// DayOf is the day of a time.
func DayOf(unixMilli int64) Day { return Day(max(unixMilli, 0) / (24 * time.Hour).Milliseconds()) }

// String formats the day as 2006-01-02.
func (d Day) String() string {
	return time.Unix(int64(d)*24*60*60, 0).UTC().Format(time.DateOnly)
}

// Count is the activity of one person in one feed on one day. Items that were marked unread again are subtracted.
type Count struct {
	Day     Day
	Read    int // items one by one: opened, scrolled past, marked
	Cleared int // items marked read together: a feed, a folder, all that is older
	Starred int
}

// Plus adds two counts; the day is that of c.
func (c Count) Plus(o Count) Count {
	c.Read, c.Cleared, c.Starred = c.Read+o.Read, c.Cleared+o.Cleared, c.Starred+o.Starred
	return c
}

func (c Count) isNothing() bool { return c.Read == 0 && c.Cleared == 0 && c.Starred == 0 }

// hasReading reports whether the person read items one by one: marking a feed read does not count.
func (c Count) hasReading() bool { return c.Read > 0 || c.Starred > 0 }

// TallyDays is the number of days that a tally keeps.
const TallyDays = 30

// Tally is a person's activity in a feed by day, newest first, in about four bytes for each active day. It is in the
// row that reading writes anyway. It keeps TallyDays before the newest day, and the last day with any reading, however
// old. Values are never changed in place.
type Tally []byte

// All iterates over the days, newest first. Damaged bytes end the walk.
func (t Tally) All() iter.Seq[Count] {
	return func(yield func(Count) bool) {
		day := Day(0)
		for d := (Decoder{Rest: string(t)}); d.More(); {
			var n [4]uint64
			for i := range n {
				n[i] = d.AtMost(1 << 31)
			}
			if d.Bad {
				return
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

// Plus returns the tally with a count added, whose numbers may be negative, and the part that was really added: no
// number falls below zero, and items that are unread again are subtracted from those read before those cleared.
func (t Tally) Plus(c Count) (Tally, Count) {
	if c.isNothing() {
		return t, c
	}
	all := slices.Collect(t.All())
	at, found := slices.BinarySearchFunc(all, c.Day, func(have Count, day Day) int {
		return cmp.Compare(day, have.Day)
	})
	if !found {
		all = slices.Insert(all, at, Count{Day: c.Day})
	}
	was := all[at]
	sum := was.Plus(c)
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

// bytes encodes a count whose numbers may be negative; nil for zero.
func (c Count) bytes() (b []byte) {
	if c.isNothing() {
		return nil
	}
	b = binary.AppendUvarint(nil, uint64(c.Day))
	b = binary.AppendVarint(b, int64(c.Read))
	return binary.AppendVarint(b, int64(c.Cleared))
}

// countOf decodes what bytes wrote. It has no stars: undoing a mark never removes a star.
func countOf(b []byte) Count {
	d := Decoder{Rest: string(b)}
	c := Count{Day: Day(d.AtMost(math.MaxUint32)), Read: int(d.Varint()), Cleared: int(d.Varint())}
	if d.Bad {
		return Count{}
	}
	return c
}
