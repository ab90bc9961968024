package store

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// CounterRow counts what somebody tries, for all instances together (C-3): tries to sign in to an account, and
// registrations. It is gone some time after the last one.
type CounterRow struct {
	PK  string `dynamo:"pk"`
	SK  string `dynamo:"sk"`
	V   int    `dynamo:"v"`
	Rev int64  `dynamo:"rev"`

	Tries map[string]CounterTries `dynamo:"tries,omitempty"` // of an account: all, and those of each network
	At    int64                   `dynamo:"at,omitempty"`    // of registrations: until when those counted last, Unix milliseconds
	TTL   int64                   `dynamo:"ttl"`
}

// CounterTries is how often something was tried, when last, and when it may be tried again, in Unix milliseconds.
type CounterTries struct {
	N    int   `dynamo:"n"`
	Last int64 `dynamo:"last"`
	Next int64 `dynamo:"next,omitempty"`
}

// Counter reads a counter by what it counts; an empty one when there is none.
func (s *Accounts) Counter(ctx context.Context, name string) (CounterRow, error) {
	var row CounterRow
	err := s.t.Get(ctx, counterKey(HashToken(name)), &row, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return CounterRow{}, nil
	}
	return row, err
}

// PutCounter writes a counter as it was read and counted on; Conflict when another instance has counted meanwhile.
func (s *Accounts) PutCounter(ctx context.Context, name string, row CounterRow, keep time.Duration) error {
	k := counterKey(HashToken(name))
	was := row.Rev
	row.PK, row.SK, row.V, row.Rev, row.TTL = k.PK, k.SK, SchemaVersion, was+1, s.clock.Now().Add(keep).Unix()
	return s.t.Put(ctx, row, table.IfEqual("rev", was))
}
