package stream

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
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
}

// less orders a stream: newest sort time first, then higher id.
func (e *Entry) before(o *Entry) bool {
	if e.Header.Sort != o.Header.Sort {
		return e.Header.Sort > o.Header.Sort
	}
	return e.ID > o.ID
}

// entries unpacks a delta for a user, newest sort time first is the caller's to arrange.
func entries(s *Subscribed, d *store.DeltaRow) ([]Entry, error) {
	hs, err := d.Headers()
	if err != nil {
		return nil, err
	}
	feed := s.Feed.ID()
	out := make([]Entry, 0, len(hs))
	for i, h := range hs {
		seq := d.First() + reader.Seq(i)
		if seq > reader.Seq(s.Feed.Seq) || seq <= reader.Seq(s.Feed.Floor) {
			continue
		}
		raw := d.Raw
		if h.Raw != "" {
			raw = h.Raw
		}
		out = append(out, Entry{
			ID: reader.NewItemID(reader.Minute(d.Stamp), feed, seq), Feed: feed, Seq: seq,
			Header: h, Raw: raw, Read: s.State.IsRead(seq), Starred: s.State.Stars.Has(seq),
		})
	}
	return out, nil
}

// starEntry is an item as its star kept it.
func starEntry(row *store.StarRow) (Entry, error) {
	h, err := row.Header()
	if err != nil {
		return Entry{}, err
	}
	return Entry{
		ID: row.ID(), Feed: reader.FeedID(row.Feed), Seq: reader.Seq(row.Seq),
		Header: h, Read: true, Starred: true,
	}, nil
}

// Find resolves an item id for a user: through the feed's rows, or through the star that outlives them.
func (s *Service) Find(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, Subscribed, error) {
	sub, err := s.Get(ctx, u, id.Feed())
	if err == nil {
		var e Entry
		if e, err = s.find(ctx, &sub, id); err == nil {
			return e, sub, nil
		}
	}
	if !fault.Is(err, fault.NotFound) {
		return Entry{}, Subscribed{}, err
	}
	star, starErr := s.store.Stars.Get(ctx, u, id)
	if fault.Is(starErr, fault.NotFound) {
		return Entry{}, Subscribed{}, fault.New(fault.NotFound, "item_not_found", "stream: item", err)
	}
	if starErr != nil {
		return Entry{}, Subscribed{}, starErr
	}
	e, err := starEntry(star)
	return e, sub, err
}

// find looks for the seq that an id's low bits and stamp name: candidates newest first.
func (s *Service) find(ctx context.Context, sub *Subscribed, id reader.ItemID) (Entry, error) {
	const turn = reader.Seq(1024) // ids carry seq modulo this
	for seq := id.SeqAtMost(reader.Seq(sub.Feed.Seq)); seq > reader.Seq(sub.Feed.Floor); seq -= turn {
		d, err := s.store.Items.At(ctx, sub.Feed.ID(), seq)
		if err != nil {
			return Entry{}, err
		}
		if reader.Minute(d.Stamp) == id.Stamp() {
			list, err := entries(sub, d)
			if err != nil {
				return Entry{}, err
			}
			for _, e := range list {
				if e.Seq == seq {
					return e, nil
				}
			}
		}
		if reader.Minute(d.Stamp) < id.Stamp() || seq <= turn {
			break
		}
	}
	return Entry{}, fault.New(fault.NotFound, "item_not_found", "stream: item", nil)
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

// SortTime is the item's place in streams, as a time.
func (e *Entry) SortTime() time.Time { return time.Unix(e.Header.Sort, 0).UTC() }
