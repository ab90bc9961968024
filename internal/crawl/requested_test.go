package crawl_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// many makes crawled feeds, each on its own path, and lets three hours pass.
func (l *lab) many(n int) []reader.FeedID {
	l.t.Helper()
	var ids []reader.FeedID
	for i := range n {
		path := fmt.Sprint("/feed", i)
		l.page(path, rss("", l.lively(10)...))
		id := l.feed(l.url(path))
		l.want(id, reader.OutcomeChanged, 10)
		ids = append(ids, id)
	}
	l.clock.Add(3 * time.Hour)
	return ids
}

func (l *lab) request(ids []reader.FeedID) job.Job {
	return job.Job{Kind: job.Refresh, Feeds: ids, List: store.RefreshName(l.clock.Now(), 7)}
}

func (l *lab) run(j job.Job) crawl.Report {
	l.t.Helper()
	r, err := l.crawler.Run(bg, j, 1)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// A refresh of many feeds writes nothing for any of them: the lease twice, the run's row when it begins and ends.
// When they were polled is known all the same, and binds the next refresh.
//
func TestRequestedRefreshWritesNothingForAFeed(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := l.many(20)
	before := l.row(ids[0])
	var r crawl.Report
	_, units := l.writes(func() { r = l.run(l.request(ids)) })
	if r.Polled != 20 || r.NotModified != 20 {
		t.Fatalf("%+v", r.RunSums)
	}
	if units["feed"] != 0 || units["lease"] != 2 || units["run"] > 3 {
		t.Errorf("it wrote %v", units)
	}
	f := l.row(ids[0])
	if f.First != before.First || f.Polled != before.Polled {
		t.Error("the feed lost its turn")
	}
	if at, err := l.store.Checks.Last(bg, f, 0); err != nil || !at.Equal(l.clock.Now()) {
		t.Errorf("last checked at %v, %v", at, err)
	}
	if at, err := l.crawler.NextAllowed(bg, f, 0); err != nil || !at.Equal(l.clock.Now().Add(5*time.Minute)) {
		t.Errorf("the next refresh is allowed at %v, %v", at, err)
	}
	l.clock.Add(5*time.Minute - time.Second)
	if r := l.run(l.request(ids)); r.Polled != 0 || r.Skipped != 20 {
		t.Errorf("a second too early: %+v", r.RunSums)
	}
	l.clock.Add(time.Second)
	if r := l.run(l.request(ids)); r.Polled != 20 {
		t.Errorf("after five minutes: %+v", r.RunSums)
	}
}

// A message that comes twice polls once, also where its first worker died.
func TestRequestedRefreshOnceForAMessage(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := l.many(3)
	j := l.request(ids)
	if r := l.run(j); r.Polled != 3 {
		t.Fatalf("%+v", r)
	}
	l.clock.Add(6 * time.Minute)
	if r := l.run(j); r.Polled != 0 || r.Dropped != "duplicate" {
		t.Errorf("the message came again: %+v", r)
	}
	// One that was begun by a process that died: its row says so, and nobody waits for it any more.
	dead := l.request(ids)
	row, err := store.NewRun(schedule.TickOf(l.clock.Now()), 0, dead.List, store.RunRefresh, store.RunRunning,
		l.clock.Now(), store.RunSums{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.store.Runs.Begin(bg, row); err != nil {
		t.Fatal(err)
	}
	asked := l.pages["/feed0"].count()
	if r := l.run(dead); r.Dropped != "duplicate" || l.pages["/feed0"].count() != asked {
		t.Errorf("a refresh whose worker died: %+v", r)
	}
	p, err := l.store.Refreshes.Progress(bg, &store.Refresh{Name: dead.List, Parts: []int{0}, Feeds: 3}, l.clock.Now())
	if err != nil || !p.Done || p.Polled != 0 {
		t.Errorf("progress %+v, %v", p, err)
	}
	// A request that waited too long for its part is dropped: its person has gone on.
	late := l.request(ids)
	l.clock.Add(store.RefreshLife + time.Second)
	if r := l.run(late); r.Dropped != "stale" {
		t.Errorf("a late request: %+v", r)
	}
}

// What a person asked for does not override a Retry-After, of which all feeds of the host are counted as left out; and
// the request stays conditional.
func TestRequestedRefreshObeysRetryAfter(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := l.many(2)
	l.pages["/feed1"].change(func(p *page) {
		p.serve = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	if r := l.run(l.request(ids)); r.Polled != 2 || r.Failed != 1 {
		t.Fatalf("%+v", r.RunSums)
	}
	l.clock.Add(time.Hour) // it is the host that asked
	if r := l.run(l.request(ids)); r.Polled != 0 || r.Skipped != 2 {
		t.Errorf("an hour later: %+v", r.RunSums)
	}
	l.clock.Add(time.Hour + time.Minute)
	if r := l.run(l.request(ids)); r.Polled != 2 || r.NotModified != 1 {
		t.Errorf("when it may be asked: %+v", r.RunSums)
	}
	if h := l.pages["/feed0"].last(); h.Get("If-None-Match") == "" {
		t.Error("the request was not conditional")
	}
}

// A turn that comes soon after a requested poll is left out, inside the feed's interval or its max-age; a feed that is
// polled seldom keeps its turn, or it would wait a long period twice.
func TestTurnsAfterARequestedRefresh(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*store.FeedRow)
		polls  bool
	}{
		{"an hourly feed", func(f *store.FeedRow) { f.Period = 5 }, false},
		{"a feed of every twelve hours", func(f *store.FeedRow) { f.Period, f.Why = 48, schedule.ReasonQuiet }, true},
		{"one with a max-age", func(f *store.FeedRow) {
			f.Period = 48
			f.Why = schedule.ReasonMaxAge
			f.MaxAge = int32(5 * 3600)
		}, false},
		{"one with a long max-age", func(f *store.FeedRow) {
			f.Period = 97
			f.Why = schedule.ReasonMaxAge
			f.MaxAge = int32(24 * 3600)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			ids := l.many(1)
			// Its turn is in two ticks, and the request comes now.
			turn := schedule.TickOf(l.clock.Now()) + 2
			if _, err := l.store.Feeds.Modify(bg, ids[0], c.change); err != nil {
				t.Fatal(err)
			}
			if _, err := l.store.Feeds.Modify(bg, ids[0], func(f *store.FeedRow) {
				f.First = int32(turn)
			}); err != nil {
				t.Fatal(err)
			}
			if r := l.run(l.request(ids)); r.Polled != 1 {
				t.Fatalf("%+v", r)
			}
			l.clock.Set(turn.Start().Add(time.Minute))
			r := l.run(job.Job{Kind: job.Scheduled, Tick: turn, Feeds: ids})
			if (r.Polled == 1) != c.polls {
				t.Errorf("its turn: %+v", r)
			}
		})
	}
}

// How far a refresh is can be seen while it runs: its row is written now and then, seldom.
func TestProgressOfARequestedRefresh(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := l.many(12)
	j := l.request(ids)
	refresh := store.Refresh{Name: j.List, Parts: []int{0}, Feeds: len(ids)}
	var seen []int
	for i := range ids {
		p := l.pages[fmt.Sprint("/feed", i)]
		p.change(func(p *page) {
			p.serve = func(w http.ResponseWriter, _ *http.Request) {
				at, err := l.store.Refreshes.Progress(bg, &refresh, l.clock.Now())
				if err != nil || at.Done {
					t.Errorf("progress %+v, %v", at, err)
				}
				seen = append(seen, at.Polled)
				l.clock.Add(2 * time.Second) // it is one host: one request at a time
				w.WriteHeader(http.StatusNotModified)
			}
		})
	}
	_, units := l.writes(func() { l.run(j) })
	if units["run"] < 3 || units["run"] > 8 {
		t.Errorf("%v write units for the run's row", units["run"])
	}
	grew := 0
	for i := 1; i < len(seen); i++ {
		if seen[i] > seen[i-1] {
			grew++
		}
	}
	if len(seen) != 12 || seen[0] != 0 || grew < 2 {
		t.Errorf("progress was seen as %v", seen)
	}
	if p, err := l.store.Refreshes.Progress(bg, &refresh, l.clock.Now()); err != nil || !p.Done || p.Polled != 12 {
		t.Errorf("at the end: %+v, %v", p, err)
	}
}

// Feeds of a request that are not reached, because their host asks to be left alone, keep the turns they have, also
// those whose long hint would have moved them.
func TestRequestedFeedsThatAreNotReachedKeepTheirTurns(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.answers(429, "7200")
	first := s.row(s.ids[0]).First
	for _, id := range s.ids[:3] {
		if _, err := s.store.Feeds.Modify(bg, id, func(f *store.FeedRow) {
			f.Period, f.MaxAge = 97, int32(24*3600)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if r := s.lab.run(s.request(s.ids[:3])); r.Failed != 1 || r.Deferred != 2 {
		t.Fatalf("%+v", r.RunSums)
	}
	kept := 0
	for _, id := range s.ids[:3] {
		if f := s.row(id); f.Errors == 0 && f.First == first {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d feeds that were not asked for keep their turns", kept)
	}
}

// A feed that is back, as a request shows, is at its own pace again at once.
func TestRequestedFeedThatIsBackTakesUpItsPace(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	id := l.many(1)[0]
	now := schedule.TickOf(l.clock.Now())
	if _, err := l.store.Feeds.Modify(bg, id, func(f *store.FeedRow) {
		f.First = int32(now + 48)
		f.Errors = 8
		f.Status = "error"
		f.ErrCode = "http_500"
	}); err != nil {
		t.Fatal(err)
	}
	l.run(l.request([]reader.FeedID{id}))
	f := l.row(id)
	if next := f.Turns().NextTurn(now) - now; f.Errors != 0 || int(next) > int(f.Period)+2 {
		t.Errorf("%d errors, the next poll comes in %d ticks of a period of %d", f.Errors, next, f.Period)
	}
}

// Many requests for single feeds make room for each other in the lease, but not for a second poll within minutes.
func TestManyRequestsKeepTheGap(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	ids := l.many(30)
	for _, id := range ids {
		l.run(l.request([]reader.FeedID{id}))
		l.clock.Add(time.Second)
	}
	if r := l.run(l.request(ids[:1])); r.Polled != 0 || r.Skipped != 1 {
		t.Errorf("half a minute later: %+v", r.RunSums)
	}
}
