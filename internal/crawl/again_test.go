package crawl_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// everyHostHere finds each name on this machine.
func everyHostHere(ctx context.Context, d *net.Dialer, address string) (net.Conn, error) {
	_, port, _ := net.SplitHostPort(address)
	return d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
}

// A poll asks a server with a fault of its own again, in the same poll; meanwhile other hosts have its place.
// R-72, C-6
func TestServerFaultIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	other := make(chan struct{})
	var pauses []time.Duration
	l := newLab(t, func(_ *lab, o *fetch.Options) {
		o.Dial = everyHostHere
		o.Sleep = func(ctx context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			select {
			case <-other:
			case <-time.After(5 * time.Minute):
				t.Error("while one host is left alone, no other is polled")
			}
			return ctx.Err()
		}
	})
	var kept []crawl.Poll
	l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock,
		crawl.Options{Parts: 1, Parallel: 1, Observer: polls{&kept}})
	flaky, sound := l.page("/flaky", rss("", numbered(1, 3)...)), l.page("/sound", rss("", numbered(1, 3)...))
	at := func(host, path string) string { return strings.Replace(l.url(path), "127.0.0.1", host, 1) }
	ids := []reader.FeedID{l.feed(at("a.example", "/flaky")), l.feed(at("b.example", "/sound"))}
	answered := 0
	flaky.serve = func(w http.ResponseWriter, _ *http.Request) {
		if answered++; answered < 3 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(flaky.body))
	}
	sound.serve = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(sound.body))
		close(other)
	}
	r, err := l.crawler.Run(bg, job.Job{Kind: job.First, Feeds: ids}, 1)
	if err != nil || r.Changed != 2 || r.Failed != 0 || answered != 3 || len(pauses) != 2 {
		t.Errorf("%+v %v, %d requests, pauses %v", r.RunSums, err, answered, pauses)
	}
	for _, p := range kept {
		if want := (map[bool][2]int{true: {502, 502}})[strings.HasPrefix(p.Host, "a.example")]; p.Faults != want {
			t.Errorf("%s: told of the faults %v, want %v", p.Host, p.Faults, want)
		}
	}
	if f := l.row(ids[0]); f.Errors != 0 || f.Status != string(reader.StatusActive) {
		t.Errorf("the feed that came in the end is %s with %d errors", f.Status, f.Errors)
	}
}

// polls keeps what is told of each poll, one at a time.
type polls struct{ all *[]crawl.Poll }

func (p polls) Polled(x crawl.Poll) { *p.all = append(*p.all, x) }
func (p polls) Ran(crawl.Ran)       {}
