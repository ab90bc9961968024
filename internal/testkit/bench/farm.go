package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/testkit/child"
)

// farm is a running feed farm.
type farm struct {
	cmd   *exec.Cmd
	ended <-chan struct{}
	base  string
	log   *bytes.Buffer
	http  *http.Client
}

// farmStats are the farm's counters since the last reset.
type farmStats struct {
	Requests    int     `json:"requests"`
	OK          int     `json:"ok200"`
	Other       int     `json:"other"`
	Connections int     `json:"connections"`
	MaxInFlight int     `json:"max_inflight"`
	MaxPerHost  int     `json:"max_concurrent_per_host"`
	Feeds       int     `json:"distinct_feeds"`
	MaxPerFeed  int     `json:"max_requests_per_feed"`
	Span        float64 `json:"span_s"`
}

// startFarm runs the farm on a free loopback port and waits until it serves.
func startFarm(ctx context.Context, program string, n, hosts int, more ...string) (*farm, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	f := &farm{base: "http://127.0.0.1:" + strconv.Itoa(port), log: new(bytes.Buffer),
		http: &http.Client{Timeout: time.Minute}}
	args := append([]string{
		"-n", strconv.Itoa(n), "-hosts", strconv.Itoa(hosts), "-port", strconv.Itoa(port), "-seed", "1", "-life", "1h",
	}, more...)
	f.cmd = exec.Command(program, args...)
	f.cmd.Stderr = f.log
	if f.ended, err = child.Start(f.cmd); err != nil {
		return nil, err
	}
	for range 600 + n/5 { // it renders all feeds first: 20,000 take a minute or two
		if f.listens() {
			return f, nil
		}
		select {
		case <-f.ended:
			return nil, fmt.Errorf("the farm ended: %s", f.log)
		case <-ctx.Done():
			f.stop()
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	f.stop()
	return nil, fmt.Errorf("the farm does not serve: %s", f.log)
}

// listens reports whether the farm answers on all its addresses: it binds one after the other, the first of which has
// the statistics.
func (f *farm) listens() bool {
	urls, err := f.addresses()
	if err != nil {
		return false
	}
	dialed := map[string]bool{}
	for _, address := range urls {
		u, err := url.Parse(address)
		if err != nil || dialed[u.Host] {
			continue
		}
		dialed[u.Host] = true
		c, err := net.DialTimeout("tcp4", u.Host, time.Second)
		if err != nil {
			return false
		}
		_ = c.Close()
	}
	return true
}

func (f *farm) stop() {
	child.Kill(f.cmd)
	<-f.ended
}

func (f *farm) get(path string) ([]byte, error) {
	resp, err := f.http.Get(f.base + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func (f *farm) post(path string) error {
	resp, err := f.http.Post(f.base+path, "", nil)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.Body.Close()
}

func (f *farm) stats() (s farmStats, err error) {
	b, err := f.get("/stats")
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// reset sets the counters to zero.
func (f *farm) reset() error { return f.post("/reset") }

// tick lets a percentage of feeds gain one or two items.
func (f *farm) tick(pct int) error {
	return f.post("/tick?items=2&pct=" + strconv.Itoa(pct))
}

// addresses are the feeds in order of number.
func (f *farm) addresses() ([]string, error) {
	opml, err := f.get("/opml")
	if err != nil {
		return nil, err
	}
	var urls []string
	for _, part := range strings.Split(string(opml), `xmlUrl="`)[1:] {
		url, _, _ := strings.Cut(part, `"`)
		urls = append(urls, url)
	}
	return urls, nil
}

// span is the numbers of a feed's items as its body lists them: the farm counts a feed's items from 0
// and names them in their links, so that the first and the last number give how many there ever were,
// whatever anybody's parser says.
type span struct{ first, last int }

// items reads every feed and gives the numbers of its items.
func (f *farm) items(urls []string) ([]span, error) {
	out := make([]span, len(urls))
	var g errgroup.Group
	g.SetLimit(4)
	for i := range urls {
		g.Go(func() (err error) {
			out[i], err = f.spanOf(urls[i], i)
			return err
		})
	}
	return out, g.Wait()
}

func (f *farm) spanOf(url string, n int) (span, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return span{}, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := f.http.Do(req)
	if err != nil {
		return span{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return span{}, err
	}
	numbers := regexp.MustCompile("/a/"+strconv.Itoa(n)+"/([0-9]+)").FindAllSubmatch(body, -1)
	if len(numbers) == 0 {
		return span{}, fmt.Errorf("%s lists no items", url)
	}
	s := span{first: math.MaxInt}
	for _, m := range numbers {
		k, _ := strconv.Atoi(string(m[1]))
		s.first, s.last = min(s.first, k), max(s.last, k)
	}
	return s, nil
}
