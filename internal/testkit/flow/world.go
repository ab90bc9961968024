// Package flow is a world for tests of the whole crawl: a clock that is turned by hand, a table in memory,
// a queue that delivers late, twice and in any order, publishers that count every visit, and processes
// that die. Everything follows a seed and happens in one goroutine, so a failure can be run again.
//
// The world keeps two times: the true one, by which publishers count, and the machine's, which may be
// wrong and be put right.
package flow

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/crawl/orchestrate"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// User is the reader who subscribes to everything; the owner of the installation.
const User reader.UserID = "u1"

// World is one installation and the publishers it visits. It is not safe for concurrent use, but for
// the publishers when a crawler works on several hosts at once.
type World struct {
	T     testing.TB
	Rand  *rand.Rand
	Clock *clock.Manual // the machine's
	Web   *Web
	Queue *Queue
	Blobs *Blobs
	Mem   *memtable.Driver
	Parts int
	// Parallel hosts of each crawler; more than one is not repeatable.
	Parallel int

	now   time.Time     // true
	ahead time.Duration // the machine's clock, less the true one
	main  *Process
	store *store.Store
}

// Start is when worlds begin: noon of a summer's day, on a tick.
var Start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// New makes a world with its first process running and User registered.
func New(t testing.TB, seed uint64, parts int) *World {
	w := &World{
		T: t, Rand: rand.New(rand.NewPCG(seed, 0xf10e)), Clock: clock.NewManual(Start), Mem: memtable.New(),
		Blobs: NewBlobs(), Parts: parts, Parallel: 1, now: Start,
	}
	w.Web = newWeb(w)
	w.Queue = &Queue{w: w}
	w.store = store.New(table.New(w.Mem, table.Options{Clock: w.Clock, Kind: store.Kind}), w.Clock)
	w.Restart()
	if err := w.Store().Accounts.Create(context.Background(), User, store.Account{Email: "a@example.org", Owner: true}); err != nil {
		t.Fatal(err)
	}
	return w
}

// Now is the true time.
func (w *World) Now() time.Time { return w.now }

// Tick is the machine's present tick.
func (w *World) Tick() schedule.Tick { return schedule.TickOf(w.Clock.Now()) }

// Advance lets time pass.
func (w *World) Advance(d time.Duration) {
	w.now = w.now.Add(d)
	w.Clock.Set(w.now.Add(w.ahead))
}

// To lets time pass until a tick of the machine's clock has begun, and some more.
func (w *World) To(t schedule.Tick, more time.Duration) {
	if d := t.Start().Add(more).Sub(w.Clock.Now()); d > 0 {
		w.Advance(d)
	}
}

// Jump moves the machine's clock against the true time.
func (w *World) Jump(d time.Duration) {
	w.ahead += d
	w.Advance(0)
}

// Process is one running program: its crawler, planner and subscriptions, over the shared stores. A dead
// one reads, writes and requests nothing more.
type Process struct {
	Store     *store.Store
	Crawler   *crawl.Crawler
	Planner   *orchestrate.Orchestrator
	Subscribe *subscribe.Service

	w      *World
	driver *mortal
}

// Process starts a program. Options that are zero get the world's.
func (w *World) Process(o crawl.Options) *Process {
	p := &Process{w: w, driver: &mortal{Driver: w.Mem}}
	t := table.New(p.driver, table.Options{
		Clock: w.Clock, Kind: store.Kind, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	p.Store = store.New(t, w.Clock)
	visitor := &visitor{web: w.Web, dead: p.Dead}
	o.Parts, o.Parallel = w.Parts, w.Parallel
	if o.Mover == nil {
		o.Mover = p
	}
	p.Crawler = crawl.New(p.Store, blob.New(w.Blobs), visitor, w.Clock, o)
	p.Planner = orchestrate.New(p.Store, w.Queue, w.Parts)
	p.Subscribe = subscribe.New(p.Store, visitor, p.Crawler, w.Queue, w.Clock, w.Parts, slog.New(slog.DiscardHandler)).
		WithFiles(blob.New(w.Blobs)).WithNap(func(ctx context.Context, d time.Duration) error {
		w.Advance(d)
		return ctx.Err()
	})
	return p
}

// MoveFeed implements crawl.Mover.
func (p *Process) MoveFeed(ctx context.Context, row *store.FeedRow, to string) error {
	return p.Subscribe.MoveFeed(ctx, row, to)
}

// Kill ends the process at this very step.
func (p *Process) Kill() { p.driver.dead = true }

// Before calls f before each operation of the process on the table.
func (p *Process) Before(f func()) { p.driver.before = f }

// Dead reports whether the process was killed.
func (p *Process) Dead() bool { return p.driver.dead }

// Units is what the process has consumed of the table.
func (p *Process) Units() table.Units { return p.Store.Table().Meter().Snapshot() }

// Restart replaces the main process by a new one, with nothing in memory.
func (w *World) Restart() {
	w.main = w.Process(crawl.Options{})
}

// Main is the running process.
func (w *World) Main() *Process { return w.main }

// Store is what a bystander sees: it survives every process and costs none of them anything.
func (w *World) Store() *store.Store { return w.store }

// Feed reads a feed's row as it is now.
func (w *World) Feed(id reader.FeedID) *store.FeedRow {
	w.T.Helper()
	row, err := w.Store().Feeds.Get(context.Background(), id, true)
	if err != nil {
		w.T.Fatalf("feed %d: %v", id, err)
	}
	return row
}

// Patch changes a feed's row behind everybody's back.
func (w *World) Patch(id reader.FeedID, p store.Patch) *store.FeedRow {
	w.T.Helper()
	row, err := w.Store().Feeds.Update(context.Background(), id, p)
	if err != nil {
		w.T.Fatalf("feed %d: %v", id, err)
	}
	return row
}

// Add subscribes User to an address by discovery.
func (w *World) Add(url string, wish subscribe.Wish) *store.FeedRow {
	w.T.Helper()
	f, _, err := w.main.Subscribe.Add(context.Background(), User, url, wish)
	if err != nil {
		w.T.Fatalf("add %s: %v", url, err)
	}
	return f
}

// Plan orchestrates the tick that an event of this time stands for; the messages wait in the queue.
func (w *World) Plan(fired time.Time) []job.Job {
	w.T.Helper()
	jobs, err := w.main.Planner.Run(context.Background(), fired)
	if err != nil {
		w.T.Fatalf("plan: %v", err)
	}
	return jobs
}

// Run works through one message in the main process.
func (w *World) Run(j job.Job) (crawl.Report, error) {
	return w.main.Crawler.Run(context.Background(), j, w.parts())
}

func (w *World) parts() int {
	n, err := w.Store().Feeds.Count(context.Background())
	if err != nil {
		w.T.Fatal(err)
	}
	return job.Parts(w.Parts, n)
}

// Turn plans the present tick and runs all of its messages, in order of part.
func (w *World) Turn() crawl.Report {
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

// Refresh polls a feed on a person's wish, as the API does; the time from which it is allowed is given
// when it is not yet.
func (w *World) Refresh(id reader.FeedID) (crawl.Report, time.Time, error) {
	f := w.Feed(id)
	part := job.PartOf(f.URL, w.parts())
	at, err := w.main.Crawler.NextAllowed(context.Background(), f, part)
	if err != nil || at.After(w.Clock.Now()) {
		return crawl.Report{}, at, err
	}
	r, err := w.Run(job.Job{Kind: job.Refresh, Part: part, Feeds: []reader.FeedID{id}})
	return r, time.Time{}, err
}

// errDead is what every operation of a dead process gives.
var errDead = fault.New(fault.Unavailable, "closed", "flow: the process died", nil)

// IsDead tells the end of a killed process from other errors.
func IsDead(err error) bool { return errors.Is(err, errDead) }

// mortal is a driver that stops when its process dies, before or after any operation.
type mortal struct {
	table.Driver
	dead bool
	// before, when set, runs before each operation and may kill.
	before func()
}

func (m *mortal) alive() error {
	if m.before != nil && !m.dead {
		m.before()
	}
	if m.dead {
		return errDead
	}
	return nil
}

func (m *mortal) Get(ctx context.Context, k table.Key, c bool) (row table.Row, ok bool, u table.Usage, err error) {
	if err := m.alive(); err != nil {
		return row, false, u, err
	}
	return m.Driver.Get(ctx, k, c)
}

func (m *mortal) BatchGet(ctx context.Context, keys []table.Key, c bool) (rows []table.Row, rest []table.Key, u table.Usage, err error) {
	if err := m.alive(); err != nil {
		return nil, nil, u, err
	}
	return m.Driver.BatchGet(ctx, keys, c)
}

func (m *mortal) Query(ctx context.Context, r table.Range) (rows table.Rows, u table.Usage, err error) {
	if err := m.alive(); err != nil {
		return rows, u, err
	}
	return m.Driver.Query(ctx, r)
}

func (m *mortal) Put(ctx context.Context, p table.PutOp) (u table.Usage, err error) {
	if err := m.alive(); err != nil {
		return u, err
	}
	return m.Driver.Put(ctx, p)
}

func (m *mortal) Delete(ctx context.Context, d table.DeleteOp) (u table.Usage, err error) {
	if err := m.alive(); err != nil {
		return u, err
	}
	return m.Driver.Delete(ctx, d)
}

func (m *mortal) Update(ctx context.Context, o table.UpdateOp) (row table.Row, ok bool, u table.Usage, err error) {
	if err := m.alive(); err != nil {
		return row, false, u, err
	}
	return m.Driver.Update(ctx, o)
}
