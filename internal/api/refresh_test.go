package api_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type refreshAnswer struct {
	Refresh struct {
		ID                               *string
		Total, Checked, NewItems, Failed int
		Skipped                          int
		NextAt                           *string
		IsDone                           bool
	}
}

// deliver works through the messages sent since the last call, as the crawler's process does.
func (w *world) deliver() {
	w.t.Helper()
	w.sent.mu.Lock()
	bodies := w.sent.bodies
	w.sent.bodies = nil
	w.sent.mu.Unlock()
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := w.options.Crawler.Run(w.t.Context(), j, 1); err != nil {
			w.t.Fatal(err)
		}
	}
}

// All feeds, a folder's or one are polled on request: what may not be yet is left out and counted, a second request
// for the same list joins the first, and the progress can be followed until it is done.
// G-27
func TestRefreshOfAList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	n := len(feeds)
	ask := func(body any) (a refreshAnswer) {
		t.Helper()
		w.want(w.call("POST", "/api/refreshes", body, &a), 202)
		return a
	}
	w.sent.bodies = nil
	// They were all fetched a moment ago: nothing is written or sent.
	var a refreshAnswer
	if got := w.spent(func() { a = ask(map[string]any{}) }); len(got) != 0 || len(w.sent.bodies) != 0 {
		t.Errorf("a refresh of nothing writes %v and sends %d messages", got, len(w.sent.bodies))
	}
	if r := a.Refresh; r.ID != nil || r.Total != 0 || r.Skipped != n || r.NextAt == nil || !r.IsDone {
		t.Errorf("too soon: %+v", r)
	}
	w.clock.Add(5*time.Minute + schedule.Deadline)
	if got := w.spent(func() { a = ask(map[string]any{}) }); len(got) != 1 || got["settings"] != 1 {
		t.Errorf("a refresh writes %v before it is worked on", got)
	}
	if r := a.Refresh; r.ID == nil || r.Total != n || r.Skipped != 0 || r.Checked != 0 || r.IsDone {
		t.Fatalf("begun: %+v", r)
	}
	sent := len(w.sent.bodies)
	if again := ask(map[string]any{}); *again.Refresh.ID != *a.Refresh.ID || len(w.sent.bodies) != sent {
		t.Errorf("a second request does not join the first: %+v, %d messages", again.Refresh, len(w.sent.bodies))
	}
	w.deliver()
	path := "/api/refreshes/" + *a.Refresh.ID
	w.want(w.call("GET", path, nil, &a), 200)
	if r := a.Refresh; r.Checked != n || r.NewItems != 0 || !r.IsDone {
		t.Errorf("done: %+v", r)
	}
	var side struct {
		Feeds []struct{ LastCheckedAt string }
	}
	w.clock.Add(10 * time.Second) // what a part's lease tells is believed so long
	w.want(w.call("GET", "/api/feeds", nil, &side), 200)
	for _, f := range side.Feeds {
		if at, err := time.Parse(time.RFC3339, f.LastCheckedAt); err != nil || w.clock.Now().Sub(at) > time.Minute {
			t.Errorf("a feed was last checked at %s, it is %v", f.LastCheckedAt, w.clock.Now())
		}
	}
	if r := ask(map[string]any{}).Refresh; r.Total != 0 || r.Skipped != n {
		t.Errorf("again at once: %+v", r)
	}
	// A folder has its own feeds and those of the folders in it; a stopped feed is left out.
	var folder foldersAnswer
	w.want(w.call("POST", "/api/folders", map[string]any{"name": "A"}, &folder), 201)
	for _, f := range feeds[:2] {
		w.want(w.call("PUT", "/api/subscriptions/"+f.Feed.ID+"/settings",
			map[string]any{"folders": []string{folder.ID}}, nil), 200)
	}
	id, _ := reader.ParseFeedID(feeds[1].Feed.ID)
	if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) { f.Status = "stopped" }); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(6 * time.Minute)
	if r := ask(map[string]any{"folder": folder.ID}).Refresh; r.Total != 1 || r.Skipped != 1 {
		t.Errorf("a folder: %+v", r)
	}
	if r := ask(map[string]any{"feed": feeds[2].Feed.ID}).Refresh; r.Total != 1 || r.Skipped != 0 {
		t.Errorf("a feed: %+v", r)
	}
	w.want(w.call("POST", "/api/refreshes", map[string]any{"folder": "77"}, nil), 404)
	w.want(w.call("POST", "/api/refreshes", map[string]any{"feed": "77"}, nil), 404)
	w.want(w.call("GET", "/api/refreshes/refresh-1-00000000", nil, nil), 404)
}

// Refreshes of lists have their own limit.
func TestRefreshesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 20 {
		w.want(w.call("POST", "/api/refreshes", map[string]any{}, nil), 202)
	}
	w.want(w.call("POST", "/api/refreshes", map[string]any{}, nil), 429)
}

// One feed: five minutes after the last poll, in spite of a max-age; never inside a Retry-After, which has words of its
// own. Both say in minutes or hours how long to wait.
// G-27
func TestRefreshOfAFeedSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed.ID
	id, _ := reader.ParseFeedID(feed)
	if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
		f.MaxAge = int32(24 * 3600)
	}); err != nil {
		t.Fatal(err)
	}
	var p problem
	ask := func(lang string, status int) {
		t.Helper()
		p = problem{}
		r := httptest.NewRequest("POST", "/api/feeds/"+feed+"/refresh", nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Language", lang)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != status {
			t.Fatalf("a refresh answers %d: %s", rec.Code, rec.Body)
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
	}
	ask("en", 409)
	if p.Code != "too_soon" || !strings.HasPrefix(p.Message, "Just checked. Try again in ") ||
		!strings.HasSuffix(p.Message, " min.") || p.NextAt == "" {
		t.Errorf("too soon: %+v", p)
	}
	ask("ja", 409)
	if !strings.Contains(p.Message, "分後に") {
		t.Errorf("too soon: %+v", p)
	}
	w.clock.Add(5*time.Minute + time.Second)
	ask("en", 200)
	if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
		f.NotBefore = w.clock.Now().Add(3 * time.Hour).Unix()
	}); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(10 * time.Minute)
	ask("en", 409)
	if p.Code != "site_asks_to_wait" || p.Message != "The site asks to wait. Try again in 3 h." {
		t.Errorf("inside a Retry-After: %+v", p)
	}
}

// Every list has the interval in force and its reason.
// G-27, R-106
func TestIntervalInForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed.ID
	id, _ := reader.ParseFeedID(feed)
	for _, tt := range []struct {
		change  func(*store.FeedRow)
		minutes int
		code    string
	}{
		{func(f *store.FeedRow) { f.Period, f.Why = 5, "" }, 60, schedule.ReasonDefault},
		{func(f *store.FeedRow) { f.Period, f.Why = 8, schedule.ReasonNoValidators }, 120, schedule.ReasonNoValidators},
		{func(f *store.FeedRow) {
			f.Period, f.Why = 24, schedule.ReasonNoValidators
		}, 360, schedule.ReasonNoValidators},
		{func(f *store.FeedRow) { f.Period, f.Why = 48, schedule.ReasonQuiet }, 720, schedule.ReasonQuiet},
		{func(f *store.FeedRow) { f.Period, f.Why = 7, schedule.ReasonAsked }, 90, schedule.ReasonAsked},
		// A failure moves the next check; the interval is that of the feed in health.
		{func(f *store.FeedRow) {
			f.Status = "error"
			f.Errors = 3
			f.First = int32(schedule.TickOf(w.clock.Now()) + 40)
		}, 90, schedule.ReasonAsked},
	} {
		if _, err := w.store.Feeds.Modify(t.Context(), id, tt.change); err != nil {
			t.Fatal(err)
		}
		type told struct {
			ID       string
			Interval int                            `json:"intervalMinutes"`
			Why      struct{ Code, Message string } `json:"intervalReason"`
		}
		var one struct{ Feed told }
		var all struct{ Feeds []told }
		w.want(w.call("GET", "/api/feeds/"+feed, nil, &one), 200)
		w.want(w.call("GET", "/api/feeds", nil, &all), 200)
		if one.Feed.Interval != tt.minutes || one.Feed.Why.Code != tt.code || one.Feed.Why.Message == "" {
			t.Errorf("%s, %d minutes: %+v", tt.code, tt.minutes, one.Feed)
		}
		for _, f := range all.Feeds {
			if f.ID == feed && f != one.Feed {
				t.Errorf("the list says %+v, the feed %+v", f, one.Feed)
			}
		}
	}
}
