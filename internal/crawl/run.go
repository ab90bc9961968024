package crawl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Report is what a run did.
type Report struct {
	store.RunSums
	Feeds []store.FeedOutcome
	// Dropped says why nothing was polled: "duplicate", "stale"; empty when the run took place.
	Dropped string
}

// task is one feed of a run.
type task struct {
	row *store.FeedRow
	// offTurn feeds were claimed by moving them; the others are on their turn, or polled by the
	// owner's override, and write nothing unless something changed.
	offTurn bool
	// unclaimed feeds are claimed just before they are polled.
	unclaimed bool
}

// run is one pass over feeds of one or more leased parts.
type run struct {
	c        *Crawler
	kind     string
	request  string // what it runs for, for the log
	tick     schedule.Tick
	started  time.Time
	deadline time.Time // zero: none
	meter    *table.Meter
	slots    chan struct{} // taken by the hosts that are at work

	requested bool   // by a person, for a list: feeds keep their turns
	tell      func() // called after each feed; may be nil

	mu     sync.Mutex
	report Report
	quiet  store.QuietHosts // hosts that are to be left alone
	heeded bool             // some of them since this run
	total  int
	plain  []reader.FeedID // had news, and are to be given an icon
	dead   []reader.FeedID // have stopped, and are to be looked for
}

func (c *Crawler) newRun(ctx context.Context, kind string, tick schedule.Tick) *run {
	now := c.clock.Now()
	return &run{c: c, kind: kind, request: logs.Request(ctx), tick: tick, started: now, meter: table.NewMeter()}
}

// until is when the lease of a run begun at this instant lapses.
func (c *Crawler) until(started time.Time) time.Time { return started.Add(c.o.Deadline + leaseSlack) }

// note adds one feed's outcome to the report.
func (r *run) note(o store.FeedOutcome) {
	r.mu.Lock()
	s := &r.report.RunSums
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
	r.report.Feeds = append(r.report.Feeds, o)
	done := len(r.report.Feeds)
	r.mu.Unlock()
	if r.tell != nil {
		r.tell()
	}
	r.c.o.Watch.Polled(Poll{FeedOutcome: o, Request: r.request, Kind: r.kind, Tick: r.tick})
	if r.c.o.Progress != nil {
		r.c.o.Progress(Progress{Done: done, Total: r.total, Outcome: o})
	}
}

func (r *run) countBlob() {
	r.mu.Lock()
	r.report.BlobPuts++
	r.mu.Unlock()
}

// finish closes the sums and puts the run's one row. Its key is computable for scheduled runs, so that
// its absence tells a lost one.
func (r *run) finish(ctx context.Context, part int, job string) error {
	// The row is written even when the caller is going away: a run that polled must be seen.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	s := &r.report.RunSums
	s.Due = len(r.report.Feeds)
	s.Millis = r.c.clock.Now().Sub(r.started).Milliseconds()
	u := r.meter.Snapshot()
	s.TableReads, s.TableWrites = u.TotalReads(), u.TotalWrites()
	r.askOthers(ctx)
	row, err := store.NewRun(r.tick, part, job, r.kind, store.RunDone, r.started, *s, r.report.Feeds)
	if err == nil {
		err = r.c.store.Runs.Put(ctx, row)
	}
	r.c.o.Watch.Ran(Ran{RunSums: *s, Request: r.request, Kind: r.kind, Tick: r.tick, Part: part, Err: err})
	return err
}

// wantIcon notes a feed that had news and whose icon is to be looked for: so a feed that nothing comes of costs
// nothing.
func (r *run) wantIcon(f *store.FeedRow) {
	if r.c.o.Icons == nil || !f.WantsIcon(r.c.clock.Now()) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plain = append(r.plain, f.ID())
}

// wantFind notes a feed that has stopped.
func (r *run) wantFind(f *store.FeedRow) {
	if r.c.o.Finder == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dead = append(r.dead, f.ID())
}

// askOthers sends what others have to do after the run. A message that cannot be sent is no failure of the run: the
// next news asks for an icon again, and a person can have a feed looked for.
func (r *run) askOthers(ctx context.Context) {
	if len(r.plain) > 0 {
		slices.Sort(r.plain)
		if err := r.c.o.Icons.Want(ctx, r.plain); err != nil {
			r.c.o.Log.Warn("icons were not asked for", "feeds", len(r.plain), "error", err)
		}
	}
	if len(r.dead) > 0 {
		slices.Sort(r.dead)
		if err := r.c.o.Finder.WantFind(ctx, r.dead); err != nil {
			r.c.o.Log.Warn("stopped feeds are not looked for", "feeds", len(r.dead), "error", err)
		}
	}
}

// lost settles a tick that was claimed and whose run row is missing: the worker died. The row is
// written with state lost; feeds that would wait long for their next turn get one in an hour, the
// others just wait. Nobody polls twice.
func (c *Crawler) lost(ctx context.Context, part, parts int, old schedule.Tick, now schedule.Tick) error {
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
		if err := c.heal(ctx, f); err != nil {
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

// retryLost gives a feed that would wait long for its next turn one in an hour. The dead run may have
// polled it, so its turn counts as taken, at its latest.
func (c *Crawler) retryLost(ctx context.Context, f *store.FeedRow, lost, now schedule.Tick) error {
	plan, moved := f.Turns().AfterLost(lost, now, c.gap(f))
	if !moved {
		return nil
	}
	_, err := c.store.Feeds.Update(ctx, f.ID(), store.Patch{
		"first": int32(plan.First), "polled": max(f.Polled, lost.Spent().Unix()),
	}, table.IfEqual("first", f.First))
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// heal rolls a delta forward that a dead worker put and did not commit, so that its items need not wait
// for the feed's next change.
func (c *Crawler) heal(ctx context.Context, f *store.FeedRow) error {
	d, err := c.store.Items.Get(ctx, f.ID(), reader.Seq(f.Seq+1))
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	cm := committer{store: c.store, clock: c.clock, keep: c.o.Keep}
	return cm.rollForward(ctx, d, &committed{row: f})
}
