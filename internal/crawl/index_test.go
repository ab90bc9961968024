package crawl_test

import (
	"context"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// asked keeps the index jobs that a crawler sends, and how long they are hidden.
type asked struct{ delays []time.Duration }

func (a *asked) Send(_ context.Context, bodies [][]byte, delay time.Duration) error {
	for _, b := range bodies {
		if j, err := job.Decode(b); err == nil && j.Kind == job.Index {
			a.delays = append(a.delays, delay)
		}
	}
	return nil
}

// A run that brings enough items asks for the index, after the crawls of its tick; one that asks while another job is still to
// come does not.
func TestRunsAskForTheIndex(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for i, path := range []string{"/few", "/many", "/more", "/later", "/off"} {
		p := l.page(path, rss("", numbered(1, []int{2, 5, 5, 5, 5}[i])...))
		p.etag = ""
	}
	queue := &asked{}
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Parts: 1, Queue: queue, IndexFrom: 5})
	for _, c := range []struct {
		path string
		jobs int // so far
	}{{"/few", 0}, {"/many", 1}, {"/more", 1}} {
		l.poll(l.feed(l.url(c.path)))
		if len(queue.delays) != c.jobs {
			t.Errorf("%s: %d jobs", c.path, len(queue.delays))
		}
	}
	l.clock.Add(10 * time.Minute)
	l.poll(l.feed(l.url("/later")))
	if len(queue.delays) != 2 || queue.delays[0] < 5*time.Minute || queue.delays[0] > 10*time.Minute {
		t.Errorf("hidden for %v", queue.delays)
	}
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Parts: 1, Queue: queue})
	l.poll(l.feed(l.url("/off")))
	if len(queue.delays) != 2 || l.crawler.IsCrawling() {
		t.Error("without an index, runs ask for it, or have no end")
	}
}
