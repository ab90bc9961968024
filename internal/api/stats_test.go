package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/queue/sqlitequeue"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type statsAnswer struct {
	Days []struct {
		Day            string
		Runs, LostRuns int
		IsPartial      bool
		Polled, Failed int
		NewItems       int
		TableWrites    float64
	}
	Units struct {
		Day                                    string
		WriteBudget                            *int
		CrawlWrites, ReaderWrites, CacheWrites float64
		CountedSince                           string
	}
	Failing []struct {
		ID, Title, Host, Status string
		Failures                int
		Error                   struct{ Code, Category, Action string }
	}
}

type deadAnswer struct {
	DeadLetters []struct {
		ID, Kind, Reason string
		Feeds, Receives  int
		TickAt           *string
	}
	Count    int
	IsMore   bool
	OldestAt *string
	Reasons  []struct {
		Reason string
		Count  int
	}
}

// withQueue gives the world a real queue with dead letters, and the message ids that it buried.
func (w *world) withQueue(letters ...string) {
	w.t.Helper()
	d, err := sqlitequeue.Open(w.t.Context(), filepath.Join(w.t.TempDir(), "q.db"), sqlitequeue.Options{Clock: w.clock})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = d.Close() })
	q := queue.New(d, queue.Options{})
	for _, body := range letters {
		if err := q.Send(w.t.Context(), [][]byte{[]byte(body)}, 0); err != nil {
			w.t.Fatal(err)
		}
		got, err := q.Receive(w.t.Context(), 1, 0)
		if err != nil || len(got) != 1 {
			w.t.Fatal(len(got), err)
		}
		reason := "store: put: storage_unavailable: https://u:pw@sqs.example/SECRET"
		if err := q.Bury(w.t.Context(), got[0], reason); err != nil {
			w.t.Fatal(err)
		}
		w.clock.Add(time.Minute)
	}
	w.options.Queue = q
	w.handler = api.New(w.options)
}

// user makes somebody who is not the owner, with a token.
func (w *world) other(scope string) string {
	w.t.Helper()
	u, err := w.auth.AddUser(w.t.Context(), "other"+scope+"@example.org", "", false)
	if err != nil {
		w.t.Fatal(err)
	}
	token, err := w.auth.NewToken(w.t.Context(), u, "x", scope, time.Time{})
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// TestStats: the sums of a day are those of its rows, a failing feed is listed with its remedy, and a
// mark counts as a reader's write.
func TestStats(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var page pageAnswer
	w.call("GET", "/api/items", nil, &page)
	var before, after statsAnswer
	w.want(w.call("GET", "/api/stats", nil, &before), 200)
	w.want(w.call("PUT", "/api/items/"+page.Items[0].ID+"/state", map[string]bool{"isRead": true}, nil), 200)
	w.want(w.call("GET", "/api/stats", nil, &after), 200)
	if got := after.Units.ReaderWrites - before.Units.ReaderWrites; got != 1 {
		t.Errorf("a mark counts as %v write units, want 1", got)
	}
	if n := len(before.Days); n != 7 {
		t.Fatalf("%d days", n)
	}
	var sum store.RunSums
	runs := 0
	err := w.store.Runs.Descend(t.Context(), w.clock.Now(), "", func(r *store.RunRow) (bool, error) {
		sum.Add(r.RunSums)
		runs++
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	today := before.Days[6]
	if today.Day != "2026-11-21" || today.Runs != runs || today.Polled != sum.Polled ||
		today.NewItems != sum.NewItems || runs == 0 {
		t.Errorf("today is %+v, the rows say %+v in %d runs", today, sum, runs)
	}
	// Each run's own row is a write more than it could count.
	if want := sum.TableWrites + float64(runs); today.TableWrites != want || before.Units.CrawlWrites != want {
		t.Errorf("%v and %v write units, want %v", today.TableWrites, before.Units.CrawlWrites, want)
	}
	for _, d := range before.Days[:6] {
		if d.Runs != 0 {
			t.Errorf("%s has %d runs", d.Day, d.Runs)
		}
	}
	if before.Units.WriteBudget != nil {
		t.Errorf("on the first day the budget is %d", *before.Units.WriteBudget)
	}
	if len(before.Failing) != 0 {
		t.Errorf("failing: %+v", before.Failing)
	}
}

// A day has a budget where its writes cost money or somebody has set one, and once a whole day has passed.
// K-16
func TestWriteBudget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		billed bool
		set    int
		began  int // so many days ago
		want   int // 0: none
	}{
		"in the cloud":               {billed: true, began: 2, want: 300},
		"in the cloud, set":          {billed: true, set: 50, began: 2, want: 50},
		"in the cloud, first day":    {billed: true, began: 0},
		"in the cloud, second day":   {billed: true, began: 1},
		"set, first day":             {set: 50},
		"on one machine":             {began: 20},
		"on one machine, set":        {set: 50, began: 20, want: 50},
		"in the cloud, a month old ": {billed: true, began: 29, want: 300},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.options.Billed, w.options.WriteBudget = c.billed, c.set
			w.handler = api.New(w.options)
			for ago := range c.began + 1 {
				at := w.clock.Now().AddDate(0, 0, -ago)
				row, err := store.NewRun(schedule.TickOf(at), 0, "", store.RunScheduled, store.RunDone, at,
					store.RunSums{Polled: 1}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.store.Runs.Put(t.Context(), row); err != nil {
					t.Fatal(err)
				}
			}
			var got statsAnswer
			for _, days := range []int{1, 7} {
				w.call("GET", fmt.Sprint("/api/stats?days=", days), nil, &got)
				if len(got.Days) != days {
					t.Errorf("%d days, want %d", len(got.Days), days)
				}
				if budget := got.Units.WriteBudget; (budget == nil) != (c.want == 0) || budget != nil &&
					*budget != c.want {
					t.Errorf("the budget is %v, want %d", budget, c.want)
				}
			}
		})
	}
}

// Failing feeds of the user: stopped ones first, each with its reason.
func TestStatsNameFailingFeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	for i, failing := range []store.FeedRow{
		{Status: string(reader.StatusError), ErrCode: reader.CodeTimeout, Errors: 3, ErrSince: 1_700_000_000},
		{Status: string(reader.StatusStopped), ErrCode: reader.CodeHTTP410, Errors: 1, ErrSince: 1_750_000_000},
	} {
		id, err := reader.ParseFeedID(feeds[i].Feed.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
			f.Status, f.ErrCode, f.Errors, f.ErrSince = failing.Status, failing.ErrCode, failing.Errors,
				failing.ErrSince
		}); err != nil {
			t.Fatal(err)
		}
	}
	var s statsAnswer
	w.call("GET", "/api/stats", nil, &s)
	if len(s.Failing) != 2 || s.Failing[0].ID != feeds[1].Feed.ID || s.Failing[1].ID != feeds[0].Feed.ID {
		t.Fatalf("failing: %+v", s.Failing)
	}
	if f := s.Failing[1]; f.Error.Code != "timeout" || f.Error.Category != "network" || f.Error.Action == "" ||
		f.Failures != 3 || f.Title == "" || !strings.HasPrefix(f.Host, "127.0.0.1:") {
		t.Errorf("the failing feed is %+v", f)
	}
	var theirs statsAnswer
	w.want(w.callAs(w.other(""), "GET", "/api/stats", nil, &theirs), 200)
	if len(theirs.Failing) != 0 {
		t.Errorf("another's: %+v", theirs.Failing)
	}
	for _, days := range []string{"0", "31", "x"} {
		w.want(w.call("GET", "/api/stats?days="+days, nil, nil), 400)
	}
	w.call("GET", "/api/stats?days=30", nil, &s)
	if len(s.Days) != 30 || s.Days[29].Day != "2026-11-21" || s.Days[0].Day != "2026-10-23" {
		t.Errorf("30 days begin %s and end %s", s.Days[0].Day, s.Days[29].Day)
	}
}

// A second request is answered by 304, and writes nothing.
func TestStatsETag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withQueue(`{"kind":"first","feeds":[1]}`)
	w.addSamples()
	for _, path := range []string{"/api/stats", "/api/stats/dead-letters"} {
		tag := w.call("GET", path, nil, nil).Header.Get("ETag")
		writes := w.store.Table().Meter().Snapshot().WriteOps
		w.clock.Add(10 * time.Second)
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("If-None-Match", tag)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if rec.Code != http.StatusNotModified || tag == "" {
			t.Errorf("%s answers %d to its own tag %q", path, rec.Code, tag)
		}
		if n := w.store.Table().Meter().Snapshot().WriteOps - writes; n != 0 {
			t.Errorf("%s wrote %d times", path, n)
		}
	}
}

// The units start again at midnight UTC.
func TestUnitsOfANewDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	var s statsAnswer
	w.call("GET", "/api/stats", nil, &s)
	if s.Units.ReaderWrites == 0 || s.Units.CountedSince != "2026-11-21T09:00:00Z" {
		t.Errorf("the first day: %+v", s.Units)
	}
	w.clock.Add(24 * time.Hour)
	w.call("GET", "/api/stats", nil, &s)
	if s.Units.ReaderWrites != 1 || s.Units.CrawlWrites != 0 || s.Units.Day != "2026-11-22" ||
		s.Units.CountedSince != "2026-11-22T00:00:00Z" {
		t.Errorf("the next day, with the one write an hour that a token in use costs: %+v", s.Units)
	}
}

// Dead letters are listed with their reasons, retried and dropped, by the owner only.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tick := schedule.TickOf(w.clock.Now())
	scheduled := job.Job{Kind: job.Scheduled, Tick: tick, Feeds: []reader.FeedID{1, 2}, Late: []reader.FeedID{3}}
	first := job.Job{Kind: job.First, Feeds: []reader.FeedID{1}}
	w.withQueue(string(scheduled.Encode()), `{"kind":"nonsense"}`, string(first.Encode()))
	var list deadAnswer
	w.want(w.call("GET", "/api/stats/dead-letters", nil, &list), 200)
	if list.Count != 3 || len(list.DeadLetters) != 3 || list.IsMore || len(list.Reasons) != 1 ||
		list.Reasons[0].Count != 3 {
		t.Fatalf("the list is %+v", list)
	}
	oldest := list.DeadLetters[0]
	if oldest.Kind != "scheduled" || oldest.Feeds != 3 || oldest.TickAt == nil ||
		*oldest.TickAt != tick.Start().UTC().Format(time.RFC3339) {
		t.Errorf("the oldest is %+v", oldest)
	}
	if strings.Contains(oldest.Reason, "SECRET") || strings.Contains(oldest.Reason, "pw") ||
		!strings.Contains(oldest.Reason, "storage_unavailable") {
		t.Errorf("the reason is %q", oldest.Reason)
	}
	if list.DeadLetters[1].Kind != "unknown" || list.DeadLetters[2].Kind != "first" {
		t.Errorf("the others are %+v", list.DeadLetters[1:])
	}
	stranger := w.other("")
	for _, c := range [][2]string{
		{"GET", "/api/stats/dead-letters"},
		{"POST", "/api/stats/dead-letters/" + oldest.ID + "/retry"},
		{"DELETE", "/api/stats/dead-letters/" + oldest.ID},
	} {
		var p problem
		w.want(w.callAs(stranger, c[0], c[1], nil, &p), 403)
		if p.Code != "owner_only" || p.Action == "" {
			t.Errorf("%v answers a stranger %+v", c, p)
		}
		w.want(w.callAs("", c[0], c[1], nil, nil), 401)
	}
	w.want(w.call("POST", "/api/stats/dead-letters/"+oldest.ID+"/retry", nil, nil), 204)
	w.want(w.call("DELETE", "/api/stats/dead-letters/"+list.DeadLetters[1].ID, nil, nil), 204)
	var gone problem
	w.want(w.call("DELETE", "/api/stats/dead-letters/"+oldest.ID, nil, &gone), 404)
	if gone.Code != "dead_letter_not_found" {
		t.Errorf("%+v", gone)
	}
	w.call("GET", "/api/stats/dead-letters", nil, &list)
	if list.Count != 1 || list.DeadLetters[0].Kind != "first" {
		t.Errorf("left are %+v", list)
	}
	again, err := w.options.Queue.(*queue.Queue).Receive(t.Context(), 10, 0)
	if err != nil || len(again) != 1 {
		t.Fatalf("%d messages are sent again, %v", len(again), err)
	}
	if j, err := job.Decode(again[0].Body); err != nil || j.Kind != job.Scheduled || j.Tick != tick {
		t.Errorf("%+v, %v", j, err)
	}
}

// A queue that does not respond is reported as such.
func TestDeadLettersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.options.Queue = broken{}
	w.handler = api.New(w.options)
	for _, c := range [][2]string{{"GET", ""}, {"POST", "/1/retry"}, {"DELETE", "/1"}} {
		w.want(w.call(c[0], "/api/stats/dead-letters"+c[1], nil, nil), 503)
	}
}

type broken struct{}

var errBroken = fault.New(fault.Unavailable, "queue_unavailable", "test", errors.New("down"))

// A token for metrics does not open the API, and the reverse.
func TestScopedTokensAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	scoped := w.other(auth.ScopeMetrics)
	for _, path := range []string{"/api/me", "/api/feeds", "/api/stats", "/api/runs"} {
		var p problem
		w.want(w.callAs(scoped, "GET", path, nil, &p), 403)
		if p.Code != "wrong_scope" {
			t.Errorf("%s: %+v", path, p)
		}
	}
	if _, err := w.auth.NewToken(t.Context(), w.owner, "x", "everything", time.Time{}); fault.CodeOf(err) !=
		"bad_scope" {
		t.Errorf("an unknown scope: %v", err)
	}
}

// Metrics are open to this machine and to tokens of their scope, whatever the headers claim.
func TestMetricsAreForThisMachine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	right, wrong := w.other(auth.ScopeMetrics), w.token
	text := func() []byte { return []byte("fetch_success_count 1\n") }
	type setup func(*http.Request)
	header := func(name, value string) setup { return func(r *http.Request) { r.Header.Set(name, value) } }
	from := func(peer string) setup { return func(r *http.Request) { r.RemoteAddr = peer } }
	to := func(host string) setup { return func(r *http.Request) { r.Host = host } }
	far := from("203.0.113.9:4711")
	for name, c := range map[string]struct {
		set    []setup
		proxy  bool
		status int
	}{
		"loopback":          {nil, false, 200},
		"loopback, IPv6":    {[]setup{from("[::1]:9"), to("[::1]:8080")}, false, 200},
		"loopback, mapped":  {[]setup{from("[::ffff:127.0.0.1]:9")}, false, 200},
		"localhost by name": {[]setup{to("LocalHost:8080")}, false, 200},
		"from elsewhere":    {[]setup{far}, false, 401},
		"elsewhere, claims to be here": {[]setup{far, header("X-Forwarded-For", "127.0.0.1"),
			header("X-Real-Ip", "::1")}, false, 401},
		"a proxy: X-Forwarded-For":       {[]setup{header("X-Forwarded-For", "203.0.113.9")}, false, 401},
		"a proxy hides: X-Forwarded-For": {[]setup{header("X-Forwarded-For", "127.0.0.1")}, false, 401},
		"a proxy: empty header":          {[]setup{header("X-Forwarded-For", "")}, false, 401},
		"a proxy: Forwarded":             {[]setup{header("Forwarded", "for=127.0.0.1")}, false, 401},
		"a proxy: Via":                   {[]setup{header("Via", "1.1 x")}, false, 401},
		"a proxy: X-Real-Ip":             {[]setup{header("X-Real-Ip", "127.0.0.1")}, false, 401},
		"a proxy: Cf-Connecting-Ip":      {[]setup{header("Cf-Connecting-Ip", "127.0.0.1")}, false, 401},
		"a proxy that adds nothing but 1.0": {[]setup{func(r *http.Request) {
			r.ProtoMajor, r.ProtoMinor = 1, 0
		}}, false, 401},
		"a proxy that adds nothing":     {nil, true, 401},
		"a stranger's name points here": {[]setup{to("rebound.example:8080")}, false, 401},
		"a page of another origin":      {[]setup{header("Origin", "https://evil.example")}, false, 401},
		"a page's image":                {[]setup{header("Sec-Fetch-Site", "cross-site")}, false, 401},
		"no peer":                       {[]setup{from("")}, false, 401},
		"elsewhere with the token":      {[]setup{far, header("Authorization", "bearer "+right)}, false, 200},
		"behind a proxy with the token": {[]setup{header("X-Forwarded-For", "1.2.3.4"),
			header("Authorization", "Bearer "+right)}, true, 200},
		"elsewhere with the owner's token": {[]setup{far, header("Authorization", "Bearer "+wrong)}, false, 403},
		"elsewhere with a made-up token": {[]setup{far, header("Authorization", "Bearer ruri_live_nonsense")}, false,
			401},
		"elsewhere with a basic password": {[]setup{far, header("Authorization", "Basic "+right)}, false, 401},
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.RemoteAddr, r.Host = "127.0.0.1:50000", "127.0.0.1:8080"
		for _, set := range c.set {
			set(r)
		}
		rec := httptest.NewRecorder()
		api.Metrics(w.auth, text, c.proxy).ServeHTTP(rec, r)
		if rec.Code != c.status {
			t.Errorf("%s: %d, want %d", name, rec.Code, c.status)
		}
		if shown := strings.Contains(rec.Body.String(), "fetch_success_count"); shown != (c.status == 200) {
			t.Errorf("%s: shown is %v: %s", name, shown, rec.Body)
		}
		if c.status == 401 && rec.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s: 401 without WWW-Authenticate", name)
		}
	}
}

// The answers match the schemas.
func TestStatsFitTheDocument(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.withQueue(`{"kind":"first","feeds":[1]}`, `{"kind":"nonsense"}`)
	w.addSamples()
	doc := document(t)
	for path, schema := range map[string]string{"/api/stats": "Stats", "/api/stats/dead-letters": "DeadLetters"} {
		var raw json.RawMessage
		w.want(w.call("GET", path, nil, &raw), 200)
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		for _, e := range fits(doc, map[string]any{"$ref": "#/components/schemas/" + schema}, v, "") {
			t.Errorf("%s: %s", path, e)
		}
	}
}

func (broken) Dead(context.Context, int) ([]queue.DeadMessage, error) { return nil, errBroken }
func (broken) Redrive(context.Context, string) error                  { return errBroken }
func (broken) Drop(context.Context, string) error                     { return errBroken }

// TestAWeekOfRunsIsCheapToRead: a week of a hundred feeds, seven or eight of them polled in each tick, and what
// is left to read for the next look.
func TestAWeekOfRunsIsCheapToRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.clock.Now()
	for tick := schedule.TickOf(now) - 7*96 + 1; tick <= schedule.TickOf(now); tick++ {
		var feeds []store.FeedOutcome
		for i := range 8 {
			feeds = append(feeds, store.FeedOutcome{Feed: uint32(i*13 + int(tick)%13), Outcome: "notModified",
				Status: 304, Millis: int64(100 + i*37)})
		}
		row, err := store.NewRun(tick, 0, "", store.RunScheduled, store.RunDone, tick.Start(), store.RunSums{
			Due: 8, Polled: 8, NotModified: 8, TableReads: 12.5, TableWrites: 1, Bytes: 4000, Millis: 1234,
		}, feeds)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.store.Runs.Put(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	spent := func(path string) (reads float64) {
		t.Helper()
		before := w.store.Table().Meter().Snapshot().TotalReads()
		w.want(w.call("GET", path, nil, nil), 200)
		return w.store.Table().Meter().Snapshot().TotalReads() - before
	}
	first, second := spent("/api/stats"), spent("/api/stats")
	w.clock.Add(time.Minute) // today and yesterday are read anew
	third := spent("/api/stats")
	t.Logf("a first look costs %v read units, at once again %v, a minute later %v", first, second, third)
	if first > 30 || second > 3 || third > 10 {
		t.Errorf("read units: %v, %v, %v; docs/run/monitoring.md promises 30, 3, 10", first, second, third)
	}
}

type readingAnswer struct {
	Days []struct {
		Day                    string
		Read, Cleared, Starred int
	}
	Feeds []struct {
		ID                     string
		Read, Cleared, Starred int
		LastReadOn             *string
	}
}

// TestReadingIsCountedByDay: reading, clearing and starring count on their day and in their feed, taking them back
// takes them off, and the count costs no write of its own.
func TestReadingIsCountedByDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var page pageAnswer
	w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/items", nil, &page)
	writes := func() float64 {
		total := 0.0
		for kind, n := range w.store.Table().Meter().Snapshot().Writes {
			if kind == "subscription" {
				total += n
			}
		}
		return total
	}
	before := writes()
	w.want(w.call("PUT", "/api/items/"+page.Items[0].ID+"/state", map[string]bool{"isRead": true}, nil), 200)
	w.clock.Add(24 * time.Hour)
	w.want(w.call("PUT", "/api/items/"+page.Items[1].ID+"/state", map[string]bool{"isRead": true, "isStarred": true},
		nil), 200)
	var marked struct{ Undo string }
	w.want(w.call("POST", "/api/feeds/"+feeds[0].Feed.ID+"/mark-read", map[string]any{}, &marked), 200)
	if n := writes() - before; n > 3 {
		t.Errorf("three changes of one feed wrote %v units", n)
	}
	var r readingAnswer
	w.want(w.call("GET", "/api/stats/reading", nil, &r), 200)
	if len(r.Days) != 7 || r.Days[6].Day != "2026-11-22" || len(r.Feeds) != len(feeds) {
		t.Fatalf("%+v", r)
	}
	yesterday, today := r.Days[5], r.Days[6]
	if yesterday.Read != 1 || yesterday.Cleared != 0 || today.Read != 1 || today.Starred != 1 || today.Cleared == 0 {
		t.Errorf("yesterday %+v, today %+v", yesterday, today)
	}
	for _, f := range r.Feeds {
		if f.ID == feeds[0].Feed.ID {
			if f.Read != 2 || f.Starred != 1 || f.Cleared != today.Cleared || f.LastReadOn == nil ||
				*f.LastReadOn != "2026-11-22" {
				t.Errorf("the feed: %+v", f)
			}
		} else if f.Read+f.Cleared+f.Starred != 0 || f.LastReadOn != nil {
			t.Errorf("a feed that nobody opened: %+v", f)
		}
	}
	w.want(w.call("POST", "/api/feeds/"+feeds[0].Feed.ID+"/mark-read/undo",
		map[string]string{"undo": marked.Undo}, nil), 200)
	w.call("GET", "/api/stats/reading?days=30", nil, &r)
	if today = r.Days[29]; today.Cleared != 0 || today.Read != 1 || len(r.Days) != 30 {
		t.Errorf("after the undo: %+v", today)
	}
	var theirs readingAnswer
	w.want(w.callAs(w.other(""), "GET", "/api/stats/reading", nil, &theirs), 200)
	if len(theirs.Feeds) != 0 || theirs.Days[6].Read != 0 {
		t.Errorf("another's: %+v", theirs)
	}
	w.want(w.call("GET", "/api/stats/reading?days=31", nil, nil), 400)
}

// The cost is projected from whole days, with the prices of the requested region.
// K-21
func TestCostIsProjected(t *testing.T) {
	t.Parallel()
	type answer struct {
		Region    string
		Regions   []string
		BasisDays int
		Lines     []struct {
			Service, Price, Source string
			Quantity, UnitUSD, USD float64
		}
		Total struct{ USD, AlwaysUSD, YearUSD float64 }
	}
	w := newWorld(t)
	w.addSamples()
	var c answer
	w.want(w.call("GET", "/api/stats/cost", nil, &c), 200)
	if c.BasisDays != 0 || len(c.Lines) != 0 || c.Region != "us-east-1" {
		t.Fatalf("on the first day: %+v", c)
	}
	for day := range 3 {
		for tick := range 96 {
			at := schedule.TickOf(w.clock.Now().Truncate(24*time.Hour)) + schedule.Tick(96*day+96+tick)
			row, err := store.NewRun(at, 0, "", store.RunScheduled, store.RunDone, at.Start(), store.RunSums{
				Polled: 10, NotModified: 8, Changed: 2, NewItems: 3, TableReads: 10, TableWrites: 5, BlobPuts: 2,
				Bytes: 40_000, Millis: 1500,
			}, nil)
			if err == nil {
				err = w.store.Runs.Put(t.Context(), row)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	w.clock.Add(72 * time.Hour) // the third of those days is not over
	w.want(w.call("GET", "/api/stats/cost", nil, &c), 200)
	if c.BasisDays != 2 || len(c.Lines) < 10 || c.Total.USD < 0.2 || c.Total.USD > 2 ||
		c.Total.AlwaysUSD >= c.Total.USD {
		t.Fatalf("projected: %+v", c)
	}
	sum := 0.0
	for _, l := range c.Lines {
		sum += l.USD
		if !strings.HasPrefix(l.Source, "https://") || l.Price == "" {
			t.Errorf("%+v", l)
		}
		if bodies, index := 2*96*30/1000.0, 30/1000.0; l.Price == "s3.puts" && l.Quantity != bodies &&
			l.Quantity != index {
			t.Errorf("%v thousand puts a month", l.Quantity)
		}
	}
	if by := sum - c.Total.USD; by > 1e-9 || by < -1e-9 {
		t.Errorf("the lines make %v, the total is %v", sum, c.Total.USD)
	}
	was := c.Total.USD
	w.want(w.call("GET", "/api/stats/cost?region=ap-northeast-1", nil, &c), 200)
	if c.Total.USD == was || c.Region != "ap-northeast-1" {
		t.Errorf("Tokyo costs what Virginia does: %v", was)
	}
	w.want(w.call("GET", "/api/stats/cost?region=mars", nil, nil), 400)
}
