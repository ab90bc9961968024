package subscribe

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/robots"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Where the feed of an address may be, in the order in which it is looked for:
//
//	1 where the address alone tells it (discover.Known): the page need not be asked
//	2 at the address itself
//	3 where its page says (discover.In)
//	4 at the paths where publishing programs put feeds, on the page's host, as far as its robots.txt lets us
//
// Each is asked only when the ones before gave nothing. A person asked for 1 to 3; 4 is our own idea, so it
// obeys robots.txt (RFC 9309).

const (
	// searchTime bounds a search: the API has 25 seconds, and what is found is still to be stored.
	searchTime = 18 * time.Second
	// busyTries is how often a person's search asks again for a host that is busy, and busyPause how long it waits
	// before.
	busyTries = 16
	busyPause = 500 * time.Millisecond
	// maxNamed and maxGuesses bound the requests of a search, beside the page and robots.txt.
	maxNamed   = 4
	maxGuesses = 6
)

// NoFeedError says that an address led to no feed, and what was tried.
type NoFeedError struct {
	Code, Message string
	Why           string // one of the following, or empty: nothing there is or names a feed
	Fault         string // of NamedUnreadable: what befell the feed that is named, as in reader.FaultOf
	Tried         []string
	Candidates    []discover.Candidate
}

// Why a search found nothing, where that is not for want of a name.
const (
	NamedUnreadable = "named_unreadable" // the page names a feed that cannot be had
	NamedNoFeed     = "named_no_feed"    // what the page calls a feed is none
	SearchTooSlow   = "too_slow"
	NowhereElse     = "nowhere_else" // of Find: neither site nor host names another feed
)

func (e *NoFeedError) Error() string { return e.Code + ": " + e.Message }

// HTTPError says that the site answered, but not with a page.
type HTTPError struct {
	Code   string // as in reader.Explain
	Status int
}

func (e *HTTPError) Error() string { return e.Code }

// visitor decides about what a search comes to. Each function tells whether that is enough.
type visitor struct {
	// known is a candidate that this installation reads already.
	known func(c discover.Candidate, f *store.FeedRow) (enough bool, err error)
	// found is a candidate that is a feed; the response is the search's, and gone afterwards.
	found func(c discover.Candidate, resp *fetch.Response) (enough bool, err error)
}

// search is one look for feeds: one request at a time, each host held while it is asked.
type search struct {
	*Service
	visit visitor
	ours  bool // nobody has entered the address: robots.txt binds the page too
	// skip leaves candidates out, f being the feed that is known there, or nil; may be nil.
	skip  func(c discover.Candidate, f *store.FeedRow) bool
	tried []string
	named []discover.Candidate
	hits  int
	why   NoFeedError // why the last candidate was none
	host  string      // that is held
	free  func()
}

func (s *Service) search(v visitor) *search { return &search{Service: s, visit: v} }

// run looks for the feeds of an address. It fails when there is none.
func (x *search) run(ctx context.Context, address string) error {
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	defer x.letGo()
	site := discover.Known(address)
	x.named = append(x.named, site.Feeds...)
	enough, err := x.each(ctx, address, site.Feeds, maxNamed)
	if err == nil && !enough && x.hits == 0 {
		err = x.page(ctx, address, site)
	}
	switch {
	case err != nil && caller.Err() == nil && ctx.Err() != nil:
		return x.none(NoFeedError{Why: SearchTooSlow, Message: "The site was too slow: the search for its feed was given up after 18 seconds."})
	case err != nil:
		return err
	case x.hits == 0 && x.why.Why != "":
		return x.none(x.why)
	case x.hits == 0:
		return x.none(NoFeedError{Message: "There is no feed at this address, and the page there names none. Look for a link called RSS, Atom or feed on the site and enter its address."})
	}
	return nil
}

func (x *search) none(e NoFeedError) error {
	e.Code, e.Tried, e.Candidates = "no_feed_found", x.tried, x.named
	return &e
}

// page asks the address itself, or the one that knows in its place, and goes on with what it says.
func (x *search) page(ctx context.Context, address string, site discover.Site) error {
	ask := address
	if site.Ask != "" {
		ask = site.Ask
	}
	if x.ours {
		rules, err := x.robots(ctx, ask)
		if err != nil || !allowed(rules, ask) {
			return err
		}
	}
	resp, err := x.get(ctx, ask, fetch.Request{})
	if err != nil {
		return err
	}
	if isFeed(resp) {
		x.hits++
		_, err := x.visit.found(discover.Candidate{URL: ask}, resp)
		resp.Release()
		return err
	}
	end := resp.FinalURL
	links := discover.In(end, resp.Body, resp.ContentType)
	resp.Release()
	if len(links) == 0 && end != ask {
		links = discover.Known(end).Feeds // the address led to a site that is known
	}
	x.named = append(x.named, links...)
	if enough, err := x.each(ctx, end, links, maxNamed); err != nil || enough || x.hits > 0 {
		return err
	}
	return x.guess(ctx, end, site.Guesses)
}

// each visits candidates, the best first, at most so many of them by requests.
func (x *search) each(ctx context.Context, page string, list []discover.Candidate, most int) (enough bool, err error) {
	for _, c := range discover.Order(page, list) {
		f, err := x.existing(ctx, c.URL)
		if err != nil {
			return false, err
		}
		switch {
		case x.skip != nil && x.skip(c, f):
			continue
		case f != nil:
			x.hits++
			enough, err = x.visit.known(c, f)
		case most > 0:
			most--
			enough, err = x.try(ctx, c)
		default:
			continue
		}
		if err != nil || enough {
			return enough, err
		}
	}
	return false, nil
}

// try fetches a candidate. What the site did wrong is no error but the reason why there is no feed.
func (x *search) try(ctx context.Context, c discover.Candidate) (enough bool, err error) {
	resp, err := x.get(ctx, c.URL, fetch.Request{})
	switch {
	case err != nil && (!isTheirs(err) || ctx.Err() != nil):
		return false, err
	case err != nil:
		code := faultOf(err)
		x.why = NoFeedError{Why: NamedUnreadable, Fault: code, Message: "The page names a feed, but it could not be read: " + reader.FaultOf(code).Message}
		return false, nil
	}
	defer resp.Release()
	if !isFeed(resp) {
		x.why = NoFeedError{Why: NamedNoFeed, Message: "The page names a feed, but what is there is no feed."}
		return false, nil
	}
	x.hits++
	return x.visit.found(c, resp)
}

// guess tries addresses that nobody named, until one is a feed. A site that does not answer is left alone.
func (x *search) guess(ctx context.Context, page string, first []discover.Candidate) error {
	list := first
	for _, address := range discover.WellKnown(page) {
		list = append(list, discover.Candidate{URL: address})
	}
	rules, err := x.robots(ctx, page)
	if err != nil {
		return err
	}
	left := maxGuesses
	for _, c := range list {
		if !allowed(rules, c.URL) {
			continue
		}
		if left--; left < 0 {
			return nil
		}
		f, err := x.existing(ctx, c.URL)
		if err != nil {
			return err
		}
		if x.skip != nil && x.skip(c, f) {
			continue
		}
		if f != nil {
			x.hits++
			_, err := x.visit.known(c, f)
			return err
		}
		resp, err := x.get(ctx, c.URL, fetch.Request{})
		var he *HTTPError
		switch {
		case errors.As(err, &he) && he.Status != 429 && he.Status < 500:
			continue
		case err != nil && (!isTheirs(err) || ctx.Err() != nil):
			return err
		case err != nil:
			return nil //nolint:nilerr // the site's fault ends the guesses, not the search
		}
		found := isFeed(resp)
		if found {
			x.hits++
			_, err = x.visit.found(c, resp)
		}
		resp.Release()
		if found || err != nil {
			return err
		}
	}
	return nil
}

func allowed(rules robots.Rules, address string) bool {
	u, err := url.Parse(address)
	return err == nil && rules.Allows(u.RequestURI())
}

// noFeed tells that a search found nothing.
func noFeed(err error) (*NoFeedError, bool) {
	var none *NoFeedError
	return none, errors.As(err, &none)
}

// robots asks a page's host what we may fetch there by ourselves.
func (x *search) robots(ctx context.Context, page string) (robots.Rules, error) {
	u, err := url.Parse(page)
	if err != nil {
		return robots.Of(0, nil), nil
	}
	resp, err := x.ask(ctx, u.Scheme+"://"+u.Host+"/robots.txt", fetch.Request{Accept: "text/plain, */*;q=0.1", MaxBytes: robots.MaxBytes})
	switch {
	case err != nil && (!isTheirs(err) || ctx.Err() != nil):
		return robots.Rules{}, err
	case err != nil:
		return robots.Of(0, nil), nil
	}
	defer resp.Release()
	return robots.Of(resp.Status, resp.Body), nil
}

// get fetches what may be a feed or a page, unless it was fetched a moment ago.
func (x *search) get(ctx context.Context, address string, r fetch.Request) (*fetch.Response, error) {
	x.tried = append(x.tried, address)
	if resp := x.recent.take(address, x.clock.Now()); resp != nil {
		return resp, nil
	}
	r.Subscribers = 1
	resp, err := x.ask(ctx, address, r)
	if err == nil && resp.Status != 200 {
		defer resp.Release()
		return nil, &HTTPError{Code: reader.HTTPCode(resp.Status), Status: resp.Status}
	}
	return resp, err
}

// ask makes one request, holding the part of its host; it is held on to for the next one there.
func (x *search) ask(ctx context.Context, address string, r fetch.Request) (*fetch.Response, error) {
	if host := fetch.HostOf(address); x.free == nil || host != x.host {
		x.letGo()
		free, err := x.hold(ctx, address)
		if err != nil {
			return nil, err
		}
		x.host, x.free = host, free
	}
	r.URL = address
	return x.fetch.Do(ctx, r)
}

// hold takes the part of a host. It is held most often for a second by what followed from the feed added before (its
// icon): a person is not told to try again for that.
func (x *search) hold(ctx context.Context, address string) (func(), error) {
	for try := 0; ; try++ {
		free, err := x.crawler.Hold(ctx, address)
		if fault.CodeOf(err) != "part_busy" || x.ours || try == busyTries {
			return free, err
		}
		if x.nap(ctx, busyPause) != nil {
			return nil, err
		}
	}
}

// nap waits, unless the context ends first.
func nap(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (x *search) letGo() {
	if x.free != nil {
		x.free()
	}
	x.free = nil
}

// isTheirs tells what a site did, or does not have, from failures of our own.
func isTheirs(err error) bool {
	var fe *fetch.Error
	var he *HTTPError
	return errors.As(err, &fe) || errors.As(err, &he)
}

// faultOf is the code of what a site did.
func faultOf(err error) string {
	var fe *fetch.Error
	if errors.As(err, &fe) {
		return fe.Code
	}
	var he *HTTPError
	if errors.As(err, &he) {
		return he.Code
	}
	return reader.CodeUnknown
}

// isFeed looks whether a body can be read as a feed.
func isFeed(resp *fetch.Response) bool {
	_, err := extract.Scan(resp.Body, resp.ContentType, resp.FinalURL, extract.Options{MaxItems: 1})
	return err == nil
}

// existing finds a feed that is already known by an address, following a merge.
func (s *Service) existing(ctx context.Context, address string) (*store.FeedRow, error) {
	id, err := s.store.Feeds.FindURL(ctx, address)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := s.store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) {
		return nil, nil // a crash between the two rows: Ensure heals it
	}
	if err != nil {
		return nil, err
	}
	if f.Gone > 0 {
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
		f, err = s.store.Feeds.Get(ctx, reader.FeedID(f.MergedInto), true)
	}
	return f, err
}
