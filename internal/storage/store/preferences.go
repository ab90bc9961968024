package store

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

type preferencesRow struct {
	PK    string `dynamo:"pk"`
	SK    string `dynamo:"sk"`
	V     int    `dynamo:"v"`
	Prefs []byte `dynamo:"prefs,omitempty"`
	Rev   int64  `dynamo:"rev,omitempty"`
}

const preferencesName = "prefs"

// Preferences reads and writes what users have set, one row each.
type Preferences struct{ t *table.Table }

// Get gives a user's preferences.
func (s *Preferences) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (reader.Preferences, error) {
	p, _, err := s.get(ctx, u, opts...)
	return p, err
}

func (s *Preferences) get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (reader.Preferences, int64, error) {
	var row preferencesRow
	err := s.t.Get(ctx, settingsKey(u, preferencesName), &row, opts...)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, 0, err
	}
	return reader.DecodePreferences(row.Prefs), row.Rev, nil
}

// Change changes a user's preferences as one write, none when nothing differs. The function may run more than once.
func (s *Preferences) Change(ctx context.Context, u reader.UserID, change func(reader.Preferences) (reader.Preferences, error)) (reader.Preferences, error) {
	for range treeTries {
		p, rev, err := s.get(ctx, u, table.Consistent())
		if err != nil {
			return nil, err
		}
		after, err := change(p)
		if err != nil || string(after.Encode()) == string(p.Encode()) {
			return after, err
		}
		k := settingsKey(u, preferencesName)
		err = s.t.Put(ctx, preferencesRow{PK: k.PK, SK: k.SK, V: SchemaVersion, Prefs: after.Encode(), Rev: rev + 1}, table.IfEqual("rev", rev))
		if !fault.Is(err, fault.Conflict) {
			return after, err
		}
	}
	return nil, fault.New(fault.Unavailable, "settings_contended", "store: preferences", nil)
}
