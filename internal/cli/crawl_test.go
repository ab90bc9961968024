package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/wire/localwire"

	"log/slog"
)

// site is a publisher of many feeds that counts visits and tells when it was visited so often. Each feed
// has validators and three items.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	visits map[string]int
	total  int
	at     int           // closes reached at this visit
	gate   chan struct{} // visits from `at` on wait for it
	hit    chan struct{}
}

func newSite(t *testing.T, at int) *site {
	s := &site{visits: map[string]int{}, at: at, gate: make(chan struct{}), hit: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.visits[r.URL.Path]++
		s.total++
		if s.total == s.at {
			close(s.hit)
		}
		wait := s.at > 0 && s.total >= s.at
		s.mu.Unlock()
		if wait {
			select {
			case <-s.gate:
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = fmt.Fprintf(w, `<rss version="2.0"><channel><title>%s</title>`, r.URL.Path)
		for i := range 3 {
			_, _ = fmt.Fprintf(w, `<item><guid>%s-%d</guid><title>Item %d</title></item>`, r.URL.Path, i, i)
		}
		_, _ = io.WriteString(w, `</channel></rss>`)
	}))
	t.Cleanup(s.Close)
	return s
}

// opml lists n of the site's feeds, from a number on.
func (s *site) opml(t *testing.T, from, n int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<opml version="2.0"><body>`)
	for i := range n {
		fmt.Fprintf(&b, `<outline text="%d" xmlUrl="%s/%d"/>`, from+i, s.URL, from+i)
	}
	b.WriteString(`</body></opml>`)
	name := filepath.Join(t.TempDir(), "list.opml")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

type sums struct{ Due, Polled, Changed, NewItems, NotModified, Skipped int }

func crawlAt(t *testing.T, at time.Time, data string, args ...string) (s sums) {
	t.Helper()
	code, out, errs := ruriAt(t, at, data, "", append([]string{"crawl", "--json"}, args...)...)
	if code != ExitOK {
		t.Fatalf("crawl ended with %d: %s", code, errs)
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFeedsAddedAfterTheTickWasTakenAreCrawled: whoever imports a second list need not wait for the next
// quarter of an hour.
func TestFeedsAddedAfterTheTickWasTakenAreCrawled(t *testing.T) {
	t.Parallel()
	data, s := t.TempDir(), newSite(t, 0)
	must(t, data, "", "import", s.opml(t, 0, 2))
	if got := crawlAt(t, early, data); got.Changed != 2 {
		t.Errorf("the first crawl was %+v", got)
	}
	must(t, data, "", "import", s.opml(t, 2, 3))
	if got := crawlAt(t, early.Add(time.Minute), data); got.Changed != 3 || got.Polled != 3 {
		t.Errorf("the second crawl was %+v", got)
	}
	if got := crawlAt(t, early.Add(2*time.Minute), data); got.Polled != 0 {
		t.Errorf("the third crawl was %+v", got)
	}
}

// TestDueFeedsArePolledLateInATick: the minutes in which no run may start are no dead time for a
// person, and nobody's gap suffers.
func TestDueFeedsArePolledLateInATick(t *testing.T) {
	t.Parallel()
	data, s := t.TempDir(), newSite(t, 0)
	tick := schedule.TickOf(early)
	late := tick.Start().Add(13 * time.Minute)
	must(t, data, "", "import", s.opml(t, 0, 2))
	if got := crawlAt(t, late, data); got.Changed != 2 {
		t.Errorf("at minute 13 the first crawl was %+v", got)
	}
	if got := crawlAt(t, late.Add(time.Minute), data); got.Polled != 0 {
		t.Errorf("a minute later it was %+v", got)
	}
	polled := 0
	last := late
	for i := 1; i <= 12; i++ { // three hours, always late in the tick
		at := late.Add(time.Duration(i) * 15 * time.Minute)
		if got := crawlAt(t, at, data); got.Polled > 0 {
			if polled += got.Polled; at.Sub(last) < time.Hour {
				t.Errorf("polled again after %v", at.Sub(last))
			}
		}
	}
	if polled == 0 {
		t.Error("whoever crawls late in each tick polls nothing in three hours")
	}
}

// TestCrawlWhileServingNeverPollsTwice: the server crawls what is imported, while the command line is
// told to do the same again and again.
func TestCrawlWhileServingNeverPollsTwice(t *testing.T) {
	t.Parallel()
	const feeds = 20
	data, s := t.TempDir(), newSite(t, 0)
	out := &lines{hit: make(chan struct{}), re: regexp.MustCompile(`/auth/link/\S+\n`)}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int, 1)
	clk := clock.NewManual(early)
	env := Env{Version: "test", Stdin: strings.NewReader(""), Stderr: io.Discard, Clock: clk,
		Lookup: func(k string) (string, bool) {
			v, ok := map[string]string{"RURI_DATA": data, "RURI_ALLOW_NETS": "127.0.0.0/8"}[k]
			return v, ok
		}}
	server := env
	server.Args, server.Stdout = []string{"serve", "--addr", "127.0.0.1:0"}, out
	go func() { done <- run(ctx, server) }()
	<-out.hit
	must(t, data, "", "import", s.opml(t, 0, feeds))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			again := env
			again.Args, again.Stdout = []string{"crawl"}, io.Discard
			for range 5 {
				_ = run(ctx, again) // busy is an answer too
			}
		})
	}
	wg.Wait()
	stop()
	if code := <-done; code != ExitOK {
		t.Errorf("serve ended with %d", code)
	}
	if got := crawlAt(t, early, data); got.Polled+s.total < feeds { // what the server had no time for
		t.Errorf("only %d feeds were visited", s.total)
	}
	for path, n := range s.visits { // what is looked at for icons too: once for all feeds of the host
		if n != 1 {
			t.Errorf("%s was visited %d times", path, n)
		}
	}
	for _, path := range []string{"/", "/robots.txt", "/favicon.ico", "/apple-touch-icon.png"} {
		delete(s.visits, path)
	}
	if len(s.visits) != feeds {
		t.Errorf("%d feeds were visited, want %d", len(s.visits), feeds)
	}
}

var binary struct {
	once sync.Once
	path string
	err  error
}

// build makes the real binary once for the tests that need a process to kill.
func build(t *testing.T) string {
	t.Helper()
	binary.once.Do(func() {
		dir, err := os.MkdirTemp("", "ruri-bin-") //nolint:usetesting // several tests share it
		if err != nil {
			binary.err = err
			return
		}
		binary.path = filepath.Join(dir, "ruri")
		if out, err := exec.Command("go", "build", "-o", binary.path,
			"github.com/ruri-reader/ruri/cmd/ruri").CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

func TestMain(m *testing.M) {
	if os.Getenv("RURI_TEST_COMMAND") != "" { // TestCommandsOfTheDocs
		os.Exit(Main(Env{Args: os.Args[1:], Version: "test", Lookup: os.LookupEnv, Stdin: os.Stdin, Stdout: os.Stdout,
			Stderr: os.Stderr}))
	}
	code := m.Run()
	if binary.path != "" {
		_ = os.RemoveAll(filepath.Dir(binary.path))
	}
	os.Exit(code)
}

// TestKilledCrawlLosesNothing ends the real binary in the middle of a crawl, by signal and by force, lets
// time pass, and goes on: every item is there exactly once.
func TestKilledCrawlLosesNothing(t *testing.T) {
	t.Parallel()
	ruri := build(t)
	const feeds = 12
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			data, s := t.TempDir(), newSite(t, 5)
			must(t, data, "", "import", s.opml(t, 0, feeds))
			cmd := exec.Command(ruri, "crawl", "--data", data)
			cmd.Env = append(os.Environ(), "RURI_ALLOW_NETS=127.0.0.0/8")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-s.hit
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if err == nil || sig == syscall.SIGTERM && cmd.ProcessState.ExitCode() != ExitError {
				t.Errorf("the process ended with %v", err)
			}
			close(s.gate)
			goOn(t, data)
			whole(t, data, feeds)
		})
	}
}

// goOn crawls a folder for some hours after now.
func goOn(t *testing.T, data string) {
	t.Helper()
	start := clock.System{}.Now() // the killed process lived by it
	for i := 1; i <= 12; i++ {
		tick := schedule.TickOf(start) + schedule.Tick(i)
		crawlAt(t, tick.Start().Add(time.Minute), data)
	}
}

// whole looks into the folder: each feed has its three items, each once, and no delta beyond them.
func whole(t *testing.T, data string, feeds int) {
	t.Helper()
	c, err := config.Load(func(k string) (string, bool) { return data, k == "RURI_DATA" })
	if err != nil {
		t.Fatal(err)
	}
	app, err := localwire.Open(t.Context(), c, localwire.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = app.Close() }()
	n := 0
	err = app.Store.Feeds.Each(t.Context(), func(f *store.FeedRow) error {
		n++
		titles := map[string]int{}
		err := app.Store.Items.Descend(t.Context(), f.ID(), 0, func(d *store.DeltaRow) (bool, error) {
			hs, err := d.Headers()
			for _, h := range hs {
				titles[h.Title]++
			}
			return true, err
		})
		if f.Seq != 3 || len(titles) != 3 {
			t.Errorf("%s has %d items: %v", f.URL, f.Seq, titles)
		}
		for title, times := range titles {
			if times != 1 {
				t.Errorf("%s has %s %d times", f.URL, title, times)
			}
		}
		return err
	})
	if err != nil || n != feeds {
		t.Errorf("%d feeds, %v", n, err)
	}
}
