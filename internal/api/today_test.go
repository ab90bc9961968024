package api_test

import (
	"encoding/json"
	"testing"
	"time"
)

type todayAnswer struct {
	Since               time.Time
	NewCount, SeenCount int
	IsPartial           bool
	Folders             []struct {
		ID       *string
		NewCount int
		Items    []struct {
			ID, Title      string
			ReadingMinutes *int
		}
	}
	BrokenFeeds, QuietFeeds []string
	Week                    struct{ Read, Cleared, Starred int }
}

// TestToday: the page counts what arrived since the last visit of the session, and with a token since a day ago.
func TestToday(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.signedIn()
	var day todayAnswer
	ask := func() {
		t.Helper()
		day = todayAnswer{}
		rec := w.browser(c, "GET", "/api/today", "")
		if err := json.Unmarshal(rec.Body.Bytes(), &day); rec.Code != 200 || err != nil {
			t.Fatalf("%d: %s, %v", rec.Code, rec.Body, err)
		}
	}
	ask()
	if day.NewCount != 0 || len(day.Folders) != 0 || !day.Since.Equal(w.clock.Now().Add(-24*time.Hour)) {
		t.Errorf("without feeds: %+v", day)
	}
	w.clock.Add(time.Minute)
	last := w.clock.Now()
	w.addSamples()
	w.clock.Add(12 * time.Hour)
	ask()
	if day.Since.After(last) || day.NewCount == 0 || len(day.Folders) != 1 || day.Folders[0].ID != nil ||
		len(day.Folders[0].Items) == 0 || len(day.Folders[0].Items) > 3 {
		t.Fatalf("with samples: %+v", day)
	}
	first := day.Folders[0].Items[0]
	if first.ReadingMinutes == nil || *first.ReadingMinutes < 1 {
		t.Errorf("the reading time of %q is %v", first.Title, first.ReadingMinutes)
	}
	w.want(w.call("PUT", "/api/items/"+first.ID+"/state", map[string]bool{"isRead": true}, nil), 200)
	was := day
	ask()
	if day.NewCount != was.NewCount || day.SeenCount != was.SeenCount+1 || day.Week.Read != 1 ||
		!day.Since.Equal(was.Since) {
		t.Errorf("after one was read: %+v", day)
	}
	w.want(w.call("GET", "/api/today", nil, &day), 200)
	if !day.Since.Equal(w.clock.Now().Add(-24 * time.Hour)) {
		t.Errorf("with a token: since %v", day.Since)
	}
}
