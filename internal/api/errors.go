package api

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// problem is the one shape of every error (G-78): a stable code for programs, a sentence, its category
// and what to do for people.
type problem struct {
	Code     string         `json:"code"`
	Message  string         `json:"message"`
	Category string         `json:"category"` // auth, validation, feed, system
	Action   string         `json:"action"`
	Details  map[string]any `json:"details,omitempty"`

	status     int
	retryAfter time.Duration
}

// tooSoon says from when a feed may be asked for again.
type tooSoon struct{ at time.Time }

func (e *tooSoon) Error() string { return "too soon" }

// describe turns an error into what the outside may know of it. Anything unclassified is a fault of
// ours, and its text stays in the log.
func describe(err error, now time.Time) problem {
	var none *subscribe.NoFeedError
	var he *subscribe.HTTPError
	var fe *fetch.Error
	var many *auth.TooManyError
	var soon *tooSoon
	var lim *limited
	switch {
	case errors.As(err, &lim):
		p := kinds[fault.RateLimited]
		p.Code, p.retryAfter = "rate_limited", lim.wait
		return p
	case errors.As(err, &none):
		return problem{
			Code: none.Code, Message: none.Message, Category: "feed", status: http.StatusUnprocessableEntity,
			Action:  "Check the address, or enter the address of the feed itself.",
			Details: map[string]any{"tried": none.Tried, "candidates": candidates(none.Candidates)},
		}
	case errors.As(err, &he):
		f := reader.FaultOf(he.Code)
		return problem{
			Code: he.Code, Message: f.Message, Category: "feed", Action: f.Action,
			status: http.StatusUnprocessableEntity, Details: map[string]any{"status": he.Status},
		}
	case errors.As(err, &fe):
		return fetchProblem(fe)
	case errors.As(err, &many):
		return problem{
			Code: "too_many_logins", Message: "There were too many tries to sign in.", Category: "auth",
			Action: "Wait a little and try again.", status: http.StatusTooManyRequests, retryAfter: many.RetryAfter,
		}
	case errors.As(err, &soon):
		return problem{
			Code: "too_soon", Category: "feed", status: http.StatusConflict,
			Message: "The site asks not to be visited this often.",
			Action:  "Wait until the time given; the feed is fetched by itself then.",
			Details: map[string]any{"nextAt": soon.at.UTC().Format(time.RFC3339)}, retryAfter: soon.at.Sub(now),
		}
	case errors.Is(err, crawl.ErrBusy):
		return problem{
			Code: "host_busy", Category: "system", status: http.StatusServiceUnavailable,
			Message: "The crawler is visiting this site at the moment.",
			Action:  "Try again in half a minute.", retryAfter: crawl.BusyRetry,
		}
	}
	return byKind(err)
}

func fetchProblem(fe *fetch.Error) problem {
	p := problem{Code: fe.Code, Message: fe.Message, Category: "feed", Action: reader.FaultOf(fe.Code).Action, status: http.StatusUnprocessableEntity}
	if fe.Code == "bad_url" {
		p.Category, p.status = "validation", http.StatusBadRequest
	}
	return p
}

// kinds is the one table from a kind of fault to the wire.
var kinds = map[fault.Kind]problem{
	fault.Invalid:         {status: http.StatusBadRequest, Category: "validation", Message: "The request is not right.", Action: "Correct the request."},
	fault.Unauthenticated: {status: http.StatusUnauthorized, Category: "auth", Message: "You are not signed in, or your sign-in has expired.", Action: "Sign in."},
	fault.Forbidden:       {status: http.StatusForbidden, Category: "auth", Message: "You may not do this.", Action: "Sign in as somebody who may."},
	fault.NotFound:        {status: http.StatusNotFound, Category: "validation", Message: "There is no such thing.", Action: "Go back to the list."},
	fault.Conflict:        {status: http.StatusConflict, Category: "validation", Message: "This does not fit how things are now.", Action: "Reload and try again."},
	fault.TooLarge:        {status: http.StatusRequestEntityTooLarge, Category: "validation", Message: "This is too large.", Action: "Send less."},
	fault.RateLimited:     {status: http.StatusTooManyRequests, Category: "system", Message: "There were too many requests.", Action: "Wait a little and try again.", retryAfter: 5 * time.Second},
	fault.Unavailable:     {status: http.StatusServiceUnavailable, Category: "system", Message: "The storage does not answer at the moment.", Action: "Try again in a moment.", retryAfter: 5 * time.Second},
	fault.Cancelled:       {status: http.StatusServiceUnavailable, Category: "system", Message: "The request took too long.", Action: "Try again."},
	fault.Internal:        {status: http.StatusInternalServerError, Category: "system", Message: "Something went wrong on our side.", Action: "Try again; if it stays so, tell the owner the code and the request id."},
}

// Words gives the sentence and the remedy of a code that has its own, for surfaces that are no HTTP.
func Words(code string) (string, bool) {
	p, ok := byCode[code]
	return p.Message + " " + p.Action, ok && p.Message != "" && p.Action != ""
}

// byCode are messages, actions and statuses of codes that say more than their kind.
var byCode = map[string]problem{
	"subscription_limit":    {Action: "Unsubscribe from a feed to make room."},
	"feed_not_found":        {Message: "There is no such feed among your subscriptions.", Action: "Go back to the list."},
	"item_not_found":        {Message: "There is no such item, or it is no longer kept.", Action: "Go back to the list."},
	"owner_only":            {Action: "Sign in as the owner."},
	"wrong_scope":           {Action: "Make a token without a scope."},
	"dead_letter_not_found": {Message: "This message is no longer among the dead letters.", Action: "Reload the list."},
	"run_not_found":         {Message: "There is no such run, or it is no longer kept."},
	"storage_full":          {status: http.StatusInsufficientStorage, Message: "The disk is full. Nothing that was stored is lost, but nothing new can be stored.", Action: "Make room on the disk."},
	"storage_denied":        {Message: "The data folder may not be written to.", Action: "Give the reader the right to write there."},
	"storage_busy":          {Message: "Another program keeps the database busy.", Action: "Try again in a moment."},
	"bad_cursor":            {Action: "Open the list anew."},
}

func byKind(err error) problem {
	p := kinds[fault.KindOf(err)]
	p.Code = fault.CodeOf(err)
	var fe *fault.Error
	if errors.As(err, &fe) && fe.Message != "" && fe.Kind != fault.Internal {
		p.Message = fe.Message
	}
	if more, ok := byCode[p.Code]; ok {
		if more.Message != "" {
			p.Message = more.Message
		}
		if more.Action != "" {
			p.Action = more.Action
		}
		if more.status != 0 {
			p.status, p.retryAfter = more.status, 0
		}
	}
	if p.status == http.StatusInternalServerError {
		p.Code = "internal"
	}
	return p
}

func candidates(list []discover.Candidate) []map[string]string {
	out := make([]map[string]string, 0, len(list))
	for _, c := range list {
		out = append(out, map[string]string{"url": c.URL, "title": c.Title, "type": c.Type})
	}
	return out
}

// fail answers with an error. The request's line tells its code, and the cause when it is ours to answer for.
func (s *Server) fail(r *request, err error) {
	p := describe(err, s.Clock.Now())
	if r.w.code = p.Code; p.status >= 500 {
		r.w.err = err
	}
	if p.retryAfter > 0 {
		r.Header().Set("Retry-After", strconv.Itoa(int((p.retryAfter+time.Second-1)/time.Second)))
	}
	r.Header().Set("Cache-Control", "no-store")
	_ = r.json(p.status, p)
}
