// Package simulate lives through days of the reader with a virtual clock: the real orchestrator, crawler and API
// over storage in memory that counts, publishers that change like real ones, and a reader at work. Nothing is
// estimated that a seam can count; only time, which no virtual clock has, comes from the model in the price
// table. Everything follows a seed.
//
// Every process is as cold as it would be in Lambda: the planner and the crawler start anew for each tick, the
// API after a pause of its reader.
package simulate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
)

const (
	warmDays    = 2 // until second turns are spread and paces found
	longDays    = 4 // measured of a small installation, whose days differ
	largeFeeds  = 400
	perReader   = 100  // feeds that one of many readers has
	maxOfReader = 1000 // and the most
	ticksOfDay  = int(24 * time.Hour / schedule.TickLength)
)

// start is a Monday at midnight.
var start = time.Date(2026, 9, 7, 0, 0, 0, 0, time.UTC)

// simulation is one installation and its publishers.
type simulation struct {
	o      cost.Options
	m      cost.Model
	feeds  int // simulated
	scale  float64
	clock  *clock.Manual
	rnd    *rand.Rand // of the publishers
	habits *rand.Rand // of the reader: another habit must not change what is published
	web    *web
	fetch  fetch.Fetcher // web, but in tests
	gauge  *gauge
	blobs  *blob.Bucket
	queue  *queue.Queue
	logs   *counter // of plan and crawl
	said   *counter // of the API
	cfg    config.Config

	plan, crawl, read *table.Table // each role's own meter

	reader  *person
	index   *indexGauge
	crawled int64 // gets of blobs by the crawler
	day     cost.Day
	quarter float64 // write units at the last tick
}

// counter counts bytes and lines of a log.
type counter struct{ bytes, lines int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.lines++
	return len(p), nil
}

// fixedTime gives each line a time of the same length, so that a log weighs the same each time.
func fixedTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.String(slog.TimeKey, "2026-09-07T00:00:00.123456789Z")
	}
	return a
}

// Run simulates and gives the mean day.
func Run(ctx context.Context, o cost.Options, m cost.Model) (*cost.Day, error) {
	w := newSimulation(o, m)
	if err := w.subscribe(ctx); err != nil {
		return nil, err
	}
	warm, days := warmDays, longDays
	if w.feeds > largeFeeds {
		warm, days = 1, 1
	}
	for range warm {
		if err := w.live(ctx, false); err != nil {
			return nil, err
		}
	}
	var first float64
	if o.Views > 0 {
		var err error
		if first, err = w.reader.first(ctx, w.clock.Now()); err != nil {
			return nil, err
		}
	}
	w.day = cost.Day{CrawlWrites: map[string]float64{}, FirstVisit: first}
	w.gauge.hot = map[string]*load{}
	before := w.mark()
	for range days {
		if err := w.live(ctx, true); err != nil {
			return nil, err
		}
	}
	return w.measure(before, float64(days)), nil
}

// exactFeeds is up to how many feeds each one is simulated.
const exactFeeds = 2000

func newSimulation(o cost.Options, m cost.Model) *simulation {
	w := &simulation{o: o, m: m, feeds: o.Feeds, scale: 1, clock: clock.NewManual(start),
		rnd: rand.New(rand.NewPCG(o.Seed, 0xc057)), habits: rand.New(rand.NewPCG(o.Seed, 0x4ead)), logs: &counter{},
		said: &counter{}}
	if shares := (o.Feeds + exactFeeds - 1) / exactFeeds; shares > 1 && !o.Exact {
		// Parts do not know each other: those of a share of the feeds are simulated, and there are so many shares.
		w.feeds = (o.Feeds + shares - 1) / shares
		w.scale = float64(o.Feeds) / float64(w.feeds)
	}
	w.web = newWeb(w.rnd, w.clock.Now, w.feeds, o.News, o.Counts)
	w.fetch = w.web
	w.gauge = newGauge(w.clock)
	w.index = &indexGauge{Driver: memblob.New()}
	w.index.PerRequest = 256 << 10 // as S3
	w.blobs = blob.New(w.index)
	w.queue = queue.New(&messages{clock: w.clock}, queue.Options{})
	w.cfg = config.Config{Parallel: 1, MaxFeeds: 1 << 20, MaxFeedsUser: 1 << 20, BaseURL: "https://reader.example",
		Search: cmp.Or(o.Search, "titles")}
	w.plan, w.crawl, w.read = w.table(), w.table(), w.table()
	return w
}

func (w *simulation) table() *table.Table {
	return table.New(w.gauge, table.Options{
		Clock: w.clock, Kind: store.Kind, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
}

// process starts a program over a role's table, with nothing in its memory.
func (w *simulation) process(t *table.Table, logs io.Writer) *wire.App {
	log := slog.New(slog.NewJSONHandler(logs, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: fixedTime}))
	return wire.Build(w.cfg, "simulation", wire.Seams{
		Shrink: iconwire.Shrink,
		Table:  t, Blobs: w.blobs, Queue: w.queue, Clock: w.clock, Log: log, Secure: true, Billed: true, Fetch: w.fetch,
	})
}

// subscribe registers readers, subscribes them and crawls everything for the first time.
func (w *simulation) subscribe(ctx context.Context) error {
	app := w.process(w.table(), io.Discard)
	owner, err := app.Auth.EnsureOwner(ctx)
	if err != nil {
		return err
	}
	if w.o.Counts {
		if err := app.Popular.Switch(ctx, true); err != nil {
			return err
		}
	}
	mine := min(w.feeds, max(perReader, min(w.o.Feeds/max(1, w.o.Users), maxOfReader)))
	user, others := owner.ID(), reader.UserID("")
	urls := map[reader.FeedID]string{}
	for i, p := range w.web.all {
		if i >= mine && (i-mine)%perReader == 0 {
			// Feeds that the reader at work does not have belong to readers who are away.
			if others, err = app.Auth.AddUser(ctx, fmt.Sprintf("away%d@example.org", i), "", false); err != nil {
				return err
			}
		}
		if i >= mine {
			user = others
		}
		f, err := app.Store.Feeds.Ensure(ctx, p.url, func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: string(reader.StatusWaiting)}
		})
		if err != nil {
			return err
		}
		options := subscribe.Options{}
		if w.o.Interval != schedule.DefaultInterval {
			options.Interval = int32(w.o.Interval / time.Minute)
		}
		if _, err := app.Subscribe.Attach(ctx, user, f, options); err != nil {
			return err
		}
		urls[f.ID()] = p.url
	}
	w.reader = &person{id: owner.ID(), w: w, tags: map[string]string{}, kept: map[string]string{}}
	parts, err := app.Parts(ctx)
	if err != nil {
		return err
	}
	for _, j := range job.Group(job.First, parts, urls) {
		if err := app.Worker().Handle(ctx, queue.Message{Body: j.Encode()}); err != nil {
			return err
		}
	}
	return w.age(ctx, app)
}

// age makes an installation of a day look like one of months: a feed's row remembers what left its listing for
// 30 days, so those of busy publishers are large.
func (w *simulation) age(ctx context.Context, app *wire.App) error {
	today := int(w.clock.Now().Sub(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
	return app.Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		p := w.web.byURL[f.URL]
		known := store.Known(f.Known)
		gone := make([]store.KnownItem, 0, 16)
		for day := today - store.KnownDays; day < today; day++ {
			for n := p.rate * batchMean; n > 0; n-- {
				if n >= 1 || w.rnd.Float64() < n {
					gone = append(gone, store.KnownItem{Identity: w.rnd.Uint64() >> 16, Content: w.rnd.Uint32() >> 8})
				}
			}
			known, gone = known.Merge(gone, uint16(day)), gone[:0]
		}
		known, forgot := known.Merge(nil, uint16(today)).Forget(make([]store.KnownItem, listed))
		_, err := app.Store.Feeds.Modify(ctx, f.ID(), func(f *store.FeedRow) { f.Known, f.Forgot = known, forgot })
		return err
	})
}

// live is one day: ticks as the schedule fires, and the reader's visits between them.
func (w *simulation) live(ctx context.Context, awake bool) error {
	midnight := w.clock.Now().Truncate(24 * time.Hour)
	var visits []time.Time
	if awake {
		visits = w.visits(midnight)
	}
	var timers []timer
	every := max(1, int(w.o.Tick/schedule.TickLength))
	for t := 0; t < ticksOfDay; t++ {
		begins := midnight.Add(time.Duration(t) * schedule.TickLength)
		for {
			if len(timers) > 0 && timers[0].at.Before(begins) {
				next := timers[0]
				timers = timers[1:]
				w.clock.Set(next.at)
				if err := w.reader.does(ctx, next); err != nil {
					return err
				}
				continue
			}
			if len(timers) > 0 || len(visits) == 0 || !visits[0].Before(begins) {
				break
			}
			at, until := visits[0], visits[0].Add(stay)
			if visits = visits[1:]; len(visits) > 0 && visits[0].Before(until) {
				until = visits[0]
			}
			w.clock.Set(at)
			if err := w.reader.visit(ctx, at); err != nil {
				return err
			}
			timers = w.reader.timers(at, until)
		}
		w.clock.Set(begins.Add(5 * time.Second))
		_, items := w.web.publish()
		w.day.Published += float64(items)
		if t%every == 0 {
			if err := w.tick(ctx); err != nil {
				return err
			}
		}
		units := w.written()
		w.day.PeakWriteRate = max(w.day.PeakWriteRate, units-w.quarter)
		w.quarter = units
	}
	w.clock.Set(midnight.Add(24 * time.Hour))
	return nil
}

func (w *simulation) written() float64 {
	sum := 0.0
	for _, t := range []*table.Table{w.plan, w.crawl, w.read} {
		sum += t.Meter().Snapshot().TotalWrites()
	}
	return sum
}

// visits are the instants of a day at which the reader comes: between seven and eleven at night.
func (w *simulation) visits(midnight time.Time) []time.Time {
	at := make([]time.Time, w.o.Views)
	for i := range at {
		at[i] = midnight.Add(7*time.Hour + time.Duration(w.habits.Float64()*float64(16*time.Hour)))
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// tick is one firing of the schedule: plan, send, and work through what was sent.
func (w *simulation) tick(ctx context.Context) error {
	w.day.Ticks++
	w.gauge.parts = w.scale
	defer func() { w.gauge.parts = 1 }()
	fired := w.clock.Now().Truncate(schedule.TickLength)
	before := w.plan.Meter().Snapshot()
	sent := w.queue.Meter().Snapshot().Sends
	planner := w.process(w.plan, w.logs)
	jobs, err := planner.Orchestrator.Run(ctx, fired)
	if err != nil {
		return err
	}
	planner.Log.Info("tick", "scheduled", fired, "messages", len(jobs)) // the line of awsrun.Orchestrate
	asked := w.plan.Meter().Snapshot()
	sends := w.queue.Meter().Snapshot().Sends - sent
	planned := time.Duration(float64(asked.RowsRead-before.RowsRead)*w.m.PlanRowMicros) * time.Microsecond
	w.day.Orchestrator = w.day.Orchestrator.Plus(cost.Function{
		Invocations: 1, ColdStarts: 1,
		Seconds: (w.m.Start() + w.m.TableTime(asked.ReadOps-before.ReadOps) + w.m.QueueTime(sends) + planned).Seconds(),
	})
	for {
		ds, err := w.queue.Receive(ctx, 1, 0)
		if err != nil {
			return err
		}
		if len(ds) == 0 {
			return nil
		}
		if err := w.work(ctx, ds[0]); err != nil {
			return err
		}
	}
}
