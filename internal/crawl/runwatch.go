package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// RunWatch crawls a watch because its owner asked for it, within the rules of refreshes: page 1 now, the rest by the
// queue. With inspect all pages are read as after a change of settings, which a crawl notices by itself.
func (c *Crawler) RunWatch(ctx context.Context, f *store.FeedRow, inspect bool) (store.FeedOutcome, error) {
	if inspect && f.Channel != 0 {
		next := *f
		next.Channel = 0 // the revision of no settings
		if _, err := c.store.Feeds.Change(ctx, f, &next); err != nil {
			return store.FeedOutcome{}, err
		}
	}
	n, err := c.store.Feeds.Count(ctx)
	if err != nil {
		return store.FeedOutcome{}, err
	}
	parts := job.Parts(c.o.Parts, n)
	report, err := c.Run(ctx, job.Job{Kind: job.Refresh, Part: partOf(f, parts), Feeds: []reader.FeedID{f.ID()}}, parts)
	if err != nil || len(report.Feeds) == 0 {
		return outcome(f, reader.OutcomeSkipped), err
	}
	return report.Feeds[0], nil
}
