package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// slowly is a publisher that takes ten seconds for an answer.
type slowly struct{ asked atomic.Int32 }

func (s *slowly) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	s.asked.Add(1)
	time.Sleep(10 * time.Second)
	return &fetch.Response{Status: 200, ETag: `"1"`, FinalURL: r.URL, Body: []byte(rss("", numbered(1, 1)...))}, nil
}

// inTime plays a test in virtual time, with three feeds that nobody has crawled; processes share their store.
func inTime(t *testing.T, play func(t *testing.T, st *store.Store, process func() *crawl.Crawler, web *slowly)) {
	synctest.Test(t, func(t *testing.T) {
		// a bubble begins long before the first tick
		time.Sleep(time.Until(time.Date(2026, 4, 1, 8, 0, 10, 0, time.UTC)))
		tbl := table.New(memtable.New(), table.Options{Clock: clock.System{}, Kind: store.Kind})
		st, web := store.New(tbl, clock.System{}), new(slowly)
		for i := range 3 {
			_, err := st.Feeds.Ensure(bg, fmt.Sprintf("https://host%d.example/feed", i),
				func(reader.FeedID) store.FeedRow {
					return store.FeedRow{First: int32(schedule.TickOf(time.Now())), Period: 5, Subs: 1,
						Status: string(reader.StatusWaiting)}
				})
			if err != nil {
				t.Fatal(err)
			}
		}
		play(t, st, func() *crawl.Crawler {
			return crawl.New(st, blob.New(memblob.New()), web, clock.System{},
				crawl.Options{Parts: 1, Patience: crawl.Patience})
		}, web)
	})
}

func first(id reader.FeedID) job.Job { return job.Job{Kind: job.First, Feeds: []reader.FeedID{id}} }

// ran is how a run ended and how long it took, waiting included.
type ran struct {
	crawl.Report
	err  error
	took time.Duration
}

func begin(c *crawl.Crawler, j job.Job) <-chan ran {
	out := make(chan ran, 1)
	go func() {
		began := time.Now()
		r, err := c.Run(bg, j, 1)
		out <- ran{r, err, time.Since(began)}
	}()
	return out
}

// A run waits for the one that has its part: in its own process to the moment, for another process's by looking again.
// G-24
func TestRunsOfAPartFollowOneAnother(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		other bool
		most  time.Duration
	}{"in one process": {false, 20 * time.Second}, "in two": {true, 22 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, func(t *testing.T, _ *store.Store, process func() *crawl.Crawler, web *slowly) {
				a := process()
				b := a
				if c.other {
					b = process()
				}
				one := begin(a, first(1))
				synctest.Wait()
				two := <-begin(b, first(2))
				if two.err != nil || two.Changed != 1 || two.took < 20*time.Second || two.took > c.most {
					t.Errorf("the second run: %+v, %v after %v", two.RunSums, two.err, two.took)
				}
				if r := <-one; r.err != nil || r.Changed != 1 || web.asked.Load() != 2 {
					t.Errorf("the first run: %+v, %v; %d requests", r.RunSums, r.err, web.asked.Load())
				}
			})
		})
	}
}

// Who only would like to have the part comes after those who wait for it, and patience ends.
func TestPatience(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, st *store.Store, process func() *crawl.Crawler, web *slowly) {
		c := process()
		if _, err := st.Leases.Take(bg, 0, 1, time.Now(), time.Now().Add(12*time.Second)); err != nil {
			t.Fatal(err)
		}
		waiting := begin(c, first(1))
		synctest.Wait()
		time.Sleep(12*time.Second + time.Millisecond)
		if _, err := c.Hold(bg, "https://host9.example/"); !errors.Is(err, crawl.ErrBusy) {
			t.Errorf("the part was taken although a run waits for it: %v", err)
		}
		if r := <-waiting; r.err != nil || r.Changed != 1 || r.took > 24*time.Second {
			t.Errorf("a run after a lapsed lease: %+v, %v after %v", r.RunSums, r.err, r.took)
		}
		if free, err := c.Hold(bg, "https://host9.example/"); err != nil {
			t.Errorf("nobody waits any more, and yet: %v", err)
		} else {
			free()
		}
		if _, err := st.Leases.Take(bg, 0, 1, time.Now(), time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if r := <-begin(c, first(2)); !errors.Is(r.err, crawl.ErrBusy) || r.took != crawl.Patience {
			t.Errorf("a part that stays busy: %v after %v", r.err, r.took)
		}
		short, cancel := context.WithTimeout(bg, 3*time.Second)
		defer cancel()
		began := time.Now()
		if _, err := c.Run(short, first(2), 1); !errors.Is(err, crawl.ErrBusy) || time.Since(began) != time.Second {
			t.Errorf("with little time: %v after %v", err, time.Since(began))
		}
		if web.asked.Load() != 1 {
			t.Errorf("%d requests", web.asked.Load())
		}
	})
}

// A tick passes once, also when its message comes twice at the same moment and the second one waits.
// G-24
func TestATickPassesOnceForThoseWhoWait(t *testing.T) {
	t.Parallel()
	inTime(t, func(t *testing.T, _ *store.Store, process func() *crawl.Crawler, web *slowly) {
		c, tick := process(), schedule.TickOf(time.Now())
		one := begin(c, first(1))
		synctest.Wait()
		j := job.Job{Kind: job.Scheduled, Tick: tick, Late: []reader.FeedID{2}}
		two, three := begin(c, j), begin(process(), j)
		polled, dropped := 0, 0
		for _, r := range []ran{<-one, <-two, <-three} {
			if r.err != nil {
				t.Error(r.err)
			}
			polled += r.Polled
			if r.Dropped == "duplicate" {
				dropped++
			}
		}
		if polled != 2 || dropped != 1 || web.asked.Load() != 2 {
			t.Errorf("%d polled, %d dropped, %d requests", polled, dropped, web.asked.Load())
		}
	})
}
