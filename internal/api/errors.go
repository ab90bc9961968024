package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// problem is the shape of every error (G-78): a stable code for programs, a message and an action for people.
type problem struct {
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Category   string   `json:"category"` // auth, validation, feed, system
	Action     string   `json:"action"`
	RetryAfter int      `json:"retryAfter,omitempty"` // seconds
	Details    []detail `json:"details,omitempty"`
	// Details of some codes.
	// too_soon, site_asks_to_wait: when the feed can be fetched again
	NextAt     moment          `json:"nextAt,omitempty"`
	Tried      []string        `json:"tried,omitempty"`      // no_feed_found: the addresses that were fetched
	Candidates []candidateJSON `json:"candidates,omitempty"` // no_feed_found: the feeds that the page links to
	// no_feed_found: the page without a feed, which can be watched
	WatchURL   string `json:"watchUrl,omitempty"`
	SiteStatus int    `json:"siteStatus,omitempty"` // http_…: the site's status

	status     int
	retryAfter time.Duration
}

// detail is an error of one field of the request (G-79).
type detail struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

type candidateJSON struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Type  string `json:"type"`
}

// tooSoon rejects a refresh before a time.
type tooSoon struct {
	at    time.Time
	asked bool // the publisher asked to wait
}

func (e *tooSoon) Error() string { return "too soon" }

// describe returns the public description of an error. Unclassified errors are internal: their texts are only logged.
func describe(err error, now time.Time, lang string) problem {
	var none *subscribe.NoFeedError
	var he *subscribe.HTTPError
	var fe *fetch.Error
	var many *auth.TooManyError
	var soon *tooSoon
	var lim *limited
	switch {
	case errors.As(err, &lim):
		p := coded(fault.RateLimited, "rate_limited", lang)
		p.retryAfter = lim.wait
		return p
	case errors.As(err, &none):
		p := noFeed(none, lang)
		p.Tried, p.WatchURL, p.Candidates = none.Tried, none.Page,
			mapped(none.Candidates, func(c discover.Candidate) candidateJSON {
				return candidateJSON{c.URL, c.Title, c.Type}
			})
		return p
	case errors.As(err, &he):
		p := coded(fault.Invalid, he.Code, lang)
		p.SiteStatus = he.Status
		return p
	case errors.As(err, &fe):
		return coded(fault.Invalid, fe.Code, lang)
	case errors.As(err, &many):
		p := coded(fault.RateLimited, "too_many_logins", lang)
		p.retryAfter = many.RetryAfter
		return p
	case errors.As(err, &soon):
		wait := soon.at.Sub(now)
		why := fault.Coded(fault.Conflict, "too_soon", waitText(wait, lang))
		if soon.asked {
			why = fault.Coded(fault.Conflict, "site_asks_to_wait", waitText(wait, lang))
		}
		p := byKind(why, lang)
		p.NextAt, p.retryAfter = momentOf(soon.at), wait
		return p
	case errors.Is(err, crawl.ErrBusy):
		p := coded(fault.Unavailable, "host_busy", lang)
		p.retryAfter = crawl.BusyRetry
		return p
	}
	return byKind(err, lang)
}

// Sentence returns the English message and action of an error, for the command line; "" for an internal one.
func Sentence(err error) string {
	p := describe(err, time.Time{}, texts.English)
	if p.Code == "internal" {
		return ""
	}
	return p.Message + " " + p.Action
}

// coded returns the problem of a code whose text has no values.
func coded(kind fault.Kind, code, lang string) problem {
	return byKind(&fault.Error{Kind: kind, Code: code}, lang)
}

// noFeed describes why a search found no feed.
func noFeed(e *subscribe.NoFeedError, lang string) problem {
	p, why := coded(fault.Invalid, e.Code, lang), texts.NoFeeds[e.Why]
	p.Message, p.Action = cmp.Or(why.Message.In(lang), p.Message), cmp.Or(why.Action.In(lang), p.Action)
	if e.Fault != "" {
		p.Message += " " + coded(fault.Invalid, e.Fault, lang).Message
	}
	return p
}

// byKind describes a classified error with the texts of its code, else those of its kind.
func byKind(err error, lang string) problem {
	kind, code := fault.KindOf(err), fault.CodeOf(err)
	var fe *fault.Error
	if !errors.As(err, &fe) {
		fe = &fault.Error{Kind: kind, Code: code}
	}
	if slices.Contains(internalCodes, code) || kind == fault.Internal {
		kind, code, fe = fault.Internal, "internal", &fault.Error{Code: "internal"}
	}
	own, base := outcomeOf(code), kinds[kind]
	p := problem{
		Code: code, Category: cmp.Or(own.category, base.category), status: cmp.Or(own.status, kind.Status()),
		retryAfter: base.wait,
	}
	p.Message, p.Action = texts.Describe(fe, lang)
	if p.status != kind.Status() && p.status != http.StatusServiceUnavailable {
		p.retryAfter = 0
	}
	p.Details = details(fe, lang)
	return p
}

// details describes the fields with errors.
func details(fe *fault.Error, lang string) []detail {
	var out []detail
	if fe.Field != "" {
		message, _ := texts.Describe(fe, lang)
		out = append(out, detail{fe.Field, fe.Code, message})
	}
	for _, part := range fe.Parts {
		out = append(out, details(part, lang)...)
	}
	return out
}

// fail answers with an error. The request's log line has its code, and for a 5xx the cause.
func (s *Server) fail(r *request, err error) {
	lang := languageOf(r.Request.Header)
	p := describe(err, s.Clock.Now(), lang)
	if r.w.code = p.Code; p.status >= 500 {
		r.w.err = err
	}
	h := r.Header()
	if p.retryAfter > 0 {
		p.RetryAfter = int((p.retryAfter + time.Second - 1) / time.Second)
		h.Set("Retry-After", strconv.Itoa(p.RetryAfter))
	}
	if p.status == http.StatusUnauthorized && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", `Bearer realm="ruri"`)
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Language", lang)
	_ = r.json(p.status, p)
}
