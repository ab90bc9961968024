package store

import (
	"context"
	"encoding/binary"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// CycleDays is how many days rows of cycles are kept: 30 for planning, and some to spare.
const CycleDays = 35

// CycleRow is one cycle of calls to the provider of bookmark counts. The rows are a log of all counts. Since it is
// unknown what an unfinished cycle asked for, the next one begins where the last finished one ended.
type CycleRow struct {
	rowKey

	IsDone bool  `dynamo:"done,omitempty"`
	Began  int64 `dynamo:"began"` // Unix seconds
	// Items that arrived from On to Arrived were asked for at least once, older ones of the feeds up to Filled; and
	// again when they became due until Due.
	On      uint32 `dynamo:"on,omitempty"`
	Arrived uint32 `dynamo:"arrived,omitempty"`
	Due     uint32 `dynamo:"due,omitempty"`
	Filled  uint32 `dynamo:"filled,omitempty"`
	// Left has the cycle's stops, see Stops.
	Left    []int64 `dynamo:"left,omitempty"`
	New     []byte  `dynamo:"new,omitempty"`     // see Asked
	Changes []byte  `dynamo:"changes,omitempty"` // see Changed
	Calls   int32   `dynamo:"calls,omitempty"`
	Rest    int32   `dynamo:"rest,omitempty"` // how much was left to ask for
	Shed    int32   `dynamo:"shed,omitempty"` // refreshes left out because later ones were due as well
	// Fails counts the failed calls in a row, Why is the code of the last failure. Nothing is asked before NotBefore,
	// in Unix seconds.
	Fails     int32  `dynamo:"fails,omitempty"`
	Why       string `dynamo:"why,omitempty"`
	NotBefore int64  `dynamo:"notBefore,omitempty"`
	TTL       int64  `dynamo:"ttl"`
}

// Stop is the first item left out, in order of feed and seq; the zero value comes before all items.
type Stop struct {
	Feed reader.FeedID
	Seq  reader.Seq
}

// Passed reports whether an item is before the stop.
func (p Stop) Passed(f reader.FeedID, seq reader.Seq) bool {
	return f < p.Feed || f == p.Feed && seq < p.Seq
}

// Stops are where a cycle stopped within a group too large for it: items of the minute after CycleRow.Arrived, those
// due in the minute after Due, and older items of the feed after Filled.
type Stops struct{ Arrived, Due, Older Stop }

// Stops unpacks Left.
func (r *CycleRow) Stops() (s Stops) {
	if len(r.Left) != 6 {
		return s
	}
	for i, p := range [...]*Stop{&s.Arrived, &s.Due, &s.Older} {
		*p = Stop{reader.FeedID(r.Left[2*i]), reader.Seq(r.Left[2*i+1])}
	}
	return s
}

// SetStops packs Left.
func (r *CycleRow) SetStops(s Stops) {
	r.Left = nil
	if s == (Stops{}) {
		return
	}
	for _, p := range [...]Stop{s.Arrived, s.Due, s.Older} {
		r.Left = append(r.Left, int64(p.Feed), int64(p.Seq))
	}
}

// IsUncountable reports whether a feed's items are never asked for: a subscriber chose so, its address is a secret, or
// it is a watch.
func (f *FeedRow) IsUncountable() bool { return f.NoCounts || f.IsWatch() || reader.HasSecret(f.URL) }

// AskedItems are items of one delta that were asked for the first time.
type AskedItems struct {
	Feed    reader.FeedID
	First   reader.Seq
	N       int
	Arrived reader.Minute
}

// ChangedCount is a count that a cycle found changed.
type ChangedCount struct {
	Feed reader.FeedID
	Seq  reader.Seq
	// N is the new count, Was the one before; UnknownCount if the provider could not be asked.
	N, Was int
	// IsOther reports that the count is that of the item's URL with the other scheme.
	IsOther bool
	Sort    int64 // of the item, in Unix seconds, without its seconds
	// Story is the reader.StoryHash of the item's link.
	Story uint32
}

// UnknownCount stands for the count of an item that the provider cannot be asked for.
const UnknownCount = -1

// Tick is the tick that the cycle began in.
func (r *CycleRow) Tick() schedule.Tick {
	n, _ := strconv.Atoi(r.SK)
	return schedule.Tick(n)
}

// Asked unpacks New.
func (r *CycleRow) Asked() ([]AskedItems, error) {
	d := reader.Decoder{Rest: string(r.New)}
	var list []AskedItems
	for feed := reader.FeedID(0); d.More(); {
		feed += reader.FeedID(d.Varint())
		list = append(list, AskedItems{feed, reader.Seq(d.Uvarint()), int(d.Uvarint()), reader.Minute(d.Uvarint())})
	}
	if len(r.New) > 0 && !d.Done() {
		return nil, badCycle()
	}
	return list, nil
}

// SetAsked packs New.
func (r *CycleRow) SetAsked(list []AskedItems) {
	r.New = nil
	for feed := reader.FeedID(0); len(list) > 0; list = list[1:] {
		x := &list[0]
		r.New = binary.AppendVarint(r.New, int64(x.Feed)-int64(feed))
		for _, n := range [...]uint64{uint64(x.First), uint64(x.N), uint64(x.Arrived)} {
			r.New = binary.AppendUvarint(r.New, n)
		}
		feed = x.Feed
	}
}

// Changed unpacks Changes.
func (r *CycleRow) Changed() ([]ChangedCount, error) { return UnpackCounts(r.Changes) }

// SetChanged packs Changes.
func (r *CycleRow) SetChanged(list []ChangedCount) { r.Changes = PackCounts(list) }

// PackCounts packs counts, which should be in order of feed and seq.
func PackCounts(list []ChangedCount) (b []byte) {
	for feed := reader.FeedID(0); len(list) > 0; list = list[1:] {
		x := &list[0]
		flags := uint64(x.N+1) << 1
		if x.IsOther {
			flags |= 1
		}
		b = binary.AppendVarint(b, int64(x.Feed)-int64(feed))
		b = binary.AppendUvarint(b, uint64(x.Seq))
		b = binary.AppendUvarint(b, flags)
		b = binary.AppendVarint(b, int64(x.N-x.Was))
		b = binary.AppendVarint(b, (x.Sort-reader.Epoch.Unix())/60)
		b = binary.AppendUvarint(b, uint64(x.Story))
		feed = x.Feed
	}
	return b
}

// UnpackCounts is the inverse of PackCounts.
func UnpackCounts(b []byte) ([]ChangedCount, error) {
	d := reader.Decoder{Rest: string(b)}
	var list []ChangedCount
	for feed := reader.FeedID(0); d.More(); {
		feed += reader.FeedID(d.Varint())
		x := ChangedCount{Feed: feed, Seq: reader.Seq(d.Uvarint())}
		flags := d.Uvarint()
		x.N, x.IsOther = int(flags>>1)-1, flags&1 > 0
		x.Was = x.N - int(d.Varint())
		x.Sort = d.Varint()*60 + reader.Epoch.Unix()
		x.Story = uint32(d.Uvarint())
		list = append(list, x)
	}
	if len(b) > 0 && !d.Done() {
		return nil, badCycle()
	}
	return list, nil
}

func badCycle() error { return fault.New(fault.Internal, "bad_cycle_row", "store: counts", nil) }

// Cycles reads and writes the rows of cycles.
type Cycles struct{ t *table.Table }

// Begin writes a cycle's row before its first call; Conflict if a cycle was begun in that tick.
func (s *Cycles) Begin(ctx context.Context, t schedule.Tick, row *CycleRow) error {
	row.TTL = row.Began + int64(CycleDays*24*time.Hour/time.Second)
	return put(ctx, s.t, cycleKey(t), row, table.IfAbsent())
}

// End replaces the row of a cycle that is not done; Conflict if it is.
func (s *Cycles) End(ctx context.Context, t schedule.Tick, row *CycleRow) error {
	row.TTL = row.Began + int64(CycleDays*24*time.Hour/time.Second)
	row.IsDone = true
	return put(ctx, s.t, cycleKey(t), row, table.IfPresent(), table.IfEqual("done", false))
}

// Newest returns the newest and the newest finished cycle of two days; nil if there is none. It may be a second old.
func (s *Cycles) Newest(ctx context.Context, now time.Time) (newest, done *CycleRow, err error) {
	today := schedule.DayOf(schedule.TickOf(now))
	for day := today; day >= today-1 && day >= 0 && done == nil; day-- {
		err = walk(ctx, s.t, table.Query{PK: cyclePK(day), Desc: true, Page: 4}, func(r *CycleRow) (bool, error) {
			if newest == nil {
				newest = r
			}
			if r.IsDone {
				done = r
			}
			return done == nil, nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return newest, done, nil
}

// OfDay returns a day's cycles from a tick on, in order.
func (s *Cycles) OfDay(ctx context.Context, day int32, from schedule.Tick) ([]*CycleRow, error) {
	return list[CycleRow](ctx, s.t, table.Query{PK: cyclePK(day), From: cycleSK(max(from, 0))})
}
