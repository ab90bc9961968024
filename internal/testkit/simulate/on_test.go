package simulate

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/fauxmodel"
	"github.com/ruri-reader/ruri/internal/transfer"
	"github.com/ruri-reader/ruri/internal/watch"
)

// shop is a site with a list of offers, one of which gets cheaper at noon.
const shop = "https://shop.example/lamps"

// services are the publishers, a shop, and services that take whatever is sent to them.
type services struct {
	*web
	sent map[string]int // requests by host
}

func (s *services) Do(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	html := &fetch.Response{Status: 200, FinalURL: r.URL, ContentType: "text/html"}
	switch {
	case r.Post != nil:
		s.sent[fetch.HostOf(r.URL)]++
		return &fetch.Response{Status: 200, FinalURL: r.URL, ContentType: "application/json",
			Body: []byte(`{"ok": true, "result": true, "access_token": "token"}`)}, nil
	case r.URL == shop:
		price := 90
		if s.now().Hour() >= 12 {
			price = 50
		}
		html.Body = fmt.Appendf(nil, `<ul><li class="item"><a href="/1">A lamp of brass</a><b>€ %d.00</b></li>
			<li class="item"><a href="/2">A lamp of glass</a><b>€ 120.00</b></li></ul>`, price)
		return html, nil
	case strings.HasPrefix(r.URL, "https://shop.example/"):
		html.Status = 404
		return html, nil
	}
	return s.web.Do(ctx, r)
}

// inTime are messages that come when they are due, for which the clock is moved within a tick.
type inTime struct {
	*messages
	due []laterMessage
}

func (q *inTime) Send(ctx context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	for _, b := range bodies {
		j, err := job.Decode(b)
		if err != nil {
			return nil, err
		}
		if at := time.UnixMilli(j.Due); at.After(q.clock.Now()) {
			q.due = append(q.due, laterMessage{at, b})
			slices.SortStableFunc(q.due, func(a, b laterMessage) int { return a.at.Compare(b.at) })
		} else if _, err := q.messages.Send(ctx, [][]byte{b}, delay); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (q *inTime) Receive(ctx context.Context, most int, wait time.Duration, p queue.Policy) ([]queue.Delivery, error) {
	tick := q.clock.Now().Truncate(schedule.TickLength).Add(schedule.TickLength)
	if len(q.waiting) == 0 && len(q.due) > 0 && q.due[0].at.Before(tick) {
		if next := q.due[0]; next.at.After(q.clock.Now()) {
			q.clock.Set(next.at)
		}
		q.waiting, q.due = append(q.waiting, q.due[0].body), q.due[1:]
	}
	return q.messages.Receive(ctx, most, wait, p)
}

// life is that of one reader with a hundred feeds and a watch.
type life struct {
	*simulation
	t        *testing.T
	services *services
	shared   []string // addresses of shared lists
	targets  []string // webhooks to which a person sends items
	cheap    int      // items that say that the watch's price is reached
}

// sentences makes of words sentences, of which a summary can be made.
func sentences(words string) string {
	text := []byte(words)
	for at := 60; at < len(text)-2; at += 60 {
		for ; at < len(text)-2 && text[at] != ' '; at++ {
		}
		text[at-1], text[at+1] = '.', text[at+1]-'a'+'A'
	}
	return string(text)
}

// call calls the API as the reader's page does.
func (w *life) call(method, path string, body any, into any) {
	w.t.Helper()
	got, err := w.reader.ask(w.t.Context(), method, path, body)
	if err == nil && into != nil {
		err = json.Unmarshal(got, into)
	}
	w.must(err)
}

func (w *life) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// dayWith lives a day with everything on or off and returns what it wrote: write units by kind of row.
func dayWith(t *testing.T, on bool) (*life, map[string]float64) {
	ctx := t.Context()
	sim := newSimulation(cost.Options{Feeds: 100, Users: 1, Views: 20, Interval: time.Hour,
		Tick: schedule.TickLength, Seed: 1}, cost.Embedded().Model)
	w := &life{simulation: sim, t: t, services: &services{sim.web, map[string]int{}}}
	w.fetch, w.web.words = w.services, sentences(w.web.words)
	w.simulation.queue = queue.New(&inTime{messages: &messages{clock: w.clock}}, queue.Options{})
	if on {
		w.cfg.MonthlyLimit = 100
		model := fauxmodel.New(t)
		set := map[string]string{"RURI_WEBHOOK_KEYS": "k telegram.example 1:a\nk readwise.example b\nk discord.example c",
			"RURI_AI_PROVIDER": "openai", "RURI_AI_URL": model.URL + "/v1", "RURI_AI_MODEL": "m"}
		c, err := config.Load(func(name string) (string, bool) { v, ok := set[name]; return v, ok })
		w.must(err)
		w.cfg.WebhookKeys, w.cfg.AIKey, w.cfg.AITokens = c.WebhookKeys, c.AIKey, c.AITokens
		w.cfg.AIProvider, w.cfg.AIURL, w.cfg.AIModel = c.AIProvider, c.AIURL, c.AIModel
	}
	w.must(w.subscribe(ctx))
	w.must(w.reader.wake(ctx, w.clock.Now()))
	places := w.arrange()
	if on {
		w.switchOn(places)
	}
	w.must(w.tick(ctx)) // which marks the feeds
	w.reader.also = func(ctx context.Context, view int, item string) error { return w.also(ctx, on, view, item) }
	before := w.wrote()
	w.must(w.live(ctx, true))
	if on {
		w.backup(ctx)
	}
	after := w.wrote()
	for kind := range after {
		after[kind] -= before[kind]
	}
	var list struct {
		Items []struct{ Offer struct{ Event string } }
	}
	w.must(w.reader.wake(ctx, w.clock.Now()))
	w.call("GET", "/api/feeds/"+places.watch+"/items", nil, &list)
	for _, it := range list.Items {
		if it.Offer.Event == string(watch.Reached) {
			w.cheap++
		}
	}
	return w, after
}

// places are what a reader has that can be notified of, sent and shared.
type places struct{ folder, label, search, watch string }

// arrange gives the reader a folder of 20 feeds, a label, a saved search, a feed that notifies, and a watch that waits
// for a price: things that are there with everything off, too.
func (w *life) arrange() (p places) {
	w.t.Helper()
	var made struct{ ID string }
	w.call("POST", "/api/folders", map[string]any{"name": "News"}, &made)
	p.folder = made.ID
	w.call("POST", "/api/labels", map[string]any{"name": "Later"}, &made)
	p.label = made.ID
	w.call("POST", "/api/searches", map[string]any{"name": "Words", "q": strings.Fields(w.web.words)[0]}, &made)
	p.search = made.ID
	for id := 1; id <= 20; id++ {
		w.call("PUT", fmt.Sprintf("/api/subscriptions/%d/settings", id), map[string]any{"folders": []string{p.folder},
			"notify": id == 1}, nil)
	}
	var watch struct{ Watch struct{ ID string } }
	w.call("POST", "/api/watches", map[string]any{"accepted": true, "settings": map[string]any{"name": "Lamps",
		"url": shop, "wanted": 6000, "layout": map[string]any{"rows": "li.item",
			"fields": map[string]string{"title": "a", "link": "a", "price": "b"}}}}, &watch)
	p.watch = watch.Watch.ID
	w.call("PUT", "/api/subscriptions/"+p.watch+"/settings", map[string]any{"notify": true}, nil)
	return p
}

// switchOn enables everything that is off by default: webhooks in several formats, notifications on two devices,
// shared lists, the assistant.
func (w *life) switchOn(p places) {
	w.t.Helper()
	all := []string{"new", "starred", "feed.stopped", "watch.problem", "server.problem", "budget.reached"}
	for _, hook := range []map[string]any{
		{"url": "https://hook.example/", "events": all},
		{"url": "https://ntfy.example/topic", "format": "ntfy", "events": all, "feeds": "notify"},
		{"url": "https://telegram.example/bot{key}/sendMessage?chat_id=1", "format": "telegram", "key": "k",
			"events": []string{"new"}, "searchId": p.search},
		{"url": "https://readwise.example", "format": "readwise", "key": "k", "events": []string{"starred", "sent"}},
		{"url": "https://own.example/add", "format": "own", "template": `{"link": "{url}"}`,
			"events": []string{"sent"}},
	} {
		var made struct{ Webhook struct{ ID string } }
		w.call("POST", "/api/webhooks", hook, &made)
		if events := hook["events"].([]string); slices.Contains(events, "sent") {
			w.targets = append(w.targets, made.Webhook.ID)
		}
	}
	for n := range 2 {
		key, err := ecdh.P256().GenerateKey(rand.Reader)
		w.must(err)
		w.call("POST", "/api/notifications/devices", map[string]any{"endpoint": fmt.Sprint("https://push.example/", n),
			"keys": map[string]string{"p256dh": base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()),
				"auth": base64.RawURLEncoding.EncodeToString(make([]byte, 16))}}, nil)
	}
	w.call("PATCH", "/api/notifications", map[string]any{"folderIds": []string{p.folder},
		"searchIds":  []string{p.search},
		"quietHours": map[string]any{"from": 22 * 60, "to": 7 * 60, "timeZone": "Europe/Berlin"}}, nil)
	for _, of := range []string{"starred", "label:" + p.label, "folder:" + p.folder, "search:" + p.search} {
		var made struct {
			Share struct{ AtomURL, JSONURL string }
		}
		w.call("POST", "/api/shares", map[string]string{"of": of}, &made)
		w.shared = append(w.shared, strings.TrimPrefix(made.Share.AtomURL, w.cfg.BaseURL),
			strings.TrimPrefix(made.Share.JSONURL, w.cfg.BaseURL))
	}
	w.call("PUT", "/api/assist/agreement", map[string]any{"host": strings.TrimPrefix(strings.TrimSuffix(w.cfg.AIURL,
		"/v1"), "http://"), "isAgreed": true}, nil)
}

// also is what a person does in a view besides reading: some articles are starred, and with everything on some are
// summed up and sent on, and programs ask for the shared lists.
func (w *life) also(ctx context.Context, on bool, view int, item string) error {
	if item == "" {
		return nil
	}
	var asks [][3]any
	if view%5 == 0 {
		asks = append(asks, [3]any{"PUT", "/api/items/" + item + "/state", map[string]bool{"isStarred": true}})
	}
	if on {
		asks = append(asks, [3]any{"POST", "/api/items/" + item + "/assist", map[string]string{"kind": "summary"}})
		if view%4 == 0 {
			for _, id := range w.targets {
				asks = append(asks, [3]any{"POST", "/api/items/" + item + "/send", map[string]string{"webhookId": id}})
			}
		}
		for _, address := range w.shared {
			asks = append(asks, [3]any{"GET", address, nil})
		}
	}
	for _, a := range asks {
		if _, err := w.reader.ask(ctx, a[0].(string), a[1].(string), a[2]); err != nil {
			return err
		}
	}
	return nil
}

// backup makes the nightly backup, as internal/cli does.
func (w *life) backup(ctx context.Context) {
	w.t.Helper()
	app := w.process(w.read, io.Discard)
	from := transfer.Installation{Name: "simulation", Table: app.Store.Table(), Blobs: app.Blobs}
	_, err := transfer.Backup(ctx, from, io.Discard, transfer.Options{Clock: w.clock, Version: "simulation"})
	w.must(err)
	w.must(app.Store.Accounts.SetBackup(ctx, w.clock.Now()))
}

// wrote is how many write units were used so far, by kind of row.
func (w *life) wrote() map[string]float64 {
	sum := map[string]float64{}
	for _, t := range []*table.Table{w.plan, w.crawl, w.read} {
		for kind, n := range t.Meter().Snapshot().Writes {
			sum[kind] += n
		}
	}
	return sum
}

// TestWhatEverythingCosts lives the same day with everything off and on. Apart from what fills caches, that adds at
// most 90 write units. A month near its limit is dearer (decision 0568).
// R-89 K-17 C-23 C-4
func TestWhatEverythingCosts(t *testing.T) {
	t.Parallel()
	_, off := dayWith(t, false)
	w, more := dayWith(t, true)
	for kind, n := range off {
		more[kind] -= n
	}
	caches, others := more["cache"], 0.0
	for kind, n := range more {
		if kind != "cache" {
			others += n
		}
	}
	t.Logf("more write units: %v; requests sent: %v", more, w.services.sent)
	if others > 90 || caches > 40 {
		t.Errorf("%.0f write units more, at most 90 are allowed; %.0f more for caches, at most 40", others, caches)
	}
	// All of it is on.
	if others < 30 || caches < 5 || more["tokens"] < 10 || more["notices"] < 10 || w.cheap != 1 ||
		more["crawl"]+more["feed"]+more["delta"] != 0 {
		t.Errorf("not a day like real ones, %d notices of the price: %v", w.cheap, more)
	}
	if n := w.services.sent["hook.example"]; n < 50 {
		t.Errorf("the webhook for new articles got %d requests", n)
	}
	for _, host := range []string{"ntfy", "telegram", "readwise", "own", "push"} {
		if w.services.sent[host+".example"] < 2 {
			t.Errorf("%s got %d requests", host, w.services.sent[host+".example"])
		}
	}
}
