package watching

import (
	"context"
	"errors"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	pages "github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/watch"
)

// Exact dates of sales are on the pages of single results. Whether these can be read is found out with one of them,
// unless an adapter describes them; that page is kept for a day like the page of a preview, so that trying again asks
// the site for nothing.

const (
	// detailPace is at least how long after the page of the list that of a result is requested.
	detailPace = 5 * time.Second
	// maxDetailWait is how long a person waits for that.
	maxDetailWait = 10 * time.Second
)

// needDetails refuses settings that want exact dates of sales where the pages of single results do not tell them.
func (s *Service) needDetails(ctx context.Context, u reader.UserID, set *watch.Settings) error {
	if set.Detail != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	list, err := s.keptPage(ctx, u, previewID(set.URL))
	if fault.Is(err, fault.NotFound) {
		list, err = s.request(ctx, u, set.URL, nil, &Preview{})
	}
	if err != nil {
		return err
	}
	can := false
	if list != nil {
		if can, err = s.canReadDetails(ctx, u, set, list, nil); err != nil {
			return err
		}
	}
	if !can {
		return fault.Coded(fault.Invalid, "no_details").At("settings.details")
	}
	return nil
}

// canReadDetails reports whether the page of a single result of a list tells price or status, and of one that is sold,
// since when.
func (s *Service) canReadDetails(ctx context.Context, u reader.UserID, set *watch.Settings, list *page,
	count func() error) (bool, error) {
	if set.Detail != nil {
		return !set.Detail.SoldAt.IsZero(), nil
	}
	address, err := s.oneResult(ctx, set, list)
	if err != nil || address == "" {
		return false, err
	}
	one, err := s.keptPage(ctx, u, previewID(address))
	if fault.Is(err, fault.NotFound) {
		one, err = s.requestResult(ctx, u, address, list, count)
	}
	if _, ok := errors.AsType[*subscribe.HTTPError](err); ok {
		return false, nil
	}
	if err != nil || one == nil {
		return false, err
	}
	leave, err := pages.Turn(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	d, err := listing.ReadDetail(ctx, 200, one.body, one.contentType, one.url, nil)
	if _, ok := errors.AsType[*listing.Error](err); ok {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d.CountFrom(one.at)
	return d.Source != "" && (d.Status != listing.Sold || !d.SoldAt.IsZero()), nil
}

// oneResult returns the address of the page of a listed result on the site of the list: of one that is sold, if there
// is any.
func (s *Service) oneResult(ctx context.Context, set *watch.Settings, list *page) (address string, err error) {
	leave, err := pages.Turn(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	read, err := listing.Read(ctx, list.body, list.contentType, list.url, set.Layout)
	if err != nil {
		return "", invalid(err, "settings")
	}
	for i := range read.Rows {
		r := &read.Rows[i]
		if r.Link == "" || fetch.HostOf(r.Link) != fetch.HostOf(set.URL) {
			continue
		}
		if r.Status == listing.Sold {
			return r.Link, nil
		}
		if address == "" {
			address = r.Link
		}
	}
	return address, nil
}

// requestResult requests the page of a result, at the pace of a watch; nil where robots.txt does not allow it.
func (s *Service) requestResult(ctx context.Context, u reader.UserID, address string, list *page,
	count func() error) (*page, error) {
	p := &Preview{}
	if err := s.ask(ctx, p, address); err != nil || !p.Allowed {
		return nil, err
	}
	if wait := list.at.Add(max(detailPace, p.Delay)).Sub(s.Clock.Now()); wait > maxDetailWait {
		return nil, fault.Coded(fault.Unavailable, "site_paced")
	} else if wait > 0 {
		if err := s.Subscribe.Nap(ctx, wait); err != nil {
			return nil, err
		}
	}
	return s.request(ctx, u, address, count, p)
}
