package stream

import (
	"context"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Arrival is an unread item that has arrived in one of a user's feeds.
type Arrival struct {
	Entry
	In *Subscribed
}

// Arrived returns the items that arrived after a time and up to another, in Unix seconds, in those feeds that are
// wanted: the unread ones, as the user's rules leave them, the newest first. It writes nothing.
func (s *Service) Arrived(ctx context.Context, u reader.UserID, after, upTo int64,
	isWanted func(*Subscribed) bool) (out []Arrival, err error) {
	v, err := s.views.of(ctx, u, false)
	if err != nil {
		return nil, err
	}
	r := s.compile(v.ruling)
	for _, x := range v.list {
		if x.Sub.Damaged || reader.Minute(x.Feed.Stamp+1).Time().Unix() <= after || !isWanted(x) {
			continue
		}
		list, err := s.arrivedIn(ctx, u, x, r, max(after, x.Sub.Since), upTo)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	slices.SortStableFunc(out, func(a, b Arrival) int { return order{}.compare(a.spot(), b.spot()) })
	return out, nil
}

// arrivedIn is Arrived for one feed. The items of the first crawl are not new.
func (s *Service) arrivedIn(ctx context.Context, u reader.UserID, x *Subscribed, r *ruling, after,
	upTo int64) (out []Arrival, err error) {
	read, err := s.recent(ctx, x, after+1)
	if err != nil {
		return nil, err
	}
	isNew := func(d *delta) bool { return d.arrived > after && d.arrived <= upTo }
	first := slices.DeleteFunc(read.list, func(d *delta) bool { return !isNew(d) })
	if len(first) == 0 {
		return nil, nil
	}
	from := max(first[len(first)-1].first, reader.Seq(x.Feed.FirstSeq)+1, reader.Seq(x.Feed.Floor)+1)
	if !r.none() {
		// Rules are applied to these items alone: what arrived before may be more than one look judges.
		w := &verdicts{to: max(from-1, reader.Seq(x.Sub.Ruled)), tree: &r.tree}
		if err := s.judgeItems(ctx, x, w, r.of(x.Sub), &allowance{mostDeltasRead, math.MaxInt}); err != nil {
			return nil, err
		}
		if x, err = s.foresee(ctx, u, x, w); err != nil {
			return nil, err
		}
	}
	for _, d := range first {
		for seq := min(d.last, reader.Seq(x.Feed.Seq)); seq >= max(d.first, from); seq-- {
			if !x.State.IsRead(seq) && !x.State.Hid.Has(seq) {
				out = append(out, Arrival{d.entry(x, seq), x})
			}
		}
	}
	return out, nil
}
