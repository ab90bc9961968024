package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// States of an installation that a transfer fills.
const (
	TransferFilling = "filling" // rows and blobs are being copied; there are no sign-ins and no crawls
	TransferOpening = "opening" // all was copied and compared; accounts and counters are being copied
	TransferDone    = "done"
)

// TransferRow marks an installation that a transfer fills.
type TransferRow struct {
	rowKey

	Home  string `dynamo:"home"` // identifies the transfer's source
	From  string `dynamo:"from"` // for people
	State string `dynamo:"state"`
	At    int64  `dynamo:"at"` // Unix seconds of the last change
}

// FeedCounter is the key of the row that counts the feeds; without it, no feed is polled.
func FeedCounter() table.Key { return systemKey("feeds") }

// Transfers reads and writes the mark.
type Transfers struct{ t *table.Table }

// TransfersOf returns the mark in a table.
func TransfersOf(t *table.Table) *Transfers { return &Transfers{t: t} }

// Get reads the mark; the zero row when there is none.
func (s *Transfers) Get(ctx context.Context) (TransferRow, error) {
	return getOrZero[TransferRow](ctx, s.t, systemKey(transferName), table.Consistent())
}

// Begin marks an installation; Conflict when it is marked already.
func (s *Transfers) Begin(ctx context.Context, row TransferRow) error {
	return put(ctx, s.t, systemKey(transferName), &row, table.IfAbsent())
}

// Advance changes the state if it is still the one read, else Conflict: of two concurrent transfers one continues.
func (s *Transfers) Advance(ctx context.Context, from TransferRow, state string, at int64) (TransferRow, error) {
	err := s.t.Update(ctx, systemKey(transferName), table.Update{
		Set: map[string]any{"state": state, "at": at},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("state", from.State), table.IfEqual("home", from.Home)},
	})
	from.State, from.At = state, at
	return from, err
}

// checkComplete is Conflict "home_half_filled" during a transfer: a program that starts now would create an owner.
func (s *Transfers) checkComplete(ctx context.Context) error {
	row, err := s.Get(ctx)
	if err != nil || row.State == "" || row.State == TransferDone {
		return err
	}
	return fault.Newf(fault.Conflict, "home_half_filled",
		"The data of %s is being copied to this installation, and the copy is not complete. Run the same copy or "+
			"restore again to finish it.", row.From)
}
