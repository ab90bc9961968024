package subscribe_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// stoppedFeeds keeps the feeds whose new address the crawler asks for.
type stoppedFeeds struct{ ids []reader.FeedID }

func (s *stoppedFeeds) Send(_ context.Context, bodies [][]byte, _ time.Duration) error {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return err
		}
		if j.Kind == job.Relocate {
			s.ids = append(s.ids, j.Feeds...)
		}
	}
	return nil
}

// turn lets the feed's next turn come and polls it.
func turn(t *testing.T, w *flow.Env, p *flow.Process, id reader.FeedID) store.FeedOutcome {
	t.Helper()
	tick := w.Feed(id).Turns().NextTurn(w.Tick())
	w.To(tick, time.Second)
	r, err := p.Crawler.Run(bg, job.Job{Kind: job.Scheduled, Tick: tick, Feeds: []reader.FeedID{id}}, 1)
	if err != nil || len(r.Feeds) != 1 {
		t.Fatalf("run: %+v, %v", r, err)
	}
	return r.Feeds[0]
}

// A dead feed is looked for on its site's page, then on the front page of its host, and what is found is proposed.
func TestFind(t *testing.T) {
	t.Parallel()
	const dead = "https://old.example/blog/feed"
	names := `<link rel=alternate type=application/rss+xml href=`
	tests := []struct {
		name, site string
		pages      map[string]string // "" is a 404, "feed" a feed
		want, why  string
	}{
		{"its site has moved", "https://site.example/", map[string]string{"https://site.example/": names + "/new>",
			"https://site.example/new": "feed"}, "https://site.example/new", subscribe.ProposedBySite},
		{"its host's front page", "https://site.example/",
			map[string]string{"https://site.example/": "", "https://old.example/": names + "/news.xml>",
				"https://old.example/news.xml": "feed"}, "https://old.example/news.xml", subscribe.ProposedByHost},
		{"without a site", "", map[string]string{"https://old.example/": names + "/news.xml>",
			"https://old.example/news.xml": "feed"}, "https://old.example/news.xml", subscribe.ProposedByHost},
		{"the site still names the dead one", "https://site.example/",
			map[string]string{"https://site.example/": names + dead + ">" + names + "/new>",
				"https://site.example/new": "feed"}, "https://site.example/new", subscribe.ProposedBySite},
		{"a usual place", "https://site.example/",
			map[string]string{"https://site.example/": "<p>", "https://site.example/feed": "feed"},
			"https://site.example/feed", subscribe.ProposedBySite},
		{"closed to us", "https://site.example/",
			map[string]string{"https://site.example/robots.txt": "User-agent: *\nDisallow: /",
				"https://site.example/": names + "/new>", "https://site.example/new": "feed"}, "", ""},
		{"only itself", "https://site.example/", map[string]string{"https://site.example/": names + dead + ">"}, "",
			""},
		{"nothing answers", "", nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := flow.New(t, 1, 1)
			s := w.Web.Site(dead, 5)
			stopped := &stoppedFeeds{}
			p := w.Process(crawl.Options{Queue: stopped})
			f, _, err := p.Subscribe.Add(bg, flow.User, dead, subscribe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			id := f.ID()
			w.Patch(id, func(f *store.FeedRow) { f.Site = tt.site })
			for _, host := range []string{"https://site.example/", "https://old.example/"} {
				status(w, host+"robots.txt", 404)
			}
			for address, body := range tt.pages {
				switch body {
				case "":
					status(w, address, 404)
				case "feed":
					w.Web.Site(address, 3)
				default:
					file(w, address, "text/html", body)
				}
			}
			if _, err := p.Subscribe.Relocate(bg, id); fault.CodeOf(err) != "feed_not_failing" {
				t.Errorf("a feed in order: %v", err)
			}
			s.Answer = func(flow.Visit) (int, time.Duration, error) { return 410, 0, nil }
			if o := turn(t, w, p, id); o.Status != 410 || !slices.Equal(stopped.ids, []reader.FeedID{id}) {
				t.Fatalf("outcome %+v, asked for %v", o, stopped.ids)
			}
			if err := p.Subscribe.RunRelocate(bg, job.Job{Kind: job.Relocate, Feeds: append(stopped.ids, 999)}); err !=
				nil {
				t.Fatal(err)
			}
			f = w.Feed(id)
			if f.Proposed != tt.want || f.ProposedWhy != tt.why || f.ProposedAt == 0 ||
				f.Status != string(reader.StatusStopped) || f.URL != dead {
				t.Errorf("proposed %q because of %q; %s at %s", f.Proposed, f.ProposedWhy, f.Status, f.URL)
			}
			// The message may be delivered twice: no publisher is asked again.
			before := visits(w)
			if err := p.Subscribe.RunRelocate(bg, job.Job{Kind: job.Relocate, Feeds: stopped.ids}); err != nil ||
				visits(w) != before {
				t.Errorf("again: %v, %d visits more", err, visits(w)-before)
			}
			if n := w.Web.WorstOverlap(); n > 1 {
				t.Errorf("%d requests at once", n)
			}
			if tt.want == "" {
				if _, err := p.Subscribe.Relocate(bg, id); err == nil {
					t.Error("a proposal is announced")
				}
				return
			}
			// Taken: the same user reads the new address, which was not fetched twice.
			found := w.Web.Of(tt.want)
			had := found.Count
			to, err := p.Subscribe.Repoint(bg, flow.User, id, f.Proposed)
			if err != nil || to.URL != tt.want || found.Count != had {
				t.Errorf("taken: %+v, %v, %d visits more", to, err, found.Count-had)
			}
		})
	}
}

func visits(w *flow.Env) (n int) {
	for _, s := range w.Web.Sites() {
		n += s.Count
	}
	return n
}

// A proposal goes when the feed is back, or when a person resumes it.
func TestProposalIsDropped(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://a.example/feed", 5)
	f := w.Add(s.URL, subscribe.Options{})
	for _, resume := range []bool{true, false} {
		status := string(reader.StatusError)
		if resume {
			status = string(reader.StatusStopped)
		}
		w.Patch(f.ID(), func(f *store.FeedRow) {
			f.Status = status
			f.Errors = 1
			f.ErrCode = "http_404"
			f.Proposed = "https://b.example/"
			f.ProposedWhy = "site"
		})
		if resume {
			if _, err := service(w).Resume(bg, f.ID()); err != nil {
				t.Fatal(err)
			}
		} else {
			turn(t, w, w.Main(), f.ID())
		}
		if row := w.Feed(f.ID()); row.Proposed != "" || row.ProposedWhy != "" ||
			row.Status != string(reader.StatusActive) {
			t.Errorf("resumed %v: %q, %s", resume, row.Proposed, row.Status)
		}
	}
}

// C-5: a feed stopped by its status is probed after six hours, daily for a week and weekly for three months, each time
// by one request; while the answer is the same nothing is written; and it is back by itself, with what came meanwhile.
func TestProbe(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, code := range []int{401, 403, 404, 410} {
		for _, back := range []int{0, 1, 5, 99} { // probes until it answers; 0: no probing
			w := flow.New(t, 1, 1)
			s := w.Web.Site("https://a.example/feed", 5)
			p := w.Process(crawl.Options{Probe: back > 0})
			f, _, err := p.Subscribe.Add(bg, flow.User, s.URL, subscribe.Options{})
			if err != nil {
				t.Fatal(err)
			}
			id := f.ID()
			s.Answer = func(flow.Visit) (int, time.Duration, error) { return code, 0, nil }
			if turn(t, w, p, id); w.Feed(id).Status != string(reader.StatusStopped) || w.Feed(id).Live() {
				t.Fatalf("%d does not stop", code)
			}
			stopped, row := w.Now(), w.Feed(id)
			if back == 0 {
				if f := w.Feed(id); f.HasTurns() || !f.NextCheck(w.Now()).IsZero() {
					t.Errorf("%d: tried although nobody has asked for that", code)
				}
				continue
			}
			var probes []time.Duration
			for !w.Feed(id).NextCheck(w.Now()).IsZero() && len(probes) < 40 {
				if len(probes)+1 == back {
					s.Answer = nil
				}
				turn(t, w, p, id)
				probes = append(probes, w.Now().Sub(stopped).Round(time.Hour))
				f := w.Feed(id)
				if len(probes) == back {
					if f.Status != string(reader.StatusActive) || f.Probe != 0 || f.ErrCode != "" || f.Errors != 0 {
						t.Errorf("%d: it is back, and the row says %s, %q, probe %d, %s", code, f.Status, f.ErrCode,
							f.Probe, f.Why)
					}
					if next := f.NextCheck(w.Now()).Sub(w.Now()); next < time.Hour || next > 13*time.Hour {
						t.Errorf("%d: it is back, and polled after %v", code, next)
					}
					break
				}
				if !f.Equal(row) {
					t.Errorf("%d: a probe with the same answer was written: %+v", code, f)
				}
			}
			var want []time.Duration
			if code != 410 {
				for n := range 8 {
					want = append(want, 6*time.Hour+time.Duration(n)*day)
				}
			}
			for len(want) < 21 && (code != 410 || len(want) < 14) {
				last := time.Duration(0)
				if len(want) > 0 {
					last = want[len(want)-1]
				}
				want = append(want, last+7*day)
			}
			if want = want[:min(len(want), back)]; !slices.Equal(probes, want) {
				t.Errorf("%d: probes after %v, want %v", code, probes, want)
			}
		}
	}
}

// While a feed is probed, another failure changes neither its state nor the reason for it.
func TestProbeKeepsTheReason(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 1, 1)
	s := w.Web.Site("https://a.example/feed", 5)
	p := w.Process(crawl.Options{Probe: true})
	f, _, err := p.Subscribe.Add(bg, flow.User, s.URL, subscribe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := f.ID()
	s.Answer = func(flow.Visit) (int, time.Duration, error) { return 404, 0, nil }
	turn(t, w, p, id)
	for _, wrong := range []func(flow.Visit) (int, time.Duration, error){
		func(flow.Visit) (int, time.Duration, error) { return 0, 0, flow.Timeout() },
		func(flow.Visit) (int, time.Duration, error) { return 503, 30 * time.Hour, nil },
	} {
		s.Answer = wrong
		turn(t, w, p, id)
		if f := w.Feed(id); f.Status != string(reader.StatusStopped) || f.ErrCode != reader.CodeHTTP404 ||
			!f.HasTurns() {
			t.Errorf("%s, %q, live %v", f.Status, f.ErrCode, f.HasTurns())
		}
	}
	if next := w.Feed(id).NextCheck(w.Now()); next.Sub(w.Now()) < 29*time.Hour {
		t.Errorf("a Retry-After of 30 hours is visited after %v", next.Sub(w.Now()))
	}
	if row, err := p.Subscribe.Resume(bg, id); err != nil || row.Probe != 0 {
		t.Errorf("resumed: %v", err)
	}
}
