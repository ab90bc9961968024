package webhook

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// EarlyError says that a message arrived before it is due, and after how long to deliver it again.
type EarlyError struct{ After time.Duration }

func (e *EarlyError) Error() string { return "webhook: the message is early by " + e.After.String() }

// Work handles a message of kind Notify, Trouble, Hook or Hooks.
func (s *Service) Work(ctx context.Context, j job.Job) error {
	if early := j.Due - s.now(); early > 0 {
		return &EarlyError{time.Duration(early) * time.Millisecond}
	}
	switch j.Kind {
	case job.Hook:
		return s.retry(ctx, j)
	case job.Trouble:
		if j.Event != "" {
			return s.tellOwner(ctx, j.Event)
		}
	case job.Hooks:
		after, _ := strconv.Atoi(j.After) // empty: from the start
		return s.markFeeds(ctx, j.User, reader.FeedID(after))
	}
	for _, f := range j.Feeds {
		if j.Kind == job.Trouble {
			if err := s.tellTrouble(ctx, f); err != nil {
				return err
			}
			continue
		}
		if err := s.notify(ctx, f, j.User); err != nil {
			return err
		}
	}
	return nil
}

// notify delivers a feed's new items to the subscribers whose webhooks do not have them yet. One subscriber is served
// here, several by a message each, so that none waits for another's slow address.
func (s *Service) notify(ctx context.Context, id reader.FeedID, only reader.UserID) error {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	subs, err := s.store.Subscriptions.Subscribers(ctx, id)
	if err != nil {
		return err
	}
	for _, sub := range subs {
		if sub.Noted && only == "" && s.onNews != nil {
			if err := s.onNews(ctx, sub.User, f); err != nil {
				return err
			}
		}
	}
	behind := behind(subs, f, only)
	if len(behind) == 0 {
		return nil
	}
	if len(behind) == 1 {
		return s.notifyUser(ctx, f, behind[0])
	}
	jobs := make([]job.Job, len(behind))
	for i, sub := range behind {
		jobs[i] = job.Job{Kind: job.Notify, Feeds: []reader.FeedID{id}, User: sub.User}
	}
	return job.Send(ctx, s.Queue, 0, jobs...)
}

// behind lists the subscribers whose webhooks have not received all of a feed's items.
func behind(subs []store.Subscriber, f *store.FeedRow, only reader.UserID) (out []store.Subscriber) {
	for _, sub := range subs {
		if sub.Hooked > 0 && sub.Notified < f.Seq && (only == "" || sub.User == only) {
			out = append(out, sub)
		}
	}
	return out
}

// notifyUser delivers the items above `told` to one subscriber's webhooks, in order, and advances it.
func (s *Service) notifyUser(ctx context.Context, f *store.FeedRow, sub store.Subscriber) error {
	hooks, err := s.store.Webhooks.List(ctx, sub.User)
	if err != nil {
		return err
	}
	hooks = slices.DeleteFunc(hooks, func(h *store.WebhookRow) bool { return !h.New || !h.On() })
	if len(hooks) == 0 {
		if err := s.unmarkFeed(ctx, sub.User, f.ID()); err != nil {
			return err
		}
		return s.recheck(ctx, sub.User, store.Wanted{Notices: sub.Noted}) // one may have been added meanwhile
	}
	own, err := s.store.Subscriptions.Get(ctx, sub.User, f.ID())
	if err != nil { // subscribing or unsubscribing is under way: it continues when the subscription is there
		return fault.Ignore(err, fault.NotFound)
	}
	picks := make([]*Pick, len(hooks))
	for i, h := range hooks {
		if picks[i], err = s.pick(ctx, sub.User, h); err != nil {
			return err
		}
	}
	b := &backlog{s, f, own, sub.User, hooks, picks, map[string]bool{}, s.clock.Now().Add(budget)}
	// The items of the first crawl are not new, and items below the floor are gone.
	from, last := max(reader.Seq(sub.Notified), reader.Seq(f.FirstSeq), reader.Seq(f.Floor)), reader.Seq(f.Seq)
	for from < last && !b.isOverBudget() {
		const atOnce = 4
		list, err := s.store.Items.Following(ctx, f.ID(), from, last, atOnce)
		if err != nil {
			return err
		}
		n := 0
		for ; n < len(list) && (n == 0 || !b.isOverBudget()); n++ {
			if err := b.deliverDelta(ctx, list[n]); err != nil {
				return err
			}
			from = list[n].Last()
		}
		if n == len(list) && n < atOnce {
			from = last
		}
	}
	err = s.store.Subscriptions.SetNotified(ctx, f.ID(), sub, uint32(from))
	if err != nil || from >= last {
		return fault.Ignore(err, fault.Conflict) // another worker delivered the same, or the user has unsubscribed
	}
	return s.send(ctx, job.Job{Kind: job.Notify, Feeds: []reader.FeedID{f.ID()}, User: sub.User}, 0)
}

// backlog is the items of a feed that one user's webhooks have not received yet. One message works on it.
type backlog struct {
	*Service
	feed  *store.FeedRow
	own   *store.SubscriptionRow
	user  reader.UserID
	hooks []*store.WebhookRow
	picks []*Pick         // of each webhook
	down  map[string]bool // webhooks whose last delivery failed
	until time.Time
}

func (b *backlog) isOverBudget() bool { return b.clock.Now().After(b.until) }

// deliverDelta delivers the items of one delta to each webhook. A webhook that has just failed is not tried again: its
// delivery is scheduled as if it had been attempted. When the message's time is up, the remaining deliveries become a
// message each, so that slow addresses never use up the worker's time.
func (b *backlog) deliverDelta(ctx context.Context, d *store.DeltaRow) error {
	for i, h := range b.hooks {
		if !h.On() || d.At <= h.Since || h.Notify && !b.own.Notify {
			continue
		}
		body, err := newBody(h.Hook(), b.feed, b.own, d, b.picks[i])
		if err != nil {
			return err
		}
		if body == nil {
			continue
		}
		j := job.Job{Kind: job.Hook, User: b.user, Hook: h.Hook(), Feeds: []reader.FeedID{b.feed.ID()},
			First: d.First()}
		switch {
		case formats[h.Form].isEach:
			err = b.sendEach(ctx, j, body.Items)
		case b.down[h.SK]:
			j.Attempt = 1
			err = b.scheduleRetry(ctx, j, 0)
		case b.isOverBudget():
			err = b.send(ctx, j, 0)
		default:
			var out store.HookOutcome
			out, err = b.deliver(ctx, h, body, j)
			b.down[h.SK] = out.Code != ""
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newBody returns the body of a delivery of one delta; nil when the webhook wants none of its items.
func newBody(hook string, f *store.FeedRow, own *store.SubscriptionRow, d *store.DeltaRow, p *Pick) (*Body, error) {
	if !p.MayHave(f.ID(), own) {
		return nil, nil
	}
	hs, err := d.Headers()
	if err != nil {
		return nil, err
	}
	id := f.ID()
	b := &Body{
		Event: EventNew, Delivery: deliveryID(hook, EventNew, id, d.First()),
		Feed: bodyFeed(f, own), Search: p.about(), Items: make([]Item, 0, len(hs)),
	}
	for i := range hs {
		if p.Wants(&hs[i]) {
			b.Items = append(b.Items,
				itemOf(reader.NewItemID(reader.Minute(d.Stamp), id, d.First()+reader.Seq(i)), id, &hs[i]))
		}
	}
	if len(b.Items) == 0 {
		return nil, nil
	}
	return b, nil
}

// retry attempts a delivery again.
func (s *Service) retry(ctx context.Context, j job.Job) error {
	hook, err := s.store.Webhooks.Get(ctx, j.User, j.Hook)
	if err != nil {
		return fault.Ignore(err, fault.NotFound) // deleted with its deliveries
	}
	p, err := s.pick(ctx, j.User, hook)
	if err != nil {
		return err
	}
	b, err := s.bodyOf(ctx, j, p)
	if err != nil || b == nil {
		return err
	}
	if !hook.On() {
		_, err := s.store.Webhooks.Change(ctx, j.User, j.Hook, func(row *store.WebhookRow) {
			giveUp(row, j, store.HookOutcome{Delivery: b.Delivery, Event: b.Event, At: s.now(), Code: "switched_off"})
		})
		return fault.Ignore(err, fault.NotFound)
	}
	_, err = s.deliver(ctx, hook, b, j)
	return err
}

// bodyOf rebuilds a delivery's body; nil if its items are gone, or the webhook does not want them any more.
func (s *Service) bodyOf(ctx context.Context, j job.Job, p *Pick) (*Body, error) {
	switch {
	case j.Event == EventServer:
		return s.serverBody(ctx, j)
	case j.Event == EventBudget:
		return s.budgetBody(ctx, j)
	case j.Event != "":
		return s.itemBody(ctx, j, p)
	case j.Item != 0:
		return s.starBody(ctx, j, p)
	}
	f, err := s.store.Feeds.Get(ctx, feedOf(j), true)
	if err != nil {
		return nil, fault.Ignore(err, fault.NotFound)
	}
	if j.First == 0 {
		return s.troubleBody(ctx, j, f)
	}
	d, err := s.store.Items.Get(ctx, f.ID(), j.First)
	if err != nil {
		return nil, fault.Ignore(err, fault.NotFound)
	}
	own, err := s.store.Subscriptions.Get(ctx, j.User, f.ID())
	if err != nil {
		return nil, fault.Ignore(err, fault.NotFound) // unsubscribed
	}
	return newBody(j.Hook, f, own, d, p)
}

// starBody returns the body for a starred item. The star's row may be written after the message; if it does not appear,
// the item was not starred or no longer is.
func (s *Service) starBody(ctx context.Context, j job.Job, p *Pick) (*Body, error) {
	star, err := s.store.Snapshots.Latest(ctx, j.User, store.Star, j.Item)
	if fault.Is(err, fault.NotFound) {
		if waited := time.Duration(s.now()-j.At) * time.Millisecond; waited < starSettles {
			return nil, &EarlyError{min(max(4*waited, starPause), starPauses)}
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h, err := star.Header()
	if err != nil {
		return nil, err
	}
	feed := reader.FeedID(star.Feed)
	var own *store.SubscriptionRow
	if p != nil {
		if own, err = s.store.Subscriptions.Get(ctx, j.User, feed); fault.Ignore(err, fault.NotFound) != nil {
			return nil, err
		}
	}
	if !p.inScope(feed, own, EventStarred) || !p.state(EventStarred) || !p.Wants(&h) {
		return nil, nil
	}
	about := &BodyFeed{ID: feed.String(), Title: star.Title}
	if f, err := s.store.Feeds.Get(ctx, feed, false); err == nil {
		about.SiteURL = f.Site
	} else if !fault.Is(err, fault.NotFound) { // a star outlives its feed
		return nil, err
	}
	return &Body{
		Event: EventStarred, Delivery: deliveryID(j.Hook, EventStarred, j.Item, star.At),
		Search: p.about(), Feed: about, Items: []Item{itemOf(j.Item, feed, &h)},
	}, nil
}

// BeforeStar sends the messages for an item that the user is about to star. It must be called before the star is
// written.
func (s *Service) BeforeStar(ctx context.Context, u reader.UserID, id reader.ItemID) error {
	jobs, err := s.wanting(ctx, EventStarred, job.Job{User: u, Item: id, At: s.now()})
	if err != nil {
		return err
	}
	return job.Send(ctx, s.Queue, starDelay, jobs...)
}

// Reconcile runs once a day: for each feed with undelivered items whose message was lost, it sends another.
func (s *Service) Reconcile(ctx context.Context) error {
	return s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if !f.Hooked {
			return nil
		}
		subs, err := s.store.Subscriptions.Subscribers(ctx, f.ID())
		if err != nil || len(behind(subs, f, "")) == 0 {
			return err
		}
		return s.send(ctx, job.Job{Kind: job.Notify, Feeds: []reader.FeedID{f.ID()}}, 0)
	})
}
