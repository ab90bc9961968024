// Package table is the portable interface to the one table: rows addressed by a partition key and a sort key, both
// strings in byte order, as DynamoDB offers them and an ordered file can provide exactly. The type Table validates,
// splits batches, retries, hides expired rows, classifies errors and counts units once for all drivers; a Driver has
// a few plain operations (driver.go lists its obligations).
//
// Guarantees to callers, whatever the driver:
//   - An absent attribute equals its zero value ("", 0, false, empty) in every condition.
//   - A row whose ttl has passed by the injected clock is absent: reads do not return it, conditions see no row, and an
//     Update starts from an empty row.
//   - Errors are *fault.Error: NotFound "row_not_found", Conflict "condition_failed", TooLarge "row_too_large",
//     RateLimited, Unavailable, Cancelled, Invalid.
//   - A write that returned nil is durable. One that failed as Unavailable may or may not have been applied.
//
// There are no transactions and no secondary indexes, and scans only for work on a whole installation: write order,
// conditions and idempotence replace them (docs/develop/data-model.md).
package table

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Item is a row as attribute values by name, the key's two included.
type Item = map[string]types.AttributeValue

// Names of the attributes that Table itself interprets.
const (
	PKAttr  = "pk"
	SKAttr  = "sk"
	TTLAttr = "ttl" // Unix seconds as a number; absent or 0 = never
)

// Limits, which are DynamoDB's.
const (
	MaxRow  = 400 << 10 // bytes by DynamoDB's formula, names and key included
	MaxPK   = 2048
	MaxSK   = 1024
	maxGets = 100 // keys of one batch read
	maxPuts = 25  // entries of one batch write
)

// Key addresses a row. Both parts are non-empty UTF-8.
type Key struct{ PK, SK string }

// Options of a Table. The zero value of each field is usable except Clock.
type Options struct {
	Clock clock.Clock
	// Kind returns the kind of row behind a key or a query's lower bound, for metering. Nil counts all as "row".
	Kind func(Key) string
	// WriteRate and WriteBurst bound the write units per second of this Table; 0 = unlimited.
	WriteRate, WriteBurst float64
	// ScanRate bounds the read units per second of scans; 0 = unlimited.
	ScanRate float64
	// Sleep waits between attempts and for write capacity; nil waits in real time. Tests replace it.
	Sleep func(context.Context, time.Duration) error
	// Attempts bounds how often a throttled request, or the unprocessed rest of a batch, is sent; 0 = 8.
	Attempts int
}

// Table is the table over any driver. It is safe for concurrent use.
type Table struct {
	d     Driver
	clock clock.Clock
	kind  func(Key) string
	meter *Meter
	own   [1]*Meter // meter
	rate  *bucket
	scans *bucket
	retry retrier
}

// New makes a Table over a driver.
func New(d Driver, o Options) *Table {
	if o.Kind == nil {
		o.Kind = func(Key) string { return "row" }
	}
	if o.Clock == nil {
		o.Clock = clock.System{}
	}
	if o.Sleep == nil {
		o.Sleep = clock.Sleep
	}
	if o.Attempts <= 0 {
		o.Attempts = 8
	}
	t := &Table{d: d, clock: o.Clock, kind: o.Kind, meter: NewMeter(),
		retry: retrier{sleep: o.Sleep, attempts: o.Attempts}}
	t.own[0] = t.meter
	if o.WriteRate > 0 {
		t.rate = newBucket(o.WriteRate, o.WriteBurst, o.Clock, o.Sleep)
	}
	if o.ScanRate > 0 {
		t.scans = newBucket(o.ScanRate, o.ScanRate*scanBurst, o.Clock, o.Sleep)
	}
	return t
}

// scanBurst is how many seconds of ScanRate a scan may use at once: less than DynamoDB's burst capacity.
const scanBurst = 240

// Meter counts what this Table has consumed since it was made.
func (t *Table) Meter() *Meter { return t.meter }

// Driver returns the driver.
func (t *Table) Driver() Driver { return t.d }

// Close closes the driver.
func (t *Table) Close() error { return t.d.Close() }

// Changes returns the rows written or deleted after a position, in order, and the position now, which includes every
// acknowledged write. Without complete there were more changes. Position 0 says that changes are unknown, as where
// knowing would cost as much as reading. A failed write may be listed, an expiring row is not. The list must not be
// changed.
func (t *Table) Changes(ctx context.Context, after uint64) (list []Change, now uint64, complete bool) {
	if d, ok := t.d.(Logger); ok {
		return d.Changes(ctx, after)
	}
	return nil, 0, false
}

// Alone calls f, and returns true, if no other process has the table open; none opens it meanwhile. stayed tells that
// this was so since the last call, too. canBe is whether the driver is able to tell at all; else there may always be
// others.
func (t *Table) Alone(f func(stayed bool)) (isAlone, canBe bool) {
	d, canBe := t.d.(Soloist)
	return canBe && d.Alone(f), canBe
}

func (t *Table) now() int64 { return t.clock.Now().Unix() }
