package subscribe

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// MoveFeed gives a feed the address that its publisher has redirected to for days. When
// another feed lives there already, the two are merged: mergedInto first, so that no poll and no mark
// goes to the old one any more, then each subscriber, then the URL row. Every step can be repeated, and
// a merge that broke off is gone on with whenever it is asked for.
func (s *Service) MoveFeed(ctx context.Context, f *store.FeedRow, to string) error {
	if f.MergedInto > 0 {
		return s.merge(ctx, f, reader.FeedID(f.MergedInto))
	}
	address, err := Normalise(to)
	if err != nil {
		return nil //nolint:nilerr // an address we would not take from a person either: the old one goes on
	}
	owner, err := s.store.Feeds.ClaimURL(ctx, address, f.ID())
	if err != nil {
		return err
	}
	if owner != f.ID() {
		return s.merge(ctx, f, owner)
	}
	// Another host may mean another part, which knows nothing of the turns before: the poll is noted here.
	_, err = s.store.Feeds.Update(ctx, f.ID(), store.Patch{
		"url": address, "movedTo": "", "movedSince": int64(0), "movedPolls": int32(0), "proposed": "", "proposedWhy": "", "polled": s.clock.Now().Unix(),
	}, table.IfEqual("url", f.URL))
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	s.log.Info("feed moved", "feed_id", uint32(f.ID()))
	return err
}

func (s *Service) merge(ctx context.Context, old *store.FeedRow, into reader.FeedID) error {
	target, err := s.store.Feeds.Get(ctx, into, true)
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
		if _, err := s.store.Feeds.Update(ctx, old.ID(), store.Patch{"mergedInto": uint32(into)}); err != nil {
			return err
		}
	}
	subs, err := s.store.Subscriptions.Subscribers(ctx, old.ID())
	if err != nil {
		return err
	}
	there, err := s.places(ctx, target)
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if err := s.carryOver(ctx, old, target, sub, there); err != nil {
			return err
		}
	}
	if err := s.wake(ctx, target); err != nil {
		return err
	}
	if err := s.store.Feeds.PointURL(ctx, old.URL, target.ID()); err != nil {
		return err
	}
	s.log.Info("feed merged", "feed_id", uint32(old.ID()), "into", uint32(target.ID()), "subscribers", len(subs))
	// Last, for a merged feed that still counts subscribers is a merge to go on with.
	return s.derive(ctx, old)
}

// wake resumes a stopped feed that others were merged into: its address has just answered them.
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

// place is where an item lies in a feed; with the feed's number that is its id.
type place struct {
	seq   reader.Seq
	stamp reader.Minute
}

// places maps a feed's items by identity.
func (s *Service) places(ctx context.Context, f *store.FeedRow) (map[uint64]place, error) {
	out := map[uint64]place{}
	err := s.store.Items.Descend(ctx, f.ID(), reader.Seq(f.Seq), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		if err != nil {
			return false, err
		}
		for i, h := range hs {
			out[h.Identity] = place{d.First() + reader.Seq(i), reader.Minute(d.Stamp)}
		}
		return d.First() > reader.Seq(f.Floor), nil
	})
	return out, err
}

// carryOver moves one subscriber: the state is mapped by identity, what was read stays read. Stars and labels go in
// the order in which each is set and taken off: their rows there, all bits there, their bits here, their rows here.
func (s *Service) carryOver(ctx context.Context, old, target *store.FeedRow, sub store.Subscriber, there map[uint64]place) error {
	row, err := s.store.Subscriptions.Get(ctx, sub.User, old.ID())
	if fault.Is(err, fault.NotFound) {
		return s.store.Subscriptions.RemoveSubscriber(ctx, old.ID(), sub.User) // left half way
	}
	if err != nil {
		return err
	}
	// Who reads the target already keeps the interval asked for there.
	_, err = s.store.Subscriptions.Get(ctx, sub.User, target.ID())
	if fault.Is(err, fault.NotFound) {
		sub.Told = target.Seq // webhooks go on with what is new there
		err = s.store.Subscriptions.PutSubscriber(ctx, target.ID(), sub)
	}
	if err != nil {
		return err
	}
	if err := s.derive(ctx, target); err != nil {
		return err
	}
	kept, marks, err := s.movingTo(ctx, sub.User, old.ID(), target.ID(), there)
	if err != nil {
		return err
	}
	state, err := s.stateIn(ctx, old, row, there)
	if err != nil {
		return err
	}
	state.marks = marks
	if err := s.bring(ctx, sub.User, target.ID(), kept); err != nil {
		return err
	}
	if err := s.mapState(ctx, target, sub.User, row, state); err != nil {
		return err
	}
	if err := s.letGo(ctx, sub.User, old, kept); err != nil {
		return err
	}
	if err := s.store.Subscriptions.Remove(ctx, sub.User, old.ID()); err != nil {
		return err
	}
	return s.store.Subscriptions.RemoveSubscriber(ctx, old.ID(), sub.User)
}

// mapped is a user's state of the old feed, as seqs of the other.
type mapped struct {
	read, unread, hidden []reader.Seq

	marks marks
	tally reader.Tally
}

// stateIn maps the items that both feeds have by their identity. What is starred and labelled the snapshots tell.
func (s *Service) stateIn(ctx context.Context, old *store.FeedRow, row *store.SubscriptionRow, places map[uint64]place) (m mapped, err error) {
	state := row.State()
	m.tally = state.Tally
	if row.Rev == 0 && row.Upto == 0 && old.FirstSeq > newestUnread {
		state.Upto = reader.Seq(old.FirstSeq - newestUnread) // subscribed before the first crawl, and never touched
	}
	mine, err := s.places(ctx, old)
	if err != nil {
		return m, err
	}
	for identity, here := range mine {
		seq := here.seq
		to, ok := places[identity]
		there := to.seq
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

// mapState brings the state into the user's subscription of the target. One that is made now starts as
// any does, with the newest items unread, and then takes what the old one says; one that was there
// already only learns what was read, for read in either feed is read.
func (s *Service) mapState(ctx context.Context, target *store.FeedRow, u reader.UserID, from *store.SubscriptionRow, m mapped) error {
	fresh := store.SubscriptionRow{
		Title: from.Title, Folders: from.Folders, Position: from.Position, Interval: from.Interval, Since: from.Since,
		Mute: from.Mute, FullText: from.FullText, Notify: from.Notify, Sample: from.Sample,
	}
	if target.Seq > newestUnread {
		fresh.Upto = target.Seq - newestUnread
	}
	err := s.store.Subscriptions.Add(ctx, u, target.ID(), fresh)
	switch {
	case fault.Is(err, fault.Conflict):
		m.unread = nil
	case err != nil:
		return err
	}
	return s.learn(ctx, target, u, m)
}

// learn brings a mapped state into a subscription.
func (s *Service) learn(ctx context.Context, target *store.FeedRow, u reader.UserID, m mapped) error {
	ops := []reader.Op{
		{Kind: reader.OpRead, Seqs: m.read}, {Kind: reader.OpUnread, Seqs: m.unread}, {Kind: reader.OpHide, Seqs: m.hidden},
	}
	return s.change(ctx, u, target, append(ops, m.marks.ops(reader.OpStar, reader.OpLabel)...), m.tally)
}

// change carries operations out on a subscription, with a tally where it has none.
func (s *Service) change(ctx context.Context, u reader.UserID, target *store.FeedRow, ops []reader.Op, tally reader.Tally) error {
	for range settingsTries {
		row, err := s.store.Subscriptions.Get(ctx, u, target.ID())
		if err != nil {
			return err
		}
		next, changed := reader.Apply(row.State(), reader.Change{
			Ops: ops, Floor: reader.Seq(target.Floor), Last: reader.Seq(target.Seq), At: s.clock.Now().UnixMilli(),
		})
		if !changed {
			return nil
		}
		if len(next.Tally) == 0 { // of two subscriptions that become one the target's days stay
			next.Tally = tally
		}
		err = s.store.Subscriptions.Replace(ctx, row.WithState(next), row.Rev)
		if !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return fault.New(fault.Unavailable, "state_contended", "subscribe: merge", nil)
}
