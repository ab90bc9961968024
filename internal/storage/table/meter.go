package table

import (
	"context"
	"maps"
	"math"
	"sync"
	"sync/atomic"
)

// Units are a meter's counts. Reads and Writes are DynamoDB's request units by kind of row.
type Units struct {
	Reads, Writes         map[string]float64
	ReadOps, WriteOps     int64 // requests, repeated ones included
	RowsRead, RowsWritten int64 // rows returned; rows put, updated or deleted
	BytesRead, BytesSent  int64 // of rows, by DynamoDB's formula; of an update: its changes and the key
	Throttled             int64 // throttled requests
}

// TotalReads sums the read units of all kinds.
func (u Units) TotalReads() float64 { return total(u.Reads) }

// TotalWrites sums the write units of all kinds.
func (u Units) TotalWrites() float64 { return total(u.Writes) }

func total(m map[string]float64) float64 {
	var sum float64
	for _, v := range m {
		sum += v
	}
	return sum
}

// Meter counts units. It is safe for concurrent use. Counting takes no lock, except for the first of a kind.
type Meter struct {
	mu    sync.Mutex // guards adding a kind
	kinds atomic.Pointer[map[string]*kindCount]

	readOps, writeOps, rowsRead, rowsWritten, bytesRead, bytesSent, throttled atomic.Int64
}

// kindCount counts half units, so that sums stay exact.
type kindCount struct{ reads, writes atomic.Int64 }

// NewMeter makes a meter at zero.
func NewMeter() *Meter {
	m := &Meter{}
	m.kinds.Store(&map[string]*kindCount{})
	return m
}

func (m *Meter) of(kind string) *kindCount {
	if c, ok := (*m.kinds.Load())[kind]; ok {
		return c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := *m.kinds.Load()
	if c, ok := now[kind]; ok {
		return c
	}
	next := maps.Clone(now)
	c := &kindCount{}
	next[kind] = c
	m.kinds.Store(&next)
	return c
}

func (m *Meter) add(kind string, u Usage) {
	c := m.of(kind)
	if u.Read != 0 {
		c.reads.Add(int64(math.Round(2 * u.Read)))
	}
	if u.Write != 0 {
		c.writes.Add(int64(math.Round(2 * u.Write)))
	}
}

// Snapshot returns the counts so far. Calls in progress may be counted in part.
func (m *Meter) Snapshot() Units {
	u := Units{
		Reads: map[string]float64{}, Writes: map[string]float64{},
		ReadOps: m.readOps.Load(), WriteOps: m.writeOps.Load(),
		RowsRead: m.rowsRead.Load(), RowsWritten: m.rowsWritten.Load(),
		BytesRead: m.bytesRead.Load(), BytesSent: m.bytesSent.Load(),
		Throttled: m.throttled.Load(),
	}
	for kind, c := range *m.kinds.Load() {
		if n := c.reads.Load(); n != 0 {
			u.Reads[kind] = float64(n) / 2
		}
		if n := c.writes.Load(); n != 0 {
			u.Writes[kind] = float64(n) / 2
		}
	}
	return u
}

// Written is the number of write requests so far: it is the same only while nothing was written.
func (m *Meter) Written() int64 { return m.writeOps.Load() }

type meterKey struct{}

// WithMeter counts in m, too, what calls with this context consume. An inner meter replaces an outer one.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// meters returns the meters that count a call.
func (t *Table) meters(ctx context.Context) []*Meter {
	if m, ok := ctx.Value(meterKey{}).(*Meter); ok {
		return []*Meter{t.meter, m}
	}
	return t.own[:]
}

func (t *Table) countRead(ctx context.Context, kind string, u Usage, rows, bytes int) {
	for _, m := range t.meters(ctx) {
		m.add(kind, u)
		m.readOps.Add(1)
		m.rowsRead.Add(int64(rows))
		m.bytesRead.Add(int64(bytes))
	}
}

func (t *Table) countWrite(ctx context.Context, kind string, u Usage, rows, bytes int) {
	for _, m := range t.meters(ctx) {
		m.add(kind, u)
		m.writeOps.Add(1)
		m.rowsWritten.Add(int64(rows))
		m.bytesSent.Add(int64(bytes))
	}
}

// countShares counts the units of a batch by kind, in proportion to the kinds' costs.
func (t *Table) countShares(ctx context.Context, costs map[string]float64, u Usage) {
	sum := total(costs)
	for kind, cost := range costs {
		for _, m := range t.meters(ctx) {
			m.add(kind, Usage{Read: u.Read * cost / sum, Write: u.Write * cost / sum})
		}
	}
}

func (t *Table) countThrottled(ctx context.Context) {
	for _, m := range t.meters(ctx) {
		m.throttled.Add(1)
	}
}

// sizes sums the bytes of rows.
func sizes(rows []Row) (sum int) {
	for _, r := range rows {
		sum += r.Size()
	}
	return sum
}
