package flow_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// Each test here plays one failure that a rule of the timing wheel or of the write order prevents;
// docs/develop/architecture.md names the rules.

var bg = context.Background()

// farm adds n feeds, each on a host of its own, and forgets the visits of their first crawl.
func farm(w *flow.Env, n int) []*flow.Site {
	sites := make([]*flow.Site, n)
	for i := range sites {
		sites[i] = w.Web.Site(fmt.Sprintf("https://site%d.example/feed", i+1), 5)
		w.Add(sites[i].URL, subscribe.Options{})
		sites[i].Visits = nil
	}
	return sites
}

// align gives all feeds one turn, in the next tick, and goes there.
func align(w *flow.Env, feeds int) schedule.Tick {
	t := w.Tick() + 8
	for id := range feeds {
		w.Patch(reader.FeedID(id+1), func(f *store.FeedRow) { f.First = int32(t) })
	}
	w.To(t, 10*time.Second)
	return t
}

func run(t *testing.T, w *flow.Env, j job.Job) crawl.Report {
	t.Helper()
	r, err := w.Run(j)
	if err != nil {
		t.Fatalf("run %+v: %v", j, err)
	}
	return r
}

func visits(sites []*flow.Site) (n int) {
	for _, s := range sites {
		n += len(s.Visits)
	}
	return n
}

func wantVisits(t *testing.T, sites []*flow.Site, want int, why string) {
	t.Helper()
	if n := visits(sites); n != want {
		t.Errorf("%s: %d visits, want %d", why, n, want)
	}
}

// G-65
func TestDuplicateTickIsDropped(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 3)
	align(w, 3)
	jobs := w.Plan(w.Clock.Now())
	if len(jobs) != 1 || len(jobs[0].Feeds) != 3 {
		t.Fatalf("planned %+v", jobs)
	}
	if r := run(t, w, jobs[0]); r.Polled != 3 || r.NotModified != 3 {
		t.Errorf("report %+v", r.RunSums)
	}
	w.Advance(5 * time.Minute) // the lease has lapsed: only the tick tells
	if r := run(t, w, jobs[0]); r.Dropped != "duplicate" || r.Polled != 0 {
		t.Errorf("the second delivery: %+v", r)
	}
	wantVisits(t, sites, 3, "a message delivered twice")
}

// The scheduler fires twice, and a feed was added between: the batches differ, the claim is the same.
func TestTwoPlansOfOneTickPollOnce(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 2)
	align(w, 2)
	first := w.Plan(w.Clock.Now())
	w.Web.Site("https://new.example/feed", 3)
	w.Add("https://new.example/feed", subscribe.Options{})
	w.Patch(3, func(f *store.FeedRow) { f.First = int32(w.Tick()) })
	second := w.Plan(w.Clock.Now())
	run(t, w, first[0])
	w.Advance(3 * time.Minute)
	if r := run(t, w, second[0]); r.Dropped != "duplicate" {
		t.Errorf("the second plan ran: %+v", r)
	}
	wantVisits(t, sites, 2, "two plans of one tick")
}

func TestBusyLeaseIsTriedAgain(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 2)
	align(w, 2)
	jobs := w.Plan(w.Clock.Now())
	w.Patch(1, func(f *store.FeedRow) { f.First = int32(w.Tick() + 2) }) // a refresh is allowed, and under way
	busy := 0
	w.Web.Meanwhile = func() {
		w.Web.Meanwhile = nil
		if _, err := w.Run(jobs[0]); errors.Is(err, crawl.ErrBusy) {
			busy++
		}
	}
	w.Advance(crawl.BusyRetry)
	if r, at, err := w.Refresh(1); err != nil || r.Polled != 1 {
		t.Fatalf("refresh: %+v, allowed at %v, %v", r, at, err)
	}
	if busy != 1 {
		t.Error("the part was not busy while a refresh held it")
	}
	if r := run(t, w, jobs[0]); r.Polled != 1 || r.Skipped != 1 {
		t.Errorf("after the retry: %+v %+v", r.RunSums, r.Feeds)
	}
	wantVisits(t, sites, 2, "each feed once")
	if w.Web.WorstOverlap() != 1 {
		t.Errorf("%d requests at once to a host", w.Web.WorstOverlap())
	}
}

func TestStaleAfterMinuteTwelveIsDropped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		after   time.Duration
		dropped string
	}{
		{12*time.Minute - time.Second, ""}, {12 * time.Minute, "stale"}, {16 * time.Minute, "stale"},
		{-time.Minute, "stale"},
	} {
		w := flow.New(t, 1, 1)
		sites := farm(w, 1)
		tick := align(w, 1)
		j := w.Plan(w.Clock.Now())[0]
		w.Jump(tick.Start().Add(c.after).Sub(w.Clock.Now()))
		if r := run(t, w, j); r.Dropped != c.dropped {
			t.Errorf("%v into its tick: dropped %q, want %q", c.after, r.Dropped, c.dropped)
		}
		want := 1
		if c.dropped != "" {
			want = 0
		}
		wantVisits(t, sites, want, fmt.Sprint(c.after, " into the tick"))
	}
}

func TestLostRunIsToldAndLongPeriodsMove(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 3)
	w.Patch(3, func(f *store.FeedRow) { f.Period = 97 })
	tick := align(w, 3)
	dies := w.Main()
	w.Web.Meanwhile = func() { // the second request goes out, and the process is gone
		if visits(sites) == 1 {
			dies.Kill()
		}
	}
	j := w.Plan(w.Clock.Now())[0]
	if _, err := w.Run(j); err == nil {
		t.Fatal("a dead run reports success")
	}
	w.Web.Meanwhile = nil
	w.Restart()
	if _, err := w.Store().Runs.Get(bg, tick, 0); err == nil {
		t.Fatal("a dead run has left a row")
	}
	w.Advance(3 * time.Minute)
	if r := run(t, w, j); r.Dropped != "duplicate" {
		t.Errorf("the redelivery polls: %+v", r)
	}
	before := visits(sites)
	w.To(tick+1, time.Minute)
	w.Patch(1, func(f *store.FeedRow) { f.First = int32(tick + 1) }) // somebody has a turn, so the part is claimed
	w.Turn()
	lost, err := w.Store().Runs.Get(bg, tick, 0)
	if err != nil || lost.State != store.RunLost || lost.Lost != 2 {
		t.Fatalf("the lost run: %+v, %v", lost, err)
	}
	wantVisits(t, sites, before+1, "feeds of a lost run are not polled at once")
	if f := w.Feed(2); f.First != int32(tick) || !f.Turns().HasTurn(tick+5) {
		t.Errorf("a short period waits for its turn: %+v", f.Turns())
	}
	f := w.Feed(3)
	if first := schedule.Tick(f.First); first < tick+5 || first > tick+6 {
		t.Errorf("a long period gets a turn in an hour, tick %d: %d", tick, f.First)
	}
	if f.Polled < tick.Start().Unix() {
		t.Error("the lost turn is forgotten: a refresh would be let in at once")
	}
	w.To(schedule.Tick(f.First), time.Minute)
	w.Turn()
	if n := len(sites[2].Visits); n < 1 || n > 2 {
		t.Errorf("the feed with a long period was visited %d times", n)
	}
}

// A first crawl whose process dies is tried again, an hour later and once.
func TestLostFirstCrawlIsTriedAgainInAnHour(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://site.example/feed", 5)
	dies := w.Main()
	w.Web.Meanwhile = func() { dies.Kill() }
	w.Advance(14 * time.Minute) // near the end of a tick
	f, err := w.Store().Feeds.Ensure(bg, s.URL, func(reader.FeedID) store.FeedRow {
		return store.FeedRow{First: int32(w.Tick() + 4), Period: 5, Subs: 1, Asked: 60, Status: "waiting"}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Run(job.Job{Kind: job.First, Feeds: []reader.FeedID{f.ID()}}); err == nil {
		t.Fatal("a dead first crawl reports success")
	}
	w.Web.Meanwhile = nil
	w.Restart()
	if r, err := w.Run(job.Job{Kind: job.First, Feeds: []reader.FeedID{f.ID()}}); err == nil && r.Polled > 0 {
		t.Error("the redelivered message polls again")
	}
	for range 10 {
		w.To(w.Tick()+1, time.Second)
		w.Turn()
	}
	if len(s.Visits) != 2 {
		t.Fatalf("%d visits, want the lost one and one more", len(s.Visits))
	}
	if gap := s.Visits[1].At.Sub(s.Visits[0].At); gap < time.Hour || gap > 2*time.Hour {
		t.Errorf("tried again after %v", gap)
	}
	if w.Feed(1).Seq != 5 {
		t.Errorf("items: %d", w.Feed(1).Seq)
	}
}

func TestCatchUpAfterDowntimeHappensOnce(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 4)
	tick := align(w, 4)
	w.Turn()
	wantVisits(t, sites, 4, "the turn before")
	w.To(tick+5*6+2, time.Minute) // six turns missed, and none now
	r := w.Turn()
	if r.Polled != 4 {
		t.Fatalf("catch-up: %+v", r.RunSums)
	}
	wantVisits(t, sites, 8, "one poll for all the turns missed")
	for t2 := w.Tick() + 1; t2 < tick+5*6+2+5; t2++ {
		w.To(t2, time.Minute)
		w.Turn()
	}
	wantVisits(t, sites, 8, "no regular turn inside the gap of a catch-up")
	w.To(tick+5*6+2+5, time.Minute)
	w.Turn()
	wantVisits(t, sites, 12, "and a whole period later the next")
}

// A plan may be as old as the queue: what was polled since it was made is left alone.
//
func TestLateFeedPolledSinceThePlanIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 2)
	tick := align(w, 2)
	w.Turn()
	w.To(tick+12, time.Minute)
	jobs := w.Plan(w.Clock.Now())
	if len(jobs) != 1 || len(jobs[0].Late) != 2 {
		t.Fatalf("planned %+v", jobs)
	}
	if r, at, err := w.Refresh(1); err != nil || r.Polled != 1 {
		t.Fatalf("refresh: %+v %v %v", r, at, err)
	}
	w.Advance(time.Minute)
	if r := run(t, w, jobs[0]); r.Polled != 1 || r.Skipped != 1 {
		t.Errorf("report %+v %+v", r.RunSums, r.Feeds)
	}
	wantVisits(t, sites, 4, "the refreshed feed once")
}

func TestOffTurnPollMovesTheFeedFirst(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 1)
	tick := align(w, 1)
	w.Turn()
	w.To(tick+4, 14*time.Minute+30*time.Second) // 30 s before the turn, and just outside the gap
	moved := int32(0)
	w.Web.Meanwhile = func() { moved = w.Feed(1).First }
	if r, at, err := w.Refresh(1); err != nil || r.Polled != 1 {
		t.Fatalf("refresh: %+v, allowed at %v, %v", r, at, err)
	}
	if moved != int32(tick+5+5) {
		t.Errorf("during the request the next turn is %d, want a period after the tick the request may fall in, %d",
			moved, tick+10)
	}
	w.To(tick+5, time.Minute)
	w.Turn()
	wantVisits(t, sites, 2, "the turn right after a refresh")
	// Somebody who read the row before the claim loses.
	old := w.Feed(1)
	old.First--
	if _, err := w.Store().Feeds.ClaimOffTurn(bg, old, 99, w.Clock.Now()); err == nil {
		t.Error("a claim on a stale row succeeds")
	}
}

// A refresh is allowed five minutes after the last poll, whoever made it.
func TestRefreshRightAfterAPollIsRefused(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 1)
	tick := align(w, 1)
	w.Turn()
	ended := w.Clock.Now()
	for _, after := range []time.Duration{time.Minute, 4 * time.Minute, 4*time.Minute + 59*time.Second} {
		w.To(tick, 10*time.Second+after)
		if _, at, err := w.Refresh(1); err != nil || !at.Equal(ended.Add(5*time.Minute)) {
			t.Errorf("%v after the poll: allowed at %v, %v", after, at, err)
		}
	}
	wantVisits(t, sites, 1, "refused")
	w.To(tick, 5*time.Minute+11*time.Second)
	if r, at, err := w.Refresh(1); err != nil || r.Polled != 1 {
		t.Errorf("after five minutes: %+v %v %v", r, at, err)
	}
}

// A run that died may have polled: until the next run tells, a refresh counts from its latest moment.
func TestRefreshAfterALostRunWaits(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	farm(w, 1)
	tick := align(w, 1)
	dies := w.Main()
	w.Web.Meanwhile = func() { dies.Kill() }
	if _, err := w.Run(w.Plan(w.Clock.Now())[0]); err == nil {
		t.Fatal("a dead run reports success")
	}
	w.Web.Meanwhile = nil
	w.Restart()
	for _, wait := range []time.Duration{3 * time.Minute, 10 * time.Minute, 18 * time.Minute} {
		w.To(tick, wait)
		if _, at, err := w.Refresh(1); err != nil || at.Before(tick.Spent().Add(5*time.Minute)) {
			t.Errorf("%v after the lost run: allowed at %v, %v", wait, at, err)
		}
	}
}

func TestHostIsDeferredAfterTwoTimeoutsInARow(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	for i := range 6 {
		s := w.Web.Site(fmt.Sprintf("https://slow.example/%d", i+1), 3)
		w.Add(s.URL, subscribe.Options{})
		s.Visits = nil
	}
	other := w.Web.Site("https://quick.example/feed", 3)
	w.Add(other.URL, subscribe.Options{})
	other.Visits = nil
	tick := align(w, 7)
	for i := range 6 {
		s := w.Web.Of(fmt.Sprintf("https://slow.example/%d", i+1))
		s.Latency, s.Answer = 10*time.Second, func(flow.Visit) (int, time.Duration, error) {
			return 0, 0, flow.Timeout()
		}
	}
	r := w.Turn()
	if r.Failed != 2 || r.Deferred != 4 || r.NotModified != 1 {
		t.Fatalf("report %+v", r.RunSums)
	}
	for id := reader.FeedID(1); id <= 6; id++ {
		f := w.Feed(id)
		if f.Errors == 0 && f.First != int32(tick+1) {
			t.Errorf("deferred feed %d has its turn at %d, want %d", id, f.First, tick+1)
		}
		if f.Errors > 0 && schedule.Tick(f.First) < tick+schedule.Tick(f.Period) {
			t.Errorf("failed feed %d comes back after %d ticks", id, f.First-int32(tick))
		}
	}
	w.To(tick+1, time.Second)
	if r := w.Turn(); r.Failed != 2 || r.Deferred != 2 {
		t.Errorf("the tick after: %+v", r.RunSums)
	}
}

// A run that runs out of time leaves the rest to the next tick, and starts elsewhere.
func TestDeadlineDefersTheRest(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	for i := range 20 {
		s := w.Web.Site(fmt.Sprintf("https://one.example/%d", i+1), 3)
		w.Add(s.URL, subscribe.Options{})
		s.Visits, s.Latency = nil, 9*time.Second
	}
	align(w, 20)
	r := w.Turn()
	if r.NotModified != 10 || r.Deferred != 10 {
		t.Fatalf("report %+v", r.RunSums)
	}
	if d := time.Duration(r.Millis) * time.Millisecond; d > schedule.Deadline+10*time.Second {
		t.Errorf("the run took %v", d)
	}
	w.To(w.Tick()+1, time.Second)
	if r := w.Turn(); r.NotModified != 10 || r.Deferred != 0 {
		t.Errorf("the tick after: %+v", r.RunSums)
	}
	for _, s := range w.Web.Sites() {
		if len(s.Visits) != 1 {
			t.Errorf("%s: %d visits", s.URL, len(s.Visits))
		}
	}
}

func TestCrawlAllRespectsThePublisherAndThenTheGap(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 2)
	plain := w.Web.Site("https://plain.example/feed", 3)
	fresh := w.Web.Site("https://fresh.example/feed", 3)
	fresh.MaxAge = 30 * time.Minute
	wait := w.Web.Site("https://wait.example/feed", 3)
	for _, s := range []*flow.Site{plain, fresh, wait} {
		w.Add(s.URL, subscribe.Options{})
		s.Visits = nil
	}
	tick := align(w, 3)
	wait.Answer = func(flow.Visit) (int, time.Duration, error) { return 429, 3 * time.Hour, nil }
	w.Turn()
	wait.Answer = nil
	all := func() crawl.Report {
		t.Helper()
		r, err := w.Main().Crawler.All(bg, 2)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	w.To(tick, 11*time.Minute)
	if r := all(); r.Polled != 1 || r.Skipped != 2 {
		t.Fatalf("ten minutes after: %+v %+v", r.RunSums, r.Feeds)
	}
	w.To(tick+4, 13*time.Minute)
	if r := all(); r.Polled != 2 || r.Skipped != 1 {
		t.Fatalf("an hour after: %+v %+v", r.RunSums, r.Feeds)
	}
	if len(plain.Visits) != 3 || len(fresh.Visits) != 2 || len(wait.Visits) != 1 {
		t.Fatalf("visits: %d %d %d", len(plain.Visits), len(fresh.Visits), len(wait.Visits))
	}
	// The turns come round two minutes later, inside the gap: skipped, and not made up for.
	w.To(tick+5, time.Second)
	if r := w.Turn(); r.Polled != 0 || r.Skipped != 2 {
		t.Errorf("the turn inside the gap: %+v", r.RunSums)
	}
	for next := tick + 6; next < tick+10; next++ {
		w.To(next, time.Second)
		w.Turn()
	}
	if len(plain.Visits) != 3 || len(fresh.Visits) != 2 {
		t.Errorf("a skipped turn was made up for: %d %d", len(plain.Visits), len(fresh.Visits))
	}
	w.To(tick+10, time.Second)
	w.Turn()
	if len(plain.Visits) != 4 || len(fresh.Visits) != 3 {
		t.Errorf("the next turn: %d %d", len(plain.Visits), len(fresh.Visits))
	}
	for _, v := range append(plain.Visits, fresh.Visits...) {
		if v.Unconditional {
			t.Error("a crawl of everything asked without validators")
		}
	}
}

func TestLateEventKeepsItsTick(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 1)
	tick := align(w, 1)
	fired := w.Clock.Now()
	w.Advance(8 * time.Minute)
	jobs := w.Plan(fired)
	if len(jobs) != 1 || jobs[0].Tick != tick {
		t.Fatalf("planned %+v, want tick %d", jobs, tick)
	}
	run(t, w, jobs[0])
	wantVisits(t, sites, 1, "eight minutes late")
	// An event that comes in the next tick is its own tick's all the same, and so too late.
	w.To(tick+5, 0)
	fired = w.Clock.Now()
	w.To(tick+6, time.Minute)
	if jobs := w.Plan(fired); len(jobs) != 1 || jobs[0].Tick != tick+5 {
		t.Errorf("planned %+v", jobs)
	} else if r := run(t, w, jobs[0]); r.Dropped != "stale" {
		t.Errorf("a tick too late: %+v", r)
	}
	wantVisits(t, sites, 1, "a tick too late")
}

func TestClockThatGoesBackPollsNothing(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 2)
	tick := align(w, 2)
	w.Turn()
	w.Jump(-5 * time.Hour)
	for range 18 { // four and a half hours of the machine's clock
		w.To(w.Tick()+1, time.Second)
		w.Turn()
		if _, at, err := w.Refresh(1); err == nil && at.IsZero() {
			t.Error("a refresh is let in while time is not back where it was")
		}
	}
	wantVisits(t, sites, 2, "ticks that were had before")
	w.To(tick+5, time.Second)
	w.Turn()
	wantVisits(t, sites, 4, "and then everything goes on")
}

// A feed that moved to another host since the plan belongs to another lease.
func TestFeedOfAnotherPartIsNotPolled(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 8)
	farm(w, 1)
	align(w, 1)
	jobs := w.Plan(w.Clock.Now())
	s := w.Web.Site("https://elsewhere-9.example/feed", 3)
	w.Patch(1, func(f *store.FeedRow) { f.URL = s.URL })
	if job.PartOf(s.URL, 8) == jobs[0].Part {
		t.Fatal("choose another name: both hosts are in one part")
	}
	if r := run(t, w, jobs[0]); r.Polled != 0 || r.Skipped != 1 {
		t.Errorf("report %+v", r.RunSums)
	}
}

// An unchanged run of any size writes its lease and its run row.
func TestUnchangedRunWritesTwoRows(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	sites := farm(w, 120)
	tick := align(w, 120)
	for i := range 20 {
		sites[i].Head = fmt.Sprintf("<lastBuildDate>%s</lastBuildDate>", w.Now().Format(time.RFC1123Z))
		sites[i].NoValidators = i < 10
	}
	w.Turn() // vanished validators, a changed pair: written once
	w.To(tick+97, 10*time.Second)
	for id := range 120 {
		w.Patch(reader.FeedID(id+1), func(f *store.FeedRow) { f.First = int32(tick + 97) })
	}
	jobs := w.Plan(w.Clock.Now())
	before := w.Main().Units()
	r := run(t, w, jobs[0])
	after := w.Main().Units()
	if r.Polled != 120 || r.NotModified != 110 || r.Unchanged != 10 {
		t.Fatalf("report %+v", r.RunSums)
	}
	if rows := after.RowsWritten - before.RowsWritten; rows != 2 {
		t.Errorf("%d rows written, want lease and run: %v", rows, after.Writes)
	}
	if lease := after.Writes["lease"] - before.Writes["lease"]; lease != 1 {
		t.Errorf("%v units for the lease", lease)
	}
	if feed := after.Writes["feed"] - before.Writes["feed"]; feed != 0 {
		t.Errorf("%v units for feeds", feed)
	}
	if r.TableWrites < 1 || r.TableWrites > 3 || r.BlobPuts != 0 {
		t.Errorf("the run says %v units and %d blobs", r.TableWrites, r.BlobPuts)
	}
}
