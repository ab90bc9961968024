package subscribe

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A stopped feed is searched for: on the page of its site, then on the front page of its host. The result is only
// proposed: the site of a dead feed may have another owner by now. A person accepts it by giving the subscription that
// address (Repoint), or drops it by resuming the feed.

// Where a proposal comes from, for FeedRow.ProposedWhy.
const (
	ProposedBySite = "site" // the site that the feed named names it
	ProposedByHost = "host" // the front page of the feed's host names it
)

const (
	// relocateAgain is the least time between two searches for a feed by messages.
	relocateAgain = 24 * time.Hour
	// relocatePause is the wait of a search that meets a busy host.
	relocatePause = time.Minute
)

// RunRelocate processes a message that names stopped feeds; it may be delivered twice.
func (s *Service) RunRelocate(ctx context.Context, j job.Job) error {
	for i, id := range j.Feeds {
		f, err := s.Store.Feeds.Get(ctx, id, true)
		if isFeedGone(err) {
			continue
		}
		if err != nil {
			return err
		}
		if f.IsWatch() || f.Status != string(reader.StatusStopped) || s.Clock.Now().Sub(time.Unix(f.ProposedAt, 0)) <
			relocateAgain {
			continue
		}
		_, err = s.relocate(ctx, f)
		if fault.CodeOf(err) == "part_busy" {
			return job.Send(ctx, s.Queue, relocatePause, job.Job{Kind: job.Relocate, Feeds: j.Feeds[i:]})
		}
		if _, none := noFeed(err); err != nil && !none {
			return err
		}
	}
	return nil
}

// Relocate searches for a failing feed and stores what it finds as a proposal. NoFeedError means that nothing was
// found.
func (s *Service) Relocate(ctx context.Context, id reader.FeedID) (*store.FeedRow, error) {
	f, err := s.Store.Feeds.Get(ctx, id, true)
	if err != nil {
		return nil, err
	}
	if f.IsWatch() {
		return nil, errWatch
	}
	if f.Status != string(reader.StatusStopped) && f.Status != string(reader.StatusError) {
		return nil, fault.Coded(fault.Conflict, "feed_not_failing")
	}
	return s.relocate(ctx, f)
}

func (s *Service) relocate(ctx context.Context, f *store.FeedRow) (*store.FeedRow, error) {
	none := &NoFeedError{Code: "no_feed_found", Why: NowhereElse}
	for _, p := range pagesOf(f) {
		address, tried, err := s.elsewhere(ctx, f, p.url)
		none.Tried = append(none.Tried, tried...)
		switch {
		case err != nil:
			return nil, err
		case address != "":
			return s.propose(ctx, f, address, p.why)
		}
	}
	if _, err := s.propose(ctx, f, "", ""); err != nil {
		return nil, err
	}
	return nil, none
}

type naming struct{ url, why string }

// pagesOf are the pages on which a feed may be named.
func pagesOf(f *store.FeedRow) (out []naming) {
	if site, err := Normalise(f.Site); err == nil && site != f.URL {
		out = append(out, naming{site, ProposedBySite})
	}
	u, err := url.Parse(f.URL)
	if err != nil {
		return out
	}
	front := u.Scheme + "://" + u.Host + "/"
	if front != f.URL && !slices.ContainsFunc(out, func(p naming) bool { return p.url == front }) {
		out = append(out, naming{front, ProposedByHost})
	}
	return out
}

// elsewhere searches a page for another feed; "" when there is none.
func (s *Service) elsewhere(ctx context.Context, f *store.FeedRow, page string) (address string,
	tried []string, err error) {
	x := &search{Service: s, unattended: true}
	x.skip = func(c discover.Candidate, other *store.FeedRow) bool {
		return c.URL == f.URL || other != nil && (other.ID() == f.ID() || other.Status != string(reader.StatusActive))
	}
	for h, failed := range x.feeds(ctx, page) {
		if err = failed; err == nil {
			address = h.address()
		}
		if h.resp != nil {
			s.recent.put(address, h.resp, s.Clock.Now())
		}
		break
	}
	if _, none := noFeed(err); none || isSiteError(err) {
		err = nil
	}
	if address == f.URL {
		address = ""
	}
	return address, x.tried, err
}

// propose stores what was found, or that nothing was.
func (s *Service) propose(ctx context.Context, f *store.FeedRow, address, why string) (*store.FeedRow, error) {
	next := *f
	next.Proposed, next.ProposedWhy, next.ProposedAt = address, why, s.Clock.Now().Unix()
	now, err := s.Store.Feeds.Change(ctx, f, &next, store.SameURL, store.SameStatus)
	if fault.Is(err, fault.Conflict) {
		return s.Store.Feeds.Get(ctx, f.ID(), true) // it moved, or is back: nothing to propose
	}
	if err == nil {
		s.Log.Info("feed looked for", "feed_id", uint32(f.ID()), "found", address != "")
	}
	return now, err
}
