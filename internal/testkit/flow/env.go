// Package flow is an environment for tests of the whole crawl: a manual clock, a table in memory, a queue that delivers
// late, twice and in any order, publishers that record every request, and processes that can be killed. Everything
// follows from a seed and runs in one goroutine, so a failure can be reproduced.
//
// There are two times: the true one, which publishers use, and the machine's, which may be wrong and be corrected.
package flow

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/orchestrate"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// User is the account that subscribes to everything, the owner.
const User reader.UserID = "u1"

// Env is one installation and the publishers that it crawls. Only the publishers are safe for concurrent use, as a
// crawler may work on several hosts at once.
type Env struct {
	T     testing.TB
	Rand  *rand.Rand
	Clock *clock.Manual // the machine's
	Web   *Web
	Queue *Queue
	Blobs *memblob.Driver
	Mem   *memtable.Driver
	Parts int
	// Parallel is how many hosts each crawler polls at once; with more than one, runs are not reproducible.
	Parallel int

	now   time.Time     // true
	ahead time.Duration // the machine's clock, less the true one
	main  *Process
	store *store.Store
}

// Start is the initial time, at the start of a tick.
var Start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// New returns an environment with one running process and User registered.
func New(t testing.TB, seed uint64, parts int) *Env {
	w := &Env{
		T: t, Rand: rand.New(rand.NewPCG(seed, 0xf10e)), Clock: clock.NewManual(Start), Mem: memtable.New(),
		Blobs: memblob.New(), Parts: parts, Parallel: 1, now: Start,
	}
	w.Web = newWeb(w)
	w.Queue = &Queue{w: w}
	w.store = store.New(table.New(w.Mem, table.Options{Clock: w.Clock, Kind: store.Kind}), w.Clock)
	w.Restart()
	if err := w.Store().Accounts.Create(context.Background(), User,
		store.Account{Email: "a@example.org", Owner: true}); err != nil {
		t.Fatal(err)
	}
	return w
}

// Now returns the true time.
func (w *Env) Now() time.Time { return w.now }

// Tick returns the current tick of the machine's clock.
func (w *Env) Tick() schedule.Tick { return schedule.TickOf(w.Clock.Now()) }

// Advance moves both clocks forward.
func (w *Env) Advance(d time.Duration) {
	w.now = w.now.Add(d)
	w.Clock.Set(w.now.Add(w.ahead))
}

// To advances until a tick of the machine's clock has begun, plus more.
func (w *Env) To(t schedule.Tick, more time.Duration) {
	if d := t.Start().Add(more).Sub(w.Clock.Now()); d > 0 {
		w.Advance(d)
	}
}

// Jump moves the machine's clock relative to the true time.
func (w *Env) Jump(d time.Duration) {
	w.ahead += d
	w.Advance(0)
}

// Process is one running program: its crawler, planner and subscriptions, over the shared stores. After Kill, its
// reads, writes and requests fail.
type Process struct {
	Store     *store.Store
	Crawler   *crawl.Crawler
	Planner   *orchestrate.Orchestrator
	Subscribe *subscribe.Service

	w      *Env
	dead   bool
	before func() // each operation of the table; may kill
}

// Process starts a program. Options that are zero are set from the environment.
func (w *Env) Process(o crawl.Options) *Process {
	p := &Process{w: w}
	driver := faultytable.New(w.Mem, faultytable.Options{Before: func(faultytable.Op) error { return p.alive() }})
	t := table.New(driver, table.Options{
		Clock: w.Clock, Kind: store.Kind, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	p.Store = store.New(t, w.Clock)
	visitor := &visitor{web: w.Web, dead: p.Dead}
	o.Parts, o.Parallel = w.Parts, w.Parallel
	if o.Mover == nil {
		o.Mover = p
	}
	p.Crawler = crawl.New(p.Store, blob.New(w.Blobs), visitor, w.Clock, o)
	p.Planner = orchestrate.New(p.Store, w.Queue, w.Parts, false, nil)
	p.Subscribe = subscribe.New(subscribe.Deps{
		Store: p.Store, Fetch: visitor, Crawler: p.Crawler, Queue: w.Queue, Clock: w.Clock, Files: blob.New(w.Blobs),
		Log: slog.New(slog.DiscardHandler), Parts: w.Parts, Nap: func(ctx context.Context, d time.Duration) error {
			w.Advance(d)
			return ctx.Err()
		},
	})
	return p
}

// MoveFeed implements crawl.Mover.
func (p *Process) MoveFeed(ctx context.Context, row *store.FeedRow, to string) error {
	return p.Subscribe.MoveFeed(ctx, row, to)
}

// Kill ends the process before its next operation.
func (p *Process) Kill() { p.dead = true }

// Before calls f before each operation of the process on the table.
func (p *Process) Before(f func()) { p.before = f }

// Dead reports whether the process was killed.
func (p *Process) Dead() bool { return p.dead }

// Units returns the table units that the process has consumed.
func (p *Process) Units() table.Units { return p.Store.Table().Meter().Snapshot() }

// Restart replaces the main process by a new one with empty caches.
func (w *Env) Restart() {
	w.main = w.Process(crawl.Options{})
}

// Main returns the main process.
func (w *Env) Main() *Process { return w.main }

// Store accesses the table directly: it survives every process and is not metered by them.
func (w *Env) Store() *store.Store { return w.store }

// Feed returns a feed's current row.
func (w *Env) Feed(id reader.FeedID) *store.FeedRow {
	w.T.Helper()
	row, err := w.Store().Feeds.Get(context.Background(), id, true)
	if err != nil {
		w.T.Fatalf("feed %d: %v", id, err)
	}
	return row
}

// Patch changes a feed's row directly.
func (w *Env) Patch(id reader.FeedID, change func(*store.FeedRow)) *store.FeedRow {
	w.T.Helper()
	row, err := w.Store().Feeds.Modify(context.Background(), id, change)
	if err != nil {
		w.T.Fatalf("feed %d: %v", id, err)
	}
	return row
}

// Add subscribes User to an address by discovery.
func (w *Env) Add(url string, o subscribe.Options) *store.FeedRow {
	w.T.Helper()
	f, _, err := w.main.Subscribe.Add(context.Background(), User, url, o)
	if err != nil {
		w.T.Fatalf("add %s: %v", url, err)
	}
	return f
}

// Plan runs the orchestrator for an event of this time; the messages wait in the queue.
func (w *Env) Plan(fired time.Time) []job.Job {
	w.T.Helper()
	jobs, err := w.main.Planner.Run(context.Background(), fired)
	if err != nil {
		w.T.Fatalf("plan: %v", err)
	}
	return jobs
}

// Run processes one message in the main process.
func (w *Env) Run(j job.Job) (crawl.Report, error) {
	return w.main.Crawler.Run(context.Background(), j, w.parts())
}

func (w *Env) parts() int {
	n, err := w.Store().Feeds.Count(context.Background())
	if err != nil {
		w.T.Fatal(err)
	}
	return job.Parts(w.Parts, n)
}

// Turn plans the current tick and runs all its messages, in order of part.
func (w *Env) Turn() crawl.Report {
	w.T.Helper()
	var sum crawl.Report
	for _, j := range w.Plan(w.Clock.Now()) {
		r, err := w.Run(j)
		if err != nil {
			w.T.Fatalf("run of tick %d part %d: %v", j.Tick, j.Part, err)
		}
		sum.Add(r.RunSums)
		sum.Feeds = append(sum.Feeds, r.Feeds...)
		sum.Dropped += r.Dropped
	}
	w.Queue.Clear()
	return sum
}

// Refresh polls a feed as the API's refresh does; when it is too early, it returns the time from which it is allowed.
func (w *Env) Refresh(id reader.FeedID) (crawl.Report, time.Time, error) {
	f := w.Feed(id)
	part := job.PartOf(f.URL, w.parts())
	at, err := w.main.Crawler.NextAllowed(context.Background(), f, part)
	if err != nil || at.After(w.Clock.Now()) {
		return crawl.Report{}, at, err
	}
	r, err := w.Run(job.Job{Kind: job.Refresh, Part: part, Feeds: []reader.FeedID{id}})
	return r, time.Time{}, err
}

// errDead is the error of every operation of a killed process.
var errDead = fault.New(fault.Unavailable, "closed", "flow: the process died", nil)

// IsDead reports whether an error comes from a killed process.
func IsDead(err error) bool { return errors.Is(err, errDead) }

func (p *Process) alive() error {
	if p.before != nil && !p.dead {
		p.before()
	}
	if p.dead {
		return errDead
	}
	return nil
}
