package stream

import (
	"context"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Entry is one item in a list, as one user sees it.
type Entry struct {
	ID      reader.ItemID
	Feed    reader.FeedID
	Seq     reader.Seq
	Header  store.Header
	Raw     string // blob that holds the body; empty for a star whose feed is gone
	Read    bool
	Starred bool
	Hidden  bool // by a rule: only the list of hidden items shows it
	Labels  []reader.LabelID
	Arrived int64 // Unix milliseconds; that of a snapshot alone is known to the minute
	// FeedTitle is the feed's as the user sees it, or as it was when the item was starred or labelled.
	FeedTitle string
	// Also names the other feeds that have the same story, where a stream shows it once.
	Also []Other
}

// entry returns an item of a delta as a user sees it.
func (d *delta) entry(s *Subscribed, seq reader.Seq) Entry {
	h, raw := d.header(seq), d.raw
	if h.Raw != "" {
		raw = h.Raw
	}
	e := s.Entry(seq, d.stamp, h, raw)
	e.Arrived = d.at
	return e
}

// entries unpacks the items of a delta as a user sees them, in order of seq.
func entries(s *Subscribed, row *store.DeltaRow) ([]Entry, error) {
	d, err := unpack(row)
	if err != nil {
		return nil, err
	}
	from, to := max(d.first, reader.Seq(s.Feed.Floor)+1), min(d.last, reader.Seq(s.Feed.Seq))
	out := make([]Entry, 0, d.headers.Len())
	for seq := from; seq <= to; seq++ {
		out = append(out, d.entry(s, seq))
	}
	return out, nil
}

// snapshotEntry returns an item as its star or label kept it.
func snapshotEntry(row *store.SnapshotRow) (Entry, error) {
	h, err := row.Header()
	if err != nil {
		return Entry{}, err
	}
	return Entry{
		ID: row.ID(), Feed: reader.FeedID(row.Feed), Seq: reader.Seq(row.Seq),
		Header: h, Read: true, Arrived: row.ID().Stamp().Time().UnixMilli(), FeedTitle: row.Title,
	}, nil
}

// Find resolves an item id for a user: through the feed's rows, or through the snapshot that outlives them.
func (s *Service) Find(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, *Subscribed, error) {
	e, sub, err := s.findInFeed(ctx, u, id)
	if err == nil {
		return e, sub, nil
	}
	if !fault.Is(err, fault.NotFound) {
		return Entry{}, nil, err
	}
	if e, err = s.findKept(ctx, u, id); err == nil && sub != nil {
		e.stateOf(sub)
	}
	return e, sub, err
}

// findInFeed resolves an id through the feed's rows. If the item is newer than the row, the latest row is read.
func (s *Service) findInFeed(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, *Subscribed, error) {
	sub, err := s.Get(ctx, u, id.Feed())
	if err == nil && uint32(id.Stamp()) > sub.Feed.Stamp {
		sub, err = s.Latest(ctx, u, id.Feed())
	}
	if err != nil {
		return Entry{}, sub, err
	}
	e, err := s.find(ctx, sub, id)
	return e, sub, err
}

// find returns the item of an id.
func (s *Service) find(ctx context.Context, sub *Subscribed, id reader.ItemID) (Entry, error) {
	d, seq, err := s.findDelta(ctx, sub, id)
	if err != nil {
		return Entry{}, err
	}
	return d.kept(sub, seq)
}

// kept is entry for a seq that the feed or the delta may not have.
func (d *delta) kept(sub *Subscribed, seq reader.Seq) (Entry, error) {
	if seq < d.first || seq > d.last || seq <= reader.Seq(sub.Feed.Floor) || seq > reader.Seq(sub.Feed.Seq) {
		return Entry{}, itemNotFound()
	}
	return d.entry(sub, seq), nil
}

// findDelta returns the delta of an item, and the item's seq. An id has the minute of its commit and its seq modulo
// 1,024. Several seqs are possible; the right one is found by bisection, because stamps grow with seqs.
func (s *Service) findDelta(ctx context.Context, sub *Subscribed, id reader.ItemID) (*delta, reader.Seq, error) {
	const turn = reader.Seq(1024)
	top := id.SeqAtMost(reader.Seq(sub.Feed.Seq))
	floor := reader.Seq(sub.Feed.Floor)
	if top <= floor {
		return nil, 0, itemNotFound()
	}
	// Candidates are top - k*turn for k in [lo, hi]. Mostly new items are opened, so the newest is tried first.
	lo, hi := reader.Seq(0), (top-floor-1)/turn
	for k := lo; lo <= hi; k = lo + (hi-lo)/2 {
		seq := top - k*turn
		list, _, _, err := s.deltas.window(ctx, sub.Feed, seq, true, false, 1)
		if err != nil {
			return nil, 0, err
		}
		if len(list) == 0 || seq > list[0].last {
			return nil, 0, itemNotFound()
		}
		switch d := list[0]; {
		case d.stamp > id.Stamp():
			lo = k + 1
		case d.stamp == id.Stamp():
			return d, seq, nil
		case k == 0:
			return nil, 0, itemNotFound()
		default:
			hi = k - 1
		}
	}
	return nil, 0, itemNotFound()
}

// Lang is the language of an item's text: its own, else the feed's; lower case, empty when unknown.
func (e *Entry) Lang(f *store.FeedRow) string {
	if e.Header.Lang != "" {
		return strings.ToLower(e.Header.Lang)
	}
	if f != nil {
		return strings.ToLower(f.Lang)
	}
	return ""
}
