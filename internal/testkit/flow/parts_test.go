package flow_test

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// repart starts the reader with another number of parts, as a deployment with RURI_PARTS does.
func repart(w *flow.Env, parts int) {
	w.Parts = parts
	w.Restart()
}

// TestPartsMayChange: whatever the number of parts becomes, no feed is polled within its interval and none waits longer
// than for its next turn. A part that comes back after a while has an old lease, which must not make its feeds late.
func TestPartsMayChange(t *testing.T) {
	t.Parallel()
	const feeds = 40
	w := flow.New(t, 5, 4)
	sites := farm(w, feeds)
	period := time.Duration(schedule.PeriodFor(schedule.DefaultInterval)) * schedule.TickLength
	tick := w.Tick()
	// Between two changes so many ticks that each feed has had turns, and that leases grow old.
	for _, parts := range []int{4, 1, 4, 2, 7, 1, 7} {
		repart(w, parts)
		for range 13 {
			tick++
			w.To(tick, 5*time.Second)
			w.Turn()
		}
	}
	for _, s := range sites {
		for i, v := range s.Visits {
			if i == 0 {
				continue
			}
			switch since := v.At.Sub(s.Visits[i-1].At); {
			case since < schedule.DefaultInterval:
				t.Errorf("%s was asked at %v, %v after the time before", s.URL, v.At, since)
			case since > 2*period+time.Minute:
				t.Errorf("%s was asked at %v, not for %v", s.URL, v.At, since)
			}
		}
		if len(s.Visits) < 13*7*int(schedule.TickLength)/int(2*period) {
			t.Errorf("%s was asked %d times", s.URL, len(s.Visits))
		}
	}
}

// TestATickIsPlannedForOneNumberOfParts: the schedule's event may come twice, before and after a deployment.
func TestATickIsPlannedForOneNumberOfParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after int }{{1, 4}, {4, 1}, {4, 3}} {
		w := flow.New(t, 5, c.before)
		sites := farm(w, 12)
		align(w, 12)
		w.Turn()
		wantVisits(t, sites, 12, "the turn")
		repart(w, c.after)
		w.Advance(time.Minute)
		w.Turn()
		wantVisits(t, sites, 12, "the same tick, planned for another number of parts")
	}
}

// TestMessagesOfAnotherNumberOfParts: what was sent before a deployment and is worked after it leaves the feeds alone
// that are another part's now; they are polled at their next turn.
func TestMessagesOfAnotherNumberOfParts(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 5, 1)
	sites := farm(w, 12)
	turn := align(w, 12)
	jobs := w.Plan(w.Clock.Now())
	repart(w, 3)
	for _, j := range jobs {
		run(t, w, j)
	}
	w.Queue.Clear()
	if n := visits(sites); n == 0 || n == 12 {
		t.Fatalf("%d of 12 feeds were polled by a message of another number of parts", n)
	}
	for tick := turn + 1; tick <= turn+schedule.Tick(schedule.PeriodFor(schedule.DefaultInterval)); tick++ {
		w.To(tick, 5*time.Second)
		w.Turn()
	}
	for _, s := range sites {
		if n := len(s.Visits); n < 1 || n > 2 || n == 2 &&
			s.Visits[1].At.Sub(s.Visits[0].At) < schedule.DefaultInterval {
			t.Errorf("%s was asked %d times: %v", s.URL, n, s.Visits)
		}
	}
}

// TestCrawlOfAllIsRememberedByNewParts: the owner's crawl of everything marks the parts that there are.
func TestCrawlOfAllIsRememberedByNewParts(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 5, 1)
	sites := farm(w, 12)
	turn := align(w, 12)
	w.Turn()
	w.Advance(65 * time.Minute)
	if _, err := w.Main().Crawler.All(bg, w.Parts); err != nil {
		t.Fatal(err)
	}
	wantVisits(t, sites, 24, "a turn and a crawl of everything")
	repart(w, 4)
	w.To(turn+schedule.Tick(schedule.PeriodFor(schedule.DefaultInterval)), 5*time.Second)
	w.Turn()
	wantVisits(t, sites, 24, "the next turn, minutes after that")
}
