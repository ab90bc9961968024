package stream

import (
	"cmp"
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Place names an item by its feed and seq.
type Place struct {
	Feed reader.FeedID
	Seq  reader.Seq
}

// Pick returns items of the user's feeds, each delta read once. The result has an element for each place; nil where
// there is no such item.
func (s *Service) Pick(ctx context.Context, in *Searchable, places []Place) ([]*Entry, error) {
	out := make([]*Entry, len(places))
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a].Feed, places[b].Feed), cmp.Compare(places[b].Seq, places[a].Seq))
	})
	var feeds [][]int // places of one feed each, from the newest on
	for i, at := range order {
		if i == 0 || places[order[i-1]].Feed != places[at].Feed {
			feeds = append(feeds, nil)
		}
		feeds[len(feeds)-1] = append(feeds[len(feeds)-1], at)
	}
	return out, s.each(len(feeds), func(i int) error {
		sub := in.Feed(places[feeds[i][0]].Feed)
		var d *delta
		for _, at := range feeds[i] {
			seq := places[at].Seq
			if sub == nil || !sub.keeps(seq) {
				continue
			}
			if d == nil || seq < d.first {
				list, _, _, err := s.deltas.window(ctx, sub.Feed, seq, true, false, 1)
				if err != nil {
					return err
				}
				if len(list) == 0 {
					continue
				}
				d = list[0]
			}
			if e, err := d.kept(sub, seq); err == nil {
				out[at] = &e
			}
		}
		return nil
	})
}
