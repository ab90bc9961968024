package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Labels reads and writes snapshots of labelled items: a row for each label that an item has, of the shape of a
// star's.
type Labels struct{ t *table.Table }

// Put writes a snapshot; writing it again is harmless.
func (s *Labels) Put(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID, row StarRow) error {
	k := labelKey(u, label, id)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row)
}

// Get reads one snapshot.
func (s *Labels) Get(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) (*StarRow, error) {
	return s.get(ctx, u, label, id)
}

// Latest is Get that sees every acknowledged write.
func (s *Labels) Latest(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) (*StarRow, error) {
	return s.get(ctx, u, label, id, table.Consistent())
}

func (s *Labels) get(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID, opts ...table.ReadOption) (*StarRow, error) {
	var row StarRow
	if err := s.t.Get(ctx, labelKey(u, label, id), &row, opts...); err != nil {
		return nil, err
	}
	return &row, nil
}

// Add writes a snapshot if there is none; Conflict when there is.
func (s *Labels) Add(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID, row StarRow) error {
	k := labelKey(u, label, id)
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	return s.t.Put(ctx, row, table.IfAbsent())
}

// EachLatest streams a user's snapshots of all labels, and sees every acknowledged write.
func (s *Labels) EachLatest(ctx context.Context, u reader.UserID, each func(*StarRow) error) error {
	return eachSnapshot(ctx, s.t, u, labelsPrefix, each)
}

// Remove deletes a snapshot; absent is success.
func (s *Labels) Remove(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) error {
	return s.t.Delete(ctx, labelKey(u, label, id))
}

// Walk gives the snapshots of one label beyond `after`, when it is not zero, in order of id, until each returns
// false; so many rows are read at once.
func (s *Labels) Walk(ctx context.Context, u reader.UserID, label reader.LabelID, after reader.ItemID, desc bool, atOnce int, each func(*StarRow) (bool, error)) error {
	return walkSnapshots(ctx, s.t, u, labelPrefix(label), after, desc, atOnce, each)
}
