package crawl_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/shop"
	"github.com/ruri-reader/ruri/internal/watch"
)

// quiet are the options of a shop in which nothing happens.
func quiet() shop.Options { return shop.Options{Seed: 3, Things: 60, PerPage: 20} }

// begun is a watch that has been crawled completely, of a shop in which nothing happens.
func begun(t *testing.T, change ...func(*watch.Settings)) (*mall, *shop.Shop, reader.FeedID) {
	t.Helper()
	m, s := newMall(t, quiet())
	id := m.watch("https://"+shopHost+"/list", change...)
	m.work(m.clock.Now().Add(10 * time.Minute))
	if n := len(m.state(id).Live()); n != 60 {
		t.Fatalf("%d results", n)
	}
	return m, s, id
}

// onSale counts the results that are known to be on sale, and not missing.
func (m *mall) onSale(id reader.FeedID) (n int) {
	for _, r := range m.state(id).Live() {
		if r.Status == watch.OnSale && r.Missing == 0 {
			n++
		}
	}
	return n
}

// days lets days pass.
func (m *mall) days(n int) {
	m.t.Helper()
	for range n * int(schedule.TicksPerDay) {
		m.tick()
	}
}

// Whatever is wrong with a page, its results stay as they were, each fault has its own message, and when it has passed
// everything is as before, without an event. Faults of page 1, and of the second page alone. M-34
func TestFaultsOfPagesRemoveNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		fault   shop.Fault
		from    int
		code    string // of the watch after two days
		stops   bool
		slower  bool // it is looked at less often
		hasPage bool // the page is kept
	}{
		{"no rows", shop.EmptyPage, 1, reader.CodeListingEmpty, false, true, true},
		{"half a page", shop.HalfPage, 1, reader.CodeListingChanged, false, true, true},
		{"another class", shop.ChangedClass, 1, reader.CodeListingEmpty, false, true, true},
		{"a captcha", shop.Captcha, 1, reader.CodeChallenge, true, false, true},
		{"another encoding", shop.ShiftJIS, 1, "", false, false, false},
		{"an error of the server", shop.ServerError, 1, reader.CodeHTTP5xx, false, true, false},
		{"no answer", shop.Timeout, 1, reader.CodeTimeout, false, true, false},
		{"each row twice", shop.Duplicates, 1, "", false, false, false},
		{"another currency", shop.Dollars, 1, reader.CodeListingChanged, false, true, true},
		{"robots.txt", shop.Disallow, 1, reader.CodeRobots, true, false, false},
		{"forbidden", shop.Forbidden, 1, reader.CodeHTTP403, true, false, false},
		{"no prices", shop.NoPrices, 1, reader.CodeListingChanged, false, true, true},
		{"no rows on page 2", shop.EmptyPage, 2, reader.CodeListingEmpty, false, false, true},
		{"an error on page 2", shop.ServerError, 2, "", false, false, false},
		{"forbidden on page 2", shop.Forbidden, 2, reader.CodeHTTP403, true, false, false},
		{"a captcha on page 2", shop.Captcha, 2, reader.CodeChallenge, true, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, s, id := begun(t)
			seq := m.row(id).Seq
			s.Break(c.fault, c.from)
			m.hang = c.fault == shop.Timeout
			visits := len(s.Visits())
			m.days(3)
			f := m.row(id)
			if f.ErrCode != c.code || (f.Status == string(reader.StatusStopped)) != c.stops {
				t.Errorf("the watch is %s with %q, want %q, stopped %v", f.Status, f.ErrCode, c.code, c.stops)
			}
			if n := m.onSale(id); n != 60 {
				t.Errorf("%d results are left", n)
			}
			if f.Seq != seq {
				t.Errorf("%d events: %+v", f.Seq-seq, m.headers(id)[seq:])
			}
			if n := lists(s.Visits()[visits:]); c.slower && n > 30 || !c.slower && !c.stops && n < 40 {
				t.Errorf("%d requests in three days", n)
			}
			if _, _, err := m.blobs.Get(bg, store.PageKey(id), 1<<20); (err == nil) != c.hasPage {
				t.Errorf("the page: %v", err)
			}
			if got := s.Manners(); got.AfterForbidden > 3*(2-min(c.from, 2)) || got.MinGap < 5*time.Second {
				t.Errorf("%+v", got)
			}
			if c.stops {
				return
			}
			s.Repair()
			m.hang = false
			if c.hasPage && c.from == 1 { // the next look ends it, though the page is one that was read before
				for range schedule.TicksPerDay / 4 {
					m.tick()
				}
				if f := m.row(id); f.ErrCode != "" {
					t.Errorf("six hours later there is still %q", f.ErrCode)
				}
			}
			m.days(2)
			if f := m.row(id); f.ErrCode != "" || f.Status != string(reader.StatusActive) || f.Seq != seq ||
				m.onSale(id) != 60 {
				t.Errorf("after it has passed: %s %q, %d events, %d on sale", f.Status, f.ErrCode,
					f.Seq-seq, m.onSale(id))
			}
		})
	}
}

// Several watches of a host, and a long Crawl-delay: no two requests come closer than the pace.
func TestWatchesOfAHostArePaced(t *testing.T) {
	t.Parallel()
	for _, delay := range []int{0, 20, 300} {
		o := shop.Usual(5)
		o.Delay = delay
		m, s := newMall(t, o)
		var ids []reader.FeedID
		for _, query := range []string{"", "?page=2", "?page=3", "?page=1"} {
			ids = append(ids, m.watch("https://"+shopHost+"/list"+query, func(set *watch.Settings) {
				l := *set.Layout
				l.Pages = 1
				set.Layout, set.Detail = &l, nil
			}))
		}
		// All of them are due in the same ticks.
		for _, id := range ids {
			_, err := m.store.Feeds.Modify(bg, id, func(f *store.FeedRow) {
				f.First = int32(schedule.TickOf(m.clock.Now()) + 2)
			})
			m.must(err)
		}
		m.queue.list = nil
		m.days(2)
		got := s.Manners()
		if got.MinGap < max(5*time.Second, time.Duration(delay)*time.Second) || got.MostInHour > 60 ||
			got.MostInDay > 300 {
			t.Errorf("delay %d: %+v", delay, got)
		}
		for _, id := range ids {
			if f := m.row(id); f.Seq == 0 || f.ErrCode != "" {
				t.Errorf("delay %d: watch %d has %d items and %q", delay, id, f.Seq, f.ErrCode)
			}
			fetches, err := m.store.Runs.OfFeed(bg, m.clock.Now(), m.row(id), 0, 20)
			m.must(err)
			polled := slices.ContainsFunc(fetches, func(x store.Fetch) bool {
				return reader.Outcome(x.Outcome).Polled()
			})
			if !polled {
				t.Errorf("delay %d: the fetches of watch %d are %+v", delay, id, fetches)
			}
		}
	}
}

// Long listings of one host, all made at once: a chain has its bounds, and what it leaves out is read later.
func TestChainsAreBounded(t *testing.T) {
	t.Parallel()
	m, s := newMall(t, shop.Options{Seed: 2, Things: 500, PerPage: 20})
	var ids []reader.FeedID
	for range 3 {
		ids = append(ids, m.watch("https://"+shopHost+"/list"))
	}
	jobs := m.queue.list
	m.queue.list = nil
	all, err := job.Decode(jobs[0].body)
	m.must(err)
	all.Feeds = ids
	m.handle(all)
	m.work(m.clock.Now().Add(14 * time.Minute))
	if n := lists(s.Visits()); n != 21 {
		t.Errorf("%d requests, want page 1 and a chain of 20", n)
	}
	m.days(4)
	for _, id := range ids {
		if n := m.onSale(id); n != 400 { // 20 pages
			t.Errorf("%d results of watch %d", n, id)
		}
	}
	if got := s.Manners(); got.MinGap < 5*time.Second || got.MostInHour > 84 {
		t.Errorf("%+v", got)
	}
}

// A page that becomes what it was before, to the byte, is not taken for the one seen last.
func TestAPageThatBecomesWhatItWas(t *testing.T) {
	t.Parallel()
	m, _ := newMall(t, quiet())
	price := "1,000"
	m.shops[shopHost] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		etag := `"` + price + `"`
		w.Header().Set("Etag", etag)
		switch {
		case r.URL.Path != "/list":
			w.WriteHeader(http.StatusNotFound)
		case r.Header.Get("If-None-Match") == etag:
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w,
				`<li class="item"><a href="/item/1"><h3>A thing</h3></a><span class="price">¥%s</span>`, price)
		}
	})
	id := m.watch("https://" + shopHost + "/list")
	m.work(m.clock.Now().Add(time.Minute))
	for _, price = range []string{"1,100", "1,000", "1,100", "1,000"} { // neither is announced
		for range 6 {
			m.tick()
		}
		if got := m.state(id).Live(); len(got) != 1 || got[0].Price != int64(1000+100*strings.Count(price[2:], "1")) {
			t.Fatalf("at ¥%s: %+v", price, got)
		}
	}
	if n := m.row(id).Seq; n != 0 {
		t.Errorf("%d events", n)
	}
}

// Changed settings are noticed by the next crawl, whoever starts it: what does not fit is removed, and returns without
// an event that it is new. M-10, M-15
func TestChangedSettingsOfAWatch(t *testing.T) {
	t.Parallel()
	m, _, id := begun(t)
	seq := m.row(id).Seq
	prices := []int64{}
	for _, r := range m.state(id).Live() {
		prices = append(prices, r.Price)
	}
	slices.Sort(prices)
	change := func(limit int64) {
		row, err := m.store.Watches.Settings(bg, id)
		m.must(err)
		set, err := row.Decode()
		m.must(err)
		set.Max = limit
		m.must(row.Change(set))
		m.must(m.store.Watches.PutSettings(bg, row))
	}
	change(prices[30])
	m.days(1)
	fit := 0
	for _, p := range prices {
		if p <= prices[30] {
			fit++
		}
	}
	if n := len(m.state(id).Live()); n != fit || m.row(id).Seq != seq {
		t.Errorf("%d results, want %d; %d events", n, fit, m.row(id).Seq-seq)
	}
	change(0)
	m.clock.Add(10 * time.Minute)
	o, err := m.crawler.RunWatch(bg, m.row(id), false)
	m.must(err)
	m.work(m.clock.Now().Add(10 * time.Minute))
	if n := len(m.state(id).Live()); n != 60 || o.Outcome != string(reader.OutcomeChanged) {
		t.Errorf("%d results after %+v", n, o)
	}
	for _, h := range m.headers(id)[seq:] {
		t.Errorf("an event: %s %+v", h.Title, h.Offer)
	}
	// A manual run keeps the rules of refreshes.
	if o, err := m.crawler.RunWatch(bg, m.row(id), true); err != nil || o.Outcome != string(reader.OutcomeSkipped) ||
		o.Err != "too_soon" {
		t.Errorf("a second run at once: %+v, %v", o, err)
	}
}

// What a dead worker leaves of a chain is found by the next complete crawl.
// M-20
func TestABrokenChainIsMadeUpFor(t *testing.T) {
	t.Parallel()
	m, _ := newMall(t, quiet())
	id := m.watch("https://" + shopHost + "/list")
	m.work(m.clock.Now().Add(time.Second))
	if len(m.queue.list) != 1 || !strings.Contains(string(m.queue.list[0].body), `"kind":"watch"`) {
		t.Fatalf("%d messages", len(m.queue.list))
	}
	m.queue.list = nil
	m.days(1)
	if n := m.onSale(id); n != 60 {
		t.Errorf("%d results a day later", n)
	}
}

// What only feeds have is not taken from a page: a new address, a hub, another place to look for it when it is gone.
func TestAWatchKeepsToItsPage(t *testing.T) {
	t.Parallel()
	m, s, id := begun(t)
	address := m.row(id).URL
	m.moved, m.links = "https://"+shopHost+"/list2", fetch.Links{Hub: "https://hub.example/", Self: address}
	_, units := m.writes(func() { m.days(5) })
	if f := m.row(id); f.URL != address || f.MovedTo != "" || f.Hub != "" || f.PushUntil != 0 || units["feed"] > 0 {
		t.Errorf("%+v, after writing %v", f, units)
	}
	s.Break(shop.Forbidden, 1)
	for range 100 {
		if m.tick(); m.row(id).IsStopped() {
			break
		}
	}
	s.Repair()
	visits := len(s.Visits())
	for range 23 {
		m.tick()
	}
	if f := m.row(id); !f.IsStopped() || len(s.Visits()) != visits {
		t.Errorf("%d requests of a watch that has just stopped: %+v", len(s.Visits())-visits, f)
	}
	m.days(1) // it is probed, as a feed is
	if f := m.row(id); f.Status != string(reader.StatusActive) || f.Probe != 0 || len(s.Visits()) == visits {
		t.Errorf("%d requests of a watch that answers again: %+v", len(s.Visits())-visits, f)
	}
	if len(m.queue.list) > 0 {
		t.Errorf("%d messages are left, the first is %s", len(m.queue.list), m.queue.list[0].body)
	}
}
