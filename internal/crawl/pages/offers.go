package pages

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/watch"
)

// offers makes items of events.
func offers(events []watch.Event, lang string) []store.Header {
	items := make([]store.Header, len(events))
	for i := range events {
		e := &events[i]
		it := store.Header{
			Identity: e.Identity, Title: e.Text.Title, Link: e.Text.Link, Author: e.Text.Seller,
			Snippet: priceLine(e, lang), Image: e.Text.Image, Lang: lang, Categories: categories(e),
			Offer: &store.Offer{
				Event: string(e.Kind), Key: uint64(e.Key), Price: e.Price, Before: e.Before, Currency: e.Currency,
				Status: statusNames[e.Status],
			},
		}
		if e.Kind == watch.New && e.Date > 0 { // of other events it says when the result was listed
			it.Published = e.Date
		}
		items[i] = it
	}
	return items
}

// statusNames are the statuses of offers.
var statusNames = map[watch.Status]string{watch.OnSale: "onSale", watch.Sold: "sold", watch.Gone: "gone"}

// categories are the names by which rules and webhooks select events.
func categories(e *watch.Event) []string {
	list := []string{string(e.Kind)}
	switch e.Text.SellerType {
	case listing.Person:
		list = append(list, "person")
	case listing.Shop:
		list = append(list, "shop")
	}
	return list
}

// priceLine is the price of an event, in no language: ¥12,000 → ¥9,800 (−18 %).
func priceLine(e *watch.Event, lang string) string {
	price := func(amount int64) string { return listing.Price{Amount: amount, Currency: e.Currency}.Format(lang) }
	switch {
	case e.Price < 0:
		return ""
	case e.Before < 0 || e.Before == e.Price:
		return price(e.Price)
	case e.Before == 0:
		return price(e.Before) + " → " + price(e.Price)
	}
	percent := int(math.Round(100 * float64(e.Price-e.Before) / float64(e.Before)))
	sign := strings.Replace(fmt.Sprintf("%+d", percent), "-", "−", 1)
	return fmt.Sprintf("%s → %s (%s %%)", price(e.Before), price(e.Price), sign)
}

// fillTexts gives texts to events of results that are not on the page.
func (p *Pages) fillTexts(ctx context.Context, f reader.FeedID, r *comparison, events []watch.Event) error {
	months := map[string]*watch.History{}
	return watch.FillTexts(events, r.st, r.since(), func(month string) (*watch.History, error) {
		if h, ok := months[month]; ok {
			return h, nil
		}
		h, err := p.Store.Watches.History(ctx, f, month)
		months[month] = h
		return h, err
	})
}

// findTargets looks up the pages of the results that are to be read one by one.
func (p *Pages) findTargets(ctx context.Context, f *store.FeedRow, r *comparison, s *Snapshot) error {
	s.targets = nil
	wanted := make([]watch.Event, len(r.v.Details))
	for i, k := range r.v.Details {
		wanted[i].Key = k
	}
	if err := p.fillTexts(ctx, f.ID(), r, wanted); err != nil {
		return err
	}
	for _, e := range wanted {
		// The limits of requests are those of the watch's host.
		if e.Text.Link != "" && fetch.HostOf(e.Text.Link) == fetch.HostOf(f.URL) {
			s.targets = append(s.targets, target{e.Key, e.Text.Link})
		}
	}
	return nil
}
