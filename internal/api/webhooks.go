package api

import (
	"cmp"
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/webhook"
)

type webhookJSON struct {
	ID     string   `json:"id"`
	URL    string   `json:"url"`
	Events []string `json:"events"`
	Feeds  string   `json:"feeds"` // all, notify
	// How it is sent; template and headers are those of the format own.
	Format       string            `json:"format"`
	Key          *string           `json:"key"` // its name
	Template     *string           `json:"template"`
	Headers      map[string]string `json:"headers"`
	Search       *numberJSON       `json:"searchId"`
	IsEnabled    bool              `json:"isEnabled"`
	Secret       *string           `json:"secret,omitempty"`
	OffReason    *string           `json:"offReason"`
	OffAt        moment            `json:"offAt"`
	CreatedAt    moment            `json:"createdAt"`
	FailingSince moment            `json:"failingSince"`
	LastOkay     moment            `json:"lastSucceededAt"`
	Outcomes     []triedJSON       `json:"outcomes"`
	GivenUp      []givenUpJSON     `json:"givenUp"`
}

type triedJSON struct {
	Delivery string  `json:"delivery"`
	Event    string  `json:"event"`
	At       moment  `json:"at"`
	Status   *int    `json:"status"`
	Code     *string `json:"code"`
	Message  *string `json:"message"`
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
		{Method: "POST", Path: "/api/webhooks", Fresh: true, Handle: with(s.addWebhook)},
		{Method: "PATCH", Path: "/api/webhooks/{id}", Handle: with(s.changeWebhook)},
		{Method: "DELETE", Path: "/api/webhooks/{id}", Handle: s.deleteWebhook},
		{Method: "POST", Path: "/api/webhooks/{id}/test", Handle: s.testWebhook},
		{Method: "POST", Path: "/api/items/{id}/send", ID: pathItem, Handle: with(s.sendItem)},
		{Method: "POST", Path: "/api/webhooks/{id}/deliveries/{delivery}/retry", Handle: s.resendDelivery},
	}
}

func (s *Server) listWebhooks(r *request) error {
	list, err := s.Webhooks.List(r.Context(), r.user)
	return answerList(r, "webhooks", list, func(h *store.WebhookRow) webhookJSON {
		return webhookShape(h, r.language())
	}, err)
}

// webhookChange is a change of a webhook; what is left out stays.
type webhookChange struct {
	URL       *string              `json:"url"`
	Format    *string              `json:"format"`
	Key       *string              `json:"key"`
	Template  *string              `json:"template"`
	Headers   *map[string]string   `json:"headers"`
	Events    *[]string            `json:"events"`
	Feeds     *string              `json:"feeds"`
	Search    optional[numberJSON] `json:"searchId"`
	IsEnabled *bool                `json:"isEnabled"`
	Renew     bool                 `json:"renewSecret"`
}

func (x *webhookChange) change() (webhook.Change, error) {
	w := webhook.Change{URL: x.URL, On: x.IsEnabled, Renew: x.Renew, Format: x.Format, Key: x.Key, Template: x.Template,
		Headers: x.Headers, Events: x.Events}
	if x.Feeds != nil {
		notify := *x.Feeds == "notify"
		if !notify && *x.Feeds != "all" {
			return w, fault.Coded(fault.Invalid, "webhook_bad_feeds").At("feeds")
		}
		w.Notify = &notify
	}
	if x.Search.given {
		id := reader.SearchID(x.Search.or(0))
		w.Search = &id
	}
	return w, nil
}

func (s *Server) addWebhook(r *request, in struct {
	webhookChange
	URL    string   `json:"url" required:"true"`
	Events []string `json:"events" required:"true"`
}) error {
	in.webhookChange.URL, in.webhookChange.Events = &in.URL, &in.Events
	w, err := in.change()
	if err != nil {
		return err
	}
	h, err := s.Webhooks.Create(r.Context(), r.user, w)
	return answerWebhook(r, http.StatusCreated, h, true, err)
}

func (s *Server) changeWebhook(r *request, in webhookChange) error {
	w, err := in.change()
	if isNew := in.URL != nil || in.Renew || in.Key != nil || in.Headers != nil; err == nil && isNew {
		err = s.fresh(r)
	}
	if err != nil {
		return err
	}
	h, err := s.Webhooks.Update(r.Context(), r.user, r.PathValue("id"), w)
	return answerWebhook(r, http.StatusOK, h, in.Renew, err)
}

func (s *Server) deleteWebhook(r *request) error {
	return r.done(s.Webhooks.Delete(r.Context(), r.user, r.PathValue("id")))
}

// testWebhook makes a request to a foreign site, and counts as a registration.
func (s *Server) testWebhook(r *request) error {
	if err := s.limits.adds.take(string(r.user)); err != nil {
		return err
	}
	out, err := s.Webhooks.Test(r.Context(), r.user, r.PathValue("id"))
	return answerOutcome(r, out, err)
}

func answerOutcome(r *request, out store.HookOutcome, err error) error {
	return answerOne(r, http.StatusOK, "outcome", out, func(o store.HookOutcome) triedJSON {
		return triedShape(o, r.language())
	}, err)
}

// sendItem sends an item to a webhook, and reports how the first attempt ended.
func (s *Server) sendItem(r *request, in struct {
	Hook string `json:"webhookId" required:"true"`
}) error {
	if err := s.limits.sends.take(string(r.user)); err != nil {
		return err
	}
	e, _, err := s.Streams.Find(r.Context(), r.user, r.item)
	if err != nil {
		return err
	}
	out, err := s.Webhooks.Send(r.Context(), r.user, in.Hook, job.Spot{Item: e.ID, Seq: e.Seq})
	return answerOutcome(r, out, err)
}

func (s *Server) resendDelivery(r *request) error {
	h, err := s.Webhooks.Resend(r.Context(), r.user, r.PathValue("id"), r.PathValue("delivery"))
	return answerWebhook(r, http.StatusOK, h, false, err)
}

// answerWebhook answers with a webhook; its secret is shown only when it was just created.
func answerWebhook(r *request, status int, h *store.WebhookRow, withSecret bool, err error) error {
	return answerOne(r, status, "webhook", h, func(h *store.WebhookRow) webhookJSON {
		out := webhookShape(h, r.language())
		if withSecret {
			out.Secret = &h.Secret
		}
		return out
	}, err)
}

func webhookShape(h *store.WebhookRow, lang string) webhookJSON {
	out := webhookJSON{
		ID: h.Hook(), URL: reader.ShownURL(h.URL), Events: webhook.EventsOf(h), Feeds: "all", IsEnabled: h.On(),
		Format: cmp.Or(h.Form, webhook.FormatRuri), Key: orNull(h.Key), Template: orNull(h.Template),
		Headers: h.ShownHeaders(), OffReason: orNull(h.Off),
		OffAt: moment(h.OffAt / 1000), CreatedAt: moment(h.Created / 1000), FailingSince: moment(h.Failing / 1000),
		LastOkay: moment(h.Okay / 1000), Outcomes: []triedJSON{}, GivenUp: []givenUpJSON{},
	}
	if h.Notify {
		out.Feeds = "notify"
	}
	out.Search = orNull(numberJSON(h.Search))
	for _, o := range h.Seen() {
		out.Outcomes = append(out.Outcomes, triedShape(o, lang))
	}
	for _, d := range h.GivenUp() {
		out.GivenUp = append(out.GivenUp, givenUpJSON{triedShape(d.HookOutcome, lang), orNull(d.Feed),
			orNull(d.Item), d.Tries})
	}
	return out
}

func triedShape(o store.HookOutcome, lang string) triedJSON {
	return triedJSON{
		Delivery: o.Delivery, Event: o.Event, At: moment(o.At / 1000), Status: orNull(o.Status), Code: orNull(o.Code),
		Message: orNull(cmp.Or(texts.Deliveries[o.Code].In(lang), codeMessage(lang, o.Code, ""))), Millis: o.Millis,
	}
}
