package subscribe

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/content/discover"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// A feed that has stopped is looked for anew: on the page of its site, then on the front page of its host. What is
// found is proposed, never taken: the site of a dead feed may be another's by now. A person takes it by giving the
// subscription that address (Repoint), or drops it by resuming the feed.

// Where a proposal comes from, for FeedRow.ProposedWhy.
const (
	ProposedBySite = "site" // the site that the feed named names it
	ProposedByHost = "host" // the front page of the feed's host names it
)

const (
	// findAgain is from when a message looks for a feed again.
	findAgain = 24 * time.Hour
	// findPause is how long what meets a busy host waits.
	findPause = time.Minute
)

// WantFind asks for feeds that have stopped to be looked for.
func (s *Service) WantFind(ctx context.Context, feeds []reader.FeedID) error {
	return s.queue.Send(ctx, [][]byte{job.Job{Kind: job.Find, Feeds: feeds}.Encode()}, 0)
}

// RunFind works through a message of WantFind; it may come twice.
func (s *Service) RunFind(ctx context.Context, j job.Job) error {
	for i, id := range j.Feeds {
		f, err := s.store.Feeds.Get(ctx, id, true)
		if isGone(err) {
			continue
		}
		if err != nil {
			return err
		}
		if f.Status != string(reader.StatusStopped) || s.clock.Now().Sub(time.Unix(f.ProposedAt, 0)) < findAgain {
			continue
		}
		_, err = s.find(ctx, f)
		if fault.CodeOf(err) == "part_busy" {
			return s.queue.Send(ctx, [][]byte{job.Job{Kind: job.Find, Feeds: j.Feeds[i:]}.Encode()}, findPause)
		}
		if _, none := noFeed(err); err != nil && !none {
			return err
		}
	}
	return nil
}

// Find looks for a feed that fails, and keeps what it finds as a proposal. NoFeedError tells that nothing was found.
func (s *Service) Find(ctx context.Context, id reader.FeedID) (*store.FeedRow, error) {
	f, err := s.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return nil, err
	}
	if f.Status != string(reader.StatusStopped) && f.Status != string(reader.StatusError) {
		return nil, fault.Newf(fault.Conflict, "feed_not_failing", "This feed is in order where it is.")
	}
	return s.find(ctx, f)
}

func (s *Service) find(ctx context.Context, f *store.FeedRow) (*store.FeedRow, error) {
	none := &NoFeedError{Code: "no_feed_found", Why: NowhereElse, Message: "Neither the site of this feed nor the front page of its host names another feed."}
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

// elsewhere looks on a page for a feed that is not the one given; "" means that there is none.
func (s *Service) elsewhere(ctx context.Context, f *store.FeedRow, page string) (address string, tried []string, err error) {
	x := s.search(visitor{
		known: func(_ discover.Candidate, other *store.FeedRow) (bool, error) {
			address = other.URL
			return true, nil
		},
		found: func(c discover.Candidate, resp *fetch.Response) (bool, error) {
			address = c.URL
			if to, err := Normalise(resp.PermanentURL); err == nil {
				address = to
			}
			s.recent.put(address, resp, s.clock.Now())
			return true, nil
		},
	})
	x.ours = true
	x.skip = func(c discover.Candidate, other *store.FeedRow) bool {
		return c.URL == f.URL || other != nil && (other.ID() == f.ID() || other.Status != string(reader.StatusActive))
	}
	err = x.run(ctx, page)
	if _, none := noFeed(err); none || isTheirs(err) {
		err = nil
	}
	if address == f.URL {
		address = ""
	}
	return address, x.tried, err
}

// propose keeps what was found, or that nothing was.
func (s *Service) propose(ctx context.Context, f *store.FeedRow, address, why string) (*store.FeedRow, error) {
	next, err := s.store.Feeds.Update(ctx, f.ID(), store.Patch{
		"proposed": address, "proposedWhy": why, "proposedAt": s.clock.Now().Unix(),
	}, table.IfEqual("url", f.URL), table.IfEqual("status", f.Status))
	if fault.Is(err, fault.Conflict) {
		return s.store.Feeds.Get(ctx, f.ID(), true) // it moved, or is back: nothing to propose
	}
	if err == nil {
		s.log.Info("feed looked for", "feed_id", uint32(f.ID()), "found", address != "")
	}
	return next, err
}
