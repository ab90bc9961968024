package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// street is a lab with feeds on two hosts, three on a.example and one on b.example, all crawled and all with their turn
// in the same tick.
type street struct {
	*lab
	pages []*page
	ids   []reader.FeedID
	tick  schedule.Tick
}

func newStreet(t *testing.T) *street {
	s := &street{lab: newLab(t, func(_ *lab, o *fetch.Options) { o.Dial = everyHostHere })}
	for i, host := range []string{"a.example", "a.example", "a.example", "b.example"} {
		path := fmt.Sprint("/", i)
		s.pages = append(s.pages, s.page(path, rss("", numbered(1, 30)...)))
		s.ids = append(s.ids, s.feed(s.at(host, path)))
	}
	s.run(job.Job{Kind: job.First, Feeds: s.ids})
	s.tick = schedule.TickOf(s.clock.Now()) + 20
	for _, id := range s.ids {
		if _, err := s.store.Feeds.Modify(bg, id, func(f *store.FeedRow) {
			f.First, f.Period = int32(s.tick), 5
		}); err != nil {
			t.Fatal(err)
		}
	}
	s.clock.Set(s.tick.Start().Add(time.Minute))
	return s
}

func (s *street) at(host, path string) string {
	return strings.Replace(s.url(path), "127.0.0.1", host, 1)
}

func (s *street) run(j job.Job) crawl.Report {
	s.t.Helper()
	r, err := s.crawler.Run(bg, j, 1)
	if err != nil {
		s.t.Fatalf("%+v: %v", j, err)
	}
	return r
}

// turn runs the feeds that have a turn in a tick.
func (s *street) turn(t schedule.Tick) crawl.Report {
	s.t.Helper()
	s.clock.Set(t.Start().Add(time.Minute))
	return s.run(job.Job{Kind: job.Scheduled, Tick: t, Feeds: s.ids})
}

// asked is how many requests the three feeds of a.example, and that of b.example, have seen.
func (s *street) asked() (a, b int) {
	return s.pages[0].count() + s.pages[1].count() + s.pages[2].count(), s.pages[3].count()
}

func (s *street) answers(status int, retryAfter string) {
	for _, p := range s.pages[:3] {
		p.change(func(p *page) {
			p.serve = func(w http.ResponseWriter, _ *http.Request) {
				if retryAfter != "" {
					w.Header().Set("Retry-After", retryAfter)
				}
				w.WriteHeader(status)
			}
		})
	}
}

// A host that says when to come again is left alone until then: by the rest of the run, and by every later run and
// request, also by a process that was started since. Other hosts are not concerned.
// F5
func TestAHostIsLeftAloneAsItAsks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		retryAfter string
		wait       time.Duration
	}{
		"429, seconds":       {429, "7200", 2 * time.Hour},
		"429, a date":        {429, "Tue, 01 Sep 2026 19:01:00 GMT", 2 * time.Hour},
		"429, out of bounds": {429, "99999999", 7 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStreet(t)
			s.answers(c.status, c.retryAfter)
			r := s.turn(s.tick)
			until := s.clock.Now().Add(c.wait)
			if a, b := s.asked(); a != 3+1 || b != 1+1 || r.Failed != 1 || r.Deferred != 2 || r.NotModified != 1 {
				t.Fatalf("%d requests to the host and %d to the other: %+v", a, b, r.RunSums)
			}
			for _, id := range s.ids[:3] {
				// at most a period later
				if next := s.row(id).Turns().NextTurn(schedule.TickOf(s.clock.Now())).Start(); next.Before(until) ||
					next.After(until.Add(6*schedule.TickLength)) {
					t.Errorf("feed %d has its next turn at %v, the host asked to wait until %v", id, next, until)
				}
			}
			s.restart()
			s.pages = append(s.pages, s.page("/new", rss("", numbered(1, 3)...)))
			newcomer := s.feed(s.at("a.example", "/new"))
			s.clock.Set(until.Add(-2 * time.Second))
			tick := schedule.TickOf(s.clock.Now())
			for _, id := range s.ids[1:3] { // as if something had moved them
				if _, err := s.store.Feeds.Modify(bg, id, func(f *store.FeedRow) {
					f.First = int32(tick)
				}); err != nil {
					t.Fatal(err)
				}
			}
			s.run(job.Job{Kind: job.First, Feeds: []reader.FeedID{newcomer}})
			s.run(job.Job{Kind: job.Refresh, Feeds: s.ids[:3]})
			s.run(job.Job{Kind: job.Scheduled, Tick: tick, Feeds: s.ids[:3], Late: []reader.FeedID{newcomer}})
			if at, err := s.crawler.NextAllowed(bg, s.row(s.ids[2]), 0); err != nil || at.Before(until) {
				t.Errorf("a refresh is allowed from %v on, %v", at, err)
			}
			if a, _ := s.asked(); a != 4 || s.pages[4].count() != 0 {
				t.Errorf("the host was asked %d times before its time", a-4+s.pages[4].count())
			}
			for _, p := range s.pages[:3] {
				p.change(func(p *page) { p.serve = nil })
			}
			next := schedule.CeilTick(until)
			s.clock.Set(next.Start().Add(time.Minute))
			r = s.run(job.Job{Kind: job.Scheduled, Tick: next, Feeds: s.ids[:3], Late: []reader.FeedID{newcomer}})
			if r.NotModified < 2 || r.Changed != 1 { // the one that was refused may back off further
				t.Errorf("when the time is over: %+v", r.RunSums)
			}
		})
	}
}

// The owner's crawl of everything keeps to it as well, in itself and after a run before.
func TestACrawlOfEverythingLeavesAHostAlone(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.answers(429, "7200")
	r, err := s.crawler.All(bg, 1)
	if a, b := s.asked(); err != nil || a != 3+1 || b != 1+1 || r.Deferred != 2 {
		t.Errorf("%d requests to the host and %d to the other: %+v, %v", a, b, r.RunSums, err)
	}
	s.restart()
	s.clock.Add(time.Hour)
	r, err = s.crawler.All(bg, 1)
	if a, b := s.asked(); err != nil || a != 3+1 || b != 1+2 || r.Skipped != 3 {
		t.Errorf("an hour later %d and %d: %+v, %v", a, b, r.RunSums, err)
	}
}

// A 503 with a time is about one feed. That a second feed of the host gets one too, in this run or in a later one,
// makes it the host's.
func TestASecondFeedMakesItTheHosts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refused  int  // so many of the three feeds of the host
		later    bool // another one too, at its next turn and by another process
		requests int
		waits    bool
	}{
		"one":                {1, false, 3, false},
		"two":                {2, false, 2, true},
		"a second one later": {1, true, 3 + 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStreet(t)
			inTurn := func(i int) int { return (int(s.tick) + i) % 3 } // which feed is asked first depends on the tick
			refuse := func(i int) {
				s.pages[inTurn(i)].change(func(p *page) {
					p.serve = func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Retry-After", "21600")
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				})
			}
			for i := range c.refused {
				refuse(i)
			}
			s.turn(s.tick)
			if c.later {
				s.restart()
				refuse(1)
				s.clock.Set((s.tick + 5).Start())
				s.run(job.Job{Kind: job.Refresh, Feeds: []reader.FeedID{s.ids[inTurn(1)]}})
				s.run(job.Job{Kind: job.Refresh, Feeds: []reader.FeedID{s.ids[inTurn(2)]}})
			}
			l, err := s.store.Leases.Get(bg, 0)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := s.asked(); a != 3+c.requests || b != 1+1 {
				t.Errorf("%d requests to the host and %d to the other", a-3, b-1)
			}
			if _, waits := l.HostWaits()[fetch.HostOf(s.row(s.ids[0]).URL)]; waits != c.waits {
				t.Errorf("the lease remembers %q", l.Waits)
			}
			if until := s.row(s.ids[inTurn(0)]).NotBefore; until < s.tick.Start().Add(6*time.Hour).Unix() {
				t.Errorf("the feed itself waits until %v", time.Unix(until, 0))
			}
		})
	}
}

// One feed's trouble is not its host's.
func TestOtherAnswersAreAboutOneFeed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		retryAfter string
	}{"429 without a time": {429, ""}, "503 without a time": {503, ""}, "a fault with a time": {500, "7200"},
		"gone": {410, "7200"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStreet(t)
			s.answers(c.status, c.retryAfter)
			r := s.turn(s.tick)
			if a, b := s.asked(); a != 3+3 || b != 1+1 || r.Failed != 3 {
				t.Errorf("%d requests to the host and %d to the other: %+v", a, b, r.RunSums)
			}
			if lease, err := s.store.Leases.Get(bg, 0); err != nil || lease.Waits != "" {
				t.Errorf("the lease remembers %q, %v", lease.Waits, err)
			}
		})
	}
}

// A fault that does not pass is asked about again for one feed of a host, not for all.
// C-6
func TestLastingFaultOfAHost(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.answers(502, "")
	r := s.turn(s.tick)
	if a, _ := s.asked(); a != 3+5 || r.Failed != 3 {
		t.Errorf("%d requests: %+v", a-3, r.RunSums)
	}
}

// What another host says after a redirect is about that one: feeds of the first are asked for as before.
func TestAnotherHostsWishAfterARedirect(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.pages[0].change(func(p *page) {
		p.serve = func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, s.at("c.example", "/far"), http.StatusFound)
		}
	})
	s.page("/far", "").serve = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "604800")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	if r := s.turn(s.tick); r.Failed != 1 || r.Deferred != 0 || r.NotModified != 3 {
		t.Errorf("%+v", r.RunSums)
	}
	if l, err := s.store.Leases.Get(bg, 0); err != nil || l.Waits != "" {
		t.Errorf("kept: %q, %v", l.Waits, err)
	}
}

// What a host asked for is kept when the caller goes away in the middle of the run.
func TestAHostsWishOutlivesTheCaller(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	ctx, cancel := context.WithCancel(bg)
	noted := make(chan struct{}) // what the host said
	s.crawler = crawl.New(s.store, blob.New(s.blobs), s.client, s.clock, crawl.Options{
		Parts: 1, Progress: func(done, _ int) {
			if done == 1 { // the other one waits for it
				close(noted)
			}
		},
	})
	s.pages[0].change(func(p *page) {
		p.serve = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	s.pages[3].change(func(p *page) {
		p.serve = endless(func() {
			<-noted
			cancel()
		})
	})
	j := job.Job{Kind: job.Scheduled, Tick: s.tick, Feeds: []reader.FeedID{s.ids[0], s.ids[3]}}
	if _, err := s.crawler.Run(ctx, j, 1); err != nil {
		t.Fatal(err)
	}
	if l, err := s.store.Leases.Get(bg, 0); err != nil || l.Waits == "" {
		t.Errorf("nothing is kept of what the host asked for (%v)", err)
	}
}
