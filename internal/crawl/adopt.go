package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Hold takes the lease of the part that a URL's host falls into, for a fetch outside any run: discovery.
// The function gives it back. It does not wait: ErrBusy when another has the part, or a run waits for it.
func (c *Crawler) Hold(ctx context.Context, url string) (release func(), err error) {
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return nil, err
	}
	part := job.PartOf(url, job.Parts(c.o.Parts, n))
	if c.waiters.any(part) {
		return nil, ErrBusy
	}
	mine, err := c.hold(ctx, part, c.clock.Now())
	if err != nil {
		return nil, err
	}
	return func() { c.release(ctx, part, &mine) }, nil
}

// Adopt commits a response that was fetched for another reason as the feed's first crawl: discovery and
// first crawl are one request. The feed is claimed first, as for any poll off its turn; when somebody
// else claimed it meanwhile, nothing is done.
func (c *Crawler) Adopt(ctx context.Context, f *store.FeedRow, resp *fetch.Response) (store.FeedOutcome, error) {
	r := c.newRun(ctx, store.RunFirst, schedule.TickOf(c.clock.Now()))
	// The answer is there: whoever asked for it may go away, it is kept all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	ctx = table.WithMeter(ctx, r.meter)
	o := outcome(f, "")
	t, err := r.claimOffTurn(ctx, f)
	if err != nil || t == nil {
		return o, err
	}
	r.answered(ctx, *t, resp, &o)
	if o.Outcome == string(reader.OutcomeFailed) && o.Status == 200 && isStorage(o.Err) {
		return o, fault.New(fault.Unavailable, o.Err, "crawl: adopt", nil)
	}
	r.note(o)
	return o, r.finish(ctx, job.PartOf(f.URL, max(1, c.o.Parts)), store.JobName(store.RunFirst, r.started)+"-"+f.ID().String())
}

// isStorage tells our own failures from the publisher's.
func isStorage(code string) bool {
	return reader.FaultOf(code).Category == reader.CategoryStorage
}
