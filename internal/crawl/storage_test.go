package crawl_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/testkit/faultytable"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// Whatever the stores do to it, a feed loses nothing and doubles nothing: writes are lost before or after
// they are done, reads lag, conditions fail for no reason, blobs are refused.
func TestFailingStoresLoseNothing(t *testing.T) {
	t.Parallel()
	seeds := 60
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			mem := memtable.New()
			bad := faultytable.New(mem, faultytable.Options{
				Seed: uint64(seed), Stale: 0.3, Short: 0.3, Unprocessed: 0.2, Throttle: 0.1, LostBefore: 0.08,
				LostAfter: 0.08, Conflict: 0.05,
			})
			l := newLab(t, func(l *lab, _ *fetch.Options) { l.driver = mem })
			p := l.page("/feed", rss("", numbered(1, 5)...))
			id := l.feed(l.url("/feed"))
			refused := 0
			l.blobs.Fail = func(string) error {
				if refused++; refused%3 == 1 {
					return fault.New(fault.Unavailable, "storage_full", "test", nil)
				}
				return nil
			}
			published := 5
			for round := range 12 {
				l.driver = bad
				l.restart()
				// Publishers change between, a hundred and more items at once among them.
				more := 1 + round%4
				if round == 5 {
					more = 130
				}
				published += more
				p.change(func(p *page) {
					p.etag = fmt.Sprintf(`"%d"`, published)
					p.body = rss("", numbered(1, published)...)
				})
				tick := schedule.TickOf(l.clock.Now()) + 5
				l.clock.Set(tick.Start().Add(time.Second))
				// Whatever this returns: a run that fails is a lost run.
				_, _ = l.crawler.Run(bg, job.Job{Kind: job.Scheduled, Tick: tick, Feeds: []reader.FeedID{id},
					Late: []reader.FeedID{id}}, 1)
			}
			l.driver, l.blobs.Fail = mem, nil
			l.restart()
			published++
			p.change(func(p *page) { p.etag, p.body = `"end"`, rss("", numbered(1, published)...) })
			for range 3 {
				l.clock.Add(25 * time.Hour)
				l.poll(id)
			}
			whole(t, l, id, published)
		})
	}
}

// whole checks that a feed has each item that was ever published once, and no gap.
func whole(t *testing.T, l *lab, id reader.FeedID, published int) {
	t.Helper()
	hs, f := l.headers(id), l.row(id)
	if f.ETag != `"end"` || int(f.Seq) != len(hs) {
		t.Errorf("at the end: pair %s, seq %d, %d items", f.ETag, f.Seq, len(hs))
	}
	seen := map[string]int{}
	for _, h := range hs {
		seen[h.Title]++
	}
	for k := 1; k <= published; k++ {
		if n := seen[fmt.Sprint("Item ", k)]; n != 1 {
			t.Errorf("item %d is there %d times", k, n)
		}
	}
	l.eachBody(id, func(*store.Header, string) {})
}

// A failure of our own storage is reported as such, not as one of the publisher, and ends with the next poll.
func TestFullDiskIsOurOwnFault(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 30)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	l.blobs.Fail = func(string) error { return fault.New(fault.Unavailable, "storage_full", "test", nil) }
	p.change(func(p *page) { p.etag, p.body = `"2"`, rss("", numbered(1, 33)...) })
	for range 12 {
		l.want(id, reader.OutcomeFailed, 0)
		f := l.row(id)
		if f.ErrCode != reader.CodeStorageFull || f.Status != string(reader.StatusError) || f.Errors != 0 ||
			f.ETag != `"1"` || f.Seq != 30 {
			t.Fatalf("the row: %s %s, %d errors, pair %s, seq %d", f.Status, f.ErrCode, f.Errors, f.ETag, f.Seq)
		}
		explains(t, f, reader.CodeStorageFull)
	}
	l.blobs.Fail = nil
	l.want(id, reader.OutcomeChanged, 3)
	if f := l.row(id); f.Status != string(reader.StatusActive) || f.ErrCode != "" || f.ErrSince != 0 {
		t.Errorf("after there was room again: %s %q", f.Status, f.ErrCode)
	}
}

// The end of the program in the middle of a request: nothing is asked again at once, nothing is lost.
func TestRequestCutOffByOurOwnEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 30)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 30)
	l.clock.Add(3 * time.Hour)
	ctx, stop := contextWithStop()
	p.change(func(p *page) { p.serve = endless(stop) })
	r, err := l.crawler.Run(ctx, job.Job{Kind: job.Refresh, Feeds: []reader.FeedID{id}}, 1)
	if err != nil || len(r.Feeds) != 1 || r.Feeds[0].Outcome != string(reader.OutcomeLost) || r.Polled != 0 {
		t.Fatalf("run: %+v, %v", r, err)
	}
	f := l.row(id)
	if f.Errors != 0 || f.Status != string(reader.StatusActive) {
		t.Errorf("the publisher is blamed: %s, %d errors", f.Status, f.Errors)
	}
	now := l.clock.Now()
	if next := f.Turns().NextTurn(schedule.TickOf(now)).Start().Sub(now); next < time.Hour {
		t.Errorf("asked again in %v", next)
	}
	if at, err := l.crawler.NextAllowed(bg, f, 0); err != nil || at.Before(now.Add(schedule.RefreshGap)) {
		t.Errorf("a refresh is allowed at %v, %v", at, err)
	}
}

// A raw body lies under the whole hashes of its address and of its content.
// R-119, C-9
func TestRawBodiesAreKeptUnderWholeHashes(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 3)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 3)
	want := fmt.Sprintf("/%x/%x.gz", sha256.Sum256([]byte(l.url("/feed"))), sha256.Sum256([]byte(p.body)))
	if raw := l.row(id).Raw; !strings.HasSuffix(raw, want) {
		t.Errorf("the body lies under %s, want …%s", raw, want)
	}
}
