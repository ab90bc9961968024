package crawl_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// A host is never polled by two runs, also while the number of parts changes: a run of the new number waits for those
// of the old one, whichever is greater.
func TestRunsOfTwoNumbersOfPartsDoNotMeet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after int }{{1, 2}, {2, 1}, {1, 4}, {3, 2}} {
		l := newLab(t)
		l.page("/feed", rss("", numbered(1, 3)...))
		id := l.feed(l.url("/feed"))
		part := job.PartOf(l.row(id).URL, c.after)
		old := (part + 1) % max(c.before, 2) // another part than that of the new number, where that can be
		if old >= c.before {
			old = 0
		}
		tick := schedule.TickOf(l.clock.Now())
		for p := range c.before {
			if _, err := l.store.Leases.ClaimTick(bg, p, c.before, 0, tick-2, l.clock.Now(),
				l.clock.Now().Add(-time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.store.Leases.ClaimTick(bg, old, c.before, 0, tick-1, l.clock.Now(),
			l.clock.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		first := job.Job{Kind: job.First, Part: part, Feeds: []reader.FeedID{id}}
		turn := job.Job{Kind: job.Scheduled, Part: part, Parts: c.after, Since: tick, Tick: tick,
			Late: []reader.FeedID{id}}
		for _, j := range []job.Job{first, turn} {
			if _, err := l.crawler.Run(bg, j, c.after); !errors.Is(err, crawl.ErrBusy) {
				t.Errorf("%d to %d parts: %s while a run of before is under way: %v", c.before, c.after, j.Kind, err)
			}
		}
		l.clock.Add(2 * time.Minute)
		if r, err := l.crawler.Run(bg, turn, c.after); err != nil || r.Changed != 1 {
			t.Errorf("%d to %d parts: afterwards %+v, %v", c.before, c.after, r.RunSums, err)
		}
	}
}

// sent keeps the jobs that are sent.
type sent struct{ jobs []job.Job }

func (s *sent) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		s.jobs = append(s.jobs, j)
	}
	return nil
}

// A first crawl that was sent for another number of parts is sent on to the part that its host has now.
func TestFirstCrawlsGoToThePartThatTheirHostHas(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.page("/feed", rss("", numbered(1, 3)...))
	id := l.feed(l.url("/feed"))
	queue := &sent{}
	c := crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Queue: queue})
	part := job.PartOf(l.row(id).URL, 2)
	r, err := c.Run(bg, job.Job{Kind: job.First, Part: 1 - part, Feeds: []reader.FeedID{id}}, 2)
	if err != nil || r.Skipped != 1 || len(queue.jobs) != 1 || queue.jobs[0].Part != part {
		t.Fatalf("%+v, %v; sent: %+v", r.RunSums, err, queue.jobs)
	}
	if r, err = c.Run(bg, queue.jobs[0], 2); err != nil || r.Changed != 1 {
		t.Errorf("%+v, %v", r.RunSums, err)
	}
}
