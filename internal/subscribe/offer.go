package subscribe

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Offer is a feed that a person may subscribe to.
type Offer struct {
	discover.Candidate
	// Checked reports whether the feed was read, by this search or by the crawler; of others only what the page says is
	// known.
	Checked bool
	Items   int
	// Weekly is the recent number of items a week; -1 when it is not known.
	Weekly     float64
	LastItem   time.Time // zero when not known
	Feed       reader.FeedID
	Subscribed bool // by the user who asks
	// Language is as declared by the feed: "ja", "en-us"; empty when it declares none.
	Language string
	// Newest are the first few items, the newest first: enough to distinguish feeds.
	Newest []OfferItem

	page discover.Candidate // as the page names it
}

// OfferItem is an item of a feed that is offered.
type OfferItem struct {
	Title     string
	Published time.Time // zero when not known
}

// newestItems is the number of items that an offer shows.
const newestItems = 3

// maxOffers bounds an answer.
const maxOffers = 30

// Discover lists the feeds that an address leads to, the best first. The first few are read to describe them, and kept
// for a moment for the one that is chosen; the rest is offered as the page names it.
func (s *Service) Discover(ctx context.Context, u reader.UserID, raw string) (out []Offer, err error) {
	err = withTypedAddress(raw, func(address string) error {
		out, err = s.discover(ctx, u, address, &search{Service: s})
		out = out[:min(len(out), maxOffers)]
		return err
	})
	return out, err
}

// Choices is Discover for a person who chooses: different feeds in the order and with the titles of the page, each in
// one format, those of comments last.
func (s *Service) Choices(ctx context.Context, u reader.UserID, raw string) (out []Offer, err error) {
	err = withTypedAddress(raw, func(address string) error {
		x := &search{Service: s, order: discover.Choices}
		x.skip = func(c discover.Candidate, _ *store.FeedRow) bool {
			return slices.ContainsFunc(x.hits, func(o discover.Candidate) bool { return discover.SameFeed(o, c) })
		}
		out, err = s.discover(ctx, u, address, x)
		out = oneOfEach(address, out)
		return err
	})
	return out, err
}

// oneOfEach keeps one format of each feed, one that was read before others.
func oneOfEach(page string, offers []Offer) (out []Offer) {
	named := make([]discover.Candidate, len(offers))
	for i := range offers {
		named[i] = offers[i].page
	}
	for _, c := range discover.Choices(page, named) {
		o := offers[slices.Index(named, c)]
		i := slices.IndexFunc(out, func(o Offer) bool { return discover.SameFeed(o.page, c) })
		switch {
		case i < 0:
			out = append(out, o)
		case o.Checked && !out[i].Checked:
			out[i] = o
		}
	}
	for i := range out {
		if len(out) > 1 && discover.Subject(out[i].page.Title) != "" {
			out[i].Title = out[i].page.Title
		}
	}
	return out[:min(len(out), maxOffers)]
}

func (s *Service) discover(ctx context.Context, u reader.UserID, address string, x *search) ([]Offer, error) {
	if f, err := s.existing(ctx, address); err != nil {
		return nil, err
	} else if f != nil {
		o, err := s.offerKnown(ctx, u, discover.Candidate{URL: f.URL}, f)
		return []Offer{o}, err
	}
	var out []Offer
	for h, err := range x.feeds(ctx, address) {
		var o Offer
		switch {
		case err != nil:
		case h.feed != nil:
			o, err = s.offerKnown(ctx, u, h.Candidate, h.feed)
		default:
			o = s.offer(h.Candidate, h.resp)
			s.recent.put(h.URL, h.resp, s.Clock.Now())
		}
		if err != nil {
			return nil, err
		}
		o.page = h.Candidate
		out = append(out, o)
	}
	return x.withUntried(address, out), nil
}

// withUntried adds the feeds that were named but not requested, and sorts all as a search would choose.
func (x *search) withUntried(address string, out []Offer) []Offer {
	for _, c := range x.named {
		named := func(o Offer) bool { return o.URL == c.URL }
		if !slices.Contains(x.tried, c.URL) && !slices.ContainsFunc(out, named) {
			out = append(out, Offer{Candidate: c, Weekly: -1, page: c})
		}
	}
	// First in the order of the page, which decides between equals.
	place := func(o Offer) int {
		return slices.IndexFunc(x.named, func(c discover.Candidate) bool { return c.URL == o.URL })
	}
	slices.SortStableFunc(out, func(a, b Offer) int { return place(a) - place(b) })
	list := make([]discover.Candidate, len(out))
	for i, o := range out {
		list[i] = o.Candidate
	}
	order := discover.Order(address, list)
	slices.SortStableFunc(out, func(a, b Offer) int {
		return slices.Index(order, a.Candidate) - slices.Index(order, b.Candidate)
	})
	return out
}

// mediaTypes of the formats that feeds turn out to have.
var mediaTypes = map[extract.Format]string{
	extract.RSS: discover.RSS, extract.RDF: discover.RDF, extract.Atom: discover.Atom, extract.JSON: discover.JSON,
}

// offer describes a feed by its document.
func (s *Service) offer(c discover.Candidate, resp *fetch.Response) Offer {
	o := Offer{Candidate: c, Checked: true, Weekly: -1}
	scan, err := extract.Scan(resp.Body, resp.ContentType, resp.FinalURL, extract.Options{})
	if err != nil {
		return o // it was a feed a moment ago: what the page says is enough
	}
	if scan.Title != "" {
		o.Title = scan.Title
	}
	o.Type = mediaTypes[scan.Format]
	o.Language = scan.Language
	var items []OfferItem
	for i := range scan.Items {
		items = append(items, OfferItem{scan.Items[i].Title, scan.Items[i].Published})
	}
	o.Items = len(scan.Items)
	o.describe(items, s.Clock.Now())
	return o
}

// offerKnown describes a feed from stored data, without a request.
func (s *Service) offerKnown(ctx context.Context, u reader.UserID, c discover.Candidate,
	f *store.FeedRow) (Offer, error) {
	o := Offer{Candidate: c, Checked: len(f.Hash) > 0, Weekly: -1, Items: int(f.Seq - f.Floor), Feed: f.ID()}
	o.URL, o.Title, o.Language = f.URL, f.DisplayTitle(), f.Lang
	err := s.Store.Subscriptions.Check(ctx, u, f.ID())
	if err != nil && !fault.Is(err, fault.NotFound) {
		return o, err
	}
	o.Subscribed = err == nil
	var items []OfferItem
	err = s.Store.Items.Descend(ctx, f.ID(), reader.Seq(f.Seq), func(d *store.DeltaRow) (bool, error) {
		hs, err := d.Headers()
		for _, h := range hs {
			items = append(items, OfferItem{h.Title, time.Unix(h.Shown(), 0)})
		}
		return len(items) < extract.DefaultMaxItems, err
	})
	o.describe(items, s.Clock.Now())
	if weekly, ok := f.Weekly(s.Clock.Now()); ok {
		o.Weekly = weekly
	}
	return o, err
}

// describe sets the pace and the newest items. Items without a date stay in the order given, behind those with one.
func (o *Offer) describe(items []OfferItem, now time.Time) {
	dates := make([]time.Time, len(items))
	for i := range items {
		dates[i] = items[i].Published
	}
	o.Weekly, o.LastItem = pace(dates, now)
	slices.SortStableFunc(items, func(a, b OfferItem) int { return b.Published.Compare(a.Published) })
	o.Newest = items[:min(len(items), newestItems)]
}

// pace returns how many items a week come, as store.Weekly counts them (-1: unknown), and the date of the newest.
func pace(dates []time.Time, now time.Time) (weekly float64, newest time.Time) {
	dates = slices.DeleteFunc(dates, func(d time.Time) bool { return d.IsZero() || d.After(now) })
	if len(dates) == 0 {
		return -1, newest
	}
	late := 0
	for _, d := range dates {
		if store.Late(d, now) {
			late++
		}
	}
	oldest, newest := slices.MinFunc(dates, time.Time.Compare), slices.MaxFunc(dates, time.Time.Compare)
	return store.Weekly(float64(late), oldest, now), newest
}
