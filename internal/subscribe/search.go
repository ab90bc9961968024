package subscribe

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The feed of an address is searched for in this order, each step only when those before found nothing:
//
//	1 where the address alone determines it (discover.Known), without a request for the page
//	2 at the address itself
//	3 where its page says, or the header of it (discover.In, discover.Announced), or the page that it leads on to
//	4 at the paths where publishing programs put feeds, on the page's host, as far as its robots.txt allows
//
// A person asked for 1 to 3; 4 is automatic, so it obeys robots.txt (RFC 9309).

const (
	// searchTime bounds a search: the API has 25 seconds, and the result is still to be stored.
	searchTime = 18 * time.Second
	// busyTries bounds the attempts of a person's search on a busy host, busyPause is the time between them.
	busyTries = 16
	busyPause = 500 * time.Millisecond
	// maxNamed and maxGuesses bound the requests of a search, besides the page and robots.txt.
	maxNamed   = 4
	maxGuesses = 6
	// maxRefreshes bounds the pages that only lead on to another, by a meta element.
	maxRefreshes = 2
)

// NoFeedError says that an address led to no feed, and lists the attempts.
type NoFeedError struct {
	Code       string
	Why        string // one of the following, what is there instead (discover.Kind), or "": a page that names no feed
	Fault      string // of NamedUnreadable: the code of why the named feed could not be read
	Tried      []string
	Candidates []discover.Candidate
	// the address of the page that was found instead, which can be watched; empty where there was none
	Page string
}

// Reasons of a search that found nothing although a feed is named.
const (
	NamedUnreadable = "named_unreadable" // the page links to a feed that cannot be fetched
	NamedNoFeed     = "named_no_feed"    // the page's links lead to no feed
	SearchTooSlow   = "too_slow"
	NowhereElse     = "nowhere_else" // of Relocate: neither site nor host links to another feed
)

func (e *NoFeedError) Error() string { return strings.TrimSpace(e.Code + " " + e.Why + " " + e.Fault) }

// HTTPError is a response of the site that is not a page.
type HTTPError struct {
	Code   string // as in reader.Explain
	Status int
}

func (e *HTTPError) Error() string { return e.Code }

// hit is a feed that a search found: either one that is stored already (feed), or a response that is a feed (resp),
// which is released when the loop goes on.
type hit struct {
	discover.Candidate
	feed *store.FeedRow
	resp *fetch.Response
}

// address returns where the feed is, following permanent redirects.
func (h *hit) address() string {
	if h.feed != nil {
		return h.feed.URL
	}
	if to, err := Normalise(h.resp.PermanentURL); err == nil {
		return to
	}
	return h.URL
}

// search is one search for feeds: one request at a time, each under the lease of its host's part.
type search struct {
	*Service
	yield      func(hit, error) bool
	unattended bool // no person entered the address: robots.txt applies to the page too
	// order sorts what a page names; nil is discover.Order, the automatic choice.
	order func(page string, named []discover.Candidate) []discover.Candidate
	// skip reports candidates to leave out, f being the known feed there, or nil; may be nil.
	skip  func(c discover.Candidate, f *store.FeedRow) bool
	tried []string
	named []discover.Candidate
	hits  []discover.Candidate
	why   NoFeedError // the reason why the last candidate was none
	at    string      // where a page was found
	kind  string      // what is at the address instead of a page (discover.Kind)
	host  string      // whose lease is held
	// refreshes counts the pages that led on
	refreshes int
	free      func()
}

// feeds yields the feeds that an address leads to. It ends with an error when there is none or the search fails.
func (x *search) feeds(ctx context.Context, address string) iter.Seq2[hit, error] {
	return func(yield func(hit, error) bool) {
		x.yield = yield
		if err := x.run(ctx, address); err != nil {
			yield(hit{}, err)
		}
	}
}

// hit yields a feed, and reports whether the caller has enough.
func (x *search) hit(h hit) (enough bool) {
	x.hits = append(x.hits, h.Candidate)
	return !x.yield(h, nil)
}

func (x *search) run(ctx context.Context, address string) error {
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	defer x.release()
	site := discover.Known(address)
	x.named = append(x.named, site.Feeds...)
	enough, err := x.each(ctx, address, site.Feeds, maxNamed)
	if err == nil && !enough && len(x.hits) == 0 {
		err = x.page(ctx, address, site)
	}
	switch {
	case err != nil && caller.Err() == nil && ctx.Err() != nil:
		return x.none(NoFeedError{Why: SearchTooSlow})
	case err != nil:
		return err
	case len(x.hits) == 0 && x.why.Why != "":
		return x.none(x.why)
	case len(x.hits) == 0:
		return x.none(NoFeedError{Why: x.kind})
	}
	return nil
}

func (x *search) none(e NoFeedError) error {
	e.Code, e.Tried, e.Candidates, e.Page = "no_feed_found", x.tried, x.named, x.at
	return &e
}

// page requests the address itself, or the one that names its feeds, and follows what it says.
func (x *search) page(ctx context.Context, address string, site discover.Site) error {
	ask := address
	if site.Ask != "" {
		ask = site.Ask
	}
	if x.unattended {
		rules, err := x.robots(ctx, ask)
		if err != nil || !rules.AllowsURL(ask) {
			return err
		}
	}
	resp, err := x.get(ctx, ask)
	if err != nil {
		return err
	}
	if isFeed(resp) {
		x.hit(hit{discover.Candidate{URL: ask}, nil, resp})
		resp.Release()
		return nil
	}
	end := resp.FinalURL
	if x.kind = discover.Kind(resp.Body, resp.ContentType); x.kind == "" {
		x.at = end
	}
	links := append(announced(resp), discover.In(end, resp.Body, resp.ContentType)...)
	to := page.Refresh(resp.Body, resp.ContentType, end)
	resp.Release()
	if x.kind == discover.List {
		return nil // it is to be imported: another feed of its host is not what was meant
	}
	if len(links) == 0 && to != "" && x.refreshes < maxRefreshes {
		x.refreshes++
		return x.page(ctx, to, discover.Known(to))
	}
	if len(links) == 0 && end != ask {
		links = discover.Known(end).Feeds // the address led to a site that is known
	}
	x.named = append(x.named, links...)
	if enough, err := x.each(ctx, end, links, maxNamed); err != nil || enough || len(x.hits) > 0 {
		return err
	}
	return x.guess(ctx, end, site.Guesses)
}

// announced are the feeds that the header of a response names.
func announced(resp *fetch.Response) (out []discover.Candidate) {
	for _, l := range resp.Alternates {
		if c, ok := discover.Announced(l.URL, l.Type, l.Title); ok {
			out = append(out, c)
		}
	}
	return out
}

// errNoFeed is the error of a candidate whose response is not a feed.
var errNoFeed = errors.New("no feed")

// each tries candidates, the best first, with a bounded number of requests. It records why one is no feed.
func (x *search) each(ctx context.Context, page string, list []discover.Candidate,
	requests int) (enough bool, err error) {
	order := discover.Order
	if x.order != nil {
		order = x.order
	}
	for _, c := range order(page, list) {
		enough, err := x.try(ctx, c, &requests)
		switch {
		case errors.Is(err, errNoFeed):
			x.why = NoFeedError{Why: NamedNoFeed}
		case isSiteError(err) && ctx.Err() == nil:
			x.why = NoFeedError{Why: NamedUnreadable, Fault: siteErrorCode(err)}
		case err != nil || enough:
			return enough, err
		}
	}
	return false, nil
}

// try yields a candidate that is stored already, or requests it, if there are requests left, and yields it if it is a
// feed.
func (x *search) try(ctx context.Context, c discover.Candidate, requests *int) (enough bool, err error) {
	f, err := x.existing(ctx, c.URL)
	switch {
	case err != nil || x.skip != nil && x.skip(c, f):
		return false, err
	case f != nil:
		return x.hit(hit{c, f, nil}), nil
	case *requests == 0:
		return false, nil
	}
	*requests--
	resp, err := x.get(ctx, c.URL)
	if err != nil {
		return false, err
	}
	defer resp.Release()
	if !isFeed(resp) {
		return false, errNoFeed
	}
	return x.hit(hit{c, nil, resp}), nil
}

// guess tries the well-known paths until one is a feed. It stops when the site does not respond.
func (x *search) guess(ctx context.Context, page string, list []discover.Candidate) error {
	for _, address := range discover.WellKnown(page) {
		list = append(list, discover.Candidate{URL: address})
	}
	rules, err := x.robots(ctx, page)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(c discover.Candidate) bool { return !rules.AllowsURL(c.URL) })
	requests := maxGuesses
	for _, c := range list[:min(len(list), maxGuesses)] {
		_, err := x.try(ctx, c, &requests)
		var he *HTTPError
		switch {
		case errors.Is(err, errNoFeed), errors.As(err, &he) && he.Status != 429 && he.Status < 500:
		case isSiteError(err) && ctx.Err() == nil:
			return nil
		case err != nil || len(x.hits) > 0:
			return err
		}
	}
	return nil
}

// noFeed reports whether a search found nothing.
func noFeed(err error) (*NoFeedError, bool) {
	var none *NoFeedError
	return none, errors.As(err, &none)
}

// robots returns what a page's site allows automatic requests.
func (x *search) robots(ctx context.Context, page string) (robots.Rules, error) {
	return robots.Sites{Cache: x.Store.Cache}.Rules(ctx, page,
		func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
			return x.ask(ctx, r.URL, r)
		})
}

// get fetches what may be a feed or a page, unless it was fetched a moment ago.
func (x *search) get(ctx context.Context, address string) (*fetch.Response, error) {
	x.tried = append(x.tried, address)
	if resp := x.recent.take(address, x.Clock.Now()); resp != nil {
		return resp, nil
	}
	resp, err := x.ask(ctx, address, fetch.Request{Subscribers: 1, IsChallenge: listing.IsChallenge})
	if err == nil && resp.Status != 200 {
		defer resp.Release()
		return nil, &HTTPError{Code: reader.HTTPCode(resp.Status, resp.Challenge), Status: resp.Status}
	}
	return resp, err
}

// ask makes one request under the lease of its host's part, which is kept for the next request there.
func (x *search) ask(ctx context.Context, address string, r fetch.Request) (*fetch.Response, error) {
	if host := fetch.HostOf(address); x.free == nil || host != x.host {
		x.release()
		free, err := x.hold(ctx, address)
		if err != nil {
			return nil, err
		}
		x.host, x.free = host, free
	}
	r.URL = address
	return x.Fetch.Do(ctx, r)
}

// hold takes the lease of a host's part. After a feed was added, its icon usually has it for a second: a search by a
// person waits for that.
func (x *search) hold(ctx context.Context, address string) (func(), error) {
	if x.unattended {
		return x.Crawler.Hold(ctx, address)
	}
	return x.Service.Hold(ctx, address)
}

func (x *search) release() {
	if x.free != nil {
		x.free()
	}
	x.free = nil
}

// isSiteError reports whether an error is the fault of the site, not of this program.
func isSiteError(err error) bool {
	var fe *fetch.Error
	var he *HTTPError
	return errors.As(err, &fe) || errors.As(err, &he)
}

// siteErrorCode is the code of an error of the site.
func siteErrorCode(err error) string {
	if fe, ok := errors.AsType[*fetch.Error](err); ok {
		return fe.Code
	}
	if he, ok := errors.AsType[*HTTPError](err); ok {
		return he.Code
	}
	return reader.CodeUnknown
}

// isFeed reports whether a body can be read as a feed.
func isFeed(resp *fetch.Response) bool {
	_, err := extract.Scan(resp.Body, resp.ContentType, resp.FinalURL, extract.Options{MaxItems: 1})
	return err == nil
}

// existing finds a known feed by an address, following a merge; nil when there is none.
func (s *Service) existing(ctx context.Context, address string) (*store.FeedRow, error) {
	id, err := s.Store.Feeds.FindURL(ctx, address)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := s.Store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) || store.IsDamaged(err) {
		return nil, nil // a crash between the two writes, or a damaged row: Ensure repairs it
	}
	if err != nil {
		return nil, err
	}
	if f.RemovingSince > 0 {
		return nil, nil // being removed: Ensure gives the address another
	}
	return s.merged(ctx, f)
}

// maxMerges bounds a chain of feeds merged one into the next.
const maxMerges = 8

// merged follows a feed to the one that it was merged into.
func (s *Service) merged(ctx context.Context, f *store.FeedRow) (*store.FeedRow, error) {
	var err error
	for i := 0; err == nil && f.MergedInto > 0 && i < maxMerges; i++ {
		f, err = s.Store.Feeds.Get(ctx, reader.FeedID(f.MergedInto), true)
	}
	return f, err
}
