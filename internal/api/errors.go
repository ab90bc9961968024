package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// problem is the one shape of every error (G-78): a stable code for programs, a sentence, its category
// and what to do for people.
type problem struct {
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Category   string   `json:"category"` // auth, validation, feed, system
	Action     string   `json:"action"`
	RetryAfter int      `json:"retryAfter,omitempty"` // seconds
	Details    []detail `json:"details,omitempty"`
	// What some codes tell beside their words.
	NextAt     string          `json:"nextAt,omitempty"`     // too_soon, site_asks_to_wait: from when the feed may be asked for again
	Tried      []string        `json:"tried,omitempty"`      // no_feed_found: the addresses that were opened
	Candidates []candidateJSON `json:"candidates,omitempty"` // no_feed_found: what the page named
	SiteStatus int             `json:"siteStatus,omitempty"` // http_…: what the site answered

	status     int
	retryAfter time.Duration
}

// detail is what is wrong with one field of the request (G-79).
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

// tooSoon says from when a feed may be asked for again.
type tooSoon struct {
	at    time.Time
	asked bool // its publisher asked to wait
}

func (e *tooSoon) Error() string { return "too soon" }

// describe turns an error into what the outside may know of it, in a language. Anything unclassified is a fault
// of ours, and its text stays in the log.
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
		p.Tried, p.Candidates = none.Tried, candidates(none.Candidates)
		return p
	case errors.As(err, &he):
		p := coded(fault.Invalid, he.Code, lang)
		p.SiteStatus = he.Status
		return p
	case errors.As(err, &fe):
		p := coded(fault.Invalid, fe.Code, lang)
		if lang == english {
			p.Message = cmp.Or(fe.Message, p.Message)
		}
		return p
	case errors.As(err, &many):
		p := coded(fault.RateLimited, "too_many_logins", lang)
		p.retryAfter = many.RetryAfter
		return p
	case errors.As(err, &soon):
		wait := soon.at.Sub(now)
		why := fault.Newf(fault.Conflict, "too_soon", "Just checked. Try again in %s.", span(wait, lang))
		if soon.asked {
			why = fault.Newf(fault.Conflict, "site_asks_to_wait", "The site asks to wait. Try again in %s.", span(wait, lang))
		}
		p := byKind(why, lang)
		p.NextAt, p.retryAfter = rfc3339(soon.at), wait
		return p
	case errors.Is(err, crawl.ErrBusy):
		p := coded(fault.Unavailable, "host_busy", lang)
		p.retryAfter = crawl.BusyRetry
		return p
	}
	return byKind(err, lang)
}

// coded makes the problem of a code that needs no values.
func coded(kind fault.Kind, code, lang string) problem {
	return byKind(&fault.Error{Kind: kind, Code: code}, lang)
}

// noFeed tells why a search found no feed.
func noFeed(e *subscribe.NoFeedError, lang string) problem {
	p := coded(fault.Invalid, e.Code, lang)
	w, ok := noFeedWords[e.Why]
	if !ok {
		return p
	}
	p.Message, p.Action = w.say.in(lang), cmp.Or(w.action(lang), p.Action)
	if e.Fault != "" {
		p.Message += " " + coded(fault.Invalid, e.Fault, lang).Message
	}
	return p
}

// byKind finds the words of a classified error: the table's for its code, else those of its kind.
func byKind(err error, lang string) problem {
	kind, code := fault.KindOf(err), fault.CodeOf(err)
	var fe *fault.Error
	if !errors.As(err, &fe) {
		fe = &fault.Error{Kind: kind}
	}
	if slices.Contains(ours, code) || kind == fault.Internal {
		kind, code, fe = fault.Internal, "internal", &fault.Error{}
	}
	w, _ := wordsOf(code)
	base := kinds[kind]
	p := problem{
		Code: code, Category: cmp.Or(w.category, base.category), status: cmp.Or(w.status, base.status), retryAfter: base.wait,
		Message: cmp.Or(w.message(lang, fe), base.words.message(lang, &fault.Error{})),
		Action:  cmp.Or(w.action(lang), base.words.action(lang)),
	}
	if p.status != base.status && p.status != http.StatusServiceUnavailable {
		p.retryAfter = 0
	}
	p.Details = details(fe, lang)
	return p
}

// details tells what is wrong field by field.
func details(fe *fault.Error, lang string) []detail {
	var out []detail
	if fe.Field != "" {
		w, _ := wordsOf(fe.Code)
		out = append(out, detail{fe.Field, fe.Code, cmp.Or(w.message(lang, fe), kinds[fe.Kind].words.message(lang, fe))})
	}
	for _, part := range fe.Parts {
		out = append(out, details(part, lang)...)
	}
	return out
}

func candidates(list []discover.Candidate) []candidateJSON {
	out := make([]candidateJSON, 0, len(list))
	for _, c := range list {
		out = append(out, candidateJSON{c.URL, c.Title, c.Type})
	}
	return out
}

// fail answers with an error. The request's line tells its code, and the cause when it is ours to answer for.
func (s *Server) fail(r *request, err error) {
	lang := languageOf(r.Request.Header)
	p := describe(err, s.Clock.Now(), lang)
	if r.w.code = p.Code; p.status >= 500 {
		r.w.err = err
	}
	s.tell(r, p, lang)
}

// tell answers with a problem.
func (s *Server) tell(r *request, p problem, lang string) {
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
