package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/queue"
)

// BenchmarkImport imports a list of 1,000 feeds on 20 hosts while the queue is worked off: how long until it is
// accepted, until the first items can be read, and until all feeds are there. Walls, and so only printed.
func BenchmarkImport(b *testing.B) {
	const feeds, hosts = 1000, 20
	list := publishers(b, feeds, hosts)
	for range b.N {
		w := &env{tb: b}
		w.open(b.Context(), b.TempDir(), clock.System{},
			map[string]string{"RURI_ALLOW_NETS": "127.0.0.0/8", "RURI_PARALLEL": "10", "RURI_RATE_USER": "0"})
		ctx, stop := context.WithCancel(b.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- w.seams.Queue.Consume(ctx, queue.ConsumeOptions{Parallel: 4, Wait: 50 * time.Millisecond},
				w.app.Worker().Handle)
		}()
		units, cpu, began := w.table.Meter().Snapshot(), ownCPU(), time.Now()
		id := w.importList(list)
		b.ReportMetric(millis(time.Since(began)), "accepted-ms")
		b.ReportMetric(millis(ownCPU()-cpu), "accepted-cpu-ms")
		b.ReportMetric(w.table.Meter().Snapshot().TotalWrites()-units.TotalWrites(), "accepted-writes")
		w.await("/api/items?limit=1", func(a importAnswer) bool { return len(a.Items) > 0 })
		b.ReportMetric(millis(time.Since(began)), "first-items-ms")
		done := w.await("/api/imports/"+id, func(a importAnswer) bool {
			return a.State == "completed" || a.State == "failed"
		})
		b.ReportMetric(millis(time.Since(began)), "subscribed-ms")
		if done.Imported != feeds {
			b.Fatalf("%d of %d feeds were imported: %+v", done.Imported, feeds, done)
		}
		w.await("/api/feeds", func(a importAnswer) bool {
			for _, f := range a.Feeds {
				if f.Status == "waiting" {
					return false
				}
			}
			return len(a.Feeds) == feeds
		})
		b.ReportMetric(millis(time.Since(began)), "crawled-ms")
		b.ReportMetric((w.table.Meter().Snapshot().TotalWrites()-units.TotalWrites())/feeds, "writes/feed")
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			b.Fatal(err)
		}
	}
}

// importAnswer is what is looked at of several answers.
type importAnswer struct {
	ID, State string
	Imported  int
	Items     []struct{ ID string }
	Feeds     []struct{ Status string }
}

func (w *env) importList(list string) string {
	w.tb.Helper()
	var a importAnswer
	must(w.tb, json.Unmarshal(w.call("POST", "/api/import/opml", list, "Content-Type", "text/x-opml").Body.Bytes(), &a))
	return a.ID
}

// await asks until the answer is as wanted, for at most two minutes.
func (w *env) await(path string, wanted func(importAnswer) bool) (a importAnswer) {
	w.tb.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		a = importAnswer{}
		must(w.tb, json.Unmarshal(w.call("GET", path, "").Body.Bytes(), &a))
		if wanted(a) {
			return a
		}
	}
	w.tb.Fatalf("%s: still %+v after two minutes", path, a)
	return a
}

// publishers serves feeds on so many hosts, and gives the OPML that lists them.
func publishers(tb testing.TB, feeds, hosts int) string {
	tb.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/%d.xml", &i)
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = w.Write(feedBody(i))
	})
	var doc strings.Builder
	doc.WriteString(`<opml version="2.0"><body>`)
	for h := range hosts {
		l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", fmt.Sprintf("127.0.0.%d:0", h+1))
		must(tb, err)
		s := httptest.NewUnstartedServer(handler)
		_ = s.Listener.Close()
		s.Listener = l
		s.Start()
		tb.Cleanup(s.Close)
		for i := h; i < feeds; i += hosts {
			fmt.Fprintf(&doc, `<outline text="Feed %d" xmlUrl="%s/%d.xml"/>`, i, s.URL, i)
		}
	}
	doc.WriteString(`</body></opml>`)
	return doc.String()
}
