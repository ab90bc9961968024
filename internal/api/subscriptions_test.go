package api_test

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type foldersAnswer struct {
	ID      string
	Folders []struct {
		ID, Name string
		ParentID *string
		Position int
	}
}

// Folders are created, renamed, moved, sorted and deleted; the feeds stay.
//
func TestFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed.ID
	made := func(name string, parent any) string {
		t.Helper()
		var a foldersAnswer
		w.want(w.call("POST", "/api/folders", map[string]any{"name": name, "parentId": parent}, &a), 201)
		return a.ID
	}
	news := made(" News ", nil)
	tech := made("Tech", news)
	blogs := made("Blogs", nil)
	outline := func() string {
		t.Helper()
		var a foldersAnswer
		w.want(w.call("GET", "/api/folders", nil, &a), 200)
		var out []string
		for _, f := range a.Folders {
			name := f.Name
			if f.ParentID != nil {
				name = *f.ParentID + ">" + name
			}
			out = append(out, name)
		}
		return strings.Join(out, " ")
	}
	var set struct {
		Subscription struct {
			Folders []string
			Title   *string
			Muted   bool `json:"isMuted"`
		}
	}
	w.want(w.call("PUT", "/api/subscriptions/"+feed+"/settings",
		map[string]any{"folders": []string{tech, blogs}, "title": "Mine", "isMuted": true}, &set), 200)
	if s := set.Subscription; strings.Join(s.Folders, " ") != tech+" "+blogs || s.Title == nil ||
		*s.Title != "Mine" || !s.Muted {
		t.Errorf("%+v", set)
	}
	var one struct {
		Feed struct {
			Folder, CustomTitle string
			Folders             []string
			Muted               bool `json:"isMuted"`
		}
	}
	w.want(w.call("GET", "/api/feeds/"+feed, nil, &one), 200)
	if one.Feed.Folder != "News/Tech" || len(one.Feed.Folders) != 2 || one.Feed.CustomTitle != "Mine" ||
		!one.Feed.Muted {
		t.Errorf("%+v", one)
	}
	w.want(w.call("PATCH", "/api/folders/"+tech, map[string]any{"name": "Technik"}, nil), 200)
	w.want(w.call("PATCH", "/api/folders/"+tech, map[string]any{"parentId": nil, "position": 0}, nil), 200)
	w.want(w.call("PUT", "/api/folders/order", map[string]any{"ids": []string{blogs}}, nil), 200)
	if got := outline(); got != "Blogs Technik News" {
		t.Error(got)
	}
	w.want(w.call("DELETE", "/api/folders/"+tech, nil, nil), 200)
	w.want(w.call("GET", "/api/feeds/"+feed, nil, &one), 200)
	if one.Feed.Folder != "Blogs" || len(one.Feed.Folders) != 1 {
		t.Errorf("after its folder went: %+v", one)
	}
	atom := made("Atom", blogs)
	made("Inside", atom)
	w.want(w.call("PUT", "/api/subscriptions/"+feed+"/settings", map[string]any{"folders": []string{atom}}, nil), 200)
	w.want(w.call("DELETE", "/api/folders/"+atom, nil, nil), 200)
	w.want(w.call("GET", "/api/feeds/"+feed, nil, &one), 200)
	if got := outline(); one.Feed.Folder != "Blogs" || got != "Blogs News "+blogs+">Inside" {
		t.Errorf("after its folder in another went: %+v, %s", one, got)
	}
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		code         string
	}{
		{"POST", "/api/folders", map[string]any{"name": "Blogs"}, 409, "folder_exists"},
		{"POST", "/api/folders", map[string]any{"name": "  "}, 400, "bad_name"},
		{"POST", "/api/folders", map[string]any{"name": "\u200b"}, 400, "bad_name"},
		{"POST", "/api/labels", map[string]any{"name": "\u3164"}, 400, "bad_name"},
		{"PUT", "/api/subscriptions/" + feed + "/settings", map[string]any{"title": "\u200b"}, 400, "bad_title"},
		{"PUT", "/api/subscriptions/" + feed + "/settings", map[string]any{"title": "a\u0000b"}, 400, "bad_title"},
		{"POST", "/api/folders", map[string]any{"name": "x", "parentId": "99"}, 404, "folder_not_found"},
		{"PATCH", "/api/folders/" + tech, map[string]any{"position": 1}, 404, "folder_not_found"},
		{"PATCH", "/api/folders/0" + news, map[string]any{"position": 1}, 404, "folder_not_found"},
		{"PATCH", "/api/folders/" + news, map[string]any{"parentId": news}, 400, "folder_in_itself"},
		{"PATCH", "/api/folders/" + news, map[string]any{}, 400, "nothing_to_change"},
		{"PATCH", "/api/folders/" + news, map[string]any{"position": -1}, 400, "bad_position"},
		{"PATCH", "/api/folders/" + news, map[string]any{"position": 1_000_001}, 400, "bad_position"},
		{"PUT", "/api/folders/order", map[string]any{"ids": []string{news, news}}, 400, "bad_order"},
		{"PUT", "/api/subscriptions/" + feed + "/settings", map[string]any{"folders": []string{tech}}, 404,
			"folder_not_found"},
		{"PUT", "/api/subscriptions/" + feed + "/settings", map[string]any{}, 400, "nothing_to_change"},
		{"PUT", "/api/subscriptions/" + feed + "/settings", map[string]any{"fetchIntervalMinutes": 45}, 400,
			"bad_interval"},
		{"PUT", "/api/subscriptions/999/settings", map[string]any{"title": "x"}, 404, "feed_not_found"},
		{"POST", "/api/subscriptions/" + feed + "/resume", nil, 409, "feed_not_stopped"},
		{"DELETE", "/api/subscriptions/999", nil, 404, "feed_not_found"},
		{"GET", "/api/feeds/updated?since=yesterday", nil, 400, "bad_time"},
		{"GET", "/api/items?folder=" + news + "&label=1", nil, 400, "scope_ambiguous"},
		{"POST", "/api/rules/apply", map[string]any{"feedId": feed, "folderId": news}, 400, "scope_ambiguous"},
		{"POST", "/api/rules/dry-run", `{"feedId":"` + feed + `","folderId":"` + news + `","rule":` + aRule + `}`, 400,
			"scope_ambiguous"},
		{"POST", "/api/items/mark-read", map[string]any{"feed": feed, "folder": news}, 400, "mark_ambiguous"},
	} {
		var p problem
		w.want(w.call(c.method, c.path, c.body, &p), c.status)
		if p.Code != c.code {
			t.Errorf("%s %s: %s, want %s", c.method, c.path, p.Code, c.code)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var a struct {
		ID     string
		Labels []struct{ ID, Name string }
	}
	for _, name := range []string{"later", "work", "fun"} {
		w.want(w.call("POST", "/api/labels", map[string]string{"name": name}, &a), 201)
	}
	w.want(w.call("PUT", "/api/labels/order", map[string]any{"ids": []string{a.ID}}, nil), 200)
	w.want(w.call("PATCH", "/api/labels/"+a.ID, map[string]string{"name": "play"}, nil), 200)
	w.want(w.call("DELETE", "/api/labels/"+a.Labels[0].ID, nil, nil), 200)
	w.want(w.call("GET", "/api/labels", nil, &a), 200)
	if len(a.Labels) != 2 || a.Labels[0].Name != "play" || a.Labels[1].Name != "work" {
		t.Errorf("%+v", a.Labels)
	}
	w.want(w.call("PATCH", "/api/labels/77", map[string]string{"name": "play"}, nil), 404)
	w.want(w.call("POST", "/api/labels", map[string]string{"name": "work"}, nil), 409)
}

// G-62, C-2: both forms of unread: what is new since a time, the newest first.
// G-56
func TestSubscriptionLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	w.want(w.call("PUT", "/api/subscriptions/"+feeds[1].Feed.ID+"/settings",
		map[string]any{"position": 9, "fetchIntervalMinutes": 120}, nil), 200)
	var list struct {
		Total         int
		Subscriptions []struct {
			ID, UserID, FeedID, FeedTitle, FeedURL, FeedStatus string
			Interval                                           int `json:"fetchIntervalMinutes"`
			UnreadCount                                        int
			HasUnread                                          bool
			CreatedAt                                          time.Time
		}
	}
	w.want(w.call("GET", "/api/subscriptions", nil, &list), 200)
	last := list.Subscriptions[len(list.Subscriptions)-1]
	if list.Total != len(feeds) || last.ID != feeds[1].Feed.ID || last.FeedID != last.ID ||
		last.UserID != string(w.owner) || last.Interval != 120 ||
		!last.HasUnread || last.UnreadCount != feeds[1].Feed.UnreadCount || last.FeedStatus != "active" ||
		last.CreatedAt.IsZero() || last.FeedURL != feeds[1].Feed.URL {
		t.Errorf("%+v", last)
	}
	var updated struct {
		Total int
		Feeds []struct {
			ID          string
			LastUpdated time.Time `json:"feedLastUpdated"`
			HasUnread   bool
		}
	}
	w.want(w.call("GET", "/api/feeds/updated", nil, &updated), 200)
	if updated.Total != len(feeds) {
		t.Errorf("%d feeds without a time", updated.Total)
	}
	now := w.clock.Now()
	id, _ := reader.ParseFeedID(feeds[2].Feed.ID)
	if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
		f.Changed = now.Add(time.Hour).Unix()
	}); err != nil {
		t.Fatal(err)
	}
	w.want(w.call("GET", "/api/feeds/updated?since="+url.QueryEscape(now.Format(time.RFC3339)), nil, &updated), 200)
	if updated.Total != 1 || updated.Feeds[0].ID != feeds[2].Feed.ID || !updated.Feeds[0].HasUnread {
		t.Errorf("%+v", updated)
	}
}

// C-30: the address of one subscription; DELETE of a subscription is to leave its feed.
// R-98, G-51, G-52, G-57, G-59
func TestRepointAndLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var a feedAnswer
	w.want(w.call("PATCH", "/api/feeds/"+feeds[0].Feed.ID, map[string]string{"url": feeds[1].Feed.URL}, &a), 200)
	if a.Feed.ID != feeds[1].Feed.ID {
		t.Errorf("it is now %s", a.Feed.ID)
	}
	w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID, nil, nil), 404)
	w.want(w.call("PATCH", "/api/feeds/"+feeds[0].Feed.ID, map[string]string{"url": feeds[1].Feed.URL}, nil), 404)
	w.want(w.call("PATCH", "/api/feeds/"+a.Feed.ID, map[string]string{"url": "ftp://x"}, nil), 400)
	w.want(w.call("DELETE", "/api/subscriptions/"+a.Feed.ID, nil, nil), 204)
	w.want(w.call("GET", "/api/feeds/"+a.Feed.ID, nil, nil), 404)
}

// A subscription has the icon of its feed and, in the user's language, why the feed fails.
// G-62, G-11
func TestSubscriptionIconAndError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed
	id, _ := reader.ParseFeedID(feed.ID)
	hash := bytes.Repeat([]byte{0xAB}, 32)
	if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
		f.IconHash = hash
		f.ErrCode = reader.HTTPCode(404, false)
		f.Status = "stopped"
	}); err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"en", "ja"} {
		var a struct {
			Subscriptions []struct {
				ID                       string
				FaviconURL, ErrorMessage *string
			}
		}
		r := httptest.NewRequest("GET", "/api/subscriptions", nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Language", lang)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil || rec.Header().Get("Content-Language") != lang {
			t.Fatalf("%v, Content-Language %q, want %q", err, rec.Header().Get("Content-Language"), lang)
		}
		for _, sub := range a.Subscriptions {
			switch {
			case sub.ID != feed.ID:
				if sub.FaviconURL != nil || sub.ErrorMessage != nil {
					t.Errorf("another feed: %+v", sub)
				}
			case sub.FaviconURL == nil || *sub.FaviconURL != "/api/icons/"+store.IconName(hash):
				t.Errorf("icon %v", sub.FaviconURL)
			case sub.ErrorMessage == nil || strings.Contains(*sub.ErrorMessage, "。") != (lang == "ja"):
				t.Errorf("%s: %v", lang, sub.ErrorMessage)
			}
		}
	}
}

// Each feed has the reason of its next check.
// R-106, C-4
func TestReasonOfTheNextCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed.ID
	id, _ := reader.ParseFeedID(feed)
	now := w.clock.Now()
	for _, tt := range []struct {
		change func(*store.FeedRow)
		code   string
		next   bool
	}{
		{func(f *store.FeedRow) { f.Why = schedule.ReasonQuiet }, schedule.ReasonQuiet, true},
		{func(f *store.FeedRow) { f.NotBefore = now.Add(2 * time.Hour).Unix() }, schedule.ReasonRetryAfter, true},
		{func(f *store.FeedRow) { f.NotBefore, f.Status = 0, "waiting" }, schedule.ReasonWaiting, true},
		{func(f *store.FeedRow) {
			f.Status = "error"
			f.Errors = 2
			f.First = int32(schedule.TickOf(now) + 9)
		}, schedule.ReasonBackOff, true},
		{func(f *store.FeedRow) { f.Status = "stopped" }, schedule.ReasonStopped, false},
		{func(f *store.FeedRow) { f.Probe = now.Add(24 * time.Hour).Unix() }, schedule.ReasonProbe, true},
	} {
		if _, err := w.store.Feeds.Modify(t.Context(), id, tt.change); err != nil {
			t.Fatal(err)
		}
		var a struct {
			Feed struct {
				Next   *string                        `json:"nextCheckAt"`
				Reason struct{ Code, Message string } `json:"nextCheckReason"`
			}
		}
		w.want(w.call("GET", "/api/feeds/"+feed, nil, &a), 200)
		if a.Feed.Reason.Code != tt.code || a.Feed.Reason.Message == "" || (a.Feed.Next != nil) != tt.next {
			t.Errorf("%+v, want %s", a.Feed, tt.code)
		}
	}
}

// Up to 1,000 changes in one request, each with its own result.
func TestBulkChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var folder foldersAnswer
	w.want(w.call("POST", "/api/folders", map[string]any{"name": "A"}, &folder), 201)
	var out struct {
		Done, Failed int
		Results      []struct {
			ID      string
			OK      bool
			Code    *string
			Message *string
		}
	}
	w.want(w.call("POST", "/api/subscriptions/bulk", map[string]any{"changes": []map[string]any{
		{"id": feeds[0].Feed.ID, "folders": []string{folder.ID}, "position": 1},
		{"id": feeds[1].Feed.ID, "unsubscribe": true},
		{"id": "77", "title": "x"},
		{"id": "x", "title": "x"},
		{"id": feeds[2].Feed.ID},
		{"id": feeds[2].Feed.ID, "folders": []string{"x"}},
	}}, &out), 200)
	if out.Done != 2 || out.Failed != 4 {
		t.Errorf("%+v", out)
	}
	for i, want := range []string{"", "", "feed_not_found", "feed_not_found", "nothing_to_change", "folder_not_found"} {
		r := out.Results[i]
		if r.OK != (want == "") || want != "" && (r.Code == nil || *r.Code != want || *r.Message == "") {
			t.Errorf("change %d: %+v, want %q", i, r, want)
		}
	}
	w.want(w.call("GET", "/api/feeds/"+feeds[1].Feed.ID, nil, nil), 404)
	many := make([]map[string]any, 1001)
	for i := range many {
		many[i] = map[string]any{"id": feeds[0].Feed.ID, "isMuted": true}
	}
	w.want(w.call("POST", "/api/subscriptions/bulk", map[string]any{"changes": many}, nil), 413)
	w.want(w.call("POST", "/api/subscriptions/bulk", map[string]any{"changes": many[:1000]}, &out), 200)
	if out.Done != 1000 {
		t.Errorf("%d of 1000", out.Done)
	}
}

// A time of 1970 or earlier is no bound; without a bound the list includes feeds that were never fetched.
//
func TestTimesBeforeAnyChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	w.want(w.call("POST", "/api/import/opml", `<opml version="2.0"><body><outline text="a" xmlUrl="`+w.publisher.URL+
		`/none.xml"/></body></opml>`, nil), 200)
	type answer struct {
		Total int
		Feeds []struct {
			LastUpdated *string `json:"feedLastUpdated"`
		}
	}
	for since, never := range map[string]bool{
		"": true, "?since=": true, "?since=0": true, "?since=1970-01-01T00:00:00Z": true,
		"?since=1960-02-29T00:00:00Z": true, "?since=1": false,
	} {
		var got answer
		w.want(w.call("GET", "/api/feeds/updated"+since, nil, &got), 200)
		if n := len(got.Feeds); got.Total != n || never && (n != len(feeds)+1 || got.Feeds[n-1].LastUpdated != nil) ||
			!never && n != len(feeds) {
			t.Errorf("%s answers %+v", since, got)
		}
	}
	var all listed
	w.want(w.call("GET", "/api/items?limit=200", nil, &all), 200)
	for _, since := range []string{"1970-01-01T00:00:00Z", "1960-02-29T00:00:00Z", "0001-01-01T00:00:00Z"} {
		var page listed
		w.want(w.call("GET", "/api/items?limit=200&since="+since, nil, &page), 200)
		if len(page.Items) != len(all.Items) {
			t.Errorf("since %s %d of %d items", since, len(page.Items), len(all.Items))
		}
		w.want(w.call("GET", "/api/feeds/"+feeds[0].Feed.ID+"/items?since="+since, nil, nil), 200)
	}
}
