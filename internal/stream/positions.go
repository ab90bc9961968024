package stream

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// maxPending is how many marks of several feeds may wait for a subscription's row to be written.
	maxPending = 7
	// foldedAtOnce bounds the rows that a mark writes because more are waiting.
	foldedAtOnce = 64
)

// under returns the subscription with other read positions.
func (s *Subscribed) under(p *reader.Positions) *Subscribed {
	if s.Sub.Positions() == p {
		return s
	}
	return s.with(s.Sub.Under(p))
}

// positionsOf returns the user's positions that a list was made with: the newest of its rows'.
func positionsOf(list []*Subscribed) (p *reader.Positions) {
	for _, x := range list {
		if q := x.Sub.Positions(); p == nil || q != nil && q.Number > p.Number {
			p = q
		}
	}
	return p
}

// markTogether marks feeds in one write of the user's positions. If those changed meanwhile, it looks again at what is
// unread.
func (s *Service) markTogether(ctx context.Context, u reader.UserID, all, chosen []*Subscribed,
	marks *marking) (done Marked, err error) {
	folded, err := s.fold(ctx, u, all)
	if err != nil {
		return Marked{}, err
	}
	all, chosen = replaced(all, folded), replaced(chosen, folded)
	rows := make([]reader.Holding, len(all))
	for i, x := range all {
		rows[i] = reader.Holding{Feed: x.Feed.ID(), Applied: x.Sub.Applied, Mark: x.Sub.PrevMark}
	}
	isOne := false
	changed, number, err := s.changePositions(ctx, u, positionsOf(all),
		func(p *reader.Positions) (*reader.Positions, []*Subscribed) {
			var list []reader.Position
			var touched []*Subscribed
			for _, x := range chosen {
				if x = x.under(p); marks.touches(x) {
					list = append(list, reader.Position{Feed: x.Feed.ID(), Seq: marks.limit(x),
						Floor: reader.Seq(x.Feed.Floor)})
					touched = append(touched, x)
				}
			}
			if isOne = len(list) == 1; len(list) < 2 {
				return nil, touched
			}
			now := s.clock.Now()
			return p.Mark(now.UnixMilli(), now.Add(-UndoFor).UnixMilli(), list, rows), touched
		})
	if isOne && err == nil {
		return s.markEach(ctx, u, changed, marks)
	}
	if err == nil && len(changed) > 0 {
		done = Marked{Feeds: changed, Undo: s.markToken(number)}
	}
	return done, err
}

// undoTogether undoes a mark of several feeds, in one write as well. Feeds that were marked again stay.
func (s *Service) undoTogether(ctx context.Context, u reader.UserID, number int64) ([]*Subscribed, error) {
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return nil, err
	}
	p, err := s.store.Subscriptions.Positions(ctx, u)
	if err != nil {
		return nil, err
	}
	if was := positionsOf(list); was != nil && p != nil && was.Number == p.Number {
		p = was // their states are known
	}
	back, _, err := s.changePositions(ctx, u, p, func(p *reader.Positions) (*reader.Positions, []*Subscribed) {
		var back []*Subscribed
		for _, x := range list {
			if x = x.under(p); x.State.Prev.Mark == number {
				back = append(back, x)
			}
		}
		if len(back) == 0 {
			return nil, nil
		}
		return p.Undo(number, s.clock.Now().UnixMilli()), back
	})
	return back, err
}

// changePositions writes the positions that change returns, if any, and returns the changed subscriptions. If the
// positions have changed since they were read, change runs again.
func (s *Service) changePositions(ctx context.Context, u reader.UserID, p *reader.Positions,
	change func(*reader.Positions) (*reader.Positions, []*Subscribed)) (changed []*Subscribed,
	number int64, err error) {
	err = store.Retry("state_contended", func() error {
		next, touched := change(p)
		if changed = touched; next == nil {
			return nil
		}
		err := s.store.Subscriptions.PutPositions(ctx, u, p, next)
		if table.IsFailed(err) {
			latest, failed := s.store.Subscriptions.Positions(ctx, u)
			if failed != nil {
				return failed
			}
			p = latest
			return err
		}
		if err != nil {
			return err
		}
		number = next.Number
		changed = slices.Clone(touched)
		for i, x := range touched {
			changed[i] = x.under(next)
		}
		return nil
	})
	return changed, number, err
}

// fold writes rows for which many marks are waiting, so that the positions stay small.
func (s *Service) fold(ctx context.Context, u reader.UserID, all []*Subscribed) ([]*Subscribed, error) {
	var list []mutation
	for _, x := range all {
		if x.Sub.Pending() > maxPending && len(list) < foldedAtOnce {
			list = append(list,
				mutation{feed: x.Feed.ID(), sub: x, edit: func(sub *Subscribed) (store.SubscriptionRow, bool) {
					return sub.Sub.WithState(sub.State), sub.Sub.Pending() > 0
				}})
		}
	}
	return s.updateAll(ctx, u, list)
}

// replaced returns a list with other versions of some of its subscriptions.
func replaced(list, by []*Subscribed) []*Subscribed {
	if len(by) == 0 {
		return list
	}
	list = slices.Clone(list)
	for _, x := range by {
		if i, ok := search(list, x.id); ok {
			list[i] = x
		}
	}
	return list
}
