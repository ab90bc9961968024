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

// DeltaRow holds the new items of one change of a feed: immutable but for edits. Its key is the seq of
// its first item, so that putting it if absent is the claim on those numbers. Readers ignore a delta
// above the feed's committed seq.
type DeltaRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Stamp uint32 `dynamo:"stamp"` // minute of commit, part of every item's id
	At    int64  `dynamo:"at"`    // arrival in Unix milliseconds
	N     int    `dynamo:"n"`
	Head  []byte `dynamo:"h"`   // deflated headers
	Raw   string `dynamo:"raw"` // blob that holds the bodies
	Rev   int    `dynamo:"rev,omitempty"`
	TTL   int64  `dynamo:"ttl,omitempty"`
	// Loose are bodies that the headers named before a later edit: nobody's, as soon as nothing else names them.
	Loose []string `dynamo:"loose,omitempty"`
}

// Names tells whether the delta names a body, given its headers.
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

// Feed is the delta's feed number, from its key.
func (d *DeltaRow) Feed() reader.FeedID {
	n, _ := strconv.Atoi(strings.TrimPrefix(d.PK, "F#"))
	return reader.FeedID(n)
}

// Headers inflates the delta's item headers, in order of seq.
func (d *DeltaRow) Headers() ([]Header, error) { return unpackHeaders(d.Head) }

// Items reads and writes delta rows.
type Items struct{ t *table.Table }

// NewDelta makes a row ready to be put.
func NewDelta(f reader.FeedID, first reader.Seq, stamp reader.Minute, atMillis int64, raw string, hs []Header) (*DeltaRow, error) {
	packed, err := PackHeaders(hs)
	if err != nil {
		return nil, err
	}
	k := deltaKey(f, first)
	return &DeltaRow{
		PK: k.PK, SK: k.SK, V: SchemaVersion,
		Stamp: uint32(stamp), At: atMillis, N: len(hs), Head: packed, Raw: raw,
	}, nil
}

// Put writes a new delta if its place is free; Conflict when it is not.
func (s *Items) Put(ctx context.Context, d *DeltaRow) error {
	return s.t.Put(ctx, d, table.IfAbsent())
}

// Get reads one delta, consistently: it is asked for while a commit is being settled.
func (s *Items) Get(ctx context.Context, f reader.FeedID, first reader.Seq) (*DeltaRow, error) {
	var d DeltaRow
	if err := s.t.Get(ctx, deltaKey(f, first), &d, table.Consistent()); err != nil {
		return nil, err
	}
	return &d, nil
}

// Restamp gives an uncommitted delta a new minute, if nobody else did.
func (s *Items) Restamp(ctx context.Context, d *DeltaRow, stamp reader.Minute, atMillis int64) error {
	err := s.t.Update(ctx, table.Key{PK: d.PK, SK: d.SK}, table.Update{
		Set: map[string]any{"stamp": uint32(stamp), "at": atMillis},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("stamp", d.Stamp)},
	})
	if err == nil {
		d.Stamp, d.At = uint32(stamp), atMillis
	}
	return err
}

// Edit replaces the headers of a delta if its revision is still the one read. Bodies that they named before and
// name no more are noted in the same write.
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
	err = s.t.Update(ctx, table.Key{PK: d.PK, SK: d.SK}, table.Update{
		Set: set, If: []table.Cond{table.IfPresent(), table.IfEqual("rev", d.Rev)},
	})
	if err == nil {
		d.Loose = loose
	}
	return err
}

// SetLoose leaves those of a delta's loose bodies that are still there, if nobody edited it meanwhile.
func (s *Items) SetLoose(ctx context.Context, d *DeltaRow, loose []string) error {
	u := table.Update{Set: map[string]any{"rev": d.Rev + 1}, If: []table.Cond{table.IfPresent(), table.IfEqual("rev", d.Rev)}}
	if len(loose) > 0 {
		u.Set["loose"] = loose
	} else {
		u.Remove = []string{"loose"}
	}
	return s.t.Update(ctx, table.Key{PK: d.PK, SK: d.SK}, u)
}

// Descend walks a feed's deltas newest first, from the one that holds or precedes seq `from`
// (0 means the newest), until each returns false. Uncommitted deltas are the caller's to skip.
func (s *Items) Descend(ctx context.Context, f reader.FeedID, from reader.Seq, each func(*DeltaRow) (bool, error)) error {
	return s.descend(ctx, f, from, false, each)
}

// DescendLatest is Descend over all deltas that sees every acknowledged write, at twice the price: for decisions
// that cannot be taken back.
func (s *Items) DescendLatest(ctx context.Context, f reader.FeedID, each func(*DeltaRow) (bool, error)) error {
	return s.descend(ctx, f, 0, true, each)
}

func (s *Items) descend(ctx context.Context, f reader.FeedID, from reader.Seq, latest bool, each func(*DeltaRow) (bool, error)) error {
	const page = 32
	to := "D$" // one past every "D#"
	if from > 0 {
		to = deltaSK(from + 1)
	}
	q := table.Query{PK: feedPK(f), From: "D#", To: to, Desc: true, Limit: page, Consistent: latest}
	for {
		p, err := s.t.QueryRows(ctx, q)
		if err != nil {
			return err
		}
		for _, it := range p.Rows {
			var d DeltaRow
			if err := it.Decode(&d); err != nil {
				return err
			}
			more, err := each(&d)
			if err != nil || !more {
				return err
			}
		}
		if p.Next == "" {
			return nil
		}
		q.Cursor = p.Next
	}
}

// Window reads a few deltas at once, newest first from the one that holds or precedes a seq, or with desc false
// oldest first from the one that begins at it or is next. Spent is what that cost in half read units; end tells
// that nothing follows.
func (s *Items) Window(ctx context.Context, f reader.FeedID, from reader.Seq, desc bool, n int) (list []*DeltaRow, spent int, end bool, err error) {
	q := table.Query{PK: feedPK(f), From: deltaSK(from), To: "D$", Desc: desc, Limit: n}
	if desc {
		q.From, q.To = "D#", deltaSK(from+1)
	}
	p, err := s.t.QueryRows(ctx, q)
	if err != nil {
		return nil, 0, false, err
	}
	size := 0
	list = make([]*DeltaRow, len(p.Rows))
	for i, it := range p.Rows {
		list[i], size = new(DeltaRow), size+it.Size()
		if err := it.Decode(list[i]); err != nil {
			return nil, 0, false, err
		}
	}
	return list, max((size+4095)/4096, 1), p.Next == "", nil
}

// At finds the delta that holds a seq.
func (s *Items) At(ctx context.Context, f reader.FeedID, seq reader.Seq) (*DeltaRow, error) {
	p, err := s.t.QueryRows(ctx, table.Query{PK: feedPK(f), From: "D#", To: deltaSK(seq + 1), Desc: true, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(p.Rows) == 0 {
		return nil, fault.New(fault.NotFound, "item_not_found", "store: item", nil)
	}
	var d DeltaRow
	if err := p.Rows[0].Decode(&d); err != nil {
		return nil, err
	}
	if seq < d.First() || seq > d.Last() {
		return nil, fault.New(fault.NotFound, "item_not_found", "store: item", nil)
	}
	return &d, nil
}
