package crawl_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/orchestrate"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/shop"
	"github.com/ruri-reader/ruri/internal/watch"
)

// mall is a lab whose publishers are shops, with a queue that delivers messages at their time.
type mall struct {
	*lab
	shops map[string]http.Handler // by host
	queue *delayed
	plan  *orchestrate.Orchestrator
	twice bool        // each message is delivered again, as a queue may
	hang  bool        // hosts do not answer
	moved string      // hosts redirect to it permanently
	links fetch.Links // of all answers
}

// delayed is a queue of messages with the times at which they are visible.
type delayed struct {
	clock *clock.Manual
	list  []message
}

type message struct {
	at   time.Time
	body []byte
}

func (q *delayed) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	for _, b := range bodies {
		q.list = append(q.list, message{q.clock.Now().Add(delay), b})
	}
	return nil
}

// next takes the message that is due first, if one is before a time.
func (q *delayed) next(before time.Time) (m message, ok bool) {
	at := -1
	for i := range q.list {
		if q.list[i].at.Before(before) && (at < 0 || q.list[i].at.Before(q.list[at].at)) {
			at = i
		}
	}
	if at < 0 {
		return m, false
	}
	m = q.list[at]
	q.list = slices.Delete(q.list, at, at+1)
	return m, true
}

// fetcher requests the shops without a network.
type fetcher struct{ m *mall }

func (f fetcher) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, r.URL, nil)
	if r.ETag != "" {
		q.Header.Set("If-None-Match", r.ETag)
	}
	w := httptest.NewRecorder()
	host, ok := f.m.shops[q.URL.Host]
	if !ok {
		return nil, &fetch.Error{Code: fetch.CodeDNSFailure}
	}
	if f.m.hang { // nobody waits for the answer
		gone, cancel := context.WithCancel(ctx)
		cancel()
		host.ServeHTTP(w, q.WithContext(gone))
		return nil, &fetch.Error{Code: fetch.CodeTimeout}
	}
	host.ServeHTTP(w, q)
	a := w.Result()
	var body []byte
	if a.StatusCode == http.StatusOK { // as the client has it
		body = w.Body.Bytes()
	}
	return &fetch.Response{
		Status: a.StatusCode, NotModified: a.StatusCode == http.StatusNotModified, Body: body,
		WireBytes:   int64(w.Body.Len()),
		ContentType: a.Header.Get("Content-Type"), ETag: a.Header.Get("Etag"), FinalURL: r.URL,
		PermanentURL: f.m.moved, Links: f.m.links,
	}, nil
}

const shopHost = "shop.example"

// newMall opens a mall with one shop.
func newMall(t *testing.T, opt shop.Options) (*mall, *shop.Shop) {
	t.Helper()
	m := &mall{lab: newLab(t), shops: map[string]http.Handler{}}
	m.queue = &delayed{clock: m.clock}
	s := shop.New(m.clock, opt)
	m.shops[shopHost] = s
	m.restart()
	return m, s
}

// restart makes all rooms anew, with nothing in memory.
func (m *mall) restart() {
	m.lab.restart()
	m.crawler = crawl.New(m.store, blob.New(m.blobs), fetcher{m}, m.clock,
		crawl.Options{Parts: 1, Queue: m.queue, Keep: 36500, Probe: true})
	m.plan = orchestrate.New(m.store, m.queue, 1, false, nil)
}

// watch makes a watch of a shop's list.
func (m *mall) watch(address string, change ...func(*watch.Settings)) reader.FeedID {
	m.t.Helper()
	set := &watch.Settings{Name: "Cameras", URL: address, Layout: shop.Layout(), Detail: shop.Detail()}
	for _, f := range change {
		f(set)
	}
	f, err := m.store.Feeds.Make(bg, address, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{
			Kind: store.KindWatch, Title: set.Name, First: int32(schedule.TickOf(m.clock.Now()) + 4), Period: 5,
			Asked: 60, Explicit: true, Subs: 1,
			Status: string(reader.StatusWaiting),
		}
	})
	m.must(err)
	row, err := store.NewWatch(f.ID(), "u1", set, m.clock.Now())
	m.must(err)
	m.must(m.store.Watches.PutSettings(bg, row))
	m.must(job.Send(bg, m.queue, 0, job.Job{Kind: job.First, Feeds: []reader.FeedID{f.ID()}}))
	return f.ID()
}

func (m *mall) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// tick lets the orchestrator plan the next tick, and handles all messages until the one after.
func (m *mall) tick() {
	m.t.Helper()
	t := schedule.TickOf(m.clock.Now()) + 1
	m.clock.Set(t.Start().Add(30 * time.Second))
	_, err := m.plan.Run(bg, m.clock.Now())
	m.must(err)
	m.work((t + 1).Start())
}

// work handles the messages that are due before a time.
func (m *mall) work(before time.Time) {
	m.t.Helper()
	for {
		x, ok := m.queue.next(before)
		if !ok {
			return
		}
		if x.at.After(m.clock.Now()) {
			m.clock.Set(x.at)
		}
		j, err := job.Decode(x.body)
		m.must(err)
		for n := range 2 {
			if j.Receives = n + 1; n == 0 || m.twice {
				m.handle(j)
			}
		}
	}
}

func (m *mall) handle(j job.Job) {
	m.t.Helper()
	var err error
	switch j.Kind {
	case job.Scheduled, job.First, job.Refresh:
		_, err = m.crawler.Run(bg, j, 1)
	case job.Watch, job.Detail:
		err = m.crawler.Continue(bg, j)
	}
	m.must(err)
}

func (m *mall) state(id reader.FeedID) *watch.State {
	m.t.Helper()
	st, _, err := m.store.Watches.Load(bg, m.row(id), true)
	m.must(err)
	return st
}

// things is all that is known of a watch's results, by the shop's own id.
func (m *mall) things(id reader.FeedID) map[string]watch.Thing {
	m.t.Helper()
	log, err := m.store.Watches.Log(bg, m.row(id), true)
	m.must(err)
	st, err := log.State()
	m.must(err)
	hs, err := m.store.Watches.Histories(bg, id, "2026-01", "2027-12")
	m.must(err)
	out := map[string]watch.Thing{}
	for _, x := range watch.Things(st, log.Changes(), hs) {
		if other, isTwice := out[x.ID]; isTwice && other.Status != watch.Gone && x.Status != watch.Gone {
			m.t.Fatalf("%s is there twice: %+v and %+v", x.ID, other.Result, x.Result)
		}
		out[x.ID] = x
	}
	return out
}

// A watch is crawled for a month by the clock. What it says is what happened, each event comes once, and the shop is
// asked politely. M-7, M-26
func TestAWatchFollowsAShopForAMonth(t *testing.T) {
	t.Parallel()
	days := 30
	if testing.Short() {
		days = 8
	}
	m, s := newMall(t, busy(1))
	m.twice = true
	id := m.watch("https://" + shopHost + "/list")
	m.work(m.clock.Now().Add(10 * time.Minute))
	checks, before := 0, m.table.Meter().Snapshot()
	for range days * int(schedule.TicksPerDay) {
		began := m.clock.Now()
		n := len(s.Visits())
		m.tick()
		if lists(s.Visits()[n:]) > 1 { // only a crawl of all pages reads more than one, unless a page is all new
			m.compare(id, s, began)
			checks++
		}
	}
	if checks < days-1 {
		t.Errorf("compared %d times in %d days", checks, days)
	}
	if got := s.Manners(); got.MinGap < 5*time.Second || got.MostInHour > 60 || got.MostInDay > 300 ||
		got.MostRobots > 1 || got.Cookies > 0 {
		t.Errorf("the shop was crawled like this: %+v", got)
	}
	after := m.table.Meter().Snapshot()
	units := map[string]float64{}
	sum := 0.0
	for kind, u := range after.Writes {
		// those are of the tick, whatever is polled
		if u -= before.Writes[kind]; u > 0 && kind != "lease" && kind != "run" {
			units[kind] = u / float64(days)
			sum += u / float64(days)
		}
	}
	t.Logf("write units a day: %.1f %v", sum, units)
	reads := 0.0
	for kind, u := range after.Reads {
		if kind != "lease" && kind != "run" && kind != "system" {
			reads += (u - before.Reads[kind]) / float64(days)
		}
	}
	requests := float64(len(s.Visits())) / float64(days)
	if sum > cost.WatchWrites || reads > cost.WatchReads || requests > cost.WatchRequests {
		t.Errorf("%.1f write units a day: %v; %.1f read units, %.1f requests", sum, units, reads, requests)
	}
	m.noEventTwice(id)
}

// busy are the options of a shop with 17 changes a day.
func busy(seed uint64) shop.Options {
	o := shop.Usual(seed)
	o.Arrivals, o.PriceChanges, o.Sales, o.Removals, o.Returns, o.Relistings = 6, 5, 4, 1, 0.5, 0.5
	return o
}

// A page that stays as it is costs nothing but one look at robots.txt a day; also if its bytes change, or it has no
// validators.
func TestAnUnchangedPageOfAWatchWritesNothing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request, string){
		"with validators": func(w http.ResponseWriter, r *http.Request, body string) {
			w.Header().Set("Etag", `"1"`)
			if r.Header.Get("If-None-Match") == `"1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(w, body)
		},
		"without validators": func(w http.ResponseWriter, _ *http.Request, body string) {
			_, _ = io.WriteString(w, body)
		},
		"with other bytes each time": func() func(http.ResponseWriter, *http.Request, string) {
			n := 0
			return func(w http.ResponseWriter, _ *http.Request, body string) {
				n++
				_, _ = io.WriteString(w, body+fmt.Sprint("<!-- ", n, " -->"))
			}
		}(),
	} {
		m, _ := newMall(t, shop.Options{})
		// its time stands still
		s := shop.New(clock.NewManual(m.clock.Now()), shop.Options{Seed: 1, Things: 15, PerPage: 20})
		m.shops[shopHost] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/list" {
				s.ServeHTTP(w, r)
				return
			}
			page := httptest.NewRecorder()
			s.ServeHTTP(page, httptest.NewRequest(http.MethodGet, r.URL.String(), nil))
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			answer(w, r, page.Body.String())
		})
		id := m.watch("https://" + shopHost + "/list")
		m.work(m.clock.Now().Add(10 * time.Minute))
		if n := len(m.state(id).Live()); n != 15 || m.row(id).Seq != 0 {
			t.Fatalf("%s: %d results, %+v", name, n, m.row(id))
		}
		before := m.row(id)
		_, units := m.writes(func() {
			for range 2 * int(schedule.TicksPerDay) {
				m.tick()
			}
		})
		delete(units, "lease")
		delete(units, "run")
		if units["cache"] > 2 || len(units) > 1 || !m.row(id).Equal(before) {
			t.Errorf("%s: wrote %v", name, units)
		}
	}
}

// lists counts requests for pages of the list.
func lists(visits []shop.Visit) (n int) {
	for _, v := range visits {
		if strings.HasPrefix(v.Path, "/list") {
			n++
		}
	}
	return n
}

// compare compares a watch with the shop after a crawl of all pages that began at a time.
func (m *mall) compare(id reader.FeedID, s *shop.Shop, began time.Time) {
	m.t.Helper()
	known := m.things(id)
	for _, x := range s.Things() {
		if x.Since().After(began) || x.Prices[len(x.Prices)-1].At.After(began) || x.Turns[0].At.After(began) {
			continue // while it was read
		}
		r, ok := known[x.ID]
		switch x.Status() {
		case shop.OnSale:
			if !ok || r.Status != watch.OnSale || r.Missing != 0 || r.Price != x.Price() {
				m.t.Errorf("%v: %s is on sale since %v for %d, known is %v %+v", m.clock.Now(), x.ID, x.Since(),
					x.Price(), ok, r.Result)
			}
		case shop.Sold:
			if ok && x.LeftAt.IsZero() && r.Status != watch.Sold {
				m.t.Errorf("%v: %s is sold since %v, known is %+v", m.clock.Now(), x.ID, x.Since(), r.Result)
			}
		case shop.Gone:
			if ok && m.clock.Now().Sub(x.Since()) > 3*24*time.Hour && r.Status == watch.OnSale {
				m.t.Errorf("%v: %s is gone since %v, known is %+v", m.clock.Now(), x.ID, x.Since(), r.Result)
			}
		}
	}
}

// noEventTwice checks the items of a watch.
func (m *mall) noEventTwice(id reader.FeedID) {
	m.t.Helper()
	found := map[uint64]bool{}
	news := map[uint64]int{}
	for _, h := range m.headers(id) {
		if found[h.Identity] || h.Offer == nil || h.Title == "" || h.Link == "" {
			m.t.Errorf("the event %+v %+v is there twice, or incomplete", h, h.Offer)
			continue
		}
		found[h.Identity] = true
		if h.Offer.Event == string(watch.New) {
			if news[h.Offer.Key]++; news[h.Offer.Key] > 1 {
				m.t.Errorf("%s is new twice", h.Title)
			}
		}
	}
	if len(found) < 20 {
		m.t.Errorf("only %d events", len(found))
	}
}
