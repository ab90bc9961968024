package webhook

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Beside each feed lies whether its reader's webhooks want its items. A person has up to a thousand feeds, so that
// is written by the workers, some at a time; what arrives until they come to a feed is told all the same, for a
// webhook says since when it wants things.

// askSettle sends the message for settle, and one for a second look: who was subscribing to a feed just then has asked
// for webhooks before, and has written after settle was there.
func (s *Service) askSettle(ctx context.Context, u reader.UserID) error {
	j := job.Job{Kind: job.Hooks, User: u}
	if err := s.send(ctx, j, settleAfter); err != nil {
		return err
	}
	return s.send(ctx, j, 0)
}

// settle notes beside a user's feeds above one what the webhooks want now. Said twice it costs the reading alone.
//
// Two that run at once may want different things, one of them by rows that are old: so each looks again when it has
// written, and asks for another round when it was the one.
func (s *Service) settle(ctx context.Context, u reader.UserID, after reader.FeedID) error {
	want, since, err := s.store.Webhooks.WantNewSince(ctx, u)
	if err != nil {
		return err
	}
	var ids []reader.FeedID
	err = s.store.Subscriptions.EachLatest(ctx, u, func(row *store.SubscriptionRow) error {
		if id := row.Feed(); id > after {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	until := s.clock.Now().Add(budget)
	for i, id := range ids {
		if err := s.settleFeed(ctx, u, id, want, since); err != nil {
			return err
		}
		if i+1 < len(ids) && s.clock.Now().After(until) {
			if err := s.send(ctx, job.Job{Kind: job.Hooks, User: u, After: id.String()}, 0); err != nil {
				return err
			}
			break
		}
	}
	return s.settleAgain(ctx, u, want)
}

// settleAgain asks for another round when webhooks want something else than they did.
func (s *Service) settleAgain(ctx context.Context, u reader.UserID, wanted bool) error {
	want, err := s.store.Webhooks.WantNew(ctx, u)
	if err != nil || want == wanted {
		return err
	}
	return s.askSettle(ctx, u)
}

func (s *Service) settleFeed(ctx context.Context, u reader.UserID, id reader.FeedID, want bool, since int64) error {
	sub, err := s.store.Subscriptions.Subscriber(ctx, id, u)
	if fault.Is(err, fault.NotFound) {
		return nil // half in or half out
	}
	if err != nil || sub.Hooked > 0 == want {
		return err
	}
	if !want {
		if err := s.store.Subscriptions.SetHooked(ctx, id, u, 0, 0); err != nil {
			return err
		}
		return s.count.Recount(ctx, id)
	}
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return passOver(err)
	}
	told, err := s.arrivedBy(ctx, f, since)
	if err != nil {
		return err
	}
	if err := s.store.Subscriptions.SetHooked(ctx, id, u, s.now(), uint32(told)); err != nil {
		return err
	}
	if err := s.count.Recount(ctx, id); err != nil {
		return err
	}
	// What came before the crawler could know that anybody wants it.
	if f, err = s.store.Feeds.Get(ctx, id, true); err != nil || reader.Seq(f.Seq) <= told {
		return passOver(err)
	}
	return s.send(ctx, job.Job{Kind: job.Tell, Feeds: []reader.FeedID{id}, User: u}, 0)
}

// passOver takes no offence at a feed that is gone.
func passOver(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// arrivedBy is the newest seq of a feed that had arrived at a time, in Unix milliseconds.
func (s *Service) arrivedBy(ctx context.Context, f *store.FeedRow, at int64) (reader.Seq, error) {
	seq := reader.Seq(f.Seq)
	if reader.Minute(f.Stamp) < reader.MinuteOf(time.UnixMilli(at)) {
		return seq, nil
	}
	err := s.store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		if d.At > at && d.First() <= seq {
			seq = d.First() - 1
		}
		return d.At > at, nil
	})
	return seq, err
}
