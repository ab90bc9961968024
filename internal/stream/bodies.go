package stream

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/ruri-reader/ruri/internal/content/parse"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// Located is one of several items that were looked for.
type Located struct {
	Entry
	Sub *Subscribed // nil where only a snapshot is left
}

// FindAll is Find for several items; nil stands for an item that the user does not have. Each delta is read once.
func (s *Service) FindAll(ctx context.Context, u reader.UserID, ids []reader.ItemID) ([]*Located, error) {
	bar, err := s.sideBar(ctx, u, true, s.foresee)
	if err != nil {
		return nil, err
	}
	byFeed := map[reader.FeedID][]int{}
	for i, id := range ids {
		byFeed[id.Feed()] = append(byFeed[id.Feed()], i)
	}
	feeds := slices.Collect(maps.Values(byFeed))
	out := make([]*Located, len(ids))
	err = s.each(len(feeds), func(i int) error {
		look := lookup{s: s, sub: find(bar.list, ids[feeds[i][0]].Feed())}
		// those of a delta together
		slices.SortFunc(feeds[i], func(a, b int) int { return cmp.Compare(ids[b], ids[a]) })
		for _, at := range feeds[i] {
			var err error
			if out[at], err = look.find(ctx, u, ids[at]); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// lookup finds items of one feed.
type lookup struct {
	s     *Service
	sub   *Subscribed // nil: there is no subscription
	delta *delta
}

// find returns an item; nil when there is none.
func (l *lookup) find(ctx context.Context, u reader.UserID, id reader.ItemID) (*Located, error) {
	if !id.Valid() {
		return nil, nil
	}
	if l.sub != nil {
		e, err := l.inFeed(ctx, id)
		if err == nil {
			return &Located{e, l.sub}, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	// It is newer than the side bar, or it was kept from a feed that does not list it any more.
	e, sub, err := l.s.Find(ctx, u, id)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Located{e, sub}, nil
}

// inFeed finds an item in the delta that was read last, else in the one that has it.
func (l *lookup) inFeed(ctx context.Context, id reader.ItemID) (Entry, error) {
	if l.delta != nil && l.delta.stamp == id.Stamp() {
		if e, err := l.delta.kept(l.sub, id.SeqAtMost(l.delta.last)); err == nil {
			return e, nil
		}
	}
	d, seq, err := l.s.findDelta(ctx, l.sub, id)
	if err != nil {
		return Entry{}, err
	}
	l.delta = d
	return d.kept(l.sub, seq)
}

// Bodies calls do with the body of each found item until it returns false. Items of one raw body follow one another.
func (s *Service) Bodies(ctx context.Context, u reader.UserID, list []*Located,
	do func(i int, b Body) (bool, error)) error {
	done := make([]bool, len(list))
	for i, first := range list {
		if first == nil || done[i] {
			continue
		}
		from := origin{feed: sync.OnceValues(func() (*parse.Document, error) { return s.documentFor(ctx, list[i:]) })}
		for j := i; j < len(list); j++ {
			if list[j] == nil || done[j] || list[j].Raw != first.Raw {
				continue
			}
			done[j] = true
			b, err := s.bodyFrom(ctx, u, &list[j].Entry, from)
			if err != nil {
				return err
			}
			if more, err := do(j, b); !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// documentFor returns the raw feed of the first of some items, cut down to those of them that are in it.
func (s *Service) documentFor(ctx context.Context, list []*Located) (*parse.Document, error) {
	d, err := s.document(ctx, list[0].Raw, list[0].Sub.FeedRow())
	if err != nil {
		return nil, err
	}
	wanted := map[uint64]bool{}
	for _, x := range list {
		if x != nil && x.Raw == list[0].Raw {
			wanted[x.Header.Identity] = true
			if x.Header.Shared != 0 {
				wanted[x.Header.Shared] = true
			}
		}
	}
	return d.Together(func(identity, shared uint64) bool { return wanted[identity] || wanted[shared] }), nil
}
