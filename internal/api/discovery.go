package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

func (s *Server) discoveryRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/discover", Heavy: true, Handle: s.discover},
		{Method: "POST", Path: "/api/feeds/{id}/find", ID: pathFeed, Handle: s.relocateFeed},
		{Method: "GET", Path: "/api/icons/{name}", Handle: s.icon},
	}
}

// offerJSON is a feed that a person may subscribe to.
type offerJSON struct {
	URL          string          `json:"url"`
	Title        string          `json:"title"`
	Type         *string         `json:"type"` // media type
	ItemsPerWeek *float64        `json:"itemsPerWeek"`
	ItemCount    *int            `json:"itemCount"`
	LastItemAt   moment          `json:"lastItemAt"`
	IsChecked    bool            `json:"isChecked"` // the feed was read; otherwise these are the page's statements
	IsSubscribed bool            `json:"isSubscribed"`
	FeedID       *reader.FeedID  `json:"feedId"` // if this installation has the feed
	Language     string          `json:"language"`
	MonthlyUSD   *float64        `json:"monthlyUSD"` // what it would add to the bill, for the owner
	Newest       []offerItemJSON `json:"newest"`
}

type offerItemJSON struct {
	Title     string `json:"title"`
	Published moment `json:"publishedAt"`
}

// discover lists the feeds of an address. It makes requests to a foreign site, and counts as a registration.
func (s *Server) discover(r *request) error {
	address := r.URL.Query().Get("url")
	if address == "" {
		return fault.Coded(fault.Invalid, "bad_url").At("url")
	}
	r.w.host = fetch.HostOf(address)
	if err := s.limits.adds.take(string(r.user)); err != nil {
		return err
	}
	offers, err := s.Subscribe.Choices(r.Context(), r.user, address)
	if err != nil {
		return err
	}
	sees, err := s.seesCosts(r)
	if err != nil {
		return err
	}
	out := make([]offerJSON, len(offers))
	for i := range offers {
		out[i] = offer(&offers[i])
		if sees {
			if out[i].MonthlyUSD, err = s.forecast(r, &offers[i]); err != nil {
				return err
			}
		}
	}
	return r.json(http.StatusOK, map[string]any{"feeds": out})
}

// relocateFeed searches for the new address of a failing feed.
func (s *Server) relocateFeed(r *request) error {
	if _, err := s.Streams.Get(r.Context(), r.user, r.feed); err != nil {
		return err
	}
	if err := s.limits.adds.take(string(r.user)); err != nil {
		return err
	}
	if _, err := s.Subscribe.Relocate(r.Context(), r.feed); err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, r.feed)
}

func offer(o *subscribe.Offer) offerJSON {
	out := offerJSON{
		URL: o.URL, Title: o.Title, Type: orNull(o.Type), LastItemAt: momentOf(o.LastItem), IsChecked: o.Checked,
		IsSubscribed: o.Subscribed, FeedID: orNull(o.Feed), Language: o.Language,
		Newest: mapped(o.Newest, func(x subscribe.OfferItem) offerItemJSON {
			return offerItemJSON{x.Title, momentOf(x.Published)}
		}),
	}
	if o.Checked {
		out.ItemCount = &o.Items
	}
	if o.Weekly >= 0 {
		out.ItemsPerWeek = tenths(o.Weekly)
	}
	return out
}
