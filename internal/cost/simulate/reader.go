package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/cost"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/wire"
)

const (
	// containerIdle is after how long of nothing a Lambda container is gone, on the careful side.
	containerIdle = 6 * time.Minute
	opensPerView  = 3 // items opened on a page
	prefetched    = 2 // bodies that the page asks for ahead of the one that is open
	marksEvery    = 3 // of so many views one ends with "mark all read"
	starsEvery    = 20
	reloadsEvery  = 5 // of so many views one opens the page anew, the others come back to its tab
	filesOfPage   = 4 // what a browser with a warm cache asks for: the document, and what it checks
)

// person is a reader at work, as the page works: each view asks for the counts (usually to hear that nothing
// changed), opens a stream, opens a few of its items, and marks what was read.
type person struct {
	id     reader.UserID
	w      *world
	app    *wire.App
	api    http.Handler
	cookie string
	seen   time.Time
	tags   map[string]string // ETags by path

	did                                              cost.Function
	views, requests, unchanged, opened, bytes, files float64
	fills                                            float64
}

// visit is one view.
func (p *person) visit(ctx context.Context, at time.Time) error {
	if p.app == nil || at.Sub(p.seen) > containerIdle {
		p.app = p.w.process(p.w.read)
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
	p.views++
	n := int(p.views)
	if n%reloadsEvery == 0 {
		p.files += filesOfPage
		clear(p.tags) // the page's own memory; what it holds of bodies is gone too
		if _, err := p.ask(ctx, "GET", "/api/me", nil); err != nil {
			return err
		}
	}
	var side struct {
		Feeds []struct {
			ID     string `json:"id"`
			Unread int    `json:"unreadCount"`
		} `json:"feeds"`
	}
	if err := p.get(ctx, "/api/feeds", &side); err != nil {
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
			ID string `json:"id"`
		} `json:"items"`
	}
	if err := p.get(ctx, path, &page); err != nil {
		return err
	}
	for i := range min(len(page.Items), opensPerView+prefetched) {
		if err := p.get(ctx, "/api/items/"+page.Items[i].ID, nil); err != nil {
			return err
		}
		if i >= opensPerView {
			continue
		}
		p.opened++
		state := map[string]bool{"isRead": true}
		if int(p.opened)%starsEvery == 0 {
			state["isStarred"] = true
		}
		if _, err := p.ask(ctx, "PUT", "/api/items/"+page.Items[i].ID+"/state", state); err != nil {
			return err
		}
	}
	if n%marksEvery == 0 && fullest != "" {
		if _, err := p.ask(ctx, "POST", "/api/feeds/"+fullest+"/mark-read", map[string]string{}); err != nil {
			return err
		}
	}
	return nil
}

// get asks conditionally; an answer that has not changed leaves into as it is, so lists are asked for anew.
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
	filled := used.Writes["cache"] > table.Writes["cache"]
	if filled {
		p.fills++
	}
	p.did.Invocations++
	p.did.Seconds += p.w.m.RequestTime(used.ReadOps+used.WriteOps-table.ReadOps-table.WriteOps, got.Gets+got.Puts, filled).Seconds()
	return plain, nil
}

// onTheWire is how many bytes leave for an answer: none of a body that the browser has, a third of one that is
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
