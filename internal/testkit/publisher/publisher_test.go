package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/extract"
)

func serve(t *testing.T, s *site) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	return server
}

func get(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

func scan(t *testing.T, url string) *extract.Feed {
	t.Helper()
	code, body, header := get(t, url)
	if code != http.StatusOK {
		t.Fatalf("%s: status %d", url, code)
	}
	feed, err := extract.Scan([]byte(body), header.Get("Content-Type"), url, extract.Options{})
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return feed
}

// The browser tests count these.
func TestFeedsHaveTheItemsThatTestsCount(t *testing.T) {
	t.Parallel()
	server := serve(t, newSite())
	for path, want := range map[string]struct {
		title string
		items int
	}{
		"/feeds/plain.xml":    {"Plain Notes", 5},
		"/feeds/nihongo.atom": {"雨の日の覚え書き", 4},
		"/feeds/long.xml":     {"The Long List", 120},
		"/feeds/rich.xml":     {"Rich Texts", 5},
		"/feeds/gallery.xml":  {"Pictures and Words", 24},
		"/feeds/podcast.xml":  {"Spoken Words", 2},
		"/feeds/teasers.xml":  {"Teasers", 5},
		"/grow/reed.xml":      {"Growing reed", 3},
	} {
		feed := scan(t, server.URL+path)
		if feed.Title != want.title || len(feed.Items) != want.items || feed.Fallback {
			t.Errorf("%s: %q with %d items (fallback %v), want %q with %d", path, feed.Title, len(feed.Items),
				feed.Fallback, want.title, want.items)
		}
	}
}

func TestTickGrowsOneFeed(t *testing.T) {
	t.Parallel()
	server := serve(t, newSite())
	resp, err := http.Post(server.URL+"/tick?feed=reed&n=2", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if n := len(scan(t, server.URL+"/grow/reed.xml").Items); n != 5 {
		t.Errorf("%d items after two more, want 5", n)
	}
	if n := len(scan(t, server.URL+"/grow/moss.xml").Items); n != 3 {
		t.Errorf("another feed has %d items, want 3", n)
	}
}

func TestUnchangedFeedIsNotModified(t *testing.T) {
	t.Parallel()
	url := serve(t, newSite()).URL + "/feeds/plain.xml"
	_, _, header := get(t, url)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("If-None-Match", header.Get("ETag"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotModified {
		t.Errorf("status %d, want 304", resp.StatusCode)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	server := serve(t, newSite())
	for path, want := range map[string]int{"/status/404": 404, "/status/410": 410, "/status/500": 500,
		"/status/200": 404, "/nowhere": 404} {
		if code, _, _ := get(t, server.URL+path); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
}

func TestSlowFeedWaitsForItsRelease(t *testing.T) {
	t.Parallel()
	server := serve(t, newSite())
	done := make(chan string)
	go func() {
		resp, err := http.Get(server.URL + "/slow/snail.xml")
		if err != nil {
			done <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		done <- string(body)
	}()
	for {
		if _, body, _ := get(t, server.URL+"/held?feed=snail"); strings.Contains(body, "1") {
			break
		}
	}
	select {
	case body := <-done:
		t.Fatalf("it came by itself: %s", body)
	default:
	}
	resp, err := http.Post(server.URL+"/release?feed=snail", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if body := <-done; !strings.Contains(body, "Growing snail") {
		t.Errorf("not the feed: %s", body)
	}
}

func TestCorpusServesEachLivePayloadOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all []payload
	for i := range chunk + 7 {
		all = append(all, payload{ID: fmt.Sprintf("p%d", i), Live: i != 3, Payload: "\x01<script>alert(1)</script>"})
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sanitize"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "sanitize", "payloads-x.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSite()
	if s.payloads, err = readPayloads(dir); err != nil {
		t.Fatal(err)
	}
	server := serve(t, s)
	if _, body, _ := get(t, server.URL+"/corpus/"); !strings.Contains(body, `"payloads":206`) {
		t.Errorf("index: %s", body)
	}
	if n := len(scan(t, server.URL+"/corpus/1.json").Items); n != 6 {
		t.Errorf("the second feed has %d items, want 6", n)
	}
	if code, _, _ := get(t, server.URL+"/corpus/2.json"); code != http.StatusNotFound {
		t.Errorf("a third feed: status %d", code)
	}
	if _, err := readPayloads(t.TempDir()); err == nil {
		t.Error("an empty folder is taken for a corpus")
	}
}

func TestRunPrintsItsAddressAndStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- run(ctx, nil, w) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if code, _, _ := get(t, strings.TrimSpace(line)+"/pages/site.html"); code != http.StatusOK {
		t.Errorf("status %d", code)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("stopping is an error: %v", err)
	}
}
