package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// DeltaRow holds the new items of one change of a feed, immutable but for edits. Its key is the first seq, so that
// putting it if absent claims the numbers. Readers ignore deltas above the feed's committed seq.
type DeltaRow struct {
	rowKey

	Stamp uint32 `dynamo:"stamp"` // minute of commit, part of every item's id
	At    int64  `dynamo:"at"`    // arrival in Unix milliseconds
	N     int    `dynamo:"n"`
	Head  []byte `dynamo:"h"`   // deflated headers
	Raw   string `dynamo:"raw"` // blob that holds the bodies
	Rev   int    `dynamo:"rev,omitempty"`
	TTL   int64  `dynamo:"ttl,omitempty"`
	// Loose are bodies that the headers named before a later edit: orphans, unless another row names them.
	Loose []string `dynamo:"loose,omitempty"`
	// Changes are those of a watch's results that the items announce, and the others of the same look.
	Changes []byte `dynamo:"w,omitempty"`
}

// Names reports whether the delta names a body, given its headers.
func (d *DeltaRow) Names(raw string, hs []Header) bool {
	return raw == d.Raw || slices.ContainsFunc(hs, func(h Header) bool { return h.Raw == raw })
}

// First is the seq of the delta's first item, from its key.
func (d *DeltaRow) First() reader.Seq {
	n, _ := strconv.ParseUint(strings.TrimPrefix(d.SK, "D#"), 10, 32)
	return reader.Seq(n)
}

// Last is the seq of the delta's last item.
func (d *DeltaRow) Last() reader.Seq { return d.First() + reader.Seq(d.N) - 1 }

// Arrived is when the delta arrived, in Unix milliseconds: At, but not before the minute of its commit. Those minutes
// rise whatever the clock does, and no item is listed after its own; so a later delta arrived later, and no earlier one
// has items newer than this.
func (d *DeltaRow) Arrived() int64 {
	return max(d.At, reader.Minute(d.Stamp).Time().UnixMilli())
}

// behindClock is by how many seconds the clock was behind when the delta was committed, because it had been set back.
func (d *DeltaRow) behindClock() int64 { return (d.Arrived() - d.At) / 1000 }

// Feed is the delta's feed number, from its key.
func (d *DeltaRow) Feed() reader.FeedID {
	return feedOf(d.PK)
}

// Headers inflates the delta's item headers, in order of seq.
func (d *DeltaRow) Headers() ([]Header, error) { return unpackHeaders(d.Head) }

// Items reads and writes delta rows.
type Items struct{ t *table.Table }

// NewDelta makes a row ready to be put.
func NewDelta(f reader.FeedID, first reader.Seq, stamp reader.Minute, atMillis int64, raw string,
	hs []Header) (*DeltaRow, error) {
	packed, err := PackHeaders(hs)
	if err != nil {
		return nil, err
	}
	return &DeltaRow{
		rowKey: keyed(deltaKey(f, first)),
		Stamp:  uint32(stamp), At: atMillis, N: len(hs), Head: packed, Raw: raw,
	}, nil
}

// Put writes a new delta if its place is free; Conflict when it is not.
func (s *Items) Put(ctx context.Context, d *DeltaRow) error {
	return s.t.Put(ctx, d, table.IfAbsent())
}

// Get reads one delta, consistently.
func (s *Items) Get(ctx context.Context, f reader.FeedID, first reader.Seq) (*DeltaRow, error) {
	return get[DeltaRow](ctx, s.t, deltaKey(f, first), "row_not_found", table.Consistent())
}

// Restamp sets the minute of an uncommitted delta; Conflict when it has changed.
func (s *Items) Restamp(ctx context.Context, d *DeltaRow, stamp reader.Minute, atMillis int64) error {
	err := s.t.Update(ctx, d.key(), table.Update{
		Set: map[string]any{"stamp": uint32(stamp), "at": atMillis},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("stamp", d.Stamp)},
	})
	if err == nil {
		d.Stamp, d.At = uint32(stamp), atMillis
	}
	return err
}

// Edit replaces a delta's headers if its revision is the one read, and notes the bodies that they name no more.
func (s *Items) Edit(ctx context.Context, d *DeltaRow, hs []Header) error {
	before, err := d.Headers()
	if err != nil {
		return err
	}
	packed, err := PackHeaders(hs)
	if err != nil {
		return err
	}
	set := map[string]any{"h": packed, "rev": d.Rev + 1}
	loose := slices.Clone(d.Loose)
	for _, h := range before {
		if h.Raw != "" && !d.Names(h.Raw, hs) && !slices.Contains(loose, h.Raw) {
			loose = append(loose, h.Raw)
		}
	}
	if len(loose) > 0 {
		set["loose"] = loose
	}
	err = s.t.Update(ctx, d.key(), table.Update{
		Set: set, If: []table.Cond{table.IfPresent(), table.IfEqual("rev", d.Rev)},
	})
	if err == nil {
		d.Loose = loose
	}
	return err
}

// SetLoose replaces a delta's loose bodies; Conflict when it was edited since it was read.
func (s *Items) SetLoose(ctx context.Context, d *DeltaRow, loose []string) error {
	u := table.Update{Set: map[string]any{"rev": d.Rev + 1},
		If: []table.Cond{table.IfPresent(), table.IfEqual("rev", d.Rev)}}
	if len(loose) > 0 {
		u.Set["loose"] = loose
	} else {
		u.Remove = []string{"loose"}
	}
	return s.t.Update(ctx, d.key(), u)
}

// Descend walks a feed's deltas newest first, from the one at or before seq `from` (0: the newest), until each returns
// false. Uncommitted ones are included.
func (s *Items) Descend(ctx context.Context, f reader.FeedID, from reader.Seq,
	each func(*DeltaRow) (bool, error)) error {
	q := deltaQuery(f, 0, from)
	q.Desc, q.Page = true, 32
	return walk(ctx, s.t, q, each)
}

// DescendLatest is Descend over all deltas, consistently, for decisions that cannot be taken back.
func (s *Items) DescendLatest(ctx context.Context, f reader.FeedID, each func(*DeltaRow) (bool, error)) error {
	q := deltaQuery(f, 0, 0)
	q.Desc, q.Page, q.Consistent = true, 32, true
	return walk(ctx, s.t, q, each)
}

// Ascend walks a feed's deltas oldest first, from the first whose first seq is from or greater, until each returns
// false. latest sees every acknowledged write, at twice the price.
func (s *Items) Ascend(ctx context.Context, f reader.FeedID, from reader.Seq, latest bool,
	each func(*DeltaRow) (bool, error)) error {
	q := deltaQuery(f, from, 0)
	q.Page, q.Consistent = ascendPage, latest
	return walk(ctx, s.t, q, each)
}

const ascendPage = 16

// Between walks the deltas whose first seqs are from a seq to another, newest first, until each returns false. latest
// sees every acknowledged write, at twice the price.
func (s *Items) Between(ctx context.Context, f reader.FeedID, from, to reader.Seq, latest bool,
	each func(*DeltaRow) (bool, error)) error {
	q := deltaQuery(f, from, to)
	q.Desc, q.Page, q.Consistent = true, ascendPage, latest
	return walk(ctx, s.t, q, each)
}

// deltaQuery selects the deltas whose first seq is from from to last; last 0 means all above.
func deltaQuery(f reader.FeedID, from, last reader.Seq) table.Query {
	q := table.Query{PK: feedPK(f), From: "D#", To: "D$"} // one past every "D#"
	if from > 0 {
		q.From = deltaSK(from)
	}
	if last > 0 {
		q.To = deltaSK(last + 1)
	}
	return q
}

// EachItem calls each for every item that a feed has, the newest delta first.
func (s *Items) EachItem(ctx context.Context, f *FeedRow, each func(h *Header, at Place)) error {
	floor, last := reader.Seq(f.Floor), reader.Seq(f.Seq)
	if last == floor {
		return nil
	}
	return s.Descend(ctx, f.ID(), last, func(d *DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		for i := range hs {
			if seq := d.First() + reader.Seq(i); seq > floor && seq <= last {
				each(&hs[i], Place{seq, reader.Minute(d.Stamp)})
			}
		}
		return d.First() > floor+1, nil
	})
}

// Stamps reads the seqs and minutes of a feed's deltas up to the one that has seq `last`, the newest first, until each
// returns false. latest sees every acknowledged write, at twice the price.
func (s *Items) Stamps(ctx context.Context, f reader.FeedID, last reader.Seq, latest bool,
	each func(from, to reader.Seq, stamp reader.Minute) bool) error {
	q := deltaQuery(f, 0, last)
	q.Desc, q.Page, q.Consistent = true, stampsPage, latest
	for r, err := range s.t.Query(ctx, q) {
		if err != nil {
			return err
		}
		d := new(DeltaRow)
		if err := r.DecodeWithout("h", d); err != nil {
			return err
		}
		if !each(d.First(), d.Last(), reader.Minute(d.Stamp)) {
			return nil
		}
	}
	return nil
}

const stampsPage = 16

// Place is the position of an item in a feed; with the feed's number it makes the item's id.
type Place struct {
	Seq   reader.Seq
	Stamp reader.Minute
}

// Places maps the identities of a feed's items to their places.
func (s *Items) Places(ctx context.Context, f *FeedRow) (map[uint64]Place, error) {
	places := map[uint64]Place{}
	err := s.EachItem(ctx, f, func(h *Header, at Place) { places[h.Identity] = at })
	return places, err
}

// Window reads a few deltas: newest first from the one at or before a seq, or oldest first from the one at or after it.
// latest reads consistently. spent is the cost in half read units; end means that nothing follows.
func (s *Items) Window(ctx context.Context, f reader.FeedID, from reader.Seq, desc bool, n int,
	latest bool) (list []*DeltaRow, spent int, end bool, err error) {
	q := table.Query{PK: feedPK(f), From: deltaSK(from), To: "D$", Desc: desc, Page: n, Consistent: latest}
	if desc {
		q.From, q.To = "D#", deltaSK(from+1)
	}
	size := 0
	for row, err := range s.t.Query(ctx, q) {
		if err != nil {
			return nil, 0, false, err
		}
		d := new(DeltaRow)
		if err := row.Decode(d); err != nil {
			return nil, 0, false, err
		}
		list, size = append(list, d), size+row.Size()
		if len(list) == n {
			break
		}
	}
	spent = max((size+4095)/4096, 1)
	if latest {
		spent *= 2
	}
	return list, spent, len(list) < n, nil
}

// At finds the delta that holds a seq.
func (s *Items) At(ctx context.Context, f reader.FeedID, seq reader.Seq) (*DeltaRow, error) {
	q := deltaQuery(f, 0, seq)
	q.Desc, q.Page = true, 1
	for d, err := range rows[DeltaRow](ctx, s.t, q) {
		if err != nil {
			return nil, err
		}
		if seq >= d.First() && seq <= d.Last() {
			return d, nil
		}
		break
	}
	return nil, fault.New(fault.NotFound, "item_not_found", "store: item", nil)
}

// Following reads a few deltas above a seq, oldest first, up to the one with the last. If a committed one seems to be
// missing, it reads consistently.
func (s *Items) Following(ctx context.Context, f reader.FeedID, above, last reader.Seq, n int) ([]*DeltaRow, error) {
	list, err := s.following(ctx, f, above, last, n, false)
	if err != nil || whole(list, above, last, n) {
		return list, err
	}
	return s.following(ctx, f, above, last, n, true)
}

func (s *Items) following(ctx context.Context, f reader.FeedID, above, last reader.Seq, n int,
	latest bool) (list []*DeltaRow, err error) {
	q := deltaQuery(f, above+1, last)
	q.Page, q.Consistent = n, latest
	err = walk(ctx, s.t, q, func(d *DeltaRow) (bool, error) {
		list = append(list, d)
		return len(list) < n, nil
	})
	return list, err
}

// whole reports whether n deltas, or all up to last, follow one another without a gap.
func whole(list []*DeltaRow, above, last reader.Seq, n int) bool {
	for _, d := range list {
		if d.First() != above+1 {
			return false
		}
		above = d.Last()
	}
	return len(list) == n || above >= last
}
