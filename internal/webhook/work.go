package webhook

import (
	"context"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// EarlyError tells that a message came before its time, and when to give it again.
type EarlyError struct{ After time.Duration }

func (e *EarlyError) Error() string { return "webhook: the message is early by " + e.After.String() }

// Work handles a message: Tell, or Hook.
func (s *Service) Work(ctx context.Context, j job.Job) error {
	if early := j.Due - s.now(); early > 0 {
		return &EarlyError{time.Duration(early) * time.Millisecond}
	}
	switch j.Kind {
	case job.Hook:
		return s.retry(ctx, j)
	case job.Hooks:
		after, _ := strconv.Atoi(j.After) // none: from the start
		return s.settle(ctx, j.User, reader.FeedID(after))
	}
	for _, f := range j.Feeds {
		if err := s.tell(ctx, f, j.User); err != nil {
			return err
		}
	}
	return nil
}

// tell tells the subscribers of a feed who are behind: one here, several by a message each, so that nobody waits for
// another's slow address.
func (s *Service) tell(ctx context.Context, id reader.FeedID, only reader.UserID) error {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	behind, err := s.behind(ctx, f, only)
	if err != nil || len(behind) == 0 {
		return err
	}
	if len(behind) == 1 {
		return s.tellUser(ctx, f, behind[0])
	}
	bodies := make([][]byte, len(behind))
	for i, sub := range behind {
		bodies[i] = job.Job{Kind: job.Tell, Feeds: []reader.FeedID{id}, User: sub.User}.Encode()
	}
	return s.queue.Send(ctx, bodies, 0)
}

// behind lists the subscribers whose webhooks were not told of all of a feed's items.
func (s *Service) behind(ctx context.Context, f *store.FeedRow, only reader.UserID) ([]store.Subscriber, error) {
	subs, err := s.store.Subscriptions.Subscribers(ctx, f.ID())
	if err != nil {
		return nil, err
	}
	var out []store.Subscriber
	for _, sub := range subs {
		if sub.Hooked > 0 && sub.Told < f.Seq && (only == "" || sub.User == only) {
			out = append(out, sub)
		}
	}
	return out, nil
}

// tellUser tells one subscriber's webhooks of the items above `told`, in order, and moves it.
func (s *Service) tellUser(ctx context.Context, f *store.FeedRow, sub store.Subscriber) error {
	hooks, own, err := s.wanting(ctx, f.ID(), sub.User)
	if err != nil {
		return err
	}
	if hooks == nil {
		return s.unhook(ctx, f.ID(), sub.User)
	}
	if own == nil {
		return nil // on the way in, or half out: it stays behind, and goes on when the subscription is there
	}
	told, last := reader.Seq(sub.Told), reader.Seq(f.Seq)
	// What the first crawl found is the archive, and no news; what is gone cannot be told.
	from := max(told, reader.Seq(f.FirstSeq), reader.Seq(f.Floor))
	until := s.clock.Now().Add(budget)
	down := map[string]bool{}
	for from < last && !s.clock.Now().After(until) {
		const atOnce = 4
		list, err := s.store.Items.Following(ctx, f.ID(), from, last, atOnce)
		if err != nil {
			return err
		}
		n := 0
		for ; n < len(list) && (n == 0 || !s.clock.Now().After(until)); n++ {
			if err := s.tellDelta(ctx, f, own, sub.User, hooks, list[n], down, until); err != nil {
				return err
			}
			from = list[n].Last()
		}
		if n == len(list) && n < atOnce {
			from = last
		}
	}
	err = s.store.Subscriptions.SetTold(ctx, f.ID(), sub, uint32(from))
	if fault.Is(err, fault.Conflict) {
		return nil // another worker told the same, or the subscriber has left
	}
	if err != nil || from >= last {
		return err
	}
	return s.send(ctx, job.Job{Kind: job.Tell, Feeds: []reader.FeedID{f.ID()}, User: sub.User}, 0)
}

// wanting gives the user's webhooks that are on and want new items, nil when there is none, and the subscription, nil
// when there is none.
func (s *Service) wanting(ctx context.Context, f reader.FeedID, u reader.UserID) ([]*store.WebhookRow, *store.SubscriptionRow, error) {
	list, err := s.store.Webhooks.List(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	var out []*store.WebhookRow
	for _, h := range list {
		if h.New && h.On() {
			out = append(out, h)
		}
	}
	if out == nil {
		return nil, nil, nil
	}
	own, err := s.store.Subscriptions.Get(ctx, u, f)
	if fault.Is(err, fault.NotFound) {
		return out, nil, nil
	}
	return out, own, err
}

// tellDelta tells each webhook of the items of one delta. One that failed just now is not asked again at once: its
// delivery waits as if it had been tried. Those whose turn comes after the message's time is up are told by a message
// each: slow addresses take long, and never all of the time that a worker has.
func (s *Service) tellDelta(ctx context.Context, f *store.FeedRow, own *store.SubscriptionRow, u reader.UserID, hooks []*store.WebhookRow, d *store.DeltaRow, down map[string]bool, until time.Time) error {
	for _, h := range hooks {
		if !h.On() || d.At <= h.Since || h.Notify && !own.Notify {
			continue
		}
		j := job.Job{Kind: job.Hook, User: u, Hook: h.Hook(), Feeds: []reader.FeedID{f.ID()}, First: d.First()}
		if down[h.SK] {
			j.Attempt = 1
			if err := s.again(ctx, j); err != nil {
				return err
			}
			continue
		}
		if s.clock.Now().After(until) {
			if err := s.send(ctx, j, 0); err != nil {
				return err
			}
			continue
		}
		b, err := newBody(h.Hook(), f, own, d)
		if err != nil {
			return err
		}
		through, err := s.deliver(ctx, u, h, b, j)
		if err != nil {
			return err
		}
		down[h.SK] = !through
	}
	return nil
}

// newBody is what a webhook is told of a delta.
func newBody(hook string, f *store.FeedRow, own *store.SubscriptionRow, d *store.DeltaRow) (*Body, error) {
	hs, err := d.Headers()
	if err != nil {
		return nil, err
	}
	id := f.ID()
	b := &Body{
		Event: EventNew, Delivery: deliveryID(hook, EventNew, id, d.First()),
		Feed: &BodyFeed{ID: id.String(), Title: titleOf(f, own), SiteURL: f.Site}, Items: make([]Item, len(hs)),
	}
	for i := range hs {
		b.Items[i] = itemOf(reader.NewItemID(reader.Minute(d.Stamp), id, d.First()+reader.Seq(i)), id, &hs[i])
	}
	return b, nil
}

func titleOf(f *store.FeedRow, own *store.SubscriptionRow) string {
	if own != nil && own.Title != "" {
		return own.Title
	}
	return f.DisplayTitle()
}

// unhook lets go of a feed that none of a user's webhooks wants any more; one that was made meanwhile asks for it again.
func (s *Service) unhook(ctx context.Context, f reader.FeedID, u reader.UserID) error {
	if err := s.store.Subscriptions.SetHooked(ctx, f, u, 0, 0); err != nil {
		return err
	}
	if err := s.count.Recount(ctx, f); err != nil {
		return err
	}
	return s.settleAgain(ctx, u, false)
}

// retry makes a further try of one delivery.
func (s *Service) retry(ctx context.Context, j job.Job) error {
	hook, err := s.store.Webhooks.Get(ctx, j.User, j.Hook)
	if fault.Is(err, fault.NotFound) {
		return nil // taken away, and its deliveries with it
	}
	if err != nil {
		return err
	}
	b, err := s.bodyOf(ctx, j)
	if err != nil || b == nil {
		return err
	}
	if !hook.On() {
		_, err := s.store.Webhooks.Change(ctx, j.User, j.Hook, func(row *store.WebhookRow) bool {
			giveUp(row, store.DeadDelivery{
				HookOutcome: store.HookOutcome{Delivery: b.Delivery, Event: b.Event, At: s.now(), Code: "switched_off"},
				Feed:        feedOf(j), First: j.First, Item: j.Item, Tries: j.Attempt,
			})
			return true
		})
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		return err
	}
	_, err = s.deliver(ctx, j.User, hook, b, j)
	return err
}

// bodyOf makes a delivery's body anew; nil when what it was about is gone.
func (s *Service) bodyOf(ctx context.Context, j job.Job) (*Body, error) {
	if j.Item != 0 {
		return s.starBody(ctx, j)
	}
	f, err := s.store.Feeds.Get(ctx, feedOf(j), true)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := s.store.Items.Get(ctx, f.ID(), j.First)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	own, err := s.store.Subscriptions.Get(ctx, j.User, f.ID())
	if fault.Is(err, fault.NotFound) {
		return nil, nil // unsubscribed
	}
	if err != nil {
		return nil, err
	}
	return newBody(j.Hook, f, own, d)
}

// starBody is the body of a starred item. Its row comes after the message; one that does not come was never starred,
// or is no longer.
func (s *Service) starBody(ctx context.Context, j job.Job) (*Body, error) {
	star, err := s.store.Stars.Latest(ctx, j.User, j.Item)
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
	about := &BodyFeed{ID: feed.String(), Title: star.Title}
	if f, err := s.store.Feeds.Get(ctx, feed, false); err == nil {
		about.SiteURL = f.Site
	} else if !fault.Is(err, fault.NotFound) { // stars outlive their feeds
		return nil, err
	}
	return &Body{
		Event: EventStarred, Delivery: deliveryID(j.Hook, EventStarred, j.Item, star.At),
		Feed: about, Items: []Item{itemOf(j.Item, feed, &h)},
	}, nil
}

// Starring hears of items that a user is about to star, before their rows are written.
func (s *Service) Starring(ctx context.Context, u reader.UserID, id reader.ItemID) error {
	list, err := s.store.Webhooks.List(ctx, u)
	if err != nil {
		return err
	}
	var bodies [][]byte
	for _, h := range list {
		if h.Starred && h.On() {
			bodies = append(bodies, job.Job{Kind: job.Hook, User: u, Hook: h.Hook(), Item: id, At: s.now()}.Encode())
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	return s.queue.Send(ctx, bodies, starDelay)
}

// Heal looks after all feeds that webhooks want, once a day: for items that nobody was told of, because a message was
// lost, it sends another.
func (s *Service) Heal(ctx context.Context) error {
	return s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if !f.Hooked {
			return nil
		}
		behind, err := s.behind(ctx, f, "")
		if err != nil || len(behind) == 0 {
			return err
		}
		return s.send(ctx, job.Job{Kind: job.Tell, Feeds: []reader.FeedID{f.ID()}}, 0)
	})
}
