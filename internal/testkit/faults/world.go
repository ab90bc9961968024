// Package faults runs whole installations of the reader while everything around them fails: processes die between
// any two steps, services refuse, time out before or after they did what they were asked, batches are taken in part,
// reads lag, messages come twice and in any order, clocks are off, publishers change their answer mid-way. A model
// that knows no faults keeps beside it what readers were told; in the end an oracle compares the two.
//
// Everything happens in one goroutine and follows from one seed, so a failure can be run again.
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
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ruri-reader/ruri/internal/lambda"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/iconwire"
)

// Home is which of the two homes a world plays.
type Home string

// The homes. In the cloud each function has processes of its own, reads may lag, and Lambda takes messages to
// awsrun; on one machine a single process does all, over an engine that never lags, with the queue's own loop.
const (
	Cloud   Home = "cloud"
	Machine Home = "machine"
)

// Options of a world.
type Options struct {
	Home  Home
	Seed  uint64
	Plan  Plan
	Tally *Tally
	// Sabotage, when set, is asked at each write whether it is to be left out although it reports success: the
	// oracle must notice.
	Sabotage func(op string, k table.Key, set []table.Assign) bool
	// Double, when set, is told of each row that was put, and may put more.
	Double func(ctx context.Context, d table.Driver, row table.Row)
}

// World is one installation with its publishers and readers.
type World struct {
	*flow.World
	o      Options
	inj    *injector
	script *rand.Rand
	queue  *memQueue
	laggy  table.Driver
	role   string
	depth  int

	planner, crawler, api [2]*process // the second of each is who works meanwhile
	looker                *process    // sees all as it is, costs nobody anything and never fails

	users   []*user
	older   map[string]*version
	poison  map[string]string // bodies of poison, and what the reason must say
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
	w        *World
	dead     bool
	hopeless bool // it works on a message for which something always fails
	app      *wire.App
	handler  http.Handler
	queue    *queue.Queue
}

func (p *process) kill() {
	p.dead = true
	p.w.deaths++
}

// New makes a world.
func New(t testing.TB, o Options) *World {
	w := &World{
		World: flow.New(t, o.Seed, 2), o: o, script: rand.New(rand.NewPCG(o.Seed, 0x5c217)),
		older: map[string]*version{}, poison: map[string]string{},
	}
	w.Blobs.Clock = w.Clock
	if o.Tally == nil {
		w.o.Tally = NewTally()
	}
	w.inj = &injector{plan: o.Plan, rnd: rand.New(rand.NewPCG(o.Seed, 0xfa17)), tally: w.o.Tally, off: true}
	w.queue = &memQueue{clock: w.Clock}
	f := faulty.Options{Seed: o.Seed, Quiet: func() bool { return w.inj.off || w.inj.spare }, Played: w.lagged}
	if o.Home == Cloud && o.Plan.Rate > 0 {
		f.Stale, f.Short, f.Unprocessed = o.Plan.Rate, o.Plan.Rate, o.Plan.Rate
	}
	w.laggy = faulty.New(w.Mem, f)
	w.looker = w.process(false)
	return w
}

var laggards = map[string]Kind{"stale": Stale, "short": ShortPage, "unprocessed": Unprocessed}

func (w *World) lagged(name string) { w.o.Tally.Add(w.role+": read", laggards[name]) }

// process starts a program; one that is not faulty sees the stores as they are.
func (w *World) process(isFaulty bool) *process {
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
		if w.o.Home == Machine {
			td = versioned{tables{w.Mem, p}, w.Mem}
		}
		bd, qd, fetcher = blobs{w.Blobs, p}, queues{w.queue, p}, visitor{fetcher, p}
	}
	sleep := func(ctx context.Context, _ time.Duration) error {
		w.Advance(100 * time.Millisecond)
		return ctx.Err()
	}
	p.queue = queue.New(qd, queue.Options{Clock: clk, Sleep: sleep})
	p.app = iconwire.Decode(wire.Build(config.Config{Parts: w.Parts, Parallel: 1, MaxFeeds: subscribe.OwnerCap, MaxFeedsUser: subscribe.UserCap}, "faults", wire.Seams{
		Table: table.New(td, table.Options{Clock: clk, Kind: store.Kind, Sleep: sleep}), Blobs: blob.New(bd), Queue: p.queue,
		Clock: clk, Log: slog.New(slog.DiscardHandler), Secure: w.o.Home == Cloud, ExpireBlobs: w.o.Home == Machine, Fetch: closing{fetcher},
	}))
	// A host that a dead process holds is busy until its lease ends; who waits for it waits on the world's clock.
	p.app.Subscribe.WithImporters(1).WithNap(func(ctx context.Context, d time.Duration) error {
		w.Advance(d)
		return ctx.Err()
	})
	p.handler = p.app.Handler()
	return p
}

type closing struct{ crawl.Fetcher }

func (closing) Close() {}

type skewed struct {
	clock.Clock
	by time.Duration
}

func (s skewed) Now() time.Time { return s.Clock.Now().Add(s.by) }

// instance gives a living process for a role, started if need be. On one machine all roles share one.
func (w *World) instance(slots *[2]*process) *process {
	i := 0
	if w.o.Home == Machine {
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
func (w *World) as(role string, f func()) {
	before := w.role
	w.role = role
	f()
	w.role = before
}

func (w *World) fail(format string, args ...any) {
	if len(w.errs) < 20 {
		w.errs = append(w.errs, fmt.Sprintf(format, args...))
	}
}

// storm befalls the installation as a whole.
func (w *World) storm() {
	if w.inj.chance(0.02) {
		w.planner, w.crawler, w.api = [2]*process{}, [2]*process{}, [2]*process{}
		w.o.Tally.Add("process: all start anew", ColdStorm)
	}
	if w.o.Home == Machine && w.inj.chance(0.004) {
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

// Poison puts one message of each hopeless kind into the queue.
func (w *World) Poison() {
	w.send(`{"kind":"nobody knows"}`, "unknown_message_kind")
	w.send("no JSON", "bad_message")
	w.send(`{"kind":"first","part":700,"feeds":["1"]}`, "hopeless")
}

// send puts poison into the queue.
func (w *World) send(body, reason string) {
	w.poison[body] = reason
	w.o.Tally.Add("queue: message", Poison)
	if _, err := w.queue.Send(context.Background(), [][]byte{[]byte(body)}, 0); err != nil {
		w.T.Fatal(err)
	}
}

// meanwhile lets something else happen between two steps of somebody.
func (w *World) meanwhile(p *process) {
	if w.depth > 0 || w.o.Plan.Rate <= 0 || w.o.Home == Machine && strings.HasPrefix(w.role, "api") || !w.inj.chance(0.006) {
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
func (w *World) tick(fired time.Time) {
	w.as("orchestrator", func() {
		p := w.instance(&w.planner)
		event, err := json.Marshal(awsrun.Tick{ScheduledTime: fired})
		if err != nil {
			w.T.Fatal(err)
		}
		err = awsrun.Orchestrate(p.app)(context.Background(), event)
		if err != nil && w.inj.off {
			w.fail("planning without faults: %v", err)
		}
		if err != nil && w.depth == 0 {
			// The scheduler asks again; so does the machine's own loop.
			w.pending = append(w.pending, tickEvent{w.Clock.Now().Add(time.Minute), fired})
		}
	})
}

// ticks fires what is due of the schedule: late, and now and then twice.
func (w *World) ticks(t schedule.Tick) {
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

func (w *World) fire() {
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

// maxReceives and visibility are the queue's own.
const maxReceives = 5

// deliver hands out up to n rounds of messages.
func (w *World) deliver(n int) {
	for range n {
		w.inj.spare = false
		if w.inj.chance(0.1) {
			w.shuffle()
		}
		limit := 1
		if w.inj.chance(0.2) {
			limit = 3
		}
		ds, err := w.queue.Receive(context.Background(), limit, 0, queue.Policy{Visibility: 720 * time.Second, MaxReceives: maxReceives})
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

// shuffle changes the order of what waits, and hides some for a while.
func (w *World) shuffle() {
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

func (w *World) later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// handle works on messages as the home does.
func (w *World) handle(ds []queue.Delivery) {
	if len(ds) > 1 && w.anyPoison(ds) {
		for _, d := range ds { // what is hopeless must not make its neighbours so
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
		if j, err := job.Decode(d.Body); err == nil && j.Kind == job.Tidy {
			w.role = "maintenance"
		}
	}
	if w.o.Home == Machine {
		for _, d := range ds {
			p.queue.HandleOne(context.Background(), d, queue.ConsumeOptions{}, p.app.Handle)
		}
		return
	}
	var e events.SQSEvent
	for _, d := range ds {
		e.Records = append(e.Records, events.SQSMessage{
			MessageId: d.ID, ReceiptHandle: d.Handle, Body: string(d.Body), Attributes: map[string]string{
				"ApproximateReceiveCount": strconv.Itoa(d.Receives), "SentTimestamp": strconv.FormatInt(d.Sent.UnixMilli(), 10),
			},
		})
	}
	answer, err := awsrun.Crawl(p.app)(context.Background(), e)
	if p.dead || err != nil {
		return // Lambda removes nothing: all of it comes again
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

func (w *World) anyPoison(ds []queue.Delivery) bool {
	for _, d := range ds {
		if w.poison[string(d.Body)] != "" {
			return true
		}
	}
	return false
}

// ask makes a request of the API as a client: ok is false when no answer came.
func (w *World) ask(p *process, token, method, path, body string) (status int, answer []byte, ok bool) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if strings.HasPrefix(body, "<") {
		r.Header.Set("Content-Type", "text/x-opml")
	}
	rec := httptest.NewRecorder()
	p.handler.ServeHTTP(rec, r)
	if p.dead {
		return 0, nil, false
	}
	if p != w.looker && w.inj.draw(w.role+": answer", LostAnswer) != "" {
		return 0, nil, false
	}
	answer, err := io.ReadAll(rec.Result().Body)
	return rec.Code, answer, err == nil
}

// look asks the API as it would answer without faults.
func (w *World) look(u *user, path string, into any) {
	w.T.Helper()
	status, answer, _ := w.ask(w.looker, u.token, "GET", path, "")
	if status != 200 {
		w.T.Fatalf("seed %d: %s answers %d: %s", w.o.Seed, path, status, answer)
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(into); err != nil {
		w.T.Fatal(err)
	}
}

var errGone = errors.New("gone")

// rowOf finds a feed by its address.
func (w *World) rowOf(url string) (*store.FeedRow, error) {
	id, err := w.looker.app.Store.Feeds.FindURL(context.Background(), url)
	if err != nil {
		return nil, errGone
	}
	return w.looker.app.Store.Feeds.Get(context.Background(), id, true)
}
