package store

import (
	"bytes"
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Searches reads and writes users' saved searches, all of a user in one row.
type Searches struct{ t *table.Table }

// maxSearches bounds the stored bytes, far above what library.MaxSearches searches need.
const maxSearches = 256 << 10

// Get returns a user's saved searches; none when nothing was ever saved.
func (s *Searches) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (library.Searches, error) {
	row, err := getSettings(ctx, s.t, u, searchesName, opts...)
	if err != nil {
		return library.Searches{}, err
	}
	return unpackSearches(row.Searches)
}

// Latest is Get that sees every acknowledged write.
func (s *Searches) Latest(ctx context.Context, u reader.UserID) (library.Searches, error) {
	return s.Get(ctx, u, table.Consistent())
}

// Change changes a user's saved searches in one write, or none when nothing differs, and returns them changed. change
// may run more than once.
func (s *Searches) Change(ctx context.Context, u reader.UserID, change func(*library.Searches) error) (
	list library.Searches, err error) {
	err = Retry("settings_contended", func() error {
		row, err := getSettings(ctx, s.t, u, searchesName, table.Consistent())
		if err != nil {
			return err
		}
		if list, err = unpackSearches(row.Searches); err != nil {
			return err
		}
		if err := change(&list); err != nil {
			return err
		}
		packed, err := reader.PackJSON(nil, list)
		if err != nil || bytes.Equal(packed, row.Searches) {
			return err
		}
		return putSettings(ctx, s.t, u, searchesName, settingsRow{Searches: packed, Rev: row.Rev + 1})
	})
	return list, err
}

func unpackSearches(packed []byte) (list library.Searches, err error) {
	if err := reader.UnpackJSON(packed, maxSearches, &list); err != nil {
		return library.Searches{}, fault.New(fault.Internal, "bad_searches", "store: searches", err)
	}
	return list, nil
}
