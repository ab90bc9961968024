// Package tidy clears away, once a day, what nobody needs any more: blobs that no row names, because a crash came
// between the blob and its row (or between the row and its blob), blobs past their time where no bucket's lifecycle
// removes them, items past theirs (floors: keep.go), and feeds that nobody subscribes to (forsaken.go). Expired rows
// are the table's own business.
//
// It may be run twice, at the same time, and stop at any step: nothing is remembered but the day up to which all is
// done, last. What it removes is judged by the latest state of the rows, and only where nobody can still be about
// to name it: a raw body's key holds its day and a star's its millisecond, so that neither is used again.
package tidy

import (
	"context"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// budget is how long one message is worked on; the rest goes on with another.
	budget = 60 * time.Second
	// settled is from which age on a blob's row must be there: a poll is stored within seconds, a star within
	// the time of a request.
	settled = time.Hour
	// RawDays is how long raw bodies are kept: longer than the items that need them.
	RawDays = 200
	// overlap is how many days before the last tidied one are looked at again: a machine whose clock was behind
	// may have written there since.
	overlap = 2
	// manyDays is from how many days on one listing of all is cheaper than one of each day.
	manyDays = 60
)

// Sender takes messages for the workers.
type Sender interface {
	Send(ctx context.Context, bodies [][]byte, delay time.Duration) error
}

// Service tidies.
type Service struct {
	store *store.Store
	blobs *blob.Bucket
	queue Sender
	clock clock.Clock
	log   *slog.Logger
	o     Options
}

// Options of the service; zero values mean the defaults named.
type Options struct {
	// Expire removes blobs past their time. Off where the bucket's own lifecycle does.
	Expire bool
	// Keep is for how many days items are kept; store.KeepDays.
	Keep int
	// Forsaken is after how many days a feed without subscribers is removed; ForsakenDays.
	Forsaken int
	// HubDue tells whether there is something to settle with a feed's hub; nil when there are no hubs.
	HubDue func(f *store.FeedRow) bool
	// Recount derives what a feed's row says of its subscribers from their rows.
	Recount func(ctx context.Context, f reader.FeedID) error
}

// ForsakenDays is after how many days a feed without subscribers is removed (C-12, R-129).
const ForsakenDays = 7

// New binds the service to its seams.
func New(s *store.Store, b *blob.Bucket, q Sender, c clock.Clock, log *slog.Logger, o Options) *Service {
	if o.Keep <= 0 {
		o.Keep = store.KeepDays
	}
	if o.Forsaken <= 0 {
		o.Forsaken = ForsakenDays
	}
	if o.Recount == nil {
		o.Recount = func(context.Context, reader.FeedID) error { return nil }
	}
	return &Service{store: s, blobs: b, queue: q, clock: c, log: log, o: o}
}

// Report is what a run did.
type Report struct {
	Judged  int // blobs looked at
	Orphans int // removed, for no row names them
	Expired int // removed for their age
	Floors  int // feeds whose oldest items went
	Removed int // feeds removed for want of subscribers
	// Done tells that the day's tidying has ended, by this run or an earlier one.
	Done bool
}

// Run works through one message.
func (s *Service) Run(ctx context.Context, j job.Job) (Report, error) {
	r := &run{Service: s, started: s.clock.Now(), job: j, users: map[reader.UserID]bool{}}
	today := schedule.DayOf(schedule.TickOf(r.started))
	lease, err := s.store.Leases.Get(ctx, 0)
	if err != nil || lease.Tidied >= today {
		return Report{Done: err == nil}, err
	}
	r.from, r.today0, r.whole = lease.Tidied, today, int(lease.Kept) < s.o.Keep
	if more, err := r.allBlobs(ctx, lease.Tidied, today); err != nil || !more {
		return r.report, err
	}
	if more, err := r.allFeeds(ctx); err != nil || !more {
		return r.report, err
	}
	err = s.store.Leases.MarkTidied(ctx, today, int32(s.o.Keep))
	if fault.Is(err, fault.Conflict) {
		err = nil // another run was as far
	}
	r.report.Done = err == nil
	if err == nil && r.report != (Report{Judged: r.report.Judged, Done: true}) {
		s.log.Info("tidied", "judged", r.report.Judged, "orphans", r.report.Orphans, "expired", r.report.Expired,
			"floors", r.report.Floors, "removed", r.report.Removed)
	}
	return r.report, err
}

// allBlobs judges blobs, and gives false when time ran out.
func (r *run) allBlobs(ctx context.Context, tidied, today int32) (bool, error) {
	if _, feeds := feedAfter(r.job.After); feeds {
		return true, nil // an earlier message has been through them
	}
	for _, folder := range folders(tidied, today) {
		judge := r.raws
		if folder == store.StarPrefix {
			judge = r.stars
		}
		if more, err := r.each(ctx, folder, judge); err != nil || !more {
			return false, err
		}
	}
	if err := r.loose(ctx); err != nil {
		return false, err
	}
	if err := r.icons(ctx); err != nil || !r.o.Expire {
		return err == nil, err
	}
	return true, r.expireBlobs(ctx)
}

// folders lists what is to be looked at, in the order of keys: the days from the last tidied one to yesterday,
// then the stars.
func folders(tidied, today int32) []string {
	from := max(tidied-overlap, 0)
	if tidied == 0 || today-from > manyDays {
		return []string{store.RawPrefix, store.StarPrefix}
	}
	var out []string
	for d := from; d < today; d++ {
		out = append(out, store.RawDay(schedule.Tick(d*int32(schedule.TicksPerDay)).Start()))
	}
	return append(out, store.StarPrefix)
}

// run is the work on one message.
type run struct {
	*Service
	job     job.Job
	started time.Time
	report  Report
	feeds   map[string]feedRef     // by the name of their folder; nil until needed
	loosed  []*store.FeedRow       // feeds whose edits made bodies loose
	named   map[string]bool        // icons that feeds name, as of the same look
	hubs    []reader.FeedID        // feeds whose hub there is something to settle with
	users   map[reader.UserID]bool // that are there
	dropped int                    // deltas of feeds that are being removed
	from    int32                  // the day before which all was tidied, and the day up to which it is now
	today0  int32
	whole   bool // each row of every item is looked at, for items are kept longer than they were
}

type feedRef struct {
	id  reader.FeedID
	raw string
}

// each hands the settled blobs of a folder to judge, page by page, and gives false when time ran out: then another
// message goes on behind the last page.
func (r *run) each(ctx context.Context, folder string, judge func(context.Context, []string) error) (bool, error) {
	cursor := ""
	if r.job.After > folder {
		cursor = blob.CursorAfter(r.job.After) // a folder that lies before it answers with nothing
	}
	for {
		page, next, err := r.blobs.List(ctx, folder, cursor, 0)
		if err != nil {
			return false, err
		}
		keys := make([]string, 0, len(page))
		for _, o := range page {
			if !o.Modified.After(r.started.Add(-settled)) {
				keys = append(keys, o.Key)
			}
		}
		r.report.Judged += len(keys)
		if err := judge(ctx, keys); err != nil {
			return false, err
		}
		if next == "" {
			return true, nil
		}
		cursor = next
		if r.late() {
			rest := job.Job{Kind: job.Tidy, Tick: r.job.Tick, After: page[len(page)-1].Key}
			return false, r.queue.Send(ctx, [][]byte{rest.Encode()}, 0)
		}
	}
}

// late tells that another message is to go on.
func (r *run) late() bool { return r.clock.Now().Sub(r.started) > budget }

// remove deletes an orphan.
func (r *run) remove(ctx context.Context, key string) error {
	if err := r.blobs.Delete(ctx, key); err != nil {
		return err
	}
	r.report.Orphans++
	return nil
}
