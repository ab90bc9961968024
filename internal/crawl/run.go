package crawl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
)

// Report is the outcome of a run.
type Report struct {
	store.RunSums
	Feeds []store.FeedOutcome
	// Dropped says why nothing was polled: "duplicate", "stale"; empty when the run took place.
	Dropped string
}

// task is one feed of a run.
type task struct {
	id   reader.FeedID
	host string
	// One of these; open returns the row.
	row    *store.FeedRow
	packed *store.PackedFeed
	// unclaimed feeds are claimed just before they are polled.
	unclaimed bool
}

func newTask(f *store.FeedRow, unclaimed bool) task {
	return task{id: f.ID(), host: fetch.HostOf(f.URL), row: f, unclaimed: unclaimed}
}

func (k *task) open() *store.FeedRow {
	if k.row != nil {
		return k.row
	}
	return k.packed.Row()
}

// run is one pass over feeds of one or more leased parts.
type run struct {
	c        *Crawler
	kind     string
	request  string // the id of the message or request, for the log
	tick     schedule.Tick
	started  time.Time
	deadline time.Time // zero: none
	meter    *table.Meter
	slots    chan struct{} // bounds the hosts that are polled at once

	requested bool   // a user refreshed a list: feeds keep their turns
	progress  func() // called after each feed; may be nil

	mu       sync.Mutex
	report   Report
	waits    store.HostWaits // hosts that asked not to be polled until a time
	newWaits bool            // some of them were added by this run
	total    int
	brought  int             // items that are new or edited
	needIcon []reader.FeedID // an icon is to be searched
	stopped  []reader.FeedID // a new address is to be searched
	troubled []reader.FeedID // feeds that have stopped, and watches that have a problem, to be told
	pages    *pages.Run      // nil for a run without polls
}

// newRun begins a run. The context meters its use of the table.
func (c *Crawler) newRun(ctx context.Context, kind string, tick schedule.Tick) (context.Context, *run) {
	r := &run{
		c: c, kind: kind, request: logs.Request(ctx), tick: tick, started: c.clock.Now(), meter: table.NewMeter(),
		waits: store.HostWaits{},
	}
	return table.WithMeter(ctx, r.meter), r
}

// until returns when the lease of a run that begins at an instant expires.
func (c *Crawler) until(started time.Time) time.Time { return started.Add(c.o.Deadline + leaseSlack) }

// note adds one feed's outcome to the report.
func (r *run) note(o store.FeedOutcome) {
	r.mu.Lock()
	count(&r.report.RunSums, &o)
	kept := o
	kept.Host = "" // it would keep the memory of the row
	r.report.Feeds = append(r.report.Feeds, kept)
	done := len(r.report.Feeds)
	r.mu.Unlock()
	if r.progress != nil {
		r.progress()
	}
	r.c.o.Observer.Polled(Poll{FeedOutcome: o, Request: r.request, Kind: r.kind, Tick: r.tick})
	if r.c.o.Progress != nil {
		r.c.o.Progress(done, r.total)
	}
}

// noteCommit counts the blobs of a commit and notes the jobs that follow. An icon is searched for feeds with news only,
// so that the others cost nothing.
func (r *run) noteCommit(f *store.FeedRow, done *committed, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.BlobPuts += done.blobs
	r.brought += done.added + done.edited
	if err != nil {
		return
	}
	if done.stopped || done.row.IsSuspect() && !f.IsSuspect() {
		r.troubled = append(r.troubled, f.ID())
	}
	if done.row.IsWatch() {
		return // no icon, and no other address: its host is asked for nothing but the page
	}
	if done.stopped {
		r.stopped = append(r.stopped, done.row.ID())
	}
	if done.news && done.wrote && done.row.WantsIcon(r.c.clock.Now()) {
		r.needIcon = append(r.needIcon, done.row.ID())
	}
}

// count adds one feed's outcome to the sums of a run.
func count(s *store.RunSums, o *store.FeedOutcome) {
	switch o.Outcome {
	case string(reader.OutcomeNotModified):
		s.NotModified++
	case string(reader.OutcomeUnchanged):
		s.Unchanged++
	case string(reader.OutcomeChanged):
		s.Changed++
	case string(reader.OutcomeTruncated):
		// In the sums by what it brought.
		if o.New > 0 {
			s.Changed++
		} else {
			s.Unchanged++
		}
	case string(reader.OutcomeFailed):
		s.Failed++
	case string(reader.OutcomeDeferred):
		s.Deferred++
	case string(reader.OutcomeSkipped):
		s.Skipped++
	case string(reader.OutcomeLost):
		s.Lost++
	}
	if reader.Outcome(o.Outcome).Polled() {
		s.Polled++
	}
	s.NewItems += o.New
	s.Bytes += o.Bytes
}

// finish stores what hosts asked for, sends the jobs that follow, and puts the run's one row. Its key is computable for
// scheduled runs, so that its absence shows a lost one. The run has so many parts, from the first.
func (r *run) finish(ctx context.Context, part, parts int, job string) error {
	// All of it is written even when the caller is going away: a run that polled must be seen.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	r.saveHostWaits(ctx, part, parts)
	s := &r.report.RunSums
	s.Due = len(r.report.Feeds)
	s.Millis = r.c.clock.Now().Sub(r.started).Milliseconds()
	u := r.meter.Snapshot()
	s.TableReads, s.TableWrites = u.TotalReads(), u.TotalWrites()
	r.sendFollowUps(ctx)
	row, err := store.NewRun(r.tick, part, job, r.kind, store.RunDone, r.started, *s, r.report.Feeds)
	if err == nil {
		err = r.c.store.Runs.Put(ctx, row)
	}
	r.c.o.Observer.Ran(Ran{RunSums: *s, Request: r.request, Kind: r.kind, Tick: r.tick, Part: part, Err: err})
	return err
}

// sendFollowUps sends the jobs that follow from the run. A message that cannot be sent does not fail the run: the next
// news asks for an icon again, and a user can start the search for an address.
func (r *run) sendFollowUps(ctx context.Context) {
	if r.c.o.Queue == nil {
		return
	}
	r.askForIndex(ctx)
	if r.pages != nil {
		r.pages.Send(ctx, r.waits)
	}
	for _, x := range []job.Job{{Kind: job.Icon, Feeds: r.needIcon}, {Kind: job.Relocate, Feeds: r.stopped},
		{Kind: job.Trouble, Feeds: r.troubled}} {
		slices.Sort(x.Feeds)
		for some := range slices.Chunk(x.Feeds, feedsPerJob) {
			if err := job.Send(ctx, r.c.o.Queue, 0, job.Job{Kind: x.Kind, Feeds: some}); err != nil {
				r.c.o.Log.Warn("a job that follows from a run was not sent", "kind", x.Kind, "feeds",
					len(some), "error", err)
			}
		}
	}
}

// indexApart is the least time between two jobs for the index: many runs poll a single feed.
const indexApart = 15 * time.Second

// askForIndex sends the job that indexes the run's items, unless one that was sent before is still to come.
func (r *run) askForIndex(ctx context.Context) {
	c := r.c
	if c.o.IndexFrom == 0 || r.brought < c.o.IndexFrom {
		return
	}
	now, last := c.clock.Now().Unix(), c.asked.Load()
	due := max(now+int64(c.o.IndexAfter/time.Second), last+int64(indexApart/time.Second))
	if last > now || !c.asked.CompareAndSwap(last, due) {
		return
	}
	if err := job.Send(ctx, c.o.Queue, time.Duration(due-now)*time.Second, job.Job{Kind: job.Index}); err != nil {
		c.asked.Store(last)
		c.o.Log.Warn("a job that follows from a run was not sent", "kind", job.Index, "error", err)
	}
}

// feedsPerJob bounds the feeds of a job that follows from a run.
const feedsPerJob = 500

// closeLostRun handles a claimed tick without a run row: its worker died. It writes the row with state lost. Feeds with
// long periods get a turn in an hour, the others wait for their next one; none is polled twice.
func (c *Crawler) closeLostRun(ctx context.Context, part, parts int, old schedule.Tick, now schedule.Tick) error {
	_, err := c.store.Runs.Get(ctx, old, part)
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	var feeds []store.FeedOutcome
	err = c.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if !f.Live() || !f.Turns().HasTurn(old) || partOf(f, parts) != part {
			return nil
		}
		feeds = append(feeds, store.FeedOutcome{Feed: uint32(f.ID()), Outcome: string(reader.OutcomeLost)})
		if err := c.commitOrphan(ctx, f); err != nil {
			return err
		}
		return c.retryLost(ctx, f, old, now)
	})
	if err != nil {
		return err
	}
	row, err := store.NewRun(old, part, "", store.RunScheduled, store.RunLost, old.Start(),
		store.RunSums{Due: len(feeds), Lost: len(feeds)}, feeds)
	if err != nil {
		return err
	}
	c.o.Log.Warn("a run was lost", "tick", int(old), "part", part, "feeds", len(feeds))
	return c.store.Runs.PutLost(ctx, row)
}

// retryLost gives a feed with a long period a turn in an hour. The lost run may have polled it, so its turn counts as
// taken.
func (c *Crawler) retryLost(ctx context.Context, f *store.FeedRow, lost, now schedule.Tick) error {
	plan, moved := f.Turns().AfterLost(lost, now, schedule.Gap(inputs(f.Turns(), f, c.clock.Now())))
	if !moved {
		return nil
	}
	next := *f
	next.First, next.Polled = int32(plan.First), max(f.Polled, lost.Spent().Unix())
	_, err := c.store.Feeds.Change(ctx, f, &next, store.SameFirst)
	return fault.Ignore(err, fault.Conflict)
}

// commitOrphan commits a delta that a dead worker wrote and did not commit, so that its items do not wait for the
// feed's next change.
func (c *Crawler) commitOrphan(ctx context.Context, f *store.FeedRow) error {
	d, err := c.store.Items.Get(ctx, f.ID(), reader.Seq(f.Seq+1))
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	return c.rollForward(ctx, d, &committed{row: f})
}
