package subscribe

import (
	"context"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The crawler sends a message before each commit of a feed that is hooked (decision 0569). Where something else was
// committed that webhooks want, its messages are sent here.

// Hook implements webhook.Counter.
func (s *Service) Hook(ctx context.Context, id reader.FeedID, u reader.UserID, since int64) error {
	began, err := s.recount(ctx, id)
	if err != nil || began {
		return err
	}
	// The crawler sent messages already, for others or for devices: some were handled before the row had the mark.
	f, err := s.Store.Feeds.Get(ctx, id, true)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	return s.catchUp(ctx, f, u, since)
}

// wantedSince is the earliest time from which subscribers' webhooks want items; 0 for none.
func wantedSince(subs []store.Subscriber) (first int64) {
	for _, sub := range subs {
		if since := max(sub.Hooked, -sub.Hooked); since > 0 && (first == 0 || since < first) {
			first = since
		}
	}
	return first
}

// catchUp sends the messages for the committed deltas that came after a time in Unix milliseconds, if there is one.
func (s *Service) catchUp(ctx context.Context, f *store.FeedRow, u reader.UserID, since int64) error {
	// Deltas of one commit share a stamp, which may be a minute before the time of the last.
	if since == 0 || reader.Minute(f.Stamp)+1 < reader.MinuteOf(time.UnixMilli(since)) {
		return nil
	}
	var jobs []job.Job
	err := s.Store.Items.DescendLatest(ctx, f.ID(), func(d *store.DeltaRow) (bool, error) {
		if d.At > since && d.Last() <= reader.Seq(f.Seq) {
			jobs = append(jobs, job.News(f.ID(), d.First(), d.At, u))
		}
		return d.At > since, nil
	})
	if err != nil {
		return err
	}
	slices.Reverse(jobs)
	return job.Send(ctx, s.Queue, 0, jobs...)
}
