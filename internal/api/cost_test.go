package api_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/budget"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// limited gives the world a monthly limit of 5 USD of which most is used.
func (w *world) limited() {
	w.t.Helper()
	w.options.Budget = budget.New(w.store, w.clock, budget.Options{Limit: 5, Log: slog.New(slog.DiscardHandler)})
	w.options.Crawler = crawl.New(w.store, w.blobs, nil, w.clock, crawl.Options{Slow: w.options.Budget.Slow})
	w.options.Subscribe.Crawler = w.options.Crawler
	w.handler = api.New(w.options)
	if err := w.store.Budget.Put(context.Background(), store.BudgetRow{Month: "2026-11", Slow: 4, Spent: 4.4,
		Limit: 5}); err != nil {
		w.t.Fatal(err)
	}
}

// A chosen interval is multiplied near the month's limit, and the feed says why in both languages.
// C-4
func TestChosenIntervalNearTheLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	feed := w.addSamples()[0].Feed.ID
	w.limited()
	type answer struct {
		Feed struct {
			Interval int                            `json:"intervalMinutes"`
			Own      int                            `json:"ownIntervalMinutes"`
			Why      struct{ Code, Message string } `json:"intervalReason"`
			Next     struct{ Code string }          `json:"nextCheckReason"`
		}
	}
	choose := func(minutes int, language string) (a answer) {
		t.Helper()
		w.want(w.call("PUT", "/api/subscriptions/"+feed+"/settings", map[string]any{"fetchIntervalMinutes": minutes},
			nil), 200)
		r := httptest.NewRequest("GET", "/api/feeds/"+feed, nil)
		r.Header.Set("Authorization", "Bearer "+w.token)
		r.Header.Set("Accept-Language", language)
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, r)
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := choose(60, "en")
	if a.Feed.Own != 60 || a.Feed.Interval != 300 || a.Feed.Why.Code != "budget" || a.Feed.Next.Code != "budget" ||
		!strings.HasPrefix(a.Feed.Why.Message, "The monthly limit") {
		t.Errorf("%+v", a)
	}
	if a = choose(30, "ja"); a.Feed.Interval != 180 || !strings.HasPrefix(a.Feed.Why.Message, "今月の費用が上限に近い") {
		t.Errorf("%+v", a)
	}
	w.clock.Set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if a = choose(120, "en"); a.Feed.Interval != 120 || a.Feed.Why.Code != "asked" {
		t.Errorf("in the next month: %+v", a)
	}
}

// The owner of a stack sees the limit, what a feed costs and what another one would; others see none of it, and on one
// machine nobody does.
// C-4
func TestCostsAreTheOwners(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	address, another := w.publisher.URL+samples.List()[0].Path, w.publisher.URL+samples.List()[1].Path
	var added feedAnswer
	w.want(w.call("POST", "/api/feeds", map[string]string{"url": address}, &added), 201)
	feed := added.Feed.ID
	var c struct {
		Limit *struct {
			LimitUSD, SpentUSD float64
			IntervalFactor     int
			EndsAt             string
		}
	}
	var f, g struct{ MonthlyUSD *float64 }
	var d struct {
		Feeds []struct{ MonthlyUSD *float64 }
	}
	ask := func(token string, status int) {
		t.Helper()
		c.Limit, f.MonthlyUSD, d.Feeds = nil, nil, nil
		w.want(w.callAs(token, "GET", "/api/stats/cost", nil, &c), status)
		if status == 200 {
			w.want(w.callAs(token, "GET", "/api/feeds/"+feed+"/fetches", nil, &f), 200)
		}
		w.want(w.callAs(token, "GET", "/api/discover?url="+url.QueryEscape(another), nil, &d), 200)
	}
	ask(w.token, 200)
	if c.Limit != nil || f.MonthlyUSD != nil || d.Feeds[0].MonthlyUSD != nil {
		t.Errorf("on one machine: %+v %+v %+v", c, f, d)
	}
	w.limited()
	ask(w.token, 200)
	if c.Limit == nil || c.Limit.LimitUSD != 5 || c.Limit.IntervalFactor != 4 ||
		c.Limit.EndsAt != "2026-12-01T00:00:00Z" {
		t.Errorf("the limit: %+v", c.Limit)
	}
	id, _ := reader.ParseFeedID(feed)
	if _, err := w.store.Feeds.Modify(t.Context(), id, func(f *store.FeedRow) { f.Period *= 2 }); err != nil {
		t.Fatal(err)
	}
	w.want(w.call("GET", "/api/feeds/"+feed+"/fetches", nil, &g), 200)
	if f.MonthlyUSD == nil || *f.MonthlyUSD <= 0 || *f.MonthlyUSD > 0.1 || *g.MonthlyUSD >= *f.MonthlyUSD {
		t.Errorf("a feed costs %v, half as often %v", *f.MonthlyUSD, *g.MonthlyUSD)
	}
	if m := d.Feeds[0].MonthlyUSD; m == nil || *m <= 0 || *m > 0.1 {
		t.Errorf("another one would cost %v", m)
	}
	other, err := w.auth.AddUser(t.Context(), "other@example.org", "correct horse", false)
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.NewToken(t.Context(), other, "other", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	w.want(w.callAs(token, "POST", "/api/feeds", map[string]string{"url": address}, nil), 201)
	ask(token, 403)
	if d.Feeds[0].MonthlyUSD != nil {
		t.Errorf("another user: %+v", d)
	}
	w.want(w.callAs(token, "POST", "/api/webhooks", map[string]any{"url": "https://example.org/hook",
		"events": []string{"budget.reached"}}, nil), 403)
	w.want(w.call("POST", "/api/webhooks", map[string]any{"url": "https://example.org/hook",
		"events": []string{"budget.reached"}}, nil), 201)
}
