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
	if j.Kind == job.Notify {
		return s.notify(ctx, j)
	}
	for _, f := range j.Feeds {
		if err := s.tellTrouble(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// awaits are the pauses of a message that goes before what it is about. It is received at most five times: the fourth
// has to conclude, and the fifth is for what fails then.
var awaits = [...]time.Duration{5 * time.Second, 25 * time.Second, 90 * time.Second}

// await lets a message wait for what it is about; nil when it has waited long enough.
func await(j job.Job) error {
	if n := max(j.Receives, 1) - 1; n < len(awaits) {
		return &EarlyError{awaits[n]}
	}
	return nil
}

// notify delivers a delta to the webhooks of the feed's subscribers, or of the one whom the message names. One
// subscriber is served here, several by a message each, so that none waits for another's slow address.
func (s *Service) notify(ctx context.Context, j job.Job) error {
	f, err := s.store.Feeds.Get(ctx, feedOf(j), true)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	d, err := s.store.Items.Get(ctx, f.ID(), j.First)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil // below the floor by now
	case err != nil:
		return err
	case d.At != j.At:
		return nil // another commit, with its own message, has taken the delta over
	case d.Last() > reader.Seq(f.Seq):
		// It is being committed, unless the crawler has died.
		if err := await(j); err != nil {
			return err
		}
		return s.refuse(ctx, f, d, j)
	case d.First() <= reader.Seq(f.FirstSeq) || f.FirstSeq == 0 && len(f.Hash) == 0:
		return nil // the items of the first crawl are not new
	case j.User != "":
		return s.notifyUser(ctx, f, d, j)
	}
	subs, err := s.store.Subscriptions.Subscribers(ctx, f.ID())
	if err != nil {
		return err
	}
	var jobs []job.Job
	for _, sub := range subs {
		if sub.Noted && s.onNews != nil {
			if err := s.onNews(ctx, sub.User, f); err != nil {
				return err
			}
		}
		if sub.Hooked != 0 {
			jobs = append(jobs, job.News(f.ID(), d.First(), d.At, sub.User))
		}
	}
	switch len(jobs) {
	case 0:
		return nil
	case 1:
		jobs[0].Receives = j.Receives
		return s.notifyUser(ctx, f, d, jobs[0])
	}
	return job.Send(ctx, s.Queue, 0, jobs...)
}

// refuse sees to it that a delta is not committed as the message says: whoever takes it with a greater stamp of the
// feed renews its time and sends another message. So the crawler may be as slow as it likes.
func (s *Service) refuse(ctx context.Context, f *store.FeedRow, d *store.DeltaRow, j job.Job) error {
	if f.Stamp > d.Stamp {
		return nil
	}
	next := *f
	next.Stamp = d.Stamp + 1
	_, err := s.store.Feeds.Change(ctx, f, &next, store.SameSeq, store.SameStamp)
	if fault.Is(err, fault.Conflict) {
		return s.send(ctx, j, awaits[0]) // it was committed, or changed, this very moment
	}
	return err
}

// notifyUser delivers a delta to the webhooks of one subscriber.
func (s *Service) notifyUser(ctx context.Context, f *store.FeedRow, d *store.DeltaRow, j job.Job) error {
	hooks, err := s.store.Webhooks.List(ctx, j.User)
	if err != nil {
		return err
	}
	hooks = slices.DeleteFunc(hooks, func(h *store.WebhookRow) bool { return !h.New || !h.On() })
	if len(hooks) == 0 {
		return s.UpdateFeeds(ctx, j.User) // the mark should have gone with the last of them
	}
	own, err := s.store.Subscriptions.Get(ctx, j.User, f.ID())
	if fault.Is(err, fault.NotFound) {
		return await(j) // subscribing or unsubscribing is under way
	}
	if err != nil {
		return err
	}
	picks := make([]*Pick, len(hooks))
	for i, h := range hooks {
		if picks[i], err = s.pick(ctx, j.User, h); err != nil {
			return err
		}
	}
	n := &news{s, f, own, j.User, hooks, picks, s.clock.Now().Add(budget)}
	return n.deliver(ctx, d)
}

// news is what one user's webhooks are to get of a feed. One message works on it.
type news struct {
	*Service
	feed  *store.FeedRow
	own   *store.SubscriptionRow
	user  reader.UserID
	hooks []*store.WebhookRow
	picks []*Pick // of each webhook
	until time.Time
}

// deliver delivers the items of a delta to each webhook. When the message's time is up, the remaining deliveries become
// a message each, so that slow addresses never use up the worker's time.
func (n *news) deliver(ctx context.Context, d *store.DeltaRow) error {
	for i, h := range n.hooks {
		if d.At <= h.Since || h.Notify && !n.own.Notify {
			continue
		}
		body, err := newBody(h.Hook(), n.feed, n.own, d, n.picks[i])
		if err != nil {
			return err
		}
		if body == nil {
			continue
		}
		j := job.Job{Kind: job.Hook, User: n.user, Hook: h.Hook(), Feeds: []reader.FeedID{n.feed.ID()},
			First: d.First()}
		switch {
		case formats[h.Form].isEach:
			err = n.sendEach(ctx, j, body.Items)
		case n.clock.Now().After(n.until):
			err = n.send(ctx, j, 0)
		default:
			_, err = n.Service.deliver(ctx, h, body, j)
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
		if j.Attempt > 0 {
			return nil, nil // no longer
		}
		return nil, await(j)
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
	return job.Send(ctx, s.Queue, rowDelay, jobs...)
}
