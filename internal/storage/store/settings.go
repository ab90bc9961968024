package store

import (
	"bytes"
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/library/rules"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Names of a user's settings in their keys.
const (
	assistName      = "assist"
	placesName      = "places"
	preferencesName = "prefs"
	refreshName     = "refresh"
	rulesName       = "rules"
	searchesName    = "searches"
	treeName        = "tree"
)

// settingsRow has one of a user's settings, guarded by its revision. Each kind of setting has a column of its own.
type settingsRow struct {
	rowKey
	Prefs    []byte `dynamo:"prefs,omitempty"`    // library.Preferences
	Tree     []byte `dynamo:"tree,omitempty"`     // library.Tree
	Rules    []byte `dynamo:"rules,omitempty"`    // rules.Pack
	Searches []byte `dynamo:"searches,omitempty"` // library.Searches, as deflated JSON
	Places   []byte `dynamo:"places,omitempty"`   // library.Places
	Agreed   []byte `dynamo:"agreed,omitempty"`   // hosts of models, with the time of the agreement, as JSON
	At       int64  `dynamo:"at,omitempty"`       // of the last write of places, in Unix seconds
	Rev      int64  `dynamo:"rev,omitempty"`
}

func getSettings(ctx context.Context, t *table.Table, u reader.UserID, name string,
	opts ...table.ReadOption) (settingsRow, error) {
	return getOrZero[settingsRow](ctx, t, settingsKey(u, name), opts...)
}

// putSettings writes a row if the stored one has the revision before its own.
func putSettings(ctx context.Context, t *table.Table, u reader.UserID, name string, row settingsRow) error {
	return put(ctx, t, settingsKey(u, name), &row, table.IfEqual("rev", row.Rev-1))
}

// Preferences reads and writes users' preferences, one row for each user.
type Preferences struct{ t *table.Table }

// Get returns a user's preferences.
func (s *Preferences) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (library.Preferences, error) {
	row, err := getSettings(ctx, s.t, u, preferencesName, opts...)
	if err != nil {
		return nil, err
	}
	return library.DecodePreferences(row.Prefs), nil
}

// Change changes a user's preferences in one write, or none when nothing differs. change may run more than once.
func (s *Preferences) Change(ctx context.Context, u reader.UserID,
	change func(library.Preferences) (library.Preferences, error)) (after library.Preferences, err error) {
	err = Retry("settings_contended", func() error {
		row, err := getSettings(ctx, s.t, u, preferencesName, table.Consistent())
		if err != nil {
			return err
		}
		before := library.DecodePreferences(row.Prefs)
		after, err = change(before)
		if err != nil || bytes.Equal(after.Encode(), before.Encode()) {
			return err
		}
		return putSettings(ctx, s.t, u, preferencesName, settingsRow{Prefs: after.Encode(), Rev: row.Rev + 1})
	})
	return after, err
}

// Trees reads and writes users' folders and labels: one row each, so that a page has them for half a read unit.
type Trees struct{ t *table.Table }

// Get returns a user's tree; an empty one when nothing was ever put into it.
func (s *Trees) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (library.Tree, error) {
	t, _, err := s.get(ctx, u, opts...)
	return t, err
}

func (s *Trees) get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (library.Tree, int64, error) {
	row, err := getSettings(ctx, s.t, u, treeName, opts...)
	if err != nil || len(row.Tree) == 0 {
		return library.Tree{}, row.Rev, err
	}
	t, err := library.DecodeTree(row.Tree)
	if err != nil {
		err = fault.New(fault.Internal, "bad_tree", "store: tree", err)
	}
	return t, row.Rev, err
}

// Change changes a user's tree in one write, or none when nothing differs, and returns the changed tree. change may run
// more than once.
func (s *Trees) Change(ctx context.Context, u reader.UserID, change func(*library.Tree) error) (t library.Tree,
	err error) {
	err = Retry("tree_contended", func() (err error) {
		var rev int64
		if t, rev, err = s.get(ctx, u, table.Consistent()); err != nil {
			return err
		}
		before := t.Encode()
		if err := change(&t); err != nil {
			return err
		}
		after := t.Encode()
		if bytes.Equal(after, before) {
			return nil
		}
		return putSettings(ctx, s.t, u, treeName, settingsRow{Tree: after, Rev: rev + 1})
	})
	return t, err
}

// Rules reads and writes users' rules, all of a user in one row.
type Rules struct{ t *table.Table }

// Get returns a user's rules as they are stored, and their revision; nil and 0 when there were never any.
func (s *Rules) Get(ctx context.Context, u reader.UserID, opts ...table.ReadOption) (packed []byte,
	rev int64, err error) {
	row, err := getSettings(ctx, s.t, u, rulesName, opts...)
	return row.Rules, row.Rev, err
}

// Put replaces a user's rules if they still have the revision that was read.
func (s *Rules) Put(ctx context.Context, u reader.UserID, list []rules.Rule, read int64) error {
	packed, err := rules.Pack(list)
	if err != nil {
		return err
	}
	return putSettings(ctx, s.t, u, rulesName, settingsRow{Rules: packed, Rev: read + 1})
}

// Ruling is the part of a user's rules that comes with the list of subscriptions.
type Ruling struct {
	Rules []byte       // as Rules.Get returns them
	Tree  library.Tree // the user's folders and labels
}

// EachRuled is Each that also returns the user's rules, whose keys lie before the subscriptions'.
func (s *Subscriptions) EachRuled(ctx context.Context, u reader.UserID,
	do func(*SubscriptionRow) error) (Ruling, error) {
	return s.query(ctx, u, settingsSK(rulesName), "S$", false, do)
}

// Ruling returns the user's rules alone.
func (s *Subscriptions) Ruling(ctx context.Context, u reader.UserID) (Ruling, error) {
	return s.query(ctx, u, settingsSK(rulesName), positionsKey(u).SK, false, nil)
}

// query reads the rows of a user's partition within keys, as far as they belong to subscriptions.
func (s *Subscriptions) query(ctx context.Context, u reader.UserID, from, to string, latest bool,
	do func(*SubscriptionRow) error) (out Ruling, err error) {
	var tree []byte
	var positions *reader.Positions
	for it, err := range s.t.Query(ctx, table.Query{PK: userPK(u), From: from, To: to, Consistent: latest}) {
		if err != nil {
			return out, err
		}
		var row settingsRow
		switch it.Key.SK {
		case settingsSK(rulesName):
			err = it.Decode(&row)
			out.Rules = row.Rules
		case settingsSK(searchesName): // they lie between the others
		case settingsSK(treeName):
			err = it.Decode(&row)
			tree = row.Tree
		case positionsKey(u).SK:
			positions, err = decodePositions(it)
		default:
			var sub *SubscriptionRow
			if sub, err = s.damage.subscription(it); err == nil {
				sub.positions = positions
				err = do(sub)
			}
		}
		if err != nil {
			return out, err
		}
	}
	if len(tree) > 0 {
		out.Tree, err = library.DecodeTree(tree)
	}
	return out, err
}
