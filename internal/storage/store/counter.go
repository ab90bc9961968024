package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// CounterRow counts sign-ins to an account, or registrations, for all instances (C-3), until some time after the last.
type CounterRow struct {
	rowKey
	Rev int64 `dynamo:"rev"`

	Tries  map[string]CounterTries `dynamo:"-"`                // sign-ins: in all, and from each network
	Counts []byte                  `dynamo:"counts,omitempty"` // Tries as JSON
	// registrations: until when the last ones count, Unix milliseconds
	At  int64 `dynamo:"at,omitempty"`
	TTL int64 `dynamo:"ttl"`
}

// CounterTries is the number of attempts, the time of the last one, and when the next one is allowed, in Unix
// milliseconds.
type CounterTries struct {
	N    int   `json:"n"`
	Last int64 `json:"last"`
	Next int64 `json:"next,omitempty"`
}

// Counter reads a counter by its name; the zero value when there is none.
func (s *Accounts) Counter(ctx context.Context, name string) (CounterRow, error) {
	row, err := getOrZero[CounterRow](ctx, s.t, counterKey(HashToken(name)), table.Consistent())
	if err == nil && len(row.Counts) > 0 {
		if err = json.Unmarshal(row.Counts, &row.Tries); err != nil {
			err = fault.New(fault.Internal, "bad_counter", "store: counter", err)
		}
	}
	return row, err
}

// PutCounter writes a counter that was read and changed; Conflict when another instance changed it meanwhile.
func (s *Accounts) PutCounter(ctx context.Context, name string, row CounterRow, keep time.Duration) error {
	was := row.Rev
	row.Rev, row.TTL, row.Counts = was+1, s.clock.Now().Add(keep).Unix(), nil
	if len(row.Tries) > 0 {
		var err error
		if row.Counts, err = json.Marshal(row.Tries); err != nil {
			return err
		}
	}
	return put(ctx, s.t, counterKey(HashToken(name)), &row, table.IfEqual("rev", was))
}
