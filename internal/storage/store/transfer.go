package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// States of a home that a copy fills.
const (
	TransferFilling = "filling" // rows and blobs are coming; nobody can sign in, nothing is crawled
	TransferOpening = "opening" // all is there and was compared; accounts and counters are being put
	TransferDone    = "done"
)

// TransferRow is the mark of a copy in the home that it fills.
type TransferRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Home  string `dynamo:"home"` // whose rows these are
	From  string `dynamo:"from"` // for people
	State string `dynamo:"state"`
	At    int64  `dynamo:"at"` // Unix seconds of the last change
}

// FeedCounter is the row that says how many feeds there are: while it is absent none is found.
func FeedCounter() table.Key { return systemKey("feeds") }

// Transfers reads and writes the mark.
type Transfers struct{ t *table.Table }

// TransfersOf binds the mark to a table.
func TransfersOf(t *table.Table) *Transfers { return &Transfers{t: t} }

// Get reads the mark; the zero row when there is none.
func (s *Transfers) Get(ctx context.Context) (TransferRow, error) {
	var row TransferRow
	err := s.t.Get(ctx, systemKey(transferName), &row, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return TransferRow{}, nil
	}
	return row, err
}

// Begin puts the mark into a home that has none; Conflict when it has.
func (s *Transfers) Begin(ctx context.Context, row TransferRow) error {
	k := systemKey(transferName)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row, table.IfAbsent())
}

// Advance changes the state, if it is still the one read: of two copies at once only one goes on.
func (s *Transfers) Advance(ctx context.Context, from TransferRow, state string, at int64) (TransferRow, error) {
	err := s.t.Update(ctx, systemKey(transferName), table.Update{
		Set: map[string]any{"state": state, "at": at},
		If:  []table.Cond{table.IfPresent(), table.IfEqual("state", from.State), table.IfEqual("home", from.Home)},
	})
	from.State, from.At = state, at
	return from, err
}

// beingFilled is Conflict while a copy is not done: a home that is opened half filled would grow an owner of its
// own beside the one that is on the way.
func (s *Transfers) beingFilled(ctx context.Context) error {
	row, err := s.Get(ctx)
	if err != nil || row.State == "" || row.State == TransferDone {
		return err
	}
	return fault.Newf(fault.Conflict, "home_half_filled",
		"This home is being filled with what is in %s, and not all of it is here yet. Run the same copy or restore again to finish it.", row.From)
}
