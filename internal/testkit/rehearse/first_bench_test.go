package rehearse

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
)

// asked is what a visit begins with.
var asked = []struct{ name, path string }{
	{"feeds", "/api/feeds"}, {"me", "/api/me"}, {"newest unread", "/api/items?filter=unread&limit=50"},
}

// BenchmarkFirstList measures what a cold and a warm instance of the API read for a visitor's first lists: read units,
// rows and requests to DynamoDB, and the time in the function's own process over the emulated table (dynalite, which is
// slower than DynamoDB: compare the times of one machine).
func BenchmarkFirstList(b *testing.B) {
	bootstraps := os.Getenv("RURI_BOOTSTRAPS")
	if bootstraps == "" {
		b.Skip("needs the built functions: make bench BENCH_FLAGS='-parts lambda'")
	}
	rig, err := Open(Options{Root: "../../..", Bootstraps: bootstraps, Page: "../../assets/webui/dist"})
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(rig.Close)
	// units of more: BenchmarkAPI; the emulators would take many minutes to be filled
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprintf("%d feeds", n), func(b *testing.B) {
			s, err := rig.Deploy(b.Context(), Parameters())
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			m := &measured{B: b, s: s}
			m.subscribe(n)
			for _, a := range asked {
				b.Run(a.name, func(b *testing.B) {
					m.units(b, a.path)
					m.times(b, a.path)
				})
			}
		})
	}
}

// measured is a stack whose owner has many feeds.
type measured struct {
	*testing.B
	s     *Stack
	token string
	calls atomic.Int64 // to DynamoDB, of the functions
}

func (m *measured) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// aFeed is a feed of 24 items.
func aFeed(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/rss+xml")
	_, _ = fmt.Fprintf(w,
		`<rss version="2.0"><channel><title>Feed %s</title><description>About a subject</description>`, r.URL.Path)
	n, _ := strconv.Atoi(r.URL.Path[1:])
	at := time.Now().Add(-time.Duration(n*7%1440) * time.Minute)
	for i := range 24 {
		_, _ = fmt.Fprintf(w,
			`<item><guid>%s/%d</guid><title>The title of an item `+
				`%d</title><link>https://example.org%s/%d</link><pubDate>%s</pubDate><description>%s</description></`+
				`item>`,
			r.URL.Path, i, i, r.URL.Path, i, at.Add(-time.Duration(i)*7*time.Hour).Format(time.RFC1123Z),
			strings.Repeat("Some words of a text. ", 30))
	}
	_, _ = fmt.Fprint(w, `</channel></rss>`)
}

// publishers serve on addresses of their own, since a host is asked for one feed at a time.
func (m *measured) publishers() (addresses []string) {
	for i := range 20 {
		l, err := new(net.ListenConfig).Listen(m.Context(), "tcp", fmt.Sprintf("127.0.0.%d:0", 1+i))
		m.must(err)
		s := httptest.NewUnstartedServer(http.HandlerFunc(aFeed))
		_ = s.Listener.Close()
		s.Listener = l
		s.Start()
		m.Cleanup(s.Close)
		addresses = append(addresses, s.URL)
	}
	return addresses
}

// subscribe imports n feeds and crawls them, in this process: the emulators take long enough.
func (m *measured) subscribe(n int) {
	hosts := m.publishers()
	ctx, app := m.Context(), m.s.App
	owner, err := app.Auth.EnsureOwner(ctx)
	m.must(err)
	var all []opml.Feed
	for i := range n {
		all = append(all, opml.Feed{XMLURL: fmt.Sprintf("%s/%d", hosts[i%len(hosts)], i)})
	}
	for chunk := range slices.Chunk(all, 1000) {
		_, err := app.Subscribe.Import(ctx, owner.ID(), opml.Document{Feeds: chunk})
		m.must(err)
	}
	m.must(m.s.Drained(ctx)) // the functions may have crawled some of them
	parts, err := app.Parts(ctx)
	m.must(err)
	report, err := app.Crawler.All(ctx, parts)
	m.must(err)
	if report.Polled != n || report.Failed > 0 {
		m.Fatalf("%d of %d feeds were crawled: %+v", report.Polled, n, report.RunSums)
	}
	m.token, err = app.Auth.NewToken(ctx, owner.ID(), "bench", "", time.Time{})
	m.must(err)
	m.s.Gates["dynamodb"].Hook = func(lambdahost.Call) lambdahost.Act { m.calls.Add(1); return lambdahost.Pass }
}

// units counts what an instance in this process reads: at first, and at once again, when it asks only what others may
// have changed.
func (m *measured) units(b *testing.B, path string) {
	app, err := m.s.open()
	m.must(err)
	defer app.Close()
	handler := app.Handler()
	for _, when := range []string{"cold", "warm"} {
		before := app.Store.Table().Meter().Snapshot()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, m.request("https://reader.example.org"+path))
		if w.Code != http.StatusOK {
			b.Fatalf("%s answers %d: %.300s", path, w.Code, w.Body)
		}
		after := app.Store.Table().Meter().Snapshot()
		b.ReportMetric(after.TotalReads()-before.TotalReads(), when+"-units")
		b.ReportMetric(float64(after.RowsRead-before.RowsRead), when+"-rows")
	}
}

func (m *measured) request(address string) *http.Request {
	r := httptest.NewRequestWithContext(m.Context(), http.MethodGet, address, nil)
	r.RequestURI = ""
	r.Header.Set("Authorization", "Bearer "+m.token)
	r.Header.Set("Accept-Encoding", "gzip")
	return r
}

// times measures the function's process through gateway and distribution, the median of some requests each.
func (m *measured) times(b *testing.B, path string) {
	client := m.s.rig.client(b)
	ask := func() (ms, calls float64) {
		before, began := m.calls.Load(), time.Now()
		res, err := client.Do(m.request(m.s.URL + path))
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			b.Fatalf("%s answers %d: %v", path, res.StatusCode, err)
		}
		return time.Since(began).Seconds() * 1000, float64(m.calls.Load() - before)
	}
	for _, when := range []struct {
		name  string
		times int
		cold  bool
	}{{"cold", 5, true}, {"warm", 15, false}} {
		var all []float64
		var calls float64
		for range when.times {
			if when.cold {
				m.s.Host.Recycle()
			}
			ms, n := ask()
			all, calls = append(all, ms), n
		}
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], when.name+"-ms")
		b.ReportMetric(calls, when.name+"-calls")
	}
	b.ReportMetric(0, "ns/op") // each figure has its own unit
}
