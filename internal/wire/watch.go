package wire

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// sampled is of how many lines without news one is logged.
const sampled = 20

// watcher turns what the rooms do into log lines and counts.
type watcher struct {
	log     *slog.Logger
	sampler *logs.Sampler
	counts  *metrics.Set
	table   *table.Table
	blobs   *blob.Bucket
	queue   *queue.Queue
	clock   clock.Clock

	emf       io.Writer // nil: no embedded metrics
	namespace string
	mu        sync.Mutex // guards the writer
	toldAt    time.Time
}

// Polled implements crawl.Watcher: one line for a poll with news or a failure, one of twenty for the others.
func (w *watcher) Polled(p crawl.Poll) {
	w.count(p)
	args := []any{
		"request_id", p.Request, "feed_id", p.Feed, "host", p.Host, "kind", p.Kind, "tick", int(p.Tick),
		"outcome", p.Outcome, "status", p.Status, "duration_ms", p.Millis, "fetch_ms", p.Fetch.Milliseconds(),
		"new_items", p.New, "bytes", p.Bytes,
	}
	if p.Err != "" {
		args = append(args, "code", p.Err)
	}
	if p.Faults[0] > 0 {
		args = append(args, "faults", p.Faults)
	}
	switch reader.Outcome(p.Outcome) {
	case reader.OutcomeNotModified, reader.OutcomeUnchanged, reader.OutcomeSkipped, reader.OutcomeDeferred:
		if !w.sampler.Keep("poll " + p.Outcome) {
			return
		}
		args = append(args, "sampled", w.sampler.Every())
	}
	w.log.Info("poll", args...)
}

func (w *watcher) count(p crawl.Poll) {
	outcome := reader.Outcome(p.Outcome)
	if !outcome.Polled() {
		return
	}
	switch {
	case outcome != reader.OutcomeFailed:
		w.counts.Add(metrics.FetchSuccess, "", 1)
	case reader.FaultOf(p.Err).Category == reader.CategoryParse:
		w.counts.Add(metrics.ParseFail, "", 1)
	default:
		w.counts.Add(metrics.FetchFail, p.Err, 1)
	}
	for _, status := range append(p.Faults[:], p.Status) {
		if status > 0 {
			w.counts.Add(metrics.HTTPStatus, strconv.Itoa(status), 1)
		}
	}
	if outcome == reader.OutcomeNotModified {
		w.counts.Add(metrics.NotModified, "", 1)
	}
	if p.Fetch > 0 {
		w.counts.Latency(p.Fetch)
	}
	w.counts.Add(metrics.ItemsUpserted, "", float64(p.New))
	w.counts.Add(metrics.FetchBytes, "", float64(p.Bytes))
}

// Ran implements crawl.Watcher. The template's alarms read this line: msg "run", polled, failed.
func (w *watcher) Ran(r crawl.Ran) {
	w.counts.Add(metrics.Runs, r.Kind, 1)
	args := []any{
		"request_id", r.Request, "kind", r.Kind, "tick", int(r.Tick), "part", r.Part,
		"due", r.Due, "polled", r.Polled, "not_modified", r.NotModified, "unchanged", r.Unchanged,
		"changed", r.Changed, "failed", r.Failed, "deferred", r.Deferred, "skipped", r.Skipped, "new_items", r.NewItems,
		"table_reads", r.TableReads, "table_writes", r.TableWrites, "bytes", r.Bytes, "duration_ms", r.Millis,
	}
	if r.Err != nil {
		w.log.Error("run", append(args, "code", fault.CodeOf(r.Err), "error", r.Err)...)
	} else {
		w.log.Info("run", args...)
	}
	w.tell(0)
}

// body counts where a feed's parsed bodies were found.
func (w *watcher) body(where string) {
	if where == stream.FoundNowhere {
		w.counts.Add(metrics.CacheMiss, "", 1)
		return
	}
	w.counts.Add(metrics.CacheHit, where, 1)
}

// requestTold is how often the API tells its metrics: a line for each request would be more log than metric.
const requestTold = time.Minute

// tell writes the embedded metrics when they are on and the last are older than the pause. A function that is
// not called any more does not tell the rest.
func (w *watcher) tell(pause time.Duration) {
	if w.emf == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	if now.Sub(w.toldAt) < pause {
		return
	}
	w.toldAt = now
	if line := w.counts.EMF(now, w.namespace, w.units()...); line != nil {
		_, _ = w.emf.Write(line) // a log that cannot be written has nobody to tell
	}
}

// units gives the seams' meters as counters.
func (w *watcher) units() []metrics.Family {
	u, b, q := w.table.Meter().Snapshot(), w.blobs.Meter().Snapshot(), w.queue.Meter().Snapshot()
	requests := func(of map[string]int64) map[string]float64 {
		out := map[string]float64{}
		for call, n := range of {
			out[call] = float64(n)
		}
		return out
	}
	return []metrics.Family{
		{Name: "table_read_units_count", Label: "row", Samples: u.Reads, Help: "Read units spent by this process, by kind of row."},
		{Name: "table_write_units_count", Label: "row", Samples: u.Writes, Help: "Write units spent by this process, by kind of row."},
		{Name: "table_throttled_count", Samples: map[string]float64{"": float64(u.Throttled)}, Help: "Requests that the table refused for throughput."},
		{
			Name: "blob_request_count", Label: "call", Help: "Requests to the blob store by this process.",
			Samples: requests(map[string]int64{"put": b.Puts, "get": b.Gets, "stat": b.Stats, "list": b.Lists, "delete": b.Deletes}),
		},
		{
			Name: "queue_request_count", Label: "call", Help: "Requests to the queue by this process, as its service bills them.",
			Samples: requests(map[string]int64{"send": q.Sends, "receive": q.Receives, "ack": q.Acks, "release": q.Releases, "bury": q.Buries}),
		},
	}
}

// MetricsText gives the process's metrics as Prometheus reads them.
func (a *App) MetricsText() []byte { return a.watch.counts.Text(a.watch.units()...) }

// TellMetrics writes the embedded metrics, if they are on: for what ends without a run.
func (a *App) TellMetrics() { a.watch.tell(0) }

// dropped logs a message that no run took place for.
func (w *watcher) dropped(ctx context.Context, kind string, tick, part int, why string) {
	w.log.Info("run", "request_id", logs.Request(ctx), "kind", kind, "tick", tick, "part", part, "dropped", why,
		"due", 0, "polled", 0, "failed", 0, "duration_ms", 0)
}

var _ crawl.Watcher = (*watcher)(nil)

func newWatcher(s Seams, st *store.Store) *watcher {
	return &watcher{
		log: s.Log, sampler: logs.NewSampler(sampled), counts: metrics.New(), table: st.Table(), blobs: s.Blobs, queue: s.Queue, clock: s.Clock,
		emf: s.EMF, namespace: s.Namespace,
	}
}
