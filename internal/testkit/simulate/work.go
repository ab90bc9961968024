package simulate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// work is one invocation of the crawler.
func (w *simulation) work(ctx context.Context, d queue.Delivery) error {
	w.web.visits, w.web.bytes = w.web.visits[:0], 0
	before, puts, gets := w.crawl.Meter().Snapshot(), w.blobs.Meter().Snapshot().Puts, w.gets()
	app := w.process(w.crawl, w.logs)
	if err := app.Worker().Handle(ctx, d.Message); err != nil {
		return err
	}
	if err := w.queue.Ack(ctx, d); err != nil {
		return err
	}
	w.crawled += w.gets() - gets
	after, stored := w.crawl.Meter().Snapshot(), w.blobs.Meter().Snapshot().Puts-puts
	w.day.Crawler = w.day.Crawler.Plus(cost.Function{
		Invocations: 1, ColdStarts: 1, Seconds: w.took(before, after, stored).Seconds(),
	})
	w.day.Messages++
	return nil
}

// took is how long a run would have taken: hosts in as many lanes as are polled at once, each host's feeds one
// after the other, what is stored within its lane; and never less than the processor needs for all.
func (w *simulation) took(before, after table.Units, puts int64) time.Duration {
	polls := len(w.web.visits)
	byHost := map[string]time.Duration{}
	for _, v := range w.web.visits {
		byHost[v.host] += v.took
	}
	hosts := make([]time.Duration, 0, len(byHost))
	for _, d := range byHost {
		hosts = append(hosts, d)
	}
	slices.SortFunc(hosts, func(a, b time.Duration) int { return int(b - a) })
	lanes := make([]time.Duration, w.m.Parallel)
	for _, d := range hosts {
		i := 0
		for j := range lanes {
			if lanes[j] < lanes[i] {
				i = j
			}
		}
		lanes[i] += d
	}
	storing := w.m.TableTime(after.ReadOps+after.WriteOps-before.ReadOps-before.WriteOps) + w.m.BlobPutTime(puts)
	waiting := slices.Max(lanes) + storing/time.Duration(w.m.Parallel)
	working := w.m.PollTime(polls, puts)
	const bookkeeping = 5 // lease, feeds, parts, run: one after the other
	return w.m.Start() + w.m.TableTime(bookkeeping) + max(waiting, working)
}

// gets is how many blobs were read.
func (w *simulation) gets() int64 {
	b := w.blobs.Meter().Snapshot()
	return b.Gets + b.Stats
}

// mark is all counters at one instant.
type mark struct {
	plan, crawl, read table.Units
	blobs             struct{ puts, gets, bytes int64 }
	index             struct{ gets, puts, bytes int64 }
	crawled           int64
	sends             int64
	logs, said        counter
	rows, deltas, run int64
	calls, urls       float64 // of the provider of counts
}

func (w *simulation) mark() (m mark) {
	m.plan, m.crawl, m.read = w.plan.Meter().Snapshot(), w.crawl.Meter().Snapshot(), w.read.Meter().Snapshot()
	b := w.blobs.Meter().Snapshot()
	m.blobs.puts, m.blobs.gets, m.blobs.bytes = b.Puts, b.Gets+b.Stats, b.BytesCreated
	m.index.gets, m.index.puts, m.index.bytes, m.crawled = w.index.gets, w.index.puts, w.index.bytes, w.crawled
	m.sends = w.queue.Meter().Snapshot().Sends
	m.logs, m.said = *w.logs, *w.said
	if b := w.web.bookmarks; b != nil {
		m.calls, m.urls = b.calls, b.urls
	}
	w.gauge.memory.Each(func(r table.Row) {
		switch store.Kind(r.Key) {
		case "delta":
			m.deltas += int64(r.Size())
		case "run":
			m.run += int64(r.Size())
		case "cache":
		default:
			m.rows += int64(r.Size())
		}
	})
	return m
}

// measure sums up what happened since a mark.
func (w *simulation) measure(m mark, days float64) *cost.Day {
	now, d := w.mark(), &w.day
	outcomes := w.outcomes(days)
	perDay, users := w.scale/days, float64(w.o.Users)/days
	d.Ticks /= days
	d.Parts = float64(job.Parts(0, w.o.Feeds))
	d.Polls, d.NotModified, d.Changed = float64(outcomes.Polled)*perDay, float64(outcomes.NotModified)*perDay,
		float64(outcomes.Changed)*perDay
	d.Failed, d.NewItems, d.Published = float64(outcomes.Failed)*perDay, float64(outcomes.NewItems)*perDay,
		d.Published*perDay
	d.Plan = between(m.plan, now.plan).Times(perDay)
	d.Crawl = between(m.crawl, now.crawl).Times(perDay)
	for kind, n := range now.crawl.Writes {
		if n -= m.crawl.Writes[kind]; n > 0 {
			d.CrawlWrites[kind] = n * perDay
		}
	}
	reading := between(m.read, now.read)
	d.Reader = reading.Times(users)
	d.IndexPuts = float64(now.index.puts-m.index.puts) * perDay
	d.BlobPuts = float64(now.blobs.puts-m.blobs.puts)*perDay - d.IndexPuts
	d.IndexGets = float64(now.crawled-m.crawled) * perDay
	d.BlobGets = d.IndexGets + float64(now.blobs.gets-m.blobs.gets-(now.crawled-m.crawled))*users
	d.BlobBytes = float64(now.blobs.bytes-m.blobs.bytes-(now.index.bytes-m.index.bytes)) * perDay
	d.Searches, d.SearchGets = w.reader.searches*users, w.reader.searchGets*users
	d.IndexBytes = w.bytesOfItem() * d.NewItems
	d.CountCalls, d.CountURLs = (now.calls-m.calls)*perDay, (now.urls-m.urls)*perDay
	d.QueueSends = float64(now.sends-m.sends) * perDay
	d.Messages *= perDay
	d.Crawler = d.Crawler.Times(perDay)
	d.Orchestrator = d.Orchestrator.Times(1 / days)
	d.Orchestrator.Seconds += d.Orchestrator.Invocations * (w.scale - 1) * (w.m.TableTime(1).Seconds() +
		float64(w.feeds)*w.m.PlanRowMicros/1e6)
	d.API = w.reader.did.Times(users)
	d.Views, d.Requests, d.Unchanged = w.reader.views*users, w.reader.requests*users, w.reader.unchanged*users
	d.CopyRequests = w.reader.copying * users
	d.ItemsOpened, d.AnswerBytes = w.reader.opened*users, w.reader.bytes*users
	d.PageRequests, d.PageBytes = w.reader.files*users, w.reader.files*users*w.m.FileBytes
	d.LogBytes = float64(now.logs.bytes-m.logs.bytes)*perDay + float64(now.said.bytes-m.said.bytes)*users
	d.LogEvents = float64(now.logs.lines-m.logs.lines)*perDay + float64(now.said.lines-m.said.lines)*users
	d.RowBytes = float64(now.rows) * w.scale
	d.DeltaBytes, d.RunBytes = float64(now.deltas-m.deltas)*perDay, float64(now.run-m.run)*perDay
	w.hottest(d, days)
	return d
}

// bytesOfItem is how many bytes an item takes in the index.
func (w *simulation) bytesOfItem() float64 {
	row, err := store.New(w.table(), w.clock).Search.Get(context.Background(), true)
	if err != nil {
		return 0
	}
	list, err := row.List()
	bytes, items := 0, 0
	for _, s := range list {
		bytes, items = bytes+s.Size, items+s.Documents
	}
	if err != nil || items == 0 {
		return 0
	}
	return float64(bytes) / float64(items)
}

func between(a, b table.Units) cost.Units {
	return cost.Units{
		Reads: b.TotalReads() - a.TotalReads(), Writes: b.TotalWrites() - a.TotalWrites(),
		ReadRequests: float64(b.ReadOps - a.ReadOps), WriteRequests: float64(b.WriteOps - a.WriteOps),
	}
}

// outcomes sums the runs of the measured days, from their own rows.
func (w *simulation) outcomes(days float64) (sum store.RunSums) {
	from := w.clock.Now().Add(-time.Duration(days * float64(24*time.Hour))).UnixMilli()
	w.gauge.memory.Each(func(r table.Row) {
		var run store.RunRow
		if store.Kind(r.Key) == "run" && r.Decode(&run) == nil && run.Started >= from {
			sum.Add(run.RunSums)
		}
	})
	return sum
}

func hotter(h *cost.Hot, pk string, units float64) {
	if strings.HasPrefix(pk, "U#") {
		pk = "U#" // the rest is drawn by chance, and a day is to be the same for a seed
	}
	if units > h.Units || units == h.Units && pk < h.Partition {
		*h = cost.Hot{Partition: pk, Units: units}
	}
}

// hottest finds the partitions that bear most.
func (w *simulation) hottest(d *cost.Day, days float64) {
	for pk, l := range w.gauge.hot {
		hotter(&d.HotReads, pk, l.peakReads)
		hotter(&d.HotWrites, pk, l.peakWrites)
	}
	size := map[string]float64{}
	w.gauge.memory.Each(func(r table.Row) {
		switch store.Kind(r.Key) {
		case "run":
			size[r.Key.PK] += float64(r.Size()) * w.scale
		case "delta":
			// All of a feed's rows are of the simulated days; it will keep half a year of them.
			size[r.Key.PK] += float64(r.Size()) * cost.DeltaDays / (days + 1)
		default:
			size[r.Key.PK] += float64(r.Size())
		}
	})
	for pk, n := range size {
		if n > d.LargestBytes || n == d.LargestBytes && pk < d.LargestName {
			d.LargestBytes, d.LargestName = n, pk
		}
	}
}
