package webhook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// eachAtOnce is how many items of a delivery are sent a minute in a format with a request for each: services allow
	// from 50 requests a minute.
	eachAtOnce = 20
	eachPause  = time.Minute
)

// sendEach sends a message for each item of a delivery.
func (s *Service) sendEach(ctx context.Context, j job.Job, items []Item) error {
	spots := make([]job.Spot, len(items))
	for i, it := range items {
		id, err := reader.ParseItemID(it.ID)
		if err != nil {
			return err
		}
		spots[i] = job.Spot{Item: id, Seq: j.First}
	}
	j.Event = EventNew
	return s.sendSome(ctx, j, spots)
}

// sendSome sends a message for each item, so many at a time.
func (s *Service) sendSome(ctx context.Context, j job.Job, items []job.Spot) error {
	pause := time.Duration(0)
	for some := range slices.Chunk(items, eachAtOnce) {
		jobs := make([]job.Job, len(some))
		for i, it := range some {
			jobs[i] = j
			jobs[i].Item, jobs[i].First = it.Item, it.Seq
		}
		if err := job.Send(ctx, s.Queue, min(pause, queue.MaxDelay), jobs...); err != nil {
			return err
		}
		pause += eachPause
	}
	return nil
}

// itemBody returns the body of a delivery of one item that a feed has: a new one, or one that a person or a rule sends.
// Of an item that is gone from its feed, the star's copy is sent.
func (s *Service) itemBody(ctx context.Context, j job.Job, p *Pick) (*Body, error) {
	feed := j.Item.Feed()
	about := &BodyFeed{ID: feed.String()}
	own, err := s.store.Subscriptions.Get(ctx, j.User, feed)
	if fault.Ignore(err, fault.NotFound) != nil {
		return nil, err
	}
	var h *store.Header
	if err == nil {
		f, err := s.store.Feeds.Get(ctx, feed, true)
		if err == nil {
			about = bodyFeed(f, own)
			h, err = s.header(ctx, j.Item, j.First)
		}
		if fault.Ignore(err, fault.NotFound) != nil {
			return nil, err
		}
	}
	if h == nil && j.Event == EventSent {
		star, err := s.store.Snapshots.Latest(ctx, j.User, store.Star, j.Item)
		if err != nil {
			return nil, fault.Ignore(err, fault.NotFound)
		}
		copied, err := star.Header()
		if err != nil {
			return nil, err
		}
		h, about.Title = &copied, cmp.Or(about.Title, star.Title)
	}
	if h == nil || j.Event == EventNew && !(p.MayHave(feed, own) && p.Wants(h)) {
		return nil, nil
	}
	b := &Body{Event: j.Event, Delivery: deliveryID(j.Hook, j.Event, j.Item), Feed: about,
		Items: []Item{itemOf(j.Item, feed, h)}}
	if j.Event == EventNew {
		b.Search = p.about()
	}
	return b, nil
}

// header reads the header of an item; fault.NotFound when the feed no longer has it. seq is one of the item's delta.
func (s *Service) header(ctx context.Context, id reader.ItemID, seq reader.Seq) (*store.Header, error) {
	d, err := s.store.Items.At(ctx, id.Feed(), seq)
	if err != nil {
		return nil, err
	}
	hs, err := d.Headers()
	if err != nil {
		return nil, err
	}
	for i := range hs {
		if reader.NewItemID(reader.Minute(d.Stamp), id.Feed(), d.First()+reader.Seq(i)) == id {
			return &hs[i], nil
		}
	}
	return nil, fault.Coded(fault.NotFound, "item_not_found")
}

// Send sends an item to a webhook because a person asks for it, once at once. If that fails it is sent again as every
// delivery is.
func (s *Service) Send(ctx context.Context, u reader.UserID, id string, item job.Spot) (store.HookOutcome,
	error) {
	hook, err := s.store.Webhooks.Get(ctx, u, id)
	if err == nil && !(hook.On() && hook.Sent) {
		err = fault.Coded(fault.Conflict, "webhook_off")
	}
	if err != nil {
		return store.HookOutcome{}, err
	}
	j := job.Job{Kind: job.Hook, User: u, Hook: id, Item: item.Item, First: item.Seq, Event: EventSent}
	b, err := s.itemBody(ctx, j, nil)
	if err == nil && b == nil {
		err = fault.Coded(fault.NotFound, "item_not_found")
	}
	if err != nil {
		return store.HookOutcome{}, err
	}
	return s.deliver(ctx, hook, b, j)
}

// SendAll sends the messages for items that rules send to a webhook. One that is gone or off gets nothing.
func (s *Service) SendAll(ctx context.Context, u reader.UserID, hook string, items []job.Spot) error {
	return s.sendSome(ctx, job.Job{Kind: job.Hook, User: u, Hook: hook, Event: EventSent}, items)
}
