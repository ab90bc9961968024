package api_test

import (
	"net/url"
	"testing"
)

// G-8, G-12, R-97: what an address leads to, before anything is subscribed to.
func TestDiscover(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feeds := w.addSamples()
	var out struct {
		Feeds []struct {
			URL, Title   string
			Type         *string
			ItemsPerWeek *float64
			ItemCount    *int
			LastItemAt   *string
			IsChecked    bool
			IsSubscribed bool
			FeedID       *string
		}
	}
	w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(feeds[0].Feed.URL), nil, &out), 200)
	if len(out.Feeds) != 1 || !out.Feeds[0].IsSubscribed || out.Feeds[0].FeedID == nil || *out.Feeds[0].FeedID != feeds[0].Feed.ID ||
		out.Feeds[0].ItemCount == nil || *out.Feeds[0].ItemCount != feeds[0].Feed.ItemCount {
		t.Errorf("a subscribed feed: %+v", out.Feeds)
	}
	var p problem
	w.want(w.call("GET", "/api/discover?url="+url.QueryEscape(w.publisher.URL+"/plain"), nil, &p), 422)
	if p.Code != "no_feed_found" || p.Action == "" || p.Category != "feed" {
		t.Errorf("no feed: %+v", p)
	}
	w.want(w.call("GET", "/api/discover", nil, &p), 400)
	w.want(w.callAs("", "GET", "/api/discover?url=x", nil, &p), 401)
	// It counts as a registration: ten a minute (C-3).
	last := 0
	for range 12 {
		last = w.call("GET", "/api/discover?url="+url.QueryEscape(feeds[0].Feed.URL), nil, nil).StatusCode
	}
	if last != 429 {
		t.Errorf("the twelfth in a row answers %d", last)
	}
}
