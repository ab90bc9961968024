package api

import (
	"net/http"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook"
)

type webhookJSON struct {
	ID        string  `json:"id"`
	URL       string  `json:"url"`
	Events    []event `json:"events"`
	Feeds     string  `json:"feeds"` // all, notify
	IsEnabled bool    `json:"isEnabled"`
	// Secret is told once, when it is made.
	Secret       *string       `json:"secret,omitempty"`
	OffReason    *string       `json:"offReason"`
	OffAt        moment        `json:"offAt"`
	CreatedAt    moment        `json:"createdAt"`
	FailingSince moment        `json:"failingSince"`
	LastOkay     moment        `json:"lastSucceededAt"`
	Outcomes     []triedJSON   `json:"outcomes"`
	GivenUp      []givenUpJSON `json:"givenUp"`
}

// event is a word of EventNew and EventStarred.
type event string

type triedJSON struct {
	Delivery string  `json:"delivery"`
	Event    string  `json:"event"`
	At       moment  `json:"at"`
	Status   *int    `json:"status"`
	Code     *string `json:"code"`
	Millis   int64   `json:"durationMs"`
}

type givenUpJSON struct {
	triedJSON
	Feed  *reader.FeedID `json:"feedId"`
	Item  *reader.ItemID `json:"itemId"`
	Tries int            `json:"tries"`
}

func (s *Server) webhookRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/webhooks", Handle: s.listWebhooks},
		{Method: "POST", Path: "/api/webhooks", Fresh: true, Handle: s.addWebhook},
		{Method: "PATCH", Path: "/api/webhooks/{id}", Handle: s.changeWebhook},
		{Method: "DELETE", Path: "/api/webhooks/{id}", Handle: s.deleteWebhook},
		{Method: "POST", Path: "/api/webhooks/{id}/test", Handle: s.testWebhook},
		{Method: "POST", Path: "/api/webhooks/{id}/deliveries/{delivery}/retry", Handle: s.resendDelivery},
	}
}

func (s *Server) listWebhooks(r *request) error {
	list, err := s.Webhooks.List(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := struct {
		Webhooks []webhookJSON `json:"webhooks"`
	}{make([]webhookJSON, len(list))}
	for i, h := range list {
		out.Webhooks[i] = webhookShape(h, false)
	}
	return r.json(http.StatusOK, out)
}

type webhookWish struct {
	URL       *string  `json:"url"`
	Events    *[]event `json:"events"`
	Feeds     *string  `json:"feeds"`
	IsEnabled *bool    `json:"isEnabled"`
	Renew     bool     `json:"renewSecret"`
}

func (x *webhookWish) wish() (webhook.Wish, error) {
	w := webhook.Wish{URL: x.URL, On: x.IsEnabled, Renew: x.Renew}
	if x.Events != nil {
		fresh, starred := slices.Contains(*x.Events, webhook.EventNew), slices.Contains(*x.Events, webhook.EventStarred)
		for _, e := range *x.Events {
			if e != webhook.EventNew && e != webhook.EventStarred {
				return w, fault.Newf(fault.Invalid, "webhook_no_events", "A webhook is told of new items, of starred ones, or of both.").At("events")
			}
		}
		w.New, w.Starred = &fresh, &starred
	}
	if x.Feeds != nil {
		notify := *x.Feeds == "notify"
		if !notify && *x.Feeds != "all" {
			return w, fault.Newf(fault.Invalid, "webhook_bad_feeds", "The feeds are all, or those that notify.").At("feeds")
		}
		w.Notify = &notify
	}
	return w, nil
}

func (s *Server) addWebhook(r *request) error {
	var in struct {
		webhookWish
		URL    string  `json:"url" required:"true"`
		Events []event `json:"events" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	in.webhookWish.URL, in.webhookWish.Events = &in.URL, &in.Events
	w, err := in.wish()
	if err != nil {
		return err
	}
	h, err := s.Webhooks.Create(r.Context(), r.user, w)
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]webhookJSON{"webhook": webhookShape(h, true)})
}

func (s *Server) changeWebhook(r *request) error {
	var in webhookWish
	if err := r.decode(&in); err != nil {
		return err
	}
	w, err := in.wish()
	if err == nil && (in.URL != nil || in.Renew) { // as good as a new one; switching off is for everybody who is signed in
		err = s.fresh(r)
	}
	if err != nil {
		return err
	}
	h, err := s.Webhooks.Update(r.Context(), r.user, r.PathValue("id"), w)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]webhookJSON{"webhook": webhookShape(h, in.Renew)})
}

func (s *Server) deleteWebhook(r *request) error {
	if err := s.Webhooks.Delete(r.Context(), r.user, r.PathValue("id")); err != nil {
		return err
	}
	return r.noContent()
}

// testWebhook is like a registration a request to a stranger's site that somebody asks for, and counts as one.
func (s *Server) testWebhook(r *request) error {
	if wait := s.limits.add(r.user); wait > 0 {
		return &limited{wait}
	}
	out, err := s.Webhooks.Test(r.Context(), r.user, r.PathValue("id"))
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]triedJSON{"outcome": triedShape(out)})
}

func (s *Server) resendDelivery(r *request) error {
	h, err := s.Webhooks.Resend(r.Context(), r.user, r.PathValue("id"), r.PathValue("delivery"))
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]webhookJSON{"webhook": webhookShape(h, false)})
}

func webhookShape(h *store.WebhookRow, withSecret bool) webhookJSON {
	out := webhookJSON{
		ID: h.Hook(), URL: reader.ShownURL(h.URL), Events: []event{}, Feeds: "all", IsEnabled: h.On(), OffReason: orNull(h.Off),
		OffAt: moment(h.OffAt / 1000), CreatedAt: moment(h.Created / 1000), FailingSince: moment(h.Failing / 1000),
		LastOkay: moment(h.Okay / 1000), Outcomes: []triedJSON{}, GivenUp: []givenUpJSON{},
	}
	if withSecret {
		out.Secret = &h.Secret
	}
	if h.New {
		out.Events = append(out.Events, webhook.EventNew)
	}
	if h.Starred {
		out.Events = append(out.Events, webhook.EventStarred)
	}
	if h.Notify {
		out.Feeds = "notify"
	}
	for _, o := range h.Seen() {
		out.Outcomes = append(out.Outcomes, triedShape(o))
	}
	for _, d := range h.GivenUp() {
		j := givenUpJSON{triedJSON: triedShape(d.HookOutcome), Tries: d.Tries}
		if d.Feed != 0 {
			j.Feed = &d.Feed
		}
		if d.Item != 0 {
			j.Item = &d.Item
		}
		out.GivenUp = append(out.GivenUp, j)
	}
	return out
}

func triedShape(o store.HookOutcome) triedJSON {
	out := triedJSON{Delivery: o.Delivery, Event: o.Event, At: moment(o.At / 1000), Code: orNull(o.Code), Millis: o.Millis}
	if o.Status != 0 {
		out.Status = &o.Status
	}
	return out
}
