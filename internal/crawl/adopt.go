package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Hold takes the lease of the part of a URL's host, for requests outside any run, such as discovery. It does not wait:
// ErrBusy when another run holds the part or waits for it.
func (c *Crawler) Hold(ctx context.Context, url string) (release func(), err error) {
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	parts := job.Parts(c.o.Parts, n)
	part := job.PartOf(url, parts)
	if c.waiters.any(part) {
		return nil, ErrBusy
	}
	mine, err := c.holdAlone(ctx, part, parts, c.clock.Now())
	if err != nil {
		return nil, err
	}
	return func() { c.release(ctx, part, &mine) }, nil
}

// Adopt commits the response that discovery fetched as the feed's first crawl. The feed is claimed first, as for any
// off-turn poll; when another run has claimed it, nothing is done.
func (c *Crawler) Adopt(ctx context.Context, f *store.FeedRow, resp *fetch.Response) (store.FeedOutcome, error) {
	ctx, r := c.newRun(ctx, store.RunFirst, schedule.TickOf(c.clock.Now()))
	// The response is stored even when the caller goes away.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	o := outcome(f, "")
	claimed, err := r.claimOffTurn(ctx, f)
	if err != nil || claimed == nil {
		return o, err
	}
	r.answered(ctx, claimed, nil, resp, &o)
	if o.Outcome == string(reader.OutcomeFailed) && o.Status == 200 &&
		reader.CategoryOf(o.Err) == reader.CategoryStorage {
		return o, fault.New(fault.Unavailable, o.Err, "crawl: adopt", nil)
	}
	r.note(o)
	return o, r.finish(ctx, job.PartOf(f.URL, max(1, c.o.Parts)), 1, store.JobName(store.RunFirst, r.started)+"-"+
		f.ID().String())
}
