package stream

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Searchable is the set of items that a user may search.
type Searchable struct {
	All   []*Subscribed // the user's subscriptions, or the one of the scope
	Feeds []*Subscribed // those in the scope, in order of feed number
	AsOf  string        // names the newest item of each feed in the scope; empty where that is too long for an address
}

// maxAsOf is how much of an address a token may be: CloudFront passes 8 KB on.
const maxAsOf = 6000

// Feed returns a subscription; nil when the user has no such one.
func (s *Searchable) Feed(id reader.FeedID) *Subscribed { return find(s.All, id) }

// Searchable returns where a user may search in a scope, after rules. It writes nothing. Stars of muted feeds are
// included. Errors are fault.NotFound.
func (s *Service) Searchable(ctx context.Context, u reader.UserID, sc Scope, f Filter, fresh bool) (Searchable, error) {
	bar, err := s.scope(ctx, u, sc, fresh, s.foresee)
	if err != nil {
		return Searchable{}, err
	}
	if f == Starred && sc == (Scope{}) {
		bar.in = nil
	}
	token := bar.asOf()
	if len(token) > maxAsOf {
		token = ""
	}
	return Searchable{All: bar.all, Feeds: bar.chosen(), AsOf: token}, nil
}

// Since decodes an AsOf: the newest seq that it covers, by feed.
func Since(asOf string) (map[reader.FeedID]reader.Seq, error) { return decodeSeqs(asOf) }

// Wanted returns which of the feed's items a filter wants; nil when it can want none.
func (s *Subscribed) Wanted(f Filter) func(reader.Seq) bool {
	switch floor, last := reader.Seq(s.Feed.Floor), reader.Seq(s.Feed.Seq); {
	case floor == last, f == Unread && s.unread == 0, f == Starred && s.starred == 0, f == Hidden &&
		s.State.Hid.Count(floor+1, last) == 0:
		return nil
	case f == Unread:
		return func(seq reader.Seq) bool { return s.keeps(seq) && !s.State.IsRead(seq) && !s.State.Hid.Has(seq) }
	case f == Starred:
		return func(seq reader.Seq) bool { return s.keeps(seq) && s.State.Stars.Has(seq) }
	case f == Hidden:
		return func(seq reader.Seq) bool { return s.keeps(seq) && s.State.Hid.Has(seq) }
	}
	return func(seq reader.Seq) bool { return s.keeps(seq) && !s.State.Hid.Has(seq) }
}

// keeps reports whether the feed has an item.
func (s *Subscribed) keeps(seq reader.Seq) bool {
	return seq > reader.Seq(s.Feed.Floor) && seq <= reader.Seq(s.Feed.Seq)
}

// Entry returns an item of the feed as its user sees it.
func (s *Subscribed) Entry(seq reader.Seq, stamp reader.Minute, h store.Header, raw string) Entry {
	e := Entry{ID: reader.NewItemID(stamp, s.id, seq), Feed: s.id, Seq: seq, Header: h, Raw: raw}
	e.stateOf(s)
	return e
}

// EachStar calls each for the user's starred items, the newest arrivals first, from below an id (0: all), until it
// returns false. sub is the subscription, if there is one.
func (s *Service) EachStar(ctx context.Context, u reader.UserID, in *Searchable, before reader.ItemID,
	each func(e Entry, row *store.SnapshotRow, sub *Subscribed) (bool, error)) error {
	return s.store.Snapshots.Walk(ctx, u, store.Star, before, true, 64, func(row *store.SnapshotRow) (bool, error) {
		e, err := snapshotEntry(row)
		if err != nil {
			return false, err
		}
		sub := in.Feed(e.Feed)
		e.Starred = true
		e.stateOf(sub)
		return each(e, row, sub)
	})
}
