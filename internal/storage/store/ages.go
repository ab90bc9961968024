package store

import (
	"encoding/binary"
	"math"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Ages are lower bounds of the sort times of a feed's items, for stretches of seqs in order of arrival. A list that
// begins with the oldest item opens only feeds that can have it.
//
// Older stretches are longer, so that a few of them describe unread items as well as an archive, in about 60 bytes. A
// bound may be earlier than the truth, never later.
//
// Shape: the first seq, then per stretch its number of seqs and its minute, rounded down, as varints; minutes as
// differences. Zero and unreadable bytes know nothing.
type Ages []byte

const (
	maxStretches = 18
	// anHour, in minutes, is too little to distinguish ages by.
	anHour = 60
	// Sort times are Unix seconds of at most 13 digits; what a feed claims beyond is held there.
	maxAgeMinute = 1 << 38
)

type stretch struct {
	n      uint64
	minute int64
}

// Add returns the ages with a delta's items, by first seq and sort times. Items up to floor are dropped.
func (a Ages) Add(floor, first reader.Seq, sorts []int64) Ages {
	from, list := a.decode()
	if len(list) == 0 || from+total(list) != uint64(first) {
		// The bytes say nothing, or are of other items: begin anew, rather than bound items that were not seen.
		from, list = uint64(first), nil
	}
	for _, s := range sorts {
		list = append(list, stretch{1, minuteOf(s)})
		list = compact(list)
	}
	for len(list) > 1 && from+list[0].n <= uint64(floor)+1 {
		from, list = from+list[0].n, list[1:]
	}
	return encodeAges(from, list)
}

// Lower returns the ages after an item was found to be of another time.
func (a Ages) Lower(seq reader.Seq, sort int64) Ages {
	from, list := a.decode()
	at := from
	for i := range list {
		if s := &list[i]; uint64(seq) >= at && uint64(seq) < at+s.n {
			s.minute = min(s.minute, minuteOf(sort))
		}
		at += list[i].n
	}
	return encodeAges(from, list)
}

// Oldest returns a lower bound, in Unix seconds, of the items from a seq on; false if it is unknown.
func (a Ages) Oldest(from, last reader.Seq) (sort int64, known bool) {
	at, list := a.decode()
	if len(list) == 0 || uint64(from) < at || at+total(list) <= uint64(last) || from > last {
		return 0, false
	}
	minute := int64(math.MaxInt64)
	for i := range list {
		if at += list[i].n; at > uint64(from) {
			minute = min(minute, list[i].minute)
		}
	}
	return minute * 60, true
}

func minuteOf(sort int64) int64 {
	m := sort / 60
	if sort%60 < 0 {
		m--
	}
	return max(-maxAgeMinute, min(m, maxAgeMinute))
}

// compact joins the two neighbours whose joint bound loses the least share of its age. So recent items stay distinct,
// and no pause of a publisher is bridged.
func compact(list []stretch) []stretch {
	if len(list) <= maxStretches {
		return list
	}
	top := list[0].minute
	for i := range list {
		top = max(top, list[i].minute)
	}
	oldest, least, at := list[len(list)-1].minute, math.Inf(1), 0 // of the stretches after it, as Oldest will return it
	for i := len(list) - 2; i >= 0; i-- {
		joined := min(oldest, list[i].minute)
		if share := float64(top-joined+anHour) / float64(top-oldest+anHour); share <= least {
			least, at = share, i
		}
		oldest = joined
	}
	list[at] = stretch{list[at].n + list[at+1].n, min(list[at].minute, list[at+1].minute)}
	return append(list[:at+1], list[at+2:]...)
}

func total(list []stretch) (n uint64) {
	for i := range list {
		n += list[i].n
	}
	return n
}

func encodeAges(from uint64, list []stretch) Ages {
	if len(list) == 0 {
		return nil
	}
	b := binary.AppendUvarint(make([]byte, 0, 80), from)
	before := int64(0)
	for _, s := range list {
		b = binary.AppendUvarint(b, s.n)
		b = binary.AppendVarint(b, s.minute-before)
		before = s.minute
	}
	return b
}

func (a Ages) decode() (from uint64, list []stretch) {
	from, k := binary.Uvarint(a)
	if k <= 0 || from > uint64(reader.MaxSeq) {
		return 0, nil
	}
	b, before, end := a[k:], int64(0), from
	list = make([]stretch, 0, maxStretches+1)
	for len(b) > 0 {
		n, k := binary.Uvarint(b)
		if k <= 0 || n == 0 || n > uint64(reader.MaxSeq) || len(list) == maxStretches {
			return 0, nil
		}
		gap, j := binary.Varint(b[k:])
		if j <= 0 || gap > 2*maxAgeMinute || gap < -2*maxAgeMinute {
			return 0, nil
		}
		b, before, end = b[k+j:], before+gap, end+n
		if before > maxAgeMinute || before < -maxAgeMinute || end > uint64(reader.MaxSeq)+1 {
			return 0, nil
		}
		list = append(list, stretch{n, before})
	}
	return from, list
}
