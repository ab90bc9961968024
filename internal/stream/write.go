package stream

import (
	"context"
	"errors"
	"sync"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// maxTries bounds how often a change of state is tried again after somebody else changed the row. Of so many changes
// of one feed at once none is refused: of each round one gets through.
const maxTries = 32

// apply carries operations on items up to a seq out on one subscription.
func (s *Service) apply(ctx context.Context, u reader.UserID, id reader.FeedID, upTo reader.Seq, ops []reader.Op) (Subscribed, error) {
	return s.update(ctx, u, id, upTo, func(sub *Subscribed) (reader.State, bool) {
		return reader.Apply(sub.State, s.change(sub, ops))
	})
}

// change makes a change of operations over what a feed has, by the person: it counts as their reading.
func (s *Service) change(sub *Subscribed, ops []reader.Op) reader.Change {
	return reader.Change{
		Ops: ops, Floor: reader.Seq(sub.Feed.Floor), Last: reader.Seq(sub.Feed.Seq), At: s.clock.Now().UnixMilli(),
		Counts: true,
	}
}

// update changes one subscription under its revision, and tries again when it lost a race. A state that
// stays as it is is not written. The feed's row is one that knows the item at seq known, which somebody has
// seen: over an older one the change would be taken for one of an item that there is not, and dropped.
func (s *Service) update(ctx context.Context, u reader.UserID, id reader.FeedID, known reader.Seq, change func(*Subscribed) (reader.State, bool)) (Subscribed, error) {
	for range maxTries {
		sub, err := s.Get(ctx, u, id)
		if err == nil && reader.Seq(sub.Feed.Seq) < known {
			sub, err = s.Latest(ctx, u, id)
		}
		if err != nil {
			return sub, err
		}
		next, changed := change(&sub)
		if !changed {
			return sub, nil
		}
		before, _ := s.store.Subscriptions.Version(ctx, u)
		row, err := s.replace(ctx, &sub, next)
		if fault.Is(err, fault.Conflict) {
			continue
		}
		if err != nil {
			return sub, err
		}
		s.views.replaced(ctx, u, before, row)
		return subscribed(sub.Feed, row), nil
	}
	return Subscribed{}, fault.New(fault.Unavailable, "state_contended", "stream: state", nil)
}

func (s *Service) replace(ctx context.Context, sub *Subscribed, next reader.State) (*store.SubscriptionRow, error) {
	row := sub.Sub.WithState(next)
	return &row, s.store.Subscriptions.Replace(ctx, row, sub.Sub.Rev)
}

// atOnce is how many feeds of a change of many are written at the same time, where the table is far away.
const atOnce = 16

// updateAll changes many subscriptions, each by one write on the condition that it still is as it was listed; who
// lost a race is read again. It gives those that changed, also beside an error: some may be written then.
func (s *Service) updateAll(ctx context.Context, u reader.UserID, list []Subscribed, known positions, change func(*Subscribed) (reader.State, bool)) ([]Subscribed, error) {
	before, exact := s.store.Subscriptions.Version(ctx, u)
	out := make([]Subscribed, len(list))
	wrote := make([]*store.SubscriptionRow, len(list))
	err := s.each(exact, len(list), func(i int) error {
		sub := list[i]
		again := reader.Seq(sub.Feed.Seq) < known[sub.Feed.ID()]
		if !again {
			next, changed := change(&sub)
			if !changed {
				return nil
			}
			row, err := s.replace(ctx, &sub, next)
			if err == nil {
				wrote[i], out[i] = row, subscribed(sub.Feed, row)
				return nil
			}
			if again = fault.Is(err, fault.Conflict); !again {
				return err
			}
		}
		now, err := s.update(ctx, u, sub.Feed.ID(), known[sub.Feed.ID()], change)
		switch {
		case fault.Is(err, fault.NotFound):
			return nil // unsubscribed meanwhile
		case err == nil && now.State.Version != sub.State.Version:
			out[i] = now
		}
		return err
	})
	var rows []*store.SubscriptionRow
	var changed []Subscribed
	for i := range out {
		if wrote[i] != nil {
			rows = append(rows, wrote[i])
		}
		if out[i].Feed != nil {
			changed = append(changed, out[i])
		}
	}
	s.views.replaced(ctx, u, before, rows...)
	return changed, err
}

// each does something for each of n feeds: one after the other where the table is at hand, else some at once. All
// are tried, whatever becomes of others.
func (s *Service) each(inTurn bool, n int, do func(i int) error) error {
	errs := make([]error, n)
	if inTurn {
		for i := range n {
			errs[i] = do(i)
		}
		return errors.Join(errs...)
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for i := range n {
		room <- struct{}{}
		wg.Go(func() {
			errs[i] = do(i)
			<-room
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
