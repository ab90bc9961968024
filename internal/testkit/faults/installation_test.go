// Package faults runs whole installations of the reader with faults injected everywhere: processes die between any two
// steps, services refuse, or time out before or after an operation took effect, batches are accepted in part, reads are
// stale, messages come twice and out of order, clocks are skewed, publishers change during a response. A fault-free
// model records what readers got acknowledged; in the end an oracle compares the installation with it.
//
// Everything runs in one goroutine and follows from one seed, so a failure can be reproduced.
package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// Backend is where an installation runs.
type Backend string

// The backends. In the cloud each function has its own processes, reads may be stale, and package lambda receives the
// messages; on one machine a single process does everything, with consistent reads and the queue's own loop.
const (
	Cloud   Backend = "cloud"
	Machine Backend = "machine"
)

// Options of an installation.
type Options struct {
	Backend Backend
	Seed    uint64
	Plan    Plan
	Tally   *Tally
	// Sabotage, when set, reports for each write whether it is skipped although it reports success, which the oracle
	// must notice.
	Sabotage func(op string, k table.Key, set []table.Assign) bool
	// Double, when set, is called after each row that was put, and may put more.
	Double func(ctx context.Context, d table.Driver, row table.Row)
}

// Installation is an installation with its publishers and readers.
type Installation struct {
	*flow.Env
	o      Options
	inj    *injector
	script *rand.Rand
	queue  *memQueue
	laggy  table.Driver
	role   string
	depth  int

	planner, crawler, api [2]*process // the second of each runs during a step of the first
	observer              *process    // reads and writes without faults

	users   []*user
	told    map[string]map[string]bool // deliveries, by reader and item
	older   map[string]*version
	poison  map[string]string // reasons of poison messages, by body
	pending []tickEvent
	errs    []string
	deaths  int
}

type version struct {
	etag string
	body []byte
}

type tickEvent struct{ at, fired time.Time }

// process is one running program, or one warm instance of a function.
type process struct {
	w        *Installation
	dead     bool
	hopeless bool // its message always fails
	app      *wire.App
	handler  func() http.Handler
	queue    *queue.Queue
}

func (p *process) kill() {
	p.dead = true
	p.w.deaths++
}

// New returns an installation without publishers and readers.
func New(t testing.TB, o Options) *Installation {
	w := &Installation{
		Env: flow.New(t, o.Seed, 2), o: o, script: rand.New(rand.NewPCG(o.Seed, 0x5c217)),
		older: map[string]*version{}, poison: map[string]string{}, told: map[string]map[string]bool{},
	}
	w.Blobs.Clock = w.Clock
	if o.Tally == nil {
		w.o.Tally = NewTally()
	}
	w.inj = &injector{plan: o.Plan, rnd: rand.New(rand.NewPCG(o.Seed, 0xfa17)), tally: w.o.Tally, off: true}
	w.queue = &memQueue{clock: w.Clock}
	f := faultytable.Options{Seed: o.Seed, Quiet: func() bool { return w.inj.off || w.inj.spare }, Played: w.lagged}
	if o.Backend == Cloud && o.Plan.Rate > 0 {
		f.Stale, f.Short, f.Unprocessed = o.Plan.Rate, o.Plan.Rate, o.Plan.Rate
	}
	w.laggy = faultytable.New(w.Mem, f)
	w.observer = w.process(false)
	return w
}

var laggards = map[string]Kind{"stale": Stale, "short": ShortPage, "unprocessed": Unprocessed}

func (w *Installation) lagged(name string) { w.o.Tally.Add(w.role+": read", laggards[name]) }

// process starts a program, with or without faults.
func (w *Installation) process(isFaulty bool) *process {
	p := &process{w: w}
	var clk clock.Clock = w.Clock
	var td table.Driver = w.Mem
	var bd blob.Driver = w.Blobs
	var qd queue.Driver = w.queue
	fetcher := w.Visitor(func() bool { return p.dead })
	if isFaulty {
		if w.inj.chance(0.2) {
			clk = skewed{w.Clock, time.Duration(w.inj.rnd.IntN(481)-240) * time.Second}
			w.o.Tally.Add("process: start", Skew)
		}
		td = tables{w.laggy, p}
		if w.o.Backend == Machine {
			td = logged{tables{w.Mem, p}, w.Mem}
		}
		bd, qd, fetcher = blobs{w.Blobs, p}, queues{w.queue, p}, visitor{fetcher, p}
	}
	sleep := func(ctx context.Context, _ time.Duration) error {
		w.Advance(100 * time.Millisecond)
		return ctx.Err()
	}
	p.queue = queue.New(qd, queue.Options{Sleep: sleep})
	p.app = wire.Build(config.Config{Search: string(search.Bodies), Parts: w.Parts, Parallel: 1,
		MaxFeeds: subscribe.OwnerCap, MaxFeedsUser: subscribe.UserCap}, "faults", wire.Seams{
		Shrink: iconwire.Shrink,
		Table:  table.New(td, table.Options{Clock: clk, Kind: store.Kind, Sleep: sleep}), Blobs: blob.New(bd),
		Queue: p.queue,
		Clock: clk, Log: slog.New(slog.DiscardHandler), Secure: w.o.Backend == Cloud, Billed: w.o.Backend == Cloud,
		ExpireBlobs: w.o.Backend == Machine, Fetch: fetcher,
	})
	// A host is locked by a dead process until its lease ends; waiting for it advances the clock.
	p.app.Subscribe.Concurrency = 1
	p.app.Subscribe.Nap = func(ctx context.Context, d time.Duration) error {
		w.Advance(d)
		return ctx.Err()
	}
	p.app.Search.Serially()
	p.app.Explore.Serially()
	p.handler = sync.OnceValue(p.app.Handler) // most processes handle messages alone
	return p
}

type skewed struct {
	clock.Clock
	by time.Duration
}

func (s skewed) Now() time.Time { return s.Clock.Now().Add(s.by) }

// instance returns a living process of a role, and starts it if needed. On one machine all roles share one.
func (w *Installation) instance(slots *[2]*process) *process {
	i := 0
	if w.o.Backend == Machine {
		slots = &w.crawler
	} else if w.depth > 0 {
		i = 1
	}
	if slots[i] == nil || slots[i].dead {
		slots[i] = w.process(true)
	}
	return slots[i]
}

// as runs f in a role.
func (w *Installation) as(role string, f func()) {
	before := w.role
	w.role = role
	f()
	w.role = before
}

func (w *Installation) fail(format string, args ...any) {
	if len(w.errs) < 20 {
		w.errs = append(w.errs, fmt.Sprintf(format, args...))
	}
}

// storm injects faults of the whole installation.
func (w *Installation) storm() {
	if w.inj.chance(0.02) {
		w.planner, w.crawler, w.api = [2]*process{}, [2]*process{}, [2]*process{}
		w.o.Tally.Add("process: all start anew", ColdStorm)
	}
	if w.o.Backend == Machine && w.inj.chance(0.004) {
		w.Jump(time.Duration(w.inj.rnd.IntN(41)-20) * time.Minute)
		w.o.Tally.Add("machine: clock leaps", Skew)
	}
	if w.inj.chance(0.01) {
		w.send(`{"kind":"nobody knows","n":`+strconv.Itoa(len(w.poison))+`}`, "unknown_message_kind")
	}
	if w.inj.chance(0.005) {
		w.send("no JSON "+strconv.Itoa(len(w.poison)), "bad_message")
	}
	if w.inj.chance(0.005) {
		w.send(`{"kind":"first","part":`+strconv.Itoa(700+len(w.poison))+`,"feeds":["1"]}`, "hopeless")
	}
}

// Poison sends one poison message of each kind.
func (w *Installation) Poison() {
	w.send(`{"kind":"nobody knows"}`, "unknown_message_kind")
	w.send("no JSON", "bad_message")
	w.send(`{"kind":"first","part":700,"feeds":["1"]}`, "hopeless")
}

// send sends a poison message.
func (w *Installation) send(body, reason string) {
	w.poison[body] = reason
	w.o.Tally.Add("queue: message", Poison)
	if _, err := w.queue.Send(context.Background(), [][]byte{[]byte(body)}, 0); err != nil {
		w.T.Fatal(err)
	}
}

// meanwhile runs something else between two steps of a process.
func (w *Installation) meanwhile(p *process) {
	if w.depth > 0 || w.o.Plan.Rate <= 0 || w.o.Backend == Machine && strings.HasPrefix(w.role, "api") ||
		!w.inj.chance(0.006) {
		return
	}
	w.depth++
	spare := w.inj.spare
	defer func() { w.depth, w.inj.spare = w.depth-1, spare }()
	w.o.Tally.Add(w.role, Interleaved)
	switch w.inj.rnd.IntN(4) {
	case 0:
		w.act()
	case 1:
		w.tick(w.Clock.Now())
	default:
		w.deliver(1)
	}
}

// tick fires the schedule.
func (w *Installation) tick(fired time.Time) {
	w.as("orchestrator", func() {
		p := w.instance(&w.planner)
		event, err := json.Marshal(lambda.Tick{ScheduledTime: fired})
		if err != nil {
			w.T.Fatal(err)
		}
		err = lambda.Orchestrate(p.app)(context.Background(), event)
		if err != nil && w.inj.off {
			w.fail("planning without faults: %v", err)
		}
		if err != nil && w.depth == 0 {
			// The scheduler retries, as the loop of a single machine does.
			w.pending = append(w.pending, tickEvent{w.Clock.Now().Add(time.Minute), fired})
		}
	})
}

// ticks queues the event of a tick: sometimes late, sometimes twice.
func (w *Installation) ticks(t schedule.Tick) {
	at := w.Clock.Now()
	if w.inj.chance(0.1) {
		at = at.Add(time.Duration(w.inj.rnd.IntN(16)) * time.Minute)
		w.o.Tally.Add("schedule: event", Delayed)
	}
	w.pending = append(w.pending, tickEvent{at, t.Start()})
	if w.inj.chance(0.1) {
		w.pending = append(w.pending, tickEvent{at.Add(time.Minute), t.Start()})
		w.o.Tally.Add("schedule: event", Duplicated)
	}
}

func (w *Installation) fire() {
	waiting := w.pending
	w.pending = nil
	for _, e := range waiting {
		switch {
		case e.at.After(w.Clock.Now()):
			w.pending = append(w.pending, e)
		case w.Clock.Now().Sub(e.fired) < 14*time.Minute:
			w.tick(e.fired)
		}
	}
}

const maxReceives = 5

// deliver delivers up to n batches of messages.
func (w *Installation) deliver(n int) {
	for range n {
		w.inj.spare = false
		if w.inj.chance(0.1) {
			w.shuffle()
		}
		limit := 1
		if w.inj.chance(0.2) {
			limit = 3
		}
		ds, err := w.queue.Receive(context.Background(), limit, 0,
			queue.Policy{Visibility: 720 * time.Second, MaxReceives: maxReceives})
		if err != nil || len(ds) == 0 {
			return
		}
		if len(ds) > 1 {
			w.o.Tally.Add("queue: receive", PartialBatch)
		}
		again := w.inj.chance(0.05)
		w.as("crawler", func() { w.handle(ds) })
		if again {
			w.o.Tally.Add("queue: receive", Duplicated)
			w.as("crawler", func() { w.handle(ds) })
		}
		w.inj.spare = false
	}
}

// shuffle reorders the waiting messages, and delays some.
func (w *Installation) shuffle() {
	live := w.queue.live
	if len(live) == 0 {
		return
	}
	w.inj.rnd.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	w.o.Tally.Add("queue: receive", Reordered)
	if m := live[0]; w.inj.rnd.IntN(2) == 0 {
		m.visible = w.later(m.visible, w.Clock.Now().Add(time.Duration(w.inj.rnd.IntN(600))*time.Second))
		w.o.Tally.Add("queue: receive", Delayed)
	}
}

func (w *Installation) later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// handle processes messages as the backend does.
func (w *Installation) handle(ds []queue.Delivery) {
	if len(ds) > 1 && w.anyPoison(ds) {
		for _, d := range ds { // poison must not make its neighbours fail
			w.handle([]queue.Delivery{d})
		}
		return
	}
	p := w.instance(&w.crawler)
	before := p.hopeless
	defer func() { p.hopeless = before }()
	for _, d := range ds {
		w.inj.spare = w.inj.spare || d.Receives >= maxReceives-1
		p.hopeless = w.poison[string(d.Body)] == "hopeless"
		if j, err := job.Decode(d.Body); err == nil && j.Kind == job.Cleanup {
			w.role = "maintenance"
		}
	}
	if w.o.Backend == Machine {
		for _, d := range ds {
			p.queue.HandleOne(context.Background(), d, queue.ConsumeOptions{}, p.app.Worker().Handle)
		}
		return
	}
	var e events.SQSEvent
	for _, d := range ds {
		e.Records = append(e.Records, events.SQSMessage{
			MessageId: d.ID, ReceiptHandle: d.Handle, Body: string(d.Body), Attributes: map[string]string{
				"ApproximateReceiveCount": strconv.Itoa(d.Receives),
				"SentTimestamp":           strconv.FormatInt(d.Sent.UnixMilli(), 10),
			},
		})
	}
	answer, err := lambda.Crawl(p.app)(context.Background(), e)
	if p.dead || err != nil {
		return // Lambda deletes nothing: all messages come again
	}
	failed := map[string]bool{}
	for _, f := range answer.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, d := range ds {
		if !failed[d.ID] && w.inj.draw("queue: delete", LostAck) == "" {
			_ = w.queue.Ack(context.Background(), d)
		}
	}
}

func (w *Installation) anyPoison(ds []queue.Delivery) bool {
	for _, d := range ds {
		if w.poison[string(d.Body)] != "" {
			return true
		}
	}
	return false
}

// ask makes a request to the API; ok is false when the response was lost.
func (w *Installation) ask(p *process, token, method, path, body string) (status int, answer []byte, ok bool) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if strings.HasPrefix(body, "<") {
		r.Header.Set("Content-Type", "text/x-opml")
	}
	rec := httptest.NewRecorder()
	p.handler().ServeHTTP(rec, r)
	if p.dead {
		return 0, nil, false
	}
	if p != w.observer && w.inj.draw(w.role+": answer", LostAnswer) != "" {
		return 0, nil, false
	}
	answer, err := io.ReadAll(rec.Result().Body)
	return rec.Code, answer, err == nil
}

// look makes a GET request without faults.
func (w *Installation) look(u *user, path string, into any) {
	w.T.Helper()
	status, answer, _ := w.ask(w.observer, u.token, "GET", path, "")
	if status != 200 {
		w.T.Fatalf("seed %d: %s answers %d: %s", w.o.Seed, path, status, answer)
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(into); err != nil {
		w.T.Fatal(err)
	}
}

var errGone = errors.New("gone")

// rowOf returns a feed by its URL.
func (w *Installation) rowOf(url string) (*store.FeedRow, error) {
	id, err := w.observer.app.Store.Feeds.FindURL(context.Background(), url)
	if err != nil {
		return nil, errGone
	}
	return w.observer.app.Store.Feeds.Get(context.Background(), id, true)
}
