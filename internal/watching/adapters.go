package watching

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/listing"
	pages "github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Adapters returns the adapters of the installation, by name.
func (s *Service) Adapters(ctx context.Context) ([]*listing.Adapter, error) {
	rows, err := s.Store.Watches.Adapters(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]*listing.Adapter, len(rows))
	for i, row := range rows {
		if list[i], err = row.Decode(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *Service) adapter(ctx context.Context, name string) (*listing.Adapter, error) {
	row, err := s.Store.Watches.Adapter(ctx, name)
	if err != nil {
		return nil, err
	}
	return row.Decode()
}

// covers reports whether an adapter describes the site of an address.
func covers(a *listing.Adapter, address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains(a.Hosts, strings.ToLower(u.Hostname()))
}

// PutAdapter saves an adapter, which must find the rows of its own examples (listing.ParseAdapter). Watches that use it
// take it over.
func (s *Service) PutAdapter(ctx context.Context, name string, json []byte) error {
	leave, err := pages.Turn(ctx) // it has pages as examples
	if err != nil {
		return err
	}
	a, err := listing.ParseAdapter(json)
	leave()
	if e, ok := errors.AsType[*listing.Error](err); ok {
		return fault.Coded(fault.Invalid, "adapter_invalid", e.Detail).At(e.Field)
	}
	if err != nil {
		return err
	}
	if a.Name != name {
		return fault.Coded(fault.Invalid, "adapter_invalid", "the name is not that of the address").At("name")
	}
	if err := s.Store.Watches.PutAdapter(ctx, name, json); err != nil {
		return err
	}
	return s.renew(ctx, name)
}

// renew puts an adapter into the settings of the watches that use it.
func (s *Service) renew(ctx context.Context, name string) error {
	var feeds []reader.FeedID
	err := s.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.IsWatch() && f.Subs > 0 {
			feeds = append(feeds, f.ID())
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range feeds {
		if err := s.renewOne(ctx, f, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) renewOne(ctx context.Context, f reader.FeedID, name string) error {
	return store.Retry("settings_contended", func() error {
		row, err := s.Store.Watches.Settings(ctx, f)
		if fault.Is(err, fault.NotFound) {
			return nil // being made or removed
		}
		if err != nil {
			return err
		}
		old, err := row.Decode()
		if err != nil || old.Adapter != name {
			return err
		}
		set := *old
		if set.Query != (listing.Query{}) {
			set.URL = "" // that of the search
		}
		next, err := s.settled(ctx, &set)
		if err != nil {
			return err
		}
		if next.Relaid, next.Found = old.Relaid, old.Found; old.Equal(next) {
			return nil
		}
		if err := row.Change(next); err != nil {
			return err
		}
		if err := s.Store.Watches.PutSettings(ctx, row); err != nil {
			return err
		}
		_, err = s.Store.Feeds.Modify(ctx, f, func(f *store.FeedRow) { follow(f, next) })
		return err
	})
}
