package simulate

import (
	"context"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// gauge is the table in memory with a scale under each partition: how many units it was asked for in one
// second. The clock stands still during a run, so a run's units all fall into one second: the figure is an
// upper bound of what a partition must bear.
type gauge struct {
	table.Driver // memory's, without its log of changes: DynamoDB has none
	memory       *memtable.Driver
	clock        clock.Clock
	hot          map[string]*load
	// parts is how many parts of hosts work like the one that is simulated, at this moment: the rows of their
	// runs lie together. All other partitions are of one part, one feed or one reader.
	parts float64
}

// load is what one partition was asked for.
type load struct {
	second                int64
	reads, writes         float64 // in that second
	peakReads, peakWrites float64
}

func newGauge(c clock.Clock) *gauge {
	m := memtable.New()
	return &gauge{Driver: m, memory: m, clock: c, hot: map[string]*load{}, parts: 1}
}

func (g *gauge) weigh(pk string, u table.Usage) {
	l := g.hot[pk]
	if l == nil {
		l = &load{}
		g.hot[pk] = l
	}
	if now := g.clock.Now().Unix(); now != l.second {
		l.second, l.reads, l.writes = now, 0, 0
	}
	f := 1.0
	if strings.HasPrefix(pk, "RUN#") {
		f = g.parts
	}
	l.reads += f * u.Read
	l.writes += f * u.Write
	l.peakReads, l.peakWrites = max(l.peakReads, l.reads), max(l.peakWrites, l.writes)
}

func (g *gauge) Get(ctx context.Context, k table.Key, c bool) (table.Row, bool, table.Usage, error) {
	row, ok, u, err := g.Driver.Get(ctx, k, c)
	g.weigh(k.PK, u)
	return row, ok, u, err
}

func (g *gauge) BatchGet(ctx context.Context, keys []table.Key, c bool) ([]table.Row, []table.Key, table.Usage, error) {
	rows, rest, u, err := g.Driver.BatchGet(ctx, keys, c)
	for _, r := range rows {
		g.weigh(r.Key.PK, table.Usage{Read: table.ReadUnits(r.Size(), c)})
	}
	return rows, rest, u, err
}

func (g *gauge) Query(ctx context.Context, r table.Range) (table.Rows, table.Usage, error) {
	page, u, err := g.Driver.Query(ctx, r)
	g.weigh(r.PK, u)
	return page, u, err
}

func (g *gauge) Write(ctx context.Context, o table.WriteOp) (table.Row, bool, table.Usage, error) {
	row, ok, u, err := g.Driver.Write(ctx, o)
	g.weigh(o.Key.PK, u)
	return row, ok, u, err
}

// indexGauge is blobs in memory with a scale under the segments of the index.
type indexGauge struct {
	*memblob.Driver
	gets, puts, bytes int64
}

func isSegment(key string) bool {
	_, ok := store.ParseSegmentKey(key)
	return ok
}

func (g *indexGauge) Put(ctx context.Context, key string, body []byte, m blob.Meta, ifAbsent bool) (bool, error) {
	if isSegment(key) {
		g.puts++
		g.bytes += int64(len(body))
	}
	return g.Driver.Put(ctx, key, body, m, ifAbsent)
}

func (g *indexGauge) Get(ctx context.Context, key string, most int64) ([]byte, blob.Meta, error) {
	if isSegment(key) {
		g.gets++
	}
	return g.Driver.Get(ctx, key, most)
}

func (g *indexGauge) GetRange(ctx context.Context, key string, at, n int64) ([]byte, error) {
	if isSegment(key) {
		g.gets++
	}
	return g.Driver.GetRange(ctx, key, at, n)
}

// messages is a queue that delivers at once, in order. Only those of cycles of counts come after the others, and move
// the clock to when they are due.
type messages struct {
	clock   *clock.Manual
	waiting [][]byte
	later   []laterMessage
}

type laterMessage struct {
	at   time.Time
	body []byte
}

func (m *messages) Send(_ context.Context, bodies [][]byte, delay time.Duration) ([]int, error) {
	for _, b := range bodies {
		if j, err := job.Decode(b); err == nil && j.Kind == job.Counts && delay > 0 {
			m.later = append(m.later, laterMessage{m.clock.Now().Add(delay), b})
		} else {
			m.waiting = append(m.waiting, b)
		}
	}
	return nil, nil
}

func (m *messages) Receive(context.Context, int, time.Duration, queue.Policy) ([]queue.Delivery, error) {
	if len(m.waiting) == 0 && len(m.later) > 0 {
		m.clock.Set(m.later[0].at)
		m.waiting, m.later = append(m.waiting, m.later[0].body), m.later[1:]
	}
	if len(m.waiting) == 0 {
		return nil, nil
	}
	d := queue.Delivery{Message: queue.Message{ID: "m", Body: m.waiting[0], Receives: 1}}
	m.waiting = m.waiting[1:]
	return []queue.Delivery{d}, nil
}

func (m *messages) Ack(context.Context, queue.Delivery) error                    { return nil }
func (m *messages) Release(context.Context, queue.Delivery, time.Duration) error { return nil }
func (m *messages) Bury(context.Context, queue.Delivery, string) error           { return nil }
func (m *messages) Dead(context.Context, int) ([]queue.DeadMessage, error)       { return nil, nil }
func (m *messages) Redrive(context.Context, string) error                        { return nil }
func (m *messages) Drop(context.Context, string) error                           { return nil }
