package main

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// request is one benchmark of the API: what is done without being measured, and what is measured.
type request struct {
	name   string
	before func(w *env, i int)
	do     func(w *env, i int) int // gives the bytes answered
	writes float64                 // rows that one request writes; a figure of design, asserted
}

// BenchmarkAPI measures handlers over the embedded table, without a network.
func BenchmarkAPI(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		w := newEnv(b, map[string]string{})
		w.fill(n, min(n, 300))
		cloud := w.far() // first, while all feeds have unread items
		for _, r := range inTheCloud() {
			b.Run(fmt.Sprintf("%d feeds/%s", n, r.name), func(b *testing.B) { measure(b, cloud, r) })
		}
		ids := w.someItems(b)
		for _, r := range requests(n, ids) {
			b.Run(fmt.Sprintf("%d feeds/%s", n, r.name), func(b *testing.B) { measure(b, w, r) })
		}
	}
}

func get(path string, header ...string) func(*env, int) int {
	return func(w *env, _ int) int { return w.call("GET", path, "", header...).Body.Len() }
}

// mark turns one item's read state over, so that each call writes.
func mark(ids []string) func(*env, int) int {
	read := make([]bool, len(ids))
	return func(w *env, i int) int {
		k := i % len(ids)
		read[k] = !read[k]
		return w.call("PUT", "/api/items/"+ids[k]+"/state", fmt.Sprintf(`{"isRead":%v}`, read[k])).Body.Len()
	}
}

func requests(n int, ids []string) []request {
	marking := mark(ids)
	undo := make([]string, min(n, 300)+1)
	list := []request{
		{name: "list feeds", do: get("/api/feeds")},
		{name: "list feeds, gzip", do: get("/api/feeds", "Accept-Encoding", "gzip")},
		{name: "list feeds after a mark", before: func(w *env, i int) { marking(w, i) }, do: get("/api/feeds")},
		{name: "list feeds after a restart", before: func(w *env, _ int) { w.forget() }, do: get("/api/feeds")},
		{name: "items of a feed", do: func(w *env, i int) int {
			return w.call("GET", fmt.Sprintf("/api/feeds/%d/items", 1+i%n), "").Body.Len()
		}},
		{name: "all unread items", do: get("/api/items?filter=unread")},
		{name: "mark one read", do: marking, writes: 1},
		{name: "mark a feed read", writes: 1,
			before: func(w *env, i int) {
				if f := 1 + i%(len(undo)-1); undo[f] != "" {
					w.call("POST", fmt.Sprintf("/api/feeds/%d/mark-read/undo", f), `{"undo":"`+undo[f]+`"}`)
				}
			},
			do: func(w *env, i int) int {
				f := 1 + i%(len(undo)-1)
				rec := w.call("POST", fmt.Sprintf("/api/feeds/%d/mark-read", f), "")
				var out struct{ Undo string }
				must(w.tb, json.Unmarshal(rec.Body.Bytes(), &out))
				undo[f] = out.Undo
				return rec.Body.Len()
			}},
	}
	open := func(w *env, i int) int { return w.call("GET", "/api/items/"+ids[i%len(ids)], "").Body.Len() }
	if n <= 1000 {
		list = append(list,
			request{name: "open an item", do: func(w *env, _ int) int { return open(w, 0) }},
			request{name: "open an item, first reader", before: func(w *env, i int) {
				if i%len(ids) == 0 { // all items were opened
					w.forget()
				}
			}, do: open})
	}
	return list
}

// inTheCloud are a visitor's first lists from an instance that has nothing in memory, and from one that has answered
// before.
func inTheCloud() (list []request) {
	for _, r := range []request{
		{name: "list feeds", do: get("/api/feeds", "Accept-Encoding", "gzip")},
		{name: "all unread items", do: get("/api/items?filter=unread")},
	} {
		list = append(list,
			request{name: "in the cloud, cold: " + r.name, before: func(w *env, _ int) { w.forget() }, do: r.do},
			request{name: "in the cloud, warm: " + r.name, do: r.do})
	}
	return list
}

// someItems gives one item each of the feeds that have bodies.
func (w *env) someItems(tb testing.TB) (ids []string) {
	tb.Helper()
	for f := 1; f <= 300; f++ {
		var page struct{ Items []struct{ ID string } }
		must(tb, json.Unmarshal(w.call("GET", fmt.Sprintf("/api/feeds/%d/items?limit=1", f), "").Body.Bytes(), &page))
		ids = append(ids, page.Items[0].ID)
		if w.app.Config.MaxFeeds < f || len(ids) == 100 {
			break
		}
	}
	return ids
}

// What a request writes is counted, so that a benchmark is not the first to say that it is more than designed.
func TestRequestsWriteAsDesigned(t *testing.T) {
	t.Parallel()
	w := newEnv(t, map[string]string{})
	w.fill(100, 100)
	ids := w.someItems(t)
	for _, r := range requests(100, ids) {
		r.do(w, 0)
		for i := range 3 {
			if r.before != nil {
				r.before(w, i)
			}
			was := w.table.Meter().Snapshot().RowsWritten
			r.do(w, i)
			if got := float64(w.table.Meter().Snapshot().RowsWritten - was); got > r.writes {
				t.Errorf("%s, request %d: %.0f rows written, designed for %.0f", r.name, i, got, r.writes)
			}
		}
	}
}

func measure(b *testing.B, w *env, r request) {
	b.ReportAllocs()
	b.StopTimer()
	r.do(w, 0)
	var cpu time.Duration
	var bytes int
	var reads, writes int64
	var units float64
	for i := range b.N {
		if r.before != nil {
			r.before(w, i)
		}
		was, spent := w.table.Meter().Snapshot(), ownCPU()
		b.StartTimer()
		bytes += r.do(w, i)
		b.StopTimer()
		cpu += ownCPU() - spent
		after := w.table.Meter().Snapshot()
		reads += after.RowsRead - was.RowsRead
		writes += after.RowsWritten - was.RowsWritten
		units += after.TotalReads() - was.TotalReads()
	}
	n := float64(b.N)
	b.ReportMetric(float64(cpu)/n, "cpu-ns/op")
	b.ReportMetric(float64(bytes)/n/1024, "KB/answer")
	b.ReportMetric(float64(reads)/n, "rows-read/op")
	b.ReportMetric(units/n, "read-units/op")
	b.ReportMetric(float64(writes)/n, "rows-written/op")
	if got := float64(writes) / n; got > r.writes {
		b.Errorf("%s writes %.2f rows a request, designed for %.0f", r.name, got, r.writes)
	}
}
