package localwire_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// TestAppsGetNewItemsAtOnce: a program that goes on from the newest entry it has gets those of a new feed and of each
// poll with its next request, without a moment between, and each once. While another process has the folder open, they
// come minutes later, and are not counted before.
func TestAppsGetNewItemsAtOnce(t *testing.T) {
	t.Parallel()
	c, err := config.Load(func(k string) (string, bool) {
		v, ok := map[string]string{"RURI_DATA": t.TempDir(), "RURI_RATE_USER": "0"}[k]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewManual(start)
	open := func() *localwire.Backend {
		t.Helper()
		h, err := localwire.Open(t.Context(), c, localwire.Options{Version: "test", Clock: clk})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		return h
	}
	h := open()
	owner, err := h.Auth.EnsureOwner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.Auth.NewToken(t.Context(), owner.ID(), "an app", auth.ScopeSync, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string, to any) {
		t.Helper()
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-Auth-Token", token)
		rec := httptest.NewRecorder()
		h.Handler().ServeHTTP(rec, r)
		if rec.Code != http.StatusOK || json.Unmarshal(rec.Body.Bytes(), to) != nil {
			t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	feeds := make([]reader.FeedID, 3)
	for i := range feeds {
		f, err := h.Store.Feeds.Ensure(t.Context(), fmt.Sprint("https://example.org/", i),
			func(reader.FeedID) store.FeedRow {
				// was crawled, and empty
				return store.FeedRow{Period: 5, Status: string(reader.StatusActive), Hash: []byte{1}}
			})
		if err == nil {
			_, err = h.Subscribe.Attach(t.Context(), owner.ID(), f, subscribe.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		feeds[i] = f.ID()
	}
	total, newest := 0, int64(0)
	for step, i := range []int{2, 1, 0, 2, 1, 0, 1} { // stamps of one minute, and those that follow
		if step == 5 {
			open()
		}
		body := fmt.Sprintf(
			`<rss version="2.0"><channel><title>x</title><item><guid>%d `+
				`a</guid><title>a</title></item><item><guid>%d b</guid><title>b</title></item></channel></rss>`, step,
			step)
		if _, err := h.Crawler.Pushed(t.Context(), feeds[i], []byte(body), "application/rss+xml"); err != nil {
			t.Fatal(err)
		}
		total += 2
		unread := func() (n int) {
			var counters struct {
				Unreads map[string]int
			}
			read("/v1/feeds/counters", &counters)
			for _, count := range counters.Unreads {
				n += count
			}
			return n
		}
		if step >= 5 {
			var list struct{ Total int }
			read("/v1/entries?status=unread", &list)
			if n := unread(); n != total-2 || list.Total != n {
				t.Errorf("step %d: beside another process %d are counted and %d listed", step, n, list.Total)
			}
			clk.Add(10 * time.Minute)
		}
		var list struct {
			Entries []struct {
				ID      int64
				Created time.Time `json:"created_at"`
			}
		}
		read(fmt.Sprintf("/v1/entries?order=id&direction=asc&after_entry_id=%d", newest), &list)
		if len(list.Entries) != 2 {
			t.Fatalf("step %d: %+v came", step, list)
		}
		for _, e := range list.Entries {
			if newest = e.ID; e.Created.After(clk.Now()) {
				t.Errorf("an entry is of %v, in the future", e.Created)
			}
		}
		if n := unread(); n != total {
			t.Errorf("step %d: %d are counted, %d came", step, n, total)
		}
	}
}
