package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// The published rules of good feed readers, one test each (FRB by number where it has one).

// F1: validators are echoed byte for byte and replaced as a pair; on first contact there are none
// (FRB001, 003, 012, 014).
// R-14, G-25
func TestF1ValidatorsAreAPairByteForByte(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 3)...))
	// Neither is well formed: they are the publisher's business.
	p.etag, p.modified = `W/"a;gzip" 'b'`, "Tue, 1 sep 2026 9:00 UTC"
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 3)
	if h := p.last(); h.Get("If-None-Match") != "" || h.Get("If-Modified-Since") != "" {
		t.Errorf("the first request has validators: %v", h)
	}
	l.want(id, reader.OutcomeNotModified, 0)
	if h := p.last(); h.Get("If-None-Match") != `W/"a;gzip" 'b'` ||
		h.Get("If-Modified-Since") != "Tue, 1 sep 2026 9:00 UTC" {
		t.Errorf("validators were changed: %q %q", h.Get("If-None-Match"), h.Get("If-Modified-Since"))
	}
	// The next answer has only the one: the other is forgotten with it.
	p.change(func(p *page) { p.etag, p.modified, p.body = "", "never", rss("", numbered(1, 4)...) })
	l.want(id, reader.OutcomeChanged, 1)
	l.poll(id)
	if h := p.last(); h.Values("If-None-Match") != nil || h.Get("If-Modified-Since") != "never" {
		t.Errorf("the pair was torn: %v", h)
	}
}

// F2: one unconditional request in a feed's life, whatever happens between (FRB016, 037, 051).
func TestF2OneUnconditionalRequest(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 3)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 3)
	l.restart()
	l.want(id, reader.OutcomeNotModified, 0)
	for _, status := range []int{503, 429, 500} {
		p.change(func(p *page) { p.status = status })
		l.want(id, reader.OutcomeFailed, 0)
	}
	p.change(func(p *page) { p.status, p.body = 0, "<html>a page</html>"; p.etag = `"2"` })
	l.want(id, reader.OutcomeFailed, 0)
	l.clock.Add(30 * 24 * time.Hour)
	p.change(func(p *page) { p.etag = `"1"` })
	l.want(id, reader.OutcomeNotModified, 0)
	l.clock.Add(2 * time.Hour)
	if r, err := l.crawler.Run(bg, job.Job{Kind: job.Refresh, Feeds: []reader.FeedID{id}}, 1); err != nil ||
		r.Polled != 1 {
		t.Fatalf("refresh: %+v %v", r, err)
	}
	if _, err := l.crawler.All(bg, 1); err != nil {
		t.Fatal(err)
	}
	without := 0
	for _, h := range p.requests {
		if h.Get("If-None-Match") == "" {
			without++
		}
	}
	if without != 1 {
		t.Errorf("%d unconditional requests of %d", without, len(p.requests))
	}
}

// F3: an hour between scheduled polls; two or six from turn to turn where no answer can be a short one; a person may
// ask after five minutes.
// R-65, G-27
func TestF3Gaps(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.page("/with", rss("", l.lively(30)...))
	l.page("/without", rss("", l.lively(30)...)).etag = ""
	large := l.lively(30)
	large[0].more = "<description>" + strings.Repeat("x ", 130<<10) + "</description>"
	l.page("/large", rss("", large...)).etag = ""
	for path, want := range map[string]time.Duration{"/with": time.Hour, "/without": 2 * time.Hour,
		"/large": 6 * time.Hour} {
		id := l.feed(l.url(path))
		l.want(id, reader.OutcomeChanged, 30)
		began := l.clock.Now()
		at, err := l.crawler.NextAllowed(bg, l.row(id), 0)
		if err != nil || !at.Equal(began.Add(5*time.Minute)) {
			t.Errorf("%s: a refresh is allowed after %v, %v", path, at.Sub(began), err)
		}
		turns := l.row(id).Turns()
		second := turns.NextTurn(schedule.TickOf(began))
		if wait := second.Start().Sub(began); wait < time.Hour || wait > want+schedule.TickLength {
			t.Errorf("%s: the second turn is after %v", path, wait)
		}
		if every := turns.NextTurn(second).Start().Sub(second.Start()); every < want || every > want+
			schedule.TickLength {
			t.Errorf("%s: its turns are %v apart", path, every)
		}
	}
}

// F4: validators are taken from every 200, also over equal content, and from a 304 that carries others.
func TestF4ValidatorsAreUpdated(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.page("/feed", rss("", numbered(1, 3)...))
	id := l.feed(l.url("/feed"))
	l.want(id, reader.OutcomeChanged, 3)
	p.change(func(p *page) { p.etag = `"2"` })
	l.want(id, reader.OutcomeUnchanged, 0)
	if got := l.row(id).ETag; got != `"2"` {
		t.Errorf("after an unchanged 200: %s", got)
	}
	p.change(func(p *page) {
		p.serve = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") != `"2"` {
				t.Errorf("asked with %s", r.Header.Get("If-None-Match"))
			}
			w.Header().Set("Etag", `"3"`)
			w.WriteHeader(http.StatusNotModified)
		}
	})
	l.want(id, reader.OutcomeNotModified, 0)
	if got := l.row(id).ETag; got != `"3"` {
		t.Errorf("after a 304 with another: %s", got)
	}
}

// F5: max-age and Retry-After are times before which nobody polls (FRB020, 022), and a bare 429 or 503
// slows down as well (FRB021).
func TestF5HintsAreObeyed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		serve http.HandlerFunc
		least time.Duration
	}{
		{"max-age", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "public, max-age=20000")
			w.Header().Set("Etag", `"1"`)
			w.WriteHeader(http.StatusNotModified)
		}, 20000 * time.Second},
		{"retry-after seconds", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "40001")
			w.WriteHeader(429)
		}, 40001 * time.Second},
		{"retry-after date", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "Thu, 03 Sep 2026 20:00:00 GMT")
			w.WriteHeader(503)
		}, 0},
		{"bare 429", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, 2 * time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.page("/feed", rss("", numbered(1, 30)...))
			id := l.feed(l.url("/feed"))
			l.want(id, reader.OutcomeChanged, 30)
			p.change(func(p *page) { p.serve = c.serve })
			l.poll(id)
			f, now := l.row(id), l.clock.Now()
			if c.least == 0 {
				c.least = time.Date(2026, 9, 3, 20, 0, 0, 0, time.UTC).Sub(now)
			}
			if next := f.Turns().NextTurn(schedule.TickOf(now)).Start().Sub(now); next < c.least {
				t.Errorf("the next turn comes after %v, want at least %v", next, c.least)
			}
			if c.name == "bare 429" {
				return // no promise was asked for: a person may try
			}
			asked := p.count()
			l.clock.Add(c.least - time.Second)
			// A person may reload what is still fresh (RFC 9111, 5.2.1.4), but not while the publisher asks to wait.
			polls := 0
			if c.name == "max-age" {
				polls = 1
			}
			r, err := l.crawler.Run(bg, job.Job{Kind: job.Refresh, Feeds: []reader.FeedID{id}}, 1)
			if err != nil || r.Skipped != 1-polls || p.count() != asked+polls {
				t.Errorf("a refresh a second too early: %+v %v", r, err)
			}
			if r, err := l.crawler.All(bg, 1); err != nil || r.Skipped != 1 || p.count() != asked+polls {
				t.Errorf("a crawl of everything a second too early: %+v %v", r, err)
			}
		})
	}
}

// F6: slower for feeds that change seldom, ttl and skipHours obeyed (FRB023, 024), one request at a time
// to a host (FRB033, 034), permanent redirects kept and temporary ones not (FRB130 to 132).
//
func TestF6Restraint(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	old := numbered(1, 10)
	for i := range old {
		old[i].date = time.Date(2024, 1, 1+i*30, 0, 0, 0, 0, time.UTC)
	}
	l.page("/quiet", rss("", old...))
	l.page("/ttl", rss("<ttl>600</ttl><skipHours><hour>3</hour></skipHours>", numbered(1, 30)...))
	quiet, ttl := l.feed(l.url("/quiet")), l.feed(l.url("/ttl"))
	l.want(quiet, reader.OutcomeChanged, 10)
	l.want(ttl, reader.OutcomeChanged, 30)
	if f := l.row(quiet); schedule.IntervalIn(f.Period, f.Why) != 12*time.Hour || f.Why != schedule.ReasonQuiet {
		t.Errorf("a feed that changes once a month is polled every %v (%s)",
			schedule.IntervalIn(f.Period, f.Why), f.Why)
	}
	if f := l.row(ttl); schedule.IntervalOf(f.Period) < 600*time.Minute ||
		!f.Turns().Skip.At(schedule.TickOf(time.Date(2026, 9, 2, 3, 5, 0, 0, time.UTC))) {
		t.Errorf("ttl and skipHours: %+v", f.Turns())
	}
	var open, worst atomic.Int32
	var ids []reader.FeedID
	for i := range 12 {
		p := l.page(fmt.Sprint("/many/", i), rss("", numbered(1, 2)...))
		body := p.body
		p.serve = func(w http.ResponseWriter, _ *http.Request) {
			worst.Store(max(worst.Load(), open.Add(1)))
			defer open.Add(-1)
			_, _ = w.Write([]byte(body))
		}
		ids = append(ids, l.feed(l.url(fmt.Sprint("/many/", i))))
	}
	r, err := l.crawler.Run(bg, job.Job{Kind: job.First, Feeds: ids}, 1)
	if err != nil || r.Changed != 12 || worst.Load() != 1 {
		t.Errorf("%d requests at once to one host: %+v %v", worst.Load(), r.RunSums, err)
	}
}

// Ten hosts at once, or as many as are asked for, however many have feeds that are due.
//
func TestHostsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	for asked, want := range map[int]int{0: 10, 3: 3} {
		l := newLab(t)
		l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Parts: 1, Parallel: asked})
		var open, worst atomic.Int32
		full := make(chan struct{})
		release := sync.OnceFunc(func() { close(full) })
		var ids []reader.FeedID
		for range 3 * want {
			host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				n := open.Add(1)
				defer open.Add(-1)
				if worst.Store(max(worst.Load(), n)); n == int32(want) {
					// Were there no bound, the others would come now.
					time.AfterFunc(100*time.Millisecond, release)
				}
				<-full
				_, _ = w.Write([]byte(rss("", numbered(1, 2)...)))
			}))
			t.Cleanup(host.Close)
			ids = append(ids, l.feed(host.URL+"/feed"))
		}
		r, err := l.crawler.Run(bg, job.Job{Kind: job.First, Feeds: ids}, 1)
		if err != nil || r.Changed != len(ids) || int(worst.Load()) != want {
			t.Errorf("%d hosts at once, want %d: %+v %v", worst.Load(), want, r.RunSums, err)
		}
	}
}

// F7: no cookies, no Referer, no added query; compression; an agent that names product, version, project
// and subscribers without words of block lists.
func TestF7TheRequest(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var query string
	p := l.page("/feed", "")
	p.serve = func(w http.ResponseWriter, r *http.Request) {
		query = r.URL.RawQuery
		w.Header().Set("Set-Cookie", "id=1; Path=/")
		w.Header().Set("Etag", `"1"`)
		_, _ = w.Write([]byte(rss("", numbered(1, 3)...)))
	}
	id := l.feed(l.url("/feed?a=b&b=%20c"))
	l.want(id, reader.OutcomeChanged, 3)
	l.poll(id)
	h := p.last()
	if h.Get("Cookie") != "" || h.Get("Referer") != "" || query != "a=b&b=%20c" {
		t.Errorf("cookie %q, referer %q, query %q", h.Get("Cookie"), h.Get("Referer"), query)
	}
	if e := h.Get("Accept-Encoding"); !strings.Contains(e, "gzip") || !strings.Contains(e, "br") ||
		!strings.Contains(e, "zstd") {
		t.Errorf("Accept-Encoding: %s", e)
	}
	agent := h.Get("User-Agent")
	if !strings.HasPrefix(agent, "RuriReader/1.2 (+http") || !strings.HasSuffix(agent, "; 1 subscriber)") {
		t.Errorf("User-Agent: %s", agent)
	}
	for _, word := range []string{"bot", "crawl", "spider", "ai"} {
		if strings.Contains(strings.ToLower(strings.SplitN(agent, "(", 2)[0]), word) {
			t.Errorf("User-Agent %s has %q in its name", agent, word)
		}
	}
}
