package crawl_test

import (
	"context"
	"slices"
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

// A run that brings enough items asks for the index, a while after the crawls of its tick or at once; one that asks
// while another job is still to come does not.
func TestRunsAskForTheIndex(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for i, path := range []string{"/few", "/many", "/more", "/later", "/one", "/two", "/three", "/off"} {
		p := l.page(path, rss("", numbered(1, []int{2, 5, 5, 5, 5, 5, 5, 5}[i])...))
		p.etag = ""
	}
	queue := &asked{}
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock,
		crawl.Options{Parts: 1, Queue: queue, IndexFrom: 5, IndexAfter: 7 * time.Minute})
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
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock,
		crawl.Options{Parts: 1, Queue: queue, IndexFrom: 1})
	for _, path := range []string{"/one", "/two", "/three"} {
		l.poll(l.feed(l.url(path)))
	}
	if !slices.Equal(queue.delays[2:], []time.Duration{0, 15 * time.Second}) {
		t.Errorf("at once: %v", queue.delays[2:])
	}
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Parts: 1, Queue: queue})
	l.poll(l.feed(l.url("/off")))
	if len(queue.delays) != 4 || l.crawler.IsCrawling() {
		t.Error("without an index, runs ask for it, or have no end")
	}
}

// The whole texts of what a later crawl brings are handed over with the body that they are stored in; those of a first
// crawl are not.
func TestTextsOfNewsAreHandedOver(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	with := func(id, text string) item {
		return item{id: id, title: "T", more: "<description>" + text + "</description>"}
	}
	p := l.page("/feed", rss("", with("1", "first"), with("2", "second")))
	p.etag = ""
	got := map[string]bool{}
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock,
		crawl.Options{Parts: 1, Text: func(raw string, identity uint64, text string) {
			if _, _, err := blob.New(l.blobs).Get(t.Context(), raw); err != nil {
				t.Errorf("%q is not stored: %v", raw, err)
			}
			if identity != 0 {
				got[text] = true
			}
		}})
	f := l.feed(l.url("/feed"))
	l.poll(f)
	if len(got) > 0 {
		t.Errorf("of a first crawl: %v", got)
	}
	p.body = rss("", with("1", "first"), with("2", "second, edited"), with("3", "third"))
	l.clock.Add(time.Hour)
	l.poll(f)
	if len(got) != 2 || !got["third"] || !got["second, edited"] {
		t.Errorf("of a later one: %v", got)
	}
}
