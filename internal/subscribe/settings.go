package subscribe

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Settings is a change of a subscription's settings; nil leaves one unchanged.
type Settings struct {
	Title    *string // empty: the publisher's
	Folders  *[]reader.FolderID
	Position *int32
	Interval *int32 // minutes; 0: the usual one
	Mute     *bool
	FullText *bool
	Notify   *bool
	// NeverCount keeps the feed's items from providers of counts, for all its subscribers.
	NeverCount *bool
}

// check normalises the values, and refuses invalid ones.
func (w *Settings) check() error {
	var wrong []*fault.Error
	if w.Title != nil {
		title, bad := library.Title(*w.Title)
		if bad != nil {
			wrong = append(wrong, bad)
		}
		w.Title = &title
	}
	if n := w.Interval; n != nil && *n != 0 {
		if bad := CheckInterval(*n); bad != nil {
			wrong = append(wrong, bad.At("fetchIntervalMinutes"))
		}
	}
	if n := w.Position; n != nil && (*n < 0 || *n > library.MaxPosition) {
		wrong = append(wrong, fault.Coded(fault.Invalid, "bad_position", library.MaxPosition).At("position"))
	}
	if w.Folders != nil && len(*w.Folders) > library.MaxFoldersOfFeed {
		wrong = append(wrong, fault.Coded(fault.Invalid, "too_many_folders", library.MaxFoldersOfFeed).At("folders"))
	}
	return fault.Several(wrong...)
}

// in returns the folders as the row stores them: each once, all existing.
func (w *Settings) in(tree *library.Tree) ([]reader.FolderID, error) {
	out := make([]reader.FolderID, 0, len(*w.Folders))
	for _, id := range *w.Folders {
		if !tree.Has(id) {
			return nil, library.FolderGone()
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// apply returns the row with these settings.
func (w *Settings) apply(row store.SubscriptionRow, folders []reader.FolderID) store.SubscriptionRow {
	if w.Folders != nil {
		row.Folders = folders
	}
	setIf(&row.Title, w.Title)
	setIf(&row.Position, w.Position)
	setIf(&row.Interval, w.Interval)
	setIf(&row.Mute, w.Mute)
	setIf(&row.FullText, w.FullText)
	setIf(&row.Notify, w.Notify)
	setIf(&row.NeverCount, w.NeverCount)
	return row
}

func setIf[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// Set changes settings of a subscription and returns its new row. That is one write, and two more for another interval
// or NeverCount, which take effect at once: the subscriber's row, and the feed's if what is derived changes. These come
// first, so that after a crash in between the row still differs, and repeating the call does everything.
func (s *Service) Set(ctx context.Context, u reader.UserID, id reader.FeedID,
	w Settings) (*store.SubscriptionRow, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	tree, err := s.treeFor(ctx, u, w)
	if err != nil {
		return nil, err
	}
	row, err := s.Store.Subscriptions.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return s.set(ctx, u, row, w, tree)
}

// treeFor reads the folders if some are named: the latest, for one may have just been created.
func (s *Service) treeFor(ctx context.Context, u reader.UserID, w Settings) (*library.Tree, error) {
	if w.Folders == nil || len(*w.Folders) == 0 {
		return new(library.Tree), nil
	}
	tree, err := s.Store.Trees.Get(ctx, u, table.Consistent())
	return &tree, err
}

// set is Set for checked settings and a row that was read.
func (s *Service) set(ctx context.Context, u reader.UserID, row *store.SubscriptionRow, w Settings,
	tree *library.Tree) (*store.SubscriptionRow, error) {
	var folders []reader.FolderID
	if w.Folders != nil {
		var err error
		if folders, err = w.in(tree); err != nil {
			return nil, err
		}
	}
	id := row.Feed()
	var now *store.SubscriptionRow
	err := store.Retry("settings_contended", func() (err error) {
		if row == nil {
			if row, err = s.Store.Subscriptions.Get(ctx, u, id); err != nil {
				return err
			}
		}
		next := w.apply(*row, folders)
		if next.Interval != row.Interval || next.NeverCount != row.NeverCount {
			err = s.Store.Subscriptions.SetAsked(ctx, id, u, next.Interval, next.NeverCount)
			if err == nil {
				err = s.Recount(ctx, id)
			}
			if err != nil {
				return err
			}
		}
		now, err = s.Store.Subscriptions.Change(ctx, u, row, &next)
		row = nil // after a lost race it is read again
		return err
	})
	return now, err
}
