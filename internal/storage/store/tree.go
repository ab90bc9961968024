package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// treeRow is a user's folders and labels (reader.Tree), guarded by its revision.
type treeRow struct {
	PK   string `dynamo:"pk"`
	SK   string `dynamo:"sk"`
	V    int    `dynamo:"v"`
	Tree []byte `dynamo:"tree,omitempty"`
	Rev  int64  `dynamo:"rev,omitempty"`
}

// Trees reads and writes users' folders and labels: one row each, so that a page has them for half a read unit.
type Trees struct{ t *table.Table }

const treeName = "tree"

// Get gives a user's tree; an empty one when nothing was ever put into it.
func (s *Trees) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (reader.Tree, error) {
	t, _, err := s.get(ctx, u, opts...)
	return t, err
}

func (s *Trees) get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (reader.Tree, int64, error) {
	var row treeRow
	err := s.t.Get(ctx, settingsKey(u, treeName), &row, opts...)
	if fault.Is(err, fault.NotFound) {
		return reader.Tree{}, 0, nil
	}
	if err != nil {
		return reader.Tree{}, 0, err
	}
	t, err := reader.DecodeTree(row.Tree)
	if err != nil {
		return t, 0, fault.New(fault.Internal, "bad_tree", "store: tree", err)
	}
	return t, row.Rev, nil
}

// treeTries bounds how often a change is tried again after another one came between.
const treeTries = 8

// Change changes a user's tree as one write, and gives it as it then is. The function may run more than once; what
// it leaves as it was is not written.
func (s *Trees) Change(ctx context.Context, u reader.UserID, change func(*reader.Tree) error) (reader.Tree, error) {
	for range treeTries {
		t, rev, err := s.get(ctx, u, table.Consistent())
		if err != nil {
			return t, err
		}
		before := t.Encode()
		if err := change(&t); err != nil {
			return t, err
		}
		after := t.Encode()
		if string(after) == string(before) {
			return t, nil
		}
		k := settingsKey(u, treeName)
		err = s.t.Put(ctx, treeRow{PK: k.PK, SK: k.SK, V: SchemaVersion, Tree: after, Rev: rev + 1}, table.IfEqual("rev", rev))
		if !fault.Is(err, fault.Conflict) {
			return t, err
		}
	}
	return reader.Tree{}, fault.New(fault.Unavailable, "tree_contended", "store: tree", nil)
}
