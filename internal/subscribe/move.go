package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// MoveFeed changes the address of a feed to the one that its publisher has redirected to for days. If another feed has
// that address already, the two are merged: first mergedInto is set, so that no poll and no mark goes to the old feed
// any more, then each subscriber is moved, then the URL row. Every step can be repeated, and a merge that crashed is
// continued by the next call.
func (s *Service) MoveFeed(ctx context.Context, f *store.FeedRow, to string) error {
	if f.MergedInto > 0 {
		return s.merge(ctx, f, reader.FeedID(f.MergedInto))
	}
	address, err := Normalise(to)
	if err != nil {
		return nil //nolint:nilerr // an address we would not take from a person either: the old one goes on
	}
	owner, err := s.Store.Feeds.ClaimURL(ctx, address, f.ID())
	if err != nil {
		return err
	}
	if owner != f.ID() {
		return s.merge(ctx, f, owner)
	}
	// Another host may mean another part, which does not know the earlier polls: the poll is recorded here.
	next := *f
	next.URL, next.Polled = address, s.Clock.Now().Unix()
	next.MovedTo, next.MovedSince, next.MovedPolls, next.Proposed, next.ProposedWhy = "", 0, 0, "", ""
	_, err = s.Store.Feeds.Change(ctx, f, &next, store.SameURL)
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	s.Log.Info("feed moved", "feed_id", uint32(f.ID()))
	return err
}

func (s *Service) merge(ctx context.Context, old *store.FeedRow, into reader.FeedID) error {
	target, err := s.Store.Feeds.Get(ctx, into, true)
	if fault.Is(err, fault.NotFound) {
		return nil // a claimed address whose feed is still being made: the next poll sees it
	}
	if err != nil {
		return err
	}
	if target.MergedInto > 0 && reader.FeedID(old.MergedInto) != into {
		return nil // a merge of the other side is under way; the next poll sees its end
	}
	if target, err = s.merged(ctx, target); err != nil {
		return err
	}
	if target.ID() == old.ID() {
		return nil
	}
	if old.MergedInto == 0 {
		next := *old
		next.MergedInto = uint32(into)
		if _, err := s.Store.Feeds.Change(ctx, old, &next); err != nil {
			return err
		}
	}
	subs, err := s.Store.Subscriptions.Subscribers(ctx, old.ID())
	if err != nil {
		return err
	}
	there, err := s.Store.Items.Places(ctx, target)
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if err := s.moveSubscriber(ctx, old, target, sub, there); err != nil {
			return err
		}
	}
	if err := s.wake(ctx, target); err != nil {
		return err
	}
	if err := s.Store.Feeds.PointURL(ctx, old.URL, target.ID()); err != nil {
		return err
	}
	s.Log.Info("feed merged", "feed_id", uint32(old.ID()), "into", uint32(target.ID()), "subscribers", len(subs))
	// Last, because a merged feed that still has subscribers is a merge to continue.
	_, err = s.updateFeed(ctx, old)
	return err
}

// wake resumes a stopped feed that others were merged into: its address has just responded to them.
func (s *Service) wake(ctx context.Context, target *store.FeedRow) error {
	if target.Status != string(reader.StatusStopped) {
		return nil
	}
	_, err := s.Resume(ctx, target.ID())
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// moveSubscriber moves one subscriber: the state is mapped by identity, what was read stays read. Stars and labels go
// in the order in which each is set and taken off: their rows there, all bits there, their bits here, their rows here.
func (s *Service) moveSubscriber(ctx context.Context, old, target *store.FeedRow, sub store.Subscriber,
	there map[uint64]store.Place) error {
	row, err := s.Store.Subscriptions.Get(ctx, sub.User, old.ID())
	if fault.Is(err, fault.NotFound) {
		return s.Store.Subscriptions.RemoveSubscriber(ctx, old.ID(), sub.User) // left half way
	}
	if err != nil {
		return err
	}
	// A subscriber of the target keeps the interval there.
	_, err = s.Store.Subscriptions.Get(ctx, sub.User, target.ID())
	if fault.Is(err, fault.NotFound) {
		if sub.Hooked != 0 {
			sub.Hooked = s.Clock.Now().UnixMilli() // webhooks continue with new items there
		}
		err = s.Store.Subscriptions.PutSubscriber(ctx, target.ID(), sub)
	}
	if err != nil {
		return err
	}
	if _, err := s.updateFeed(ctx, target); err != nil {
		return err
	}
	state, err := s.stateIn(ctx, sub.User, old, target, row, there)
	if err != nil {
		return err
	}
	if err := s.copySnapshots(ctx, sub.User, target.ID(), state.kept); err != nil {
		return err
	}
	// A subscription that is made now starts as any does, with the newest items unread, and then takes what the old one
	// says; one that was there already only learns what was read, for read in either feed is read.
	fresh := store.NewSubscription(target)
	fresh.Title, fresh.Folders, fresh.Position, fresh.Interval = row.Title, row.Folders, row.Position, row.Interval
	fresh.Since, fresh.Mute, fresh.FullText, fresh.Notify, fresh.Sample = row.Since, row.Mute, row.FullText,
		row.Notify, row.Sample
	fresh.NeverCount = row.NeverCount
	err = s.Store.Subscriptions.Add(ctx, sub.User, target.ID(), fresh)
	if fault.Is(err, fault.Conflict) {
		state.unread, err = nil, nil
	}
	if err != nil {
		return err
	}
	if err := s.moveState(ctx, sub.User, old, target, state); err != nil {
		return err
	}
	if err := s.moveSearches(ctx, sub.User, old.ID(), target.ID()); err != nil {
		return err
	}
	if err := s.Store.Subscriptions.Remove(ctx, sub.User, old.ID()); err != nil {
		return err
	}
	return s.Store.Subscriptions.RemoveSubscriber(ctx, old.ID(), sub.User)
}

// moveSearches lets the saved searches in a feed search in another.
func (s *Service) moveSearches(ctx context.Context, u reader.UserID, from, to reader.FeedID) error {
	_, err := s.Store.Searches.Change(ctx, u, func(l *library.Searches) error {
		l.MoveFeed(from, to)
		return nil
	})
	return err
}

// mapped is a user's state of the old feed, as seqs of the other.
type mapped struct {
	read, unread, hidden []reader.Seq

	tally reader.Tally
	kept  []moving // stars and labels of the old feed
	marks marks    // all that the other feed has afterwards
}

// stateIn maps the items that both feeds have by their identity. Stars and labels come from the snapshots.
func (s *Service) stateIn(ctx context.Context, u reader.UserID, old, target *store.FeedRow, row *store.SubscriptionRow,
	places map[uint64]store.Place) (m mapped, err error) {
	if m.kept, m.marks, err = s.movingTo(ctx, u, old.ID(), target.ID(), places); err != nil {
		return m, err
	}
	state := row.StateIn(old)
	m.tally = state.Tally
	mine, err := s.Store.Items.Places(ctx, old)
	if err != nil {
		return m, err
	}
	for identity, here := range mine {
		seq := here.Seq
		to, ok := places[identity]
		there := to.Seq
		switch {
		case !ok || seq > reader.Seq(old.Seq):
			continue
		case state.IsRead(seq):
			m.read = append(m.read, there)
		default:
			m.unread = append(m.unread, there)
		}
		if state.Hid.Has(seq) {
			m.hidden = append(m.hidden, there)
		}
	}
	return m, nil
}

// moveState applies a mapped state to the subscription of the target, and removes the stars and labels of the old one.
func (s *Service) moveState(ctx context.Context, u reader.UserID, old, target *store.FeedRow, m mapped) error {
	ops := []reader.Op{
		{Kind: reader.OpRead, Seqs: m.read}, {Kind: reader.OpUnread, Seqs: m.unread},
		{Kind: reader.OpHide, Seqs: m.hidden},
	}
	if err := s.change(ctx, u, target, append(ops, m.marks.ops(reader.OpStar, reader.OpLabel)...),
		m.tally); err != nil {
		return err
	}
	return s.removeSnapshots(ctx, u, old, m.kept)
}

// change applies operations to a subscription, and sets the tally where there is none.
func (s *Service) change(ctx context.Context, u reader.UserID, target *store.FeedRow, ops []reader.Op,
	tally reader.Tally) error {
	return store.Retry("state_contended", func() error {
		row, err := s.Store.Subscriptions.Get(ctx, u, target.ID())
		if err != nil {
			return err
		}
		next, changed := reader.Apply(row.StateIn(target), reader.Change{
			Ops: ops, Floor: reader.Seq(target.Floor), Last: reader.Seq(target.Seq), At: s.Clock.Now().UnixMilli(),
		})
		if !changed {
			return nil
		}
		if len(next.Tally) == 0 { // of two subscriptions that become one the target's days stay
			next.Tally = tally
		}
		_, err = s.Store.Subscriptions.ChangeState(ctx, u, row, next)
		return err
	})
}
