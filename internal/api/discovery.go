package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

func (s *Server) discoveryRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/discover", Handle: s.discover},
		{Method: "POST", Path: "/api/feeds/{id}/find", Handle: s.findFeed},
		{Method: "GET", Path: "/api/icons/{name}", Handle: s.icon},
	}
}

// offerJSON is a feed that a person may subscribe to.
type offerJSON struct {
	URL          string   `json:"url"`
	Title        string   `json:"title"`
	Type         *string  `json:"type"` // media type
	ItemsPerWeek *float64 `json:"itemsPerWeek"`
	ItemCount    *int     `json:"itemCount"`
	LastItemAt   *string  `json:"lastItemAt"`
	IsChecked    bool     `json:"isChecked"` // the feed was read; otherwise this is what the page says
	IsSubscribed bool     `json:"isSubscribed"`
	FeedID       *string  `json:"feedId"` // where this installation reads the feed already
	Language     string   `json:"language"`
	// Newest are a few items, the newest first.
	Newest []offerItemJSON `json:"newest"`
}

type offerItemJSON struct {
	Title     string  `json:"title"`
	Published *string `json:"publishedAt"`
}

// discover lists the feeds of an address. Like a registration it makes requests to a stranger's site, and counts
// as one.
func (s *Server) discover(r *request) error {
	address := r.URL.Query().Get("url")
	if address == "" {
		return fault.Newf(fault.Invalid, "bad_url", "Enter the address of a feed or of a site.").At("url")
	}
	r.w.host = logs.Host(address)
	if wait := s.limits.add(r.user); wait > 0 {
		return &limited{wait}
	}
	offers, err := s.Subscribe.Discover(r.Context(), r.user, address)
	if err != nil {
		return err
	}
	out := make([]offerJSON, len(offers))
	for i := range offers {
		out[i] = offer(&offers[i])
	}
	return r.json(http.StatusOK, map[string]any{"feeds": out})
}

// findFeed looks for the new address of a feed that fails.
func (s *Server) findFeed(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	if _, err := s.Streams.Get(r.Context(), r.user, id); err != nil {
		return err
	}
	if wait := s.limits.add(r.user); wait > 0 {
		return &limited{wait}
	}
	if _, err := s.Subscribe.Find(r.Context(), id); err != nil {
		return err
	}
	return s.answerFeed(r, http.StatusOK, id)
}

func offer(o *subscribe.Offer) offerJSON {
	out := offerJSON{URL: o.URL, Title: o.Title, Type: orNull(o.Type), IsChecked: o.Checked, IsSubscribed: o.Subscribed,
		Language: o.Language, Newest: make([]offerItemJSON, len(o.Newest))}
	for i, item := range o.Newest {
		out.Newest[i] = offerItemJSON{item.Title, orNoTime(item.Published)}
	}
	if o.Checked {
		out.ItemCount = &o.Items
	}
	if o.Weekly >= 0 {
		out.ItemsPerWeek = tenths(o.Weekly)
	}
	out.LastItemAt = orNoTime(o.LastItem)
	if o.Feed > 0 {
		id := o.Feed.String()
		out.FeedID = &id
	}
	return out
}

func orNoTime(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	at := t.UTC().Format(time.RFC3339)
	return &at
}
