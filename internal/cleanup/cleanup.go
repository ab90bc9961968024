// Package cleanup removes, once a day, what is no longer needed:
//   - orphaned blobs, which no row names because of a crash between the writes of blob and row (orphans.go)
//   - blobs past their retention, where no lifecycle of the bucket removes them (expire.go)
//   - items past their retention (retention.go)
//   - feeds that nobody subscribes to (removefeed.go)
//   - old changes of watches, by folding them, where no look at the page has done that (feeds.go)
//   - segments that the index of searches does not name, and the index where searches are off (search.go)
//
// Expired rows are removed by the table itself.
//
// A run may be repeated, run twice at the same time, and end at any step: only the day up to which everything is done
// is stored, at the end. A blob is removed only if a consistent read shows that no row names it, and if no row can name
// it later: a raw body's key contains its day and a star's its millisecond, so that no key is used again.
package cleanup

import (
	"context"
	"log/slog"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// budget is the time for one message; another message continues with the rest.
	budget = 60 * time.Second
	// gracePeriod is how old an unreferenced blob must be to count as an orphan: a poll writes its row within seconds,
	// a star within the time of a request.
	gracePeriod = time.Hour
	// RawDays is how long raw bodies are kept: longer than the items that need them.
	RawDays = 200
	// overlap is how many days before the last completed one are checked again: a machine whose clock was behind may
	// have written there since.
	overlap = 2
	// manyDays is the number of days above which one listing of everything is cheaper than one of each day.
	manyDays = 60
)

// Service runs the cleanup.
type Service struct {
	store *store.Store
	blobs *blob.Bucket
	queue job.Sender
	clock clock.Clock
	log   *slog.Logger
	o     Options
}

// Options of the service; zero values mean the defaults named.
type Options struct {
	// Expire removes blobs past their retention. Off where the bucket's lifecycle does.
	Expire bool
	// Keep is how many days items are kept; store.KeepDays.
	Keep int
	// Unsubscribed is after how many days a feed without subscribers is removed; UnsubscribedDays.
	Unsubscribed int
	// NoSearch says that there are no searches: no index is kept.
	NoSearch bool
	// HubDue reports whether a feed's hub has to be asked for something; nil when there are no hubs.
	HubDue func(f *store.FeedRow) bool
	// Recount updates a feed's row from the rows of its subscribers; required.
	Recount func(ctx context.Context, f reader.FeedID) error
	// FoldWatch folds old changes of a watch before they expire; required where there are watches.
	FoldWatch func(ctx context.Context, f *store.FeedRow) error
}

// UnsubscribedDays is the number of days after which a feed without subscribers is removed (C-12, R-129).
const UnsubscribedDays = 7

// New makes the service.
func New(s *store.Store, b *blob.Bucket, q job.Sender, c clock.Clock, log *slog.Logger, o Options) *Service {
	if o.Keep <= 0 {
		o.Keep = store.KeepDays
	}
	if o.Unsubscribed <= 0 {
		o.Unsubscribed = UnsubscribedDays
	}
	return &Service{store: s, blobs: b, queue: q, clock: c, log: log, o: o}
}

// Report counts the work of a run.
type Report struct {
	Judged  int // blobs checked
	Orphans int // blobs removed because no row names them
	Expired int // blobs removed for their age
	Floors  int // feeds whose oldest items were removed
	Removed int // feeds without subscribers that were removed
	// Done says that the day's cleanup is complete, by this run or an earlier one.
	Done bool
}

// Run handles one message of the nightly cleanup.
func (s *Service) Run(ctx context.Context, j job.Job) (Report, error) {
	r := s.newRun(j)
	today := schedule.DayOf(schedule.TickOf(r.started))
	lease, err := s.store.Leases.Get(ctx, 0)
	if err != nil || lease.Cleaned >= today {
		return Report{Done: err == nil}, err
	}
	r.from, r.until, r.isFullPass = lease.Cleaned, today, int(lease.Kept) < s.o.Keep
	if done, err := r.allBlobs(ctx); err != nil || !done {
		return r.report, err
	}
	if done, err := r.allFeeds(ctx); err != nil || !done {
		return r.report, err
	}
	// another run was as far
	err = fault.Ignore(s.store.Leases.MarkCleaned(ctx, today, int32(s.o.Keep)), fault.Conflict)
	r.report.Done = err == nil
	return r.report, err
}

// allBlobs removes the blobs that are no longer needed. It returns false when the time ran out.
func (r *run) allBlobs(ctx context.Context) (bool, error) {
	if _, feeds := feedAfter(r.job.After); feeds {
		return true, nil // an earlier message has checked them
	}
	for _, folder := range r.folders() {
		check := r.removeOrphanedRaws
		if folder == store.StarPrefix {
			check = r.removeOrphanedStars
		}
		if done, err := r.checkFolder(ctx, folder, check); err != nil || !done {
			return false, err
		}
	}
	if err := r.removeUnusedIcons(ctx); err != nil {
		return false, err
	}
	if err := r.cleanIndex(ctx); err != nil {
		return false, err
	}
	if err := r.removeLoose(ctx); err != nil || !r.o.Expire {
		return err == nil, err
	}
	return true, r.expireBlobs(ctx)
}

// folders lists what is checked for orphans, in the order of keys: the days from the last completed one to yesterday,
// then the stars.
func (r *run) folders() []string {
	from := max(r.from-overlap, 0)
	if r.from == 0 || r.until-from > manyDays {
		return []string{store.RawPrefix, store.StarPrefix}
	}
	var out []string
	for d := from; d < r.until; d++ {
		out = append(out, store.RawDay(startOfDay(d)))
	}
	return append(out, store.StarPrefix)
}

// startOfDay returns when a day begins that is counted as by schedule.DayOf.
func startOfDay(day int32) time.Time { return schedule.Tick(day * int32(schedule.TicksPerDay)).Start() }

// run is the work on one message.
type run struct {
	*Service
	job     job.Job
	started time.Time
	report  Report
	feeds   map[string]feedRef     // by the name of their folder; nil until loaded
	loose   []*store.FeedRow       // feeds with bodies that edits made unreferenced, as loaded
	icons   map[string]bool        // that feeds name, as loaded
	hubs    []reader.FeedID        // feeds whose hub has to be asked for something
	users   map[reader.UserID]bool // that are known to exist
	dropped int                    // deltas of feeds that are being removed
	from    int32                  // the day up to which an earlier run was complete
	until   int32                  // today
	// isFullPass visits every feed and row, because items are kept longer than at the last run.
	isFullPass bool
}

func (s *Service) newRun(j job.Job) *run {
	return &run{Service: s, started: s.clock.Now(), job: j, users: map[reader.UserID]bool{}}
}

type feedRef struct {
	id  reader.FeedID
	raw string
}

// checkFolder calls check with the blobs of a folder that are older than the grace period, page by page. It returns
// false when the time ran out; another message then continues after the last page.
func (r *run) checkFolder(ctx context.Context, folder string, check func(context.Context, []string) error) (done bool,
	err error) {
	after := ""
	if r.job.After > folder { // earlier folders have no keys after it
		after = r.job.After
	}
	done = true
	err = r.eachPage(ctx, folder, after, func(page []blob.Object, isLast bool) (bool, error) {
		keys := make([]string, 0, len(page))
		for _, o := range page {
			if !o.Modified.After(r.started.Add(-gracePeriod)) {
				keys = append(keys, o.Key)
			}
		}
		r.report.Judged += len(keys)
		if err := check(ctx, keys); err != nil || isLast || !r.isOverBudget() {
			return true, err
		}
		done = false
		rest := job.Job{Kind: job.Cleanup, Tick: r.job.Tick, After: page[len(page)-1].Key}
		return false, job.Send(ctx, r.queue, 0, rest)
	})
	return done && err == nil, err
}

// eachPage calls each with the pages of a folder's blobs after a key, until it returns false.
func (r *run) eachPage(ctx context.Context, folder, after string,
	each func(page []blob.Object, isLast bool) (more bool, err error)) error {
	cursor := ""
	if after != "" {
		cursor = blob.CursorAfter(after)
	}
	for {
		page, next, err := r.blobs.List(ctx, folder, cursor, 0)
		if err != nil {
			return err
		}
		if more, err := each(page, next == ""); err != nil || !more || next == "" {
			return err
		}
		cursor = next
	}
}

// isOverBudget reports whether another message should continue.
func (r *run) isOverBudget() bool { return r.clock.Now().Sub(r.started) > budget }

// removeOrphans deletes blobs and counts them.
func (r *run) removeOrphans(ctx context.Context, keys ...string) error {
	for _, key := range keys {
		if err := r.blobs.Delete(ctx, key); err != nil {
			return err
		}
		r.report.Orphans++
	}
	return nil
}
