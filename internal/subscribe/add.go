package subscribe

import (
	"context"
	"errors"
	"slices"

	"github.com/ruri-reader/ruri/internal/discover"
	"github.com/ruri-reader/ruri/internal/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// NoFeedError says that an address led to no feed, and what was tried.
type NoFeedError struct {
	Code, Message string
	Tried         []string
	Candidates    []discover.Candidate
}

func (e *NoFeedError) Error() string { return e.Code + ": " + e.Message }

// maxCandidates of a page are tried, in the order of discover.Choose.
const maxCandidates = 3

func inOrder(page string, links []discover.Candidate) []discover.Candidate {
	left := slices.Clone(links)
	var out []discover.Candidate
	for len(out) < maxCandidates {
		c, ok := discover.Choose(page, left)
		if !ok {
			break
		}
		out = append(out, c)
		left = slices.DeleteFunc(left, func(x discover.Candidate) bool { return x == c })
	}
	return out
}

// Add subscribes a user to the feed at an address, or to the one that the page there names. Discovery
// and first crawl are one fetch: a second request seconds later would be impolite.
func (s *Service) Add(ctx context.Context, u reader.UserID, raw string, w Wish) (f *store.FeedRow, made bool, err error) {
	address, err := Normalise(raw)
	if err != nil {
		return nil, false, err
	}
	if f, err := s.existing(ctx, address); err != nil || f != nil {
		if err != nil {
			return nil, false, err
		}
		made, err := s.Attach(ctx, u, f, w)
		return f, made, err
	}
	if err := s.room(ctx, u); err != nil {
		return nil, false, err
	}
	return s.discover(ctx, u, address, w)
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

// discover fetches an address, and the feeds its page names, until one of them is a feed.
func (s *Service) discover(ctx context.Context, u reader.UserID, address string, w Wish) (*store.FeedRow, bool, error) {
	resp, err := s.get(ctx, address)
	if err != nil {
		return nil, false, err
	}
	defer resp.Release()
	if isFeed(resp) {
		return s.adopt(ctx, u, address, resp, w)
	}
	links := discover.Links(resp.FinalURL, resp.Body, resp.ContentType)
	none := &NoFeedError{
		Code: "no_feed_found", Tried: []string{address}, Candidates: links,
		Message: "There is no feed at this address, and the page there names none. Look for a link called RSS, Atom or feed on the site and enter its address.",
	}
	for _, link := range inOrder(resp.FinalURL, links) {
		none.Tried = append(none.Tried, link.URL)
		if f, err := s.existing(ctx, link.URL); err != nil {
			return nil, false, err
		} else if f != nil {
			made, err := s.Attach(ctx, u, f, w)
			return f, made, err
		}
		found, err := s.get(ctx, link.URL)
		if err != nil {
			none.Message = "The page names a feed, but it could not be read: " + personMessage(err)
			continue
		}
		if isFeed(found) {
			f, made, err := s.adopt(ctx, u, link.URL, found, w)
			found.Release()
			return f, made, err
		}
		found.Release()
		none.Message = "The page names a feed, but what is there is no feed."
	}
	return nil, false, none
}

func personMessage(err error) string {
	var fe *fetch.Error
	if errors.As(err, &fe) {
		return fe.Message
	}
	var he *HTTPError
	if errors.As(err, &he) {
		return reader.FaultOf(he.Code).Message
	}
	return "the site could not be reached."
}

// HTTPError says that the site answered, but not with a page.
type HTTPError struct {
	Code   string // as in reader.Explain
	Status int
}

func (e *HTTPError) Error() string { return e.Code }

// get fetches one address, holding the part of its host.
func (s *Service) get(ctx context.Context, address string) (*fetch.Response, error) {
	release, err := s.crawler.Hold(ctx, address)
	if err != nil {
		return nil, err
	}
	defer release()
	resp, err := s.fetch.Do(ctx, fetch.Request{URL: address, Subscribers: 1})
	if err != nil {
		return nil, err
	}
	if resp.Status != 200 {
		resp.Release()
		return nil, &HTTPError{Code: reader.HTTPCode(resp.Status), Status: resp.Status}
	}
	return resp, nil
}

// isFeed looks whether a body can be read as a feed.
func isFeed(resp *fetch.Response) bool {
	_, err := extract.Scan(resp.Body, resp.ContentType, resp.FinalURL, extract.Options{MaxItems: 1})
	return err == nil
}

// adopt makes the feed of an address, commits the response as its first crawl, and subscribes the user.
// A response that came over permanent redirects alone belongs to their target.
func (s *Service) adopt(ctx context.Context, u reader.UserID, address string, resp *fetch.Response, w Wish) (*store.FeedRow, bool, error) {
	if resp.PermanentURL != "" {
		if to, err := Normalise(resp.PermanentURL); err == nil {
			address = to
		}
	}
	f, err := s.store.Feeds.Ensure(ctx, address, s.fresh("", ""))
	if err == nil {
		f, err = s.merged(ctx, f)
	}
	if err != nil {
		return nil, false, err
	}
	// The subscriber's row comes before the items: a feed with items and nobody is collected.
	if err := s.count(ctx, u, f, w); err != nil {
		return nil, false, err
	}
	if f.Fresh() {
		o, err := s.crawler.Adopt(ctx, f, resp)
		if err != nil {
			return nil, false, err
		}
		s.log.Info("feed added", "feed_id", uint32(f.ID()), "items", o.New)
	}
	if f, err = s.store.Feeds.Get(ctx, f.ID(), true); err != nil {
		return nil, false, err
	}
	made, err := s.attach(ctx, u, f, w)
	return f, made, err
}
