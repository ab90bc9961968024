package store

import (
	"bytes"
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Places reads and writes where users stopped in items, all of a user in one row.
type Places struct{ t *table.Table }

// Get returns a user's places.
func (s *Places) Get(ctx context.Context, u reader.UserID) (library.Places, error) {
	row, err := getSettings(ctx, s.t, u, placesName)
	if err != nil {
		return nil, err
	}
	return library.DecodePlaces(row.Places), nil
}

// Merge adds places to a user's, and returns all. It reports false, and stores nothing, where the last write was less
// than library.PlacesEvery ago.
func (s *Places) Merge(ctx context.Context, u reader.UserID, list library.Places, now time.Time) (
	all library.Places, isStored bool, err error) {
	err = Retry("settings_contended", func() error {
		row, err := getSettings(ctx, s.t, u, placesName, table.Consistent())
		if err != nil {
			return err
		}
		all = library.DecodePlaces(row.Places).Merge(list, now)
		packed := all.Encode()
		if isStored = bytes.Equal(packed, row.Places); isStored {
			return nil
		}
		if isStored = now.Unix()-row.At >= int64(library.PlacesEvery.Seconds()); !isStored {
			return nil
		}
		return putSettings(ctx, s.t, u, placesName, settingsRow{Places: packed, At: now.Unix(), Rev: row.Rev + 1})
	})
	return all, isStored, err
}
