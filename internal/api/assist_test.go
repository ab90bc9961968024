package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/testkit/fauxmodel"
)

type assistAnswer struct {
	State, Kind, Text string
	By                struct{ Provider, Model, Host string }
	IsExtract         bool
	IsCached          bool
	Sentences         *int
	Code, Message     *string
	NextAt            *string
	TokenUsage        struct{ ThisRequest, MonthlyUsed, MonthlyLimit int64 }
}

// withModel gives the API a language model.
func (w *world) withModel(tokens int64) *fauxmodel.Server {
	w.t.Helper()
	m := fauxmodel.New(w.t)
	a, err := assist.New(w.store, w.clock, slog.New(slog.DiscardHandler), assist.Options{
		Provider: assist.OpenAI, URL: m.URL + "/v1", Model: "a-model", Tokens: tokens, Streams: true,
		Patience: time.Minute,
		Key:      func(context.Context) (string, error) { return "", nil },
		Client:   func(u *url.URL) assist.Doer { return fetch.Trusted("test", u, 1<<20) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.options.Assist = a
	w.handler = api.New(w.options)
	return m
}

// longest is the sample item with the most text.
func (w *world) longest() string {
	var page pageAnswer
	w.want(w.call("GET", "/api/items?limit=200", nil, &page), 200)
	best, most := "", 0
	for _, it := range page.Items {
		var got struct{ Item struct{ ContentHTML string } }
		w.want(w.call("GET", "/api/items/"+it.ID, nil, &got), 200)
		if n := strings.Count(got.Item.ContentHTML, ". "); n > most {
			best, most = it.ID, n
		}
	}
	return best
}

// TestAssistant: without a model there are key sentences, at no write; with one a person agrees first, and the answer
// carries the usage. K-17, K-19, K-22
func TestAssistant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	item := w.longest()
	path := "/api/items/" + item + "/assist"
	var a assistAnswer
	before := w.store.Table().Meter().Snapshot().TotalWrites()
	w.want(w.call("POST", path, map[string]string{"kind": "sentences"}, &a), 200)
	if a.State != "ok" || !a.IsExtract || a.Sentences == nil || !strings.Contains(a.Text, "\n") ||
		a.By.Provider != "extract" {
		t.Errorf("%+v", a)
	}
	if w.store.Table().Meter().Snapshot().TotalWrites() != before {
		t.Error("key sentences write")
	}
	var p problem
	w.want(w.call("POST", path, map[string]string{"kind": "summary"}, &p), 404)
	w.want(w.call("POST", path, map[string]string{"kind": "poem"}, &p), 400)
	if p.Code != "bad_kind" || p.Details[0].Field != "kind" {
		t.Errorf("%+v", p)
	}
	w.want(w.call("POST", path, map[string]string{"kind": "summary", "language": "xx"}, &p), 400)

	model := w.withModel(3000)
	w.want(w.call("POST", path, map[string]string{"kind": "summary"}, &p), 409)
	if p.Code != "assist_not_agreed" || !strings.Contains(p.Message, "127.0.0.1") {
		t.Errorf("%+v", p)
	}
	w.want(w.call("PUT", "/api/assist/agreement", map[string]any{"host": "x", "isAgreed": true}, &p), 403)
	host := strings.TrimPrefix(model.URL, "http://")
	if err := w.options.Assist.Agree(t.Context(), w.owner, host, true); err != nil {
		t.Fatal(err)
	}
	w.want(w.call("POST", path, map[string]string{"kind": "summary"}, &a), 200)
	if a.State != "ok" || a.Text != model.Reply || a.TokenUsage.ThisRequest != 960 ||
		a.TokenUsage.MonthlyLimit != 3000 || a.By.Host != host {
		t.Errorf("%+v", a)
	}
	w.want(w.call("POST", path, map[string]string{"kind": "summary"}, &a), 200)
	if !a.IsCached || a.TokenUsage.ThisRequest != 0 {
		t.Errorf("%+v", a)
	}
	w.want(w.call("POST", path, map[string]string{"kind": "bullets", "language": "ja"}, &a), 200)
	if a.State != "failed" && a.TokenUsage.MonthlyUsed != 1920 {
		t.Errorf("%+v", a)
	}
	w.want(w.call("POST", path, map[string]string{"kind": "bullets"}, &a), 200)
	if a.State != "failed" || *a.Code != assist.CodeUsed || a.NextAt == nil ||
		!strings.Contains(*a.Message, "December 1") || !a.IsExtract || a.Text == "" {
		t.Errorf("beyond the limit: %+v", a)
	}
	var st struct {
		Provider, Host string
		IsAgreed       bool
		Requests       int
		TokenUsage     struct{ MonthlyUsed int64 }
	}
	w.want(w.call("GET", "/api/assist", nil, &st), 200)
	if st.Provider != "openai" || !st.IsAgreed || st.Requests < 1 || st.TokenUsage.MonthlyUsed < 960 {
		t.Errorf("%+v", st)
	}
	var me struct {
		Assist struct{ Provider, Host string }
	}
	w.want(w.call("GET", "/api/me", nil, &me), 200)
	if me.Assist.Provider != "openai" || me.Assist.Host != host {
		t.Errorf("%+v", me)
	}
}

// TestAnswersInParts: over a connection the answer comes while it is written, and ends with the whole.
func TestAnswersInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	item := w.longest()
	model := w.withModel(100_000)
	model.Reply = strings.Repeat("The keepers wrote down ships and weather, day after day. ", 6)
	if err := w.options.Assist.Agree(t.Context(), w.owner, strings.TrimPrefix(model.URL, "http://"), true); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(w.handler)
	defer srv.Close()
	events := func(kind string) (names []string, last assistAnswer) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/api/items/"+item+"/assist",
			strings.NewReader(`{"kind":"`+kind+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+w.token)
		req.Header.Set("Accept", "text/event-stream")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
			t.Fatalf("the answer is %s", got)
		}
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				names = append(names, name)
			}
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				last = assistAnswer{}
				if err := json.Unmarshal([]byte(data), &last); err != nil {
					t.Fatal(err)
				}
			}
		}
		return names, last
	}
	names, done := events("summary")
	if len(names) < 3 || names[0] != "text" || names[len(names)-1] != "done" || slices.Contains(names, "error") ||
		done.State != "ok" || done.Text != strings.TrimSpace(model.Reply) || done.TokenUsage.ThisRequest != 960 {
		t.Errorf("%q, %+v", names, done)
	}
	model.Behave(fauxmodel.LateFail, 0)
	if names, done = events("bullets"); names[len(names)-1] != "done" || done.State != "failed" || !done.IsExtract {
		t.Errorf("cut: %q, %+v", names, done)
	}
}

// TestAssistantOfOthers: nobody gets key sentences of another user's article.
func TestAssistantOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addSamples()
	item := w.longest()
	w.withModel(3000)
	other, err := w.auth.NewToken(t.Context(), reader.UserID("other"), "x", "", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if resp := w.callAs(other, "POST", "/api/items/"+item+"/assist", map[string]string{"kind": "sentences"}, nil); resp.
		StatusCode != 404 {
		t.Errorf("another user's article: %d", resp.StatusCode)
	}
}
