package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/wire"
)

const (
	// containerIdle is after how long of nothing a Lambda container is gone, on the careful side.
	containerIdle = 6 * time.Minute
	opensPerDay   = 10 // articles opened
	prefetched    = 2  // bodies that the page asks for ahead of the one that is open
	marksEvery    = 3  // of so many views one ends with "mark all read"
	starsEvery    = 20
	searchesInDay = 5
	reloadsEvery  = 5 // of so many views one opens the page anew, the others come back to its tab
	filesOfPage   = 4 // what a browser with a warm cache asks for: the document, and what it checks

	// stay is how long the page is looked at in a view. Meanwhile it asks for the counts each five minutes
	// (web/src/data/feeds.ts), and fills the copy for times without a network if that was last done half an hour ago
	// (web/src/data/offline/pace.ts).
	stay        = 10 * time.Minute
	countsEvery = 5 * time.Minute
	fillEvery   = 30 * time.Minute
	// offlineItems is how many of the newest items that copy has; pageItems and batchItems are how many a list and a
	// batch give at a time (web/src/data/offline/amount.ts, web/src/data/offline/fill.ts).
	offlineItems = 200
	offlineStars = 1000
	pageItems    = 200
	batchItems   = 50
)

// person is a reader at work, as the page works: each view asks for the counts (usually to hear that nothing
// changed) and for Today, opens a stream, now and then one of its items, and marks what was read. The page also keeps a
// copy for times without a network, which is on by default.
type person struct {
	id     reader.UserID
	w      *simulation
	app    *wire.App
	api    http.Handler
	cookie string
	seen   time.Time
	tags   map[string]string // ETags by path
	loaded time.Time         // when the page was last opened
	filled time.Time         // when the copy was last filled
	kept   map[string]string // bodies on the device, by item: when the item was updated
	// also does more in a view, of which it gets the number and the item that was opened last; nil: nothing.
	also func(ctx context.Context, view int, item string) error

	did                                              cost.Function
	views, requests, unchanged, opened, bytes, files float64
	copying                                          float64 // requests for the offline copy
	searches, searchGets                             float64
}

// wake starts a process of the API where the last one has gone.
func (p *person) wake(ctx context.Context, at time.Time) error {
	if p.app == nil || at.Sub(p.seen) > containerIdle {
		p.app = p.w.process(p.w.read, p.w.said)
		p.api = p.app.Handler()
		p.did.ColdStarts++
		p.did.Seconds += p.w.m.Start().Seconds()
		if p.cookie == "" {
			value, _, err := p.app.Auth.NewSession(ctx, p.id)
			if err != nil {
				return err
			}
			p.cookie = "__Host-ruri=" + value
		}
	}
	p.seen = at
	return nil
}

// timer is an action that the page takes by itself while it is open, and its time.
type timer struct {
	at time.Time
	do func(context.Context) error
}

// timers are those of a view that begins at an instant and ends at another.
func (p *person) timers(at, until time.Time) []timer {
	var all []timer
	for t := at.Add(countsEvery); t.Before(until); t = t.Add(countsEvery) {
		all = append(all, timer{t, func(ctx context.Context) error { return p.get(ctx, "/api/feeds", new(struct{})) }})
	}
	if t := p.filled.Add(fillEvery); t.After(at) && t.Before(until) {
		all = append(all, timer{t, func(ctx context.Context) error { return p.fill(ctx, t) }})
	}
	slices.SortStableFunc(all, func(a, b timer) int { return a.at.Compare(b.at) })
	return all
}

// does what a timer is for.
func (p *person) does(ctx context.Context, e timer) error {
	if err := p.wake(ctx, e.at); err != nil {
		return err
	}
	return e.do(ctx)
}

// fill brings the copy on the device up to date, as web/src/data/offline/fill.ts does: the unread list, the newest
// items if that is short, the starred ones, and the bodies that are not there yet.
func (p *person) fill(ctx context.Context, at time.Time) error {
	before := p.requests
	p.filled = at
	defer func() { p.copying += p.requests - before }()
	var order []string
	wanted := map[string]string{}
	for _, list := range []struct {
		query string
		upTo  func() int
	}{
		{"&filter=unread", func() int { return offlineItems }},
		{"", func() int { return offlineItems }},
		{"&filter=starred", func() int { return len(wanted) + offlineStars }},
	} {
		upTo, cursor := list.upTo(), ""
		for more := len(wanted) < upTo; more; more = cursor != "" && len(wanted) < upTo {
			path := fmt.Sprintf("/api/items?limit=%d%s", pageItems, list.query)
			if cursor != "" {
				path += "&cursor=" + url.QueryEscape(cursor)
			}
			var page struct {
				Items []struct {
					ID        string `json:"id"`
					UpdatedAt string `json:"updatedAt"`
				} `json:"items"`
				NextCursor string `json:"nextCursor"`
			}
			if err := p.get(ctx, path, &page); err != nil {
				return err
			}
			for _, item := range page.Items {
				if _, known := wanted[item.ID]; !known && len(wanted) < upTo {
					wanted[item.ID] = item.UpdatedAt
					order = append(order, item.ID)
				}
			}
			cursor = page.NextCursor
		}
	}
	var missing []string
	for _, id := range order {
		if updated, known := p.kept[id]; !known || updated != wanted[id] {
			missing = append(missing, id)
		}
	}
	p.kept = wanted
	return p.batches(ctx, missing)
}

// batches requests items with their bodies.
func (p *person) batches(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		n := min(len(ids), batchItems)
		path := "/api/items/bodies?ids=" + strings.Join(ids[:n], ",")
		got, err := p.ask(ctx, "GET", path, nil)
		if err != nil {
			return err
		}
		delete(p.tags, path)
		var a struct {
			Rest []string `json:"rest"`
		}
		if err := json.Unmarshal(got, &a); err != nil {
			return err
		}
		ids = append(a.Rest, ids[n:]...)
	}
	return nil
}

// first is the first visit on a device, on which there is nothing yet; it gives how many requests that takes. It
// happens once, so it does not count for a day.
func (p *person) first(ctx context.Context, at time.Time) (float64, error) {
	err := p.visit(ctx, at)
	requests := p.requests
	*p = person{id: p.id, w: p.w, app: p.app, api: p.api, cookie: p.cookie, seen: p.seen, tags: p.tags,
		loaded: p.loaded, filled: p.filled, kept: p.kept}
	return requests, err
}

// visit is one view.
func (p *person) visit(ctx context.Context, at time.Time) error {
	if err := p.wake(ctx, at); err != nil {
		return err
	}
	p.views++
	n := int(p.views)
	begun := ""
	var side struct {
		Feeds []struct {
			ID     string `json:"id"`
			Unread int    `json:"unreadCount"`
		} `json:"feeds"`
	}
	isOpened := p.loaded.IsZero() || n%reloadsEvery == 0
	counts := "/api/feeds"
	if isOpened {
		p.files += filesOfPage
		clear(p.tags) // the page's own memory; what it holds of bodies is gone too
		p.loaded = at
		counts = "/api/me" // has them too
	}
	if err := p.get(ctx, counts, &side); err != nil {
		return err
	}
	if err := p.get(ctx, "/api/today", new(struct{})); err != nil {
		return err
	}
	path, fullest := "/api/items?limit=50&filter=unread", ""
	most := 0
	for _, f := range side.Feeds {
		if f.Unread > most {
			most, fullest = f.Unread, f.ID
		}
	}
	if n%2 == 0 && fullest != "" {
		path = "/api/feeds/" + fullest + "/items?limit=50&filter=unread"
	}
	var page struct {
		Items []struct {
			ID        string `json:"id"`
			UpdatedAt string `json:"updatedAt"`
		} `json:"items"`
	}
	if err := p.get(ctx, path, &page); err != nil {
		return err
	}
	opens := n*opensPerDay/p.w.o.Views - (n-1)*opensPerDay/p.w.o.Views
	ahead := min(opens, 1) * prefetched
	for i := range min(len(page.Items), opens+ahead) {
		if err := p.get(ctx, "/api/items/"+page.Items[i].ID, nil); err != nil {
			return err
		}
		p.kept[page.Items[i].ID] = page.Items[i].UpdatedAt // opened items are kept, too
		if i >= opens {
			continue
		}
		p.opened++
		begun = page.Items[i].ID
		state := map[string]bool{"isRead": true}
		if int(p.opened)%starsEvery == 0 {
			state["isStarred"] = true
		}
		if _, err := p.ask(ctx, "PUT", "/api/items/"+page.Items[i].ID+"/state", state); err != nil {
			return err
		}
	}
	if begun != "" {
		if err := p.stop(ctx, begun, at); err != nil {
			return err
		}
	}
	if n*searchesInDay/p.w.o.Views > (n-1)*searchesInDay/p.w.o.Views && p.w.cfg.Search != "off" {
		if err := p.search(ctx, n); err != nil {
			return err
		}
	}
	if n%marksEvery == 0 && fullest != "" {
		if _, err := p.ask(ctx, "POST", "/api/feeds/"+fullest+"/mark-read", map[string]string{}); err != nil {
			return err
		}
	}
	if p.also != nil {
		if err := p.also(ctx, n, begun); err != nil {
			return err
		}
	}
	if at.Sub(p.filled) >= fillEvery {
		return p.fill(ctx, at)
	}
	return nil
}

// stop sends where the person stopped in the last item of a view, as the page does when it is hidden
// (web/src/data/stopped.ts).
func (p *person) stop(ctx context.Context, id string, at time.Time) error {
	place := map[string]any{"id": id, "at": at.UTC().Format(time.RFC3339), "part": 0.5}
	_, err := p.ask(ctx, "POST", "/api/items/state", map[string]any{"changes": []any{}, "places": []any{place}})
	return err
}

// search searches all feeds for a word: in titles at two pauses while it is typed, as the page does, then everywhere.
func (p *person) search(ctx context.Context, n int) error {
	words := strings.Fields(p.w.web.words)
	word := words[n*97%len(words)]
	typed := []rune(word)
	gets := p.w.index.gets
	for _, q := range []string{"title:" + string(typed[:min(2, len(typed))]) + "*", "title:" + word + "*", word} {
		if _, err := p.ask(ctx, "GET", "/api/search?q="+url.QueryEscape(q), nil); err != nil {
			return err
		}
	}
	p.searches++
	p.searchGets += float64(p.w.index.gets - gets)
	return nil
}

// get sends a GET request; an item's body (into is nil) is requested once, since the page keeps it.
func (p *person) get(ctx context.Context, path string, into any) error {
	if into == nil { // an item's body, which the page keeps
		if _, known := p.tags[path]; known {
			return nil
		}
	}
	a, err := p.ask(ctx, "GET", path, nil)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(a, into)
}

// answer is what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }
func (a *answer) WriteHeader(s int)   { a.status = s }
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.body.Write(b)
}

// ask is one invocation of the API. What comes back is the answer's body; of a 304 the one known before.
func (p *person) ask(ctx context.Context, method, path string, body any) ([]byte, error) {
	var src bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&src).Encode(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, path, &src)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Cookie", p.cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	table, gets := p.w.read.Meter().Snapshot(), p.w.blobs.Meter().Snapshot()
	a := &answer{header: http.Header{}}
	p.api.ServeHTTP(a, r)
	if a.status >= 400 {
		return nil, fmt.Errorf("simulate: %s %s answered %d: %.300s", method, path, a.status, a.body.String())
	}
	plain := bytes.Clone(a.body.Bytes())
	p.requests++
	p.bytes += p.onTheWire(method, path, a, len(plain))
	used, got := p.w.read.Meter().Snapshot(), p.w.blobs.Meter().Snapshot().Minus(gets)
	p.did.Invocations++
	// Nearly every blob that is read is a raw body, which is then parsed.
	p.did.Seconds += p.w.m.RequestTime(used.ReadOps+used.WriteOps-table.ReadOps-table.WriteOps, got.Gets+got.Puts,
		got.Gets).Seconds()
	return plain, nil
}

// onTheWire returns the bytes sent for an answer: none for a body that the browser has, a third for one that is
// sent compressed. (Asking without Accept-Encoding here saves inflating what is read at once.)
func (p *person) onTheWire(method, path string, a *answer, size int) float64 {
	const headers, compresses = 600, 1024
	tag := a.header.Get("ETag")
	if method == http.MethodGet && tag != "" {
		known := p.tags[path] == tag
		p.tags[path] = tag
		if known {
			p.unchanged++
			return headers
		}
	}
	if size >= compresses && strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		size /= 3
	}
	return headers + float64(size)
}
