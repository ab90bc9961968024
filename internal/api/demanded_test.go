package api_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The fields of GET /api/feeds/updated: what is new since a time, the newest first.
//
func TestFieldsOfUpdatedFeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	now := w.clock.Now()
	for i, f := range feeds[:2] {
		id, err := reader.ParseFeedID(f.Feed.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) {
			f.Changed = now.Add(time.Duration(i+1) * time.Hour).Unix()
			f.Updated = now.Add(time.Duration(i-5) * time.Hour).Unix()
		}); err != nil {
			t.Fatal(err)
		}
	}
	var a struct {
		Total int
		Feeds []map[string]any
	}
	w.want(w.call("GET", "/api/feeds/updated?since="+url.QueryEscape(now.Format(time.RFC3339)), nil, &a), 200)
	if a.Total != 2 || len(a.Feeds) != 2 || a.Feeds[0]["id"] != feeds[1].Feed.ID ||
		a.Feeds[1]["id"] != feeds[0].Feed.ID {
		t.Fatalf("%d feeds: %v", a.Total, a.Feeds)
	}
	f := a.Feeds[0]
	if f["title"] == "" || f["url"] != feeds[1].Feed.URL ||
		f["feedLastUpdated"] != now.Add(-4*time.Hour).UTC().Format(time.RFC3339) ||
		f["lastCheckedByUser"] != nil || f["hasUnread"] != true {
		t.Errorf("%v", f)
	}
}

// Marking a feed read answers when; the time is kept with the subscription. A mark that changes nothing costs
// no write and leaves it; another sets it anew.
//
func TestFieldsOfMarkingAFeedRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed
	mark := func(want time.Time) {
		t.Helper()
		var a struct {
			Success  bool
			FeedID   string
			MarkedAt time.Time
		}
		w.want(w.call("POST", "/api/feeds/"+feed.ID+"/mark-read", nil, &a), 200)
		if !a.Success || a.FeedID != feed.ID || !a.MarkedAt.Equal(want.Truncate(time.Second)) {
			t.Errorf("%+v, want it marked at %v", a, want)
		}
		var kept struct {
			Feed struct {
				LastReadAt  time.Time
				UnreadCount int
			}
		}
		w.want(w.call("GET", "/api/feeds/"+feed.ID, nil, &kept), 200)
		if !kept.Feed.LastReadAt.Equal(a.MarkedAt) || kept.Feed.UnreadCount != 0 {
			t.Errorf("kept is %+v", kept.Feed)
		}
	}
	first := w.clock.Now()
	mark(first)
	w.clock.Add(time.Hour)
	mark(first)
	var page pageAnswer
	w.want(w.call("GET", "/api/feeds/"+feed.ID+"/items", nil, &page), 200)
	w.want(w.call("PUT", "/api/items/"+page.Items[0].ID+"/state", map[string]bool{"isRead": false}, nil), 200)
	mark(w.clock.Now())
}
