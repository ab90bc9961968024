package wire

import (
	"strconv"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
)

// sampled: one of this many lines without news is logged.
const sampled = 20

// reporter logs and counts polls and runs.
type reporter struct {
	Seams
	sampler   *logs.Sampler
	counts    *metrics.Set
	namespace string // of the embedded metrics; "": off

	mu        sync.Mutex // guards flushedAt and the writer
	flushedAt time.Time
}

// Polled implements crawl.Observer: one line for a poll with news or a failure, one of twenty for the others.
func (w *reporter) Polled(p crawl.Poll) {
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
	w.Log.Info("poll", args...)
}

func (w *reporter) count(p crawl.Poll) {
	outcome := reader.Outcome(p.Outcome)
	if !outcome.Polled() {
		return
	}
	switch {
	case outcome != reader.OutcomeFailed:
		w.counts.Add(metrics.FetchSuccess, "", 1)
	case reader.CategoryOf(p.Err) == reader.CategoryParse:
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

// Ran implements crawl.Observer. An alarm of the template reads this line: msg "run", polled, failed.
func (w *reporter) Ran(r crawl.Ran) {
	w.counts.Add(metrics.Runs, r.Kind, 1)
	args := []any{
		"request_id", r.Request, "kind", r.Kind, "tick", int(r.Tick), "part", r.Part,
		"due", r.Due, "polled", r.Polled, "not_modified", r.NotModified, "unchanged", r.Unchanged,
		"changed", r.Changed, "failed", r.Failed, "deferred", r.Deferred, "skipped", r.Skipped, "new_items", r.NewItems,
		"table_reads", r.TableReads, "table_writes", r.TableWrites, "bytes", r.Bytes, "duration_ms", r.Millis,
	}
	if r.Err != nil {
		w.Log.Error("run", append(args, "code", fault.CodeOf(r.Err), "error", r.Err)...)
	} else {
		w.Log.Info("run", args...)
	}
}

// body counts whether an opened item was found in memory or in the cache of the table.
func (w *reporter) body(inMemory bool) {
	if inMemory {
		w.counts.Add(metrics.CacheHit, "", 1)
	} else {
		w.counts.Add(metrics.CacheMiss, "", 1)
	}
}

// The API writes its metrics once in requestFlush: a line for each request would cost more than the metrics.
const requestFlush = time.Minute

// flush writes the embedded metrics if they are on, unless they were written less than pause ago. Counts of a function
// after its last flush are lost.
func (w *reporter) flush(pause time.Duration) {
	if w.EMF == nil || w.namespace == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.Clock.Now()
	if now.Sub(w.flushedAt) < pause {
		return
	}
	w.flushedAt = now
	if line := w.counts.EMF(now, w.namespace, w.units()...); line != nil {
		_, _ = w.EMF.Write(line) // a log that cannot be written cannot be reported
	}
}

// units returns the meters of table, blobs and queue as counters.
func (w *reporter) units() []metrics.Family {
	u, b, q := w.Table.Meter().Snapshot(), w.Blobs.Meter().Snapshot(), w.Queue.Meter().Snapshot()
	requests := func(of map[string]int64) map[string]float64 {
		out := map[string]float64{}
		for call, n := range of {
			out[call] = float64(n)
		}
		return out
	}
	return []metrics.Family{
		{Name: "table_read_units_count", Label: "row", Samples: u.Reads,
			Help: "Read units spent by this process, by kind of row."},
		{Name: "table_write_units_count", Label: "row", Samples: u.Writes,
			Help: "Write units spent by this process, by kind of row."},
		{Name: "table_throttled_count", Samples: map[string]float64{"": float64(u.Throttled)},
			Help: "Requests that the table refused for throughput."},
		{
			Name: "blob_request_count", Label: "call", Help: "Requests to the blob store by this process.",
			Samples: requests(map[string]int64{"put": b.Puts, "get": b.Gets, "stat": b.Stats, "list": b.Lists,
				"delete": b.Deletes}),
		},
		{
			Name: "queue_request_count", Label: "call", Help: "Requests to the queue by this process, as its service " +
				"bills them.",
			Samples: requests(map[string]int64{"send": q.Sends, "receive": q.Receives, "ack": q.Acks,
				"release": q.Releases, "bury": q.Buries}),
		},
	}
}

// MetricsText returns the process's metrics in Prometheus' text format.
func (a *App) MetricsText() []byte { return a.report.counts.Text(a.report.units()...) }

// FlushMetrics writes the embedded metrics, if they are on.
func (a *App) FlushMetrics() { a.report.flush(0) }

var _ crawl.Observer = (*reporter)(nil)
