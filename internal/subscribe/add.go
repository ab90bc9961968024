package subscribe

import (
	"context"
	"errors"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Add subscribes a user to the feed at an address, or to the best of those that a search from there finds.
// Discovery and first crawl share one request: a second one seconds later would be impolite.
func (s *Service) Add(ctx context.Context, u reader.UserID, raw string, o Options) (f *store.FeedRow,
	made bool, err error) {
	err = withTypedAddress(raw, func(address string) error {
		for range 3 {
			if f, made, err = s.add(ctx, u, address, o); !isFeedGone(err) {
				break // else the feed was just being removed: once more
			}
		}
		return err
	})
	return f, made, err
}

// withTypedAddress calls do with the address that a person entered. Without a scheme it tries https, then http.
func withTypedAddress(raw string, do func(address string) error) error {
	raw = discover.Typed(raw)
	address, err := Normalise(raw)
	if err != nil {
		return err
	}
	err = do(address)
	if _, given := withScheme(raw); given || err == nil {
		return err
	}
	if code := siteErrorCode(err); code != fetch.CodeTLSFailure && code != fetch.CodeConnectionRefused {
		return err
	}
	var none *fetch.Error
	if plain := do("http://" + strings.TrimPrefix(address, "https://")); !errors.As(plain, &none) {
		return plain
	}
	return err // no server on either: the error of the intended address
}

func (s *Service) add(ctx context.Context, u reader.UserID, address string, o Options) (f *store.FeedRow,
	made bool, err error) {
	if f, err := s.existing(ctx, address); err != nil || f != nil {
		if err != nil {
			return nil, false, err
		}
		made, err := s.Attach(ctx, u, f, o)
		return f, made, err
	}
	if o.tight, err = s.checkCap(ctx, u); err != nil {
		return nil, false, err
	}
	x := &search{Service: s}
	for h, err := range x.feeds(ctx, address) {
		switch {
		case err != nil:
			return nil, false, err
		case h.feed != nil:
			made, err := s.Attach(ctx, u, h.feed, o)
			return h.feed, made, err
		}
		return s.adopt(ctx, u, h.address(), h.resp, o)
	}
	return nil, false, errNoFeed // not reached: a search that finds none ends with an error
}

// adopt creates the feed of an address, commits the response as its first crawl, and subscribes the user.
func (s *Service) adopt(ctx context.Context, u reader.UserID, address string, resp *fetch.Response,
	o Options) (*store.FeedRow, bool, error) {
	// The subscriber's row comes before the items: a feed without subscribers would be removed.
	f, err := s.ensure(ctx, address, "", "", func(f *store.FeedRow) error {
		_, err := s.addSubscriber(ctx, u, f, o)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if o.isNew = f.Fresh(); o.isNew {
		o, err := s.Crawler.Adopt(ctx, f, resp)
		if err != nil {
			return nil, false, err
		}
		s.Log.Info("feed added", "feed_id", uint32(f.ID()), "items", o.New)
	}
	if f, err = s.Store.Feeds.Get(ctx, f.ID(), true); err != nil {
		return nil, false, err
	}
	made, err := s.attachAlone(ctx, u, f, o)
	return f, made, err
}

// Adopt subscribes a user to the feed at an address from another installation, without a request now: the queue runs
// its first crawl (FirstCrawls). Repeating it is harmless; made reports whether the subscription is new.
func (s *Service) Adopt(ctx context.Context, u reader.UserID, raw, title, site string, folders []reader.FolderID,
	interval int32, neverCount bool) (f *store.FeedRow, made bool, err error) {
	address, err := Normalise(raw)
	if err != nil {
		return nil, false, err
	}
	if CheckInterval(interval) != nil {
		interval = 0
	}
	// No feed is created for an account that is full: a long list would leave rows without subscribers.
	if _, err := s.Store.Feeds.FindURL(ctx, address); fault.Is(err, fault.NotFound) {
		if _, err := s.checkCap(ctx, u); err != nil {
			return nil, false, err
		}
	}
	f, err = s.ensure(ctx, address, title, site, func(f *store.FeedRow) (err error) {
		made, err = s.Attach(ctx, u, f, Options{Folders: folders, Interval: interval, NeverCount: neverCount})
		return err
	})
	return f, made, err
}

// Subscribed returns the feed of an address that a user is subscribed to; nil if there is none.
func (s *Service) Subscribed(ctx context.Context, u reader.UserID, raw string) (*store.FeedRow, error) {
	address, err := Normalise(raw)
	if err != nil {
		return nil, nil //nolint:nilerr // no address of a feed
	}
	id, err := s.Store.Feeds.FindURL(ctx, address)
	var f *store.FeedRow
	if err == nil {
		f, err = s.Store.Feeds.Get(ctx, id, true)
	}
	if err == nil {
		f, err = s.merged(ctx, f)
	}
	if err == nil {
		_, err = s.Store.Subscriptions.Get(ctx, u, f.ID())
	}
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return f, err
}

// ensure finds or creates the feed of an address and attaches a user to it, with another feed if that one is being
// removed.
func (s *Service) ensure(ctx context.Context, address, title, site string, attach func(*store.FeedRow) error) (
	f *store.FeedRow, err error) {
	for range 3 {
		f, err = s.Store.Feeds.Ensure(ctx, address, s.newFeed(title, site))
		if err == nil {
			f, err = s.merged(ctx, f)
		}
		if err == nil {
			err = attach(f)
		}
		if !isFeedGone(err) {
			break
		}
	}
	return f, err
}
