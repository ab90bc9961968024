package subscribe

import (
	"context"
	"errors"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Add subscribes a user to the feed at an address, or to the best of those that a search from there finds.
// Discovery and first crawl are one fetch: a second request seconds later would be impolite.
func (s *Service) Add(ctx context.Context, u reader.UserID, raw string, w Wish) (f *store.FeedRow, made bool, err error) {
	err = typed(raw, func(address string) error {
		for range 3 {
			if f, made, err = s.add(ctx, u, address, w); !isGone(err) {
				break // or the feed that was found was removed meanwhile
			}
		}
		return err
	})
	return f, made, err
}

// typed does something with the address that a person has entered. Who gave no scheme means https, and where nobody
// speaks that, http.
func typed(raw string, do func(address string) error) error {
	raw = discover.Typed(raw)
	address, err := Normalise(raw)
	if err != nil {
		return err
	}
	err = do(address)
	if _, given := withScheme(raw); given || err == nil {
		return err
	}
	if code := faultOf(err); code != fetch.CodeTLSFailure && code != fetch.CodeConnectionRefused {
		return err
	}
	var none *fetch.Error
	if plain := do("http://" + strings.TrimPrefix(address, "https://")); !errors.As(plain, &none) {
		return plain
	}
	return err // nobody is there: what was meant is what is told
}

func (s *Service) add(ctx context.Context, u reader.UserID, address string, w Wish) (f *store.FeedRow, made bool, err error) {
	if f, err := s.existing(ctx, address); err != nil || f != nil {
		if err != nil {
			return nil, false, err
		}
		made, err := s.Attach(ctx, u, f, w)
		return f, made, err
	}
	if w.tight, err = s.room(ctx, u); err != nil {
		return nil, false, err
	}
	err = s.search(visitor{
		known: func(_ discover.Candidate, old *store.FeedRow) (bool, error) {
			f = old
			made, err = s.Attach(ctx, u, f, w)
			return true, err
		},
		found: func(c discover.Candidate, resp *fetch.Response) (bool, error) {
			f, made, err = s.adopt(ctx, u, c.URL, resp, w)
			return true, err
		},
	}).run(ctx, address)
	if err != nil {
		return nil, false, err
	}
	return f, made, nil
}

// adopt makes the feed of an address, commits the response as its first crawl, and subscribes the user.
// A response that came over permanent redirects alone belongs to their target.
func (s *Service) adopt(ctx context.Context, u reader.UserID, address string, resp *fetch.Response, w Wish) (*store.FeedRow, bool, error) {
	if resp.PermanentURL != "" {
		if to, err := Normalise(resp.PermanentURL); err == nil {
			address = to
		}
	}
	// The subscriber's row comes before the items: a feed with items and nobody is collected.
	f, err := s.ensure(ctx, u, address, w)
	if err != nil {
		return nil, false, err
	}
	if w.anew = f.Fresh(); w.anew {
		o, err := s.crawler.Adopt(ctx, f, resp)
		if err != nil {
			return nil, false, err
		}
		s.log.Info("feed added", "feed_id", uint32(f.ID()), "items", o.New)
	}
	if f, err = s.store.Feeds.Get(ctx, f.ID(), true); err != nil {
		return nil, false, err
	}
	made, err := s.attachAlone(ctx, u, f, w)
	return f, made, err
}
