package subscribe

import (
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Settings is a change of what a user has set for a subscription; what is nil stays.
type Settings struct {
	Title    *string // empty: the publisher's
	Folders  *[]reader.FolderID
	Position *int32
	Interval *int32 // minutes; 0: the usual one
	Mute     *bool
	FullText *bool
	Notify   *bool
}

const (
	maxOwnTitle = 200 // runes
	// maxIn is in how many folders one feed may be.
	maxIn = 20
	// The intervals that may be asked for, in minutes (C-4).
	minInterval, maxInterval, intervalStep = 30, 720, 30
	// MaxPosition bounds the places of a list.
	MaxPosition = 1_000_000
	// settingsTries bounds how often a change is tried again after another one came between.
	settingsTries = 8
)

// check brings the values into the form that is kept, and refuses what cannot be.
func (w *Settings) check() error {
	var wrong []*fault.Error
	if w.Title != nil {
		title, good := reader.Line(*w.Title, maxOwnTitle)
		if !good && title != "" {
			wrong = append(wrong, fault.Newf(fault.Invalid, "bad_title",
				"A title has something to be seen, at most %d characters, and none that control.", maxOwnTitle).At("title"))
		}
		w.Title = &title
	}
	if n := w.Interval; n != nil && *n != 0 && (*n < minInterval || *n > maxInterval || *n%intervalStep != 0) {
		wrong = append(wrong, fault.Newf(fault.Invalid, "bad_interval", "An interval is %d to %d minutes in steps of %d.",
			minInterval, maxInterval, intervalStep).At("fetchIntervalMinutes"))
	}
	if n := w.Position; n != nil && (*n < 0 || *n > MaxPosition) {
		wrong = append(wrong, fault.Newf(fault.Invalid, "bad_position", "A position is a number from 0 to %d.", MaxPosition).At("position"))
	}
	if w.Folders != nil && len(*w.Folders) > maxIn {
		wrong = append(wrong, fault.Newf(fault.Invalid, "too_many_folders", "A feed may be in at most %d folders.", maxIn).At("folders"))
	}
	return fault.Several(wrong...)
}

// in gives the folders as the row keeps them: each once, all there.
func (w *Settings) in(tree *reader.Tree) ([]int32, error) {
	out := make([]int32, 0, len(*w.Folders))
	for _, id := range *w.Folders {
		if !tree.Has(id) {
			return nil, fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
		}
		if !slices.Contains(out, int32(id)) {
			out = append(out, int32(id))
		}
	}
	return out, nil
}

// patch is what differs from the row.
func (w *Settings) patch(row *store.SubscriptionRow, folders []int32) store.Patch {
	p := store.Patch{}
	if w.Title != nil && *w.Title != row.Title {
		p["title"] = *w.Title
	}
	if w.Folders != nil && !slices.Equal(folders, row.Folders) {
		p["folders"] = folders
	}
	if w.Position != nil && *w.Position != row.Position {
		p["position"] = *w.Position
	}
	if w.Interval != nil && *w.Interval != row.Interval {
		p["interval"] = *w.Interval
	}
	for name, now := range map[string]struct {
		is     bool
		wanted *bool
	}{"mute": {row.Mute, w.Mute}, "fullText": {row.FullText, w.FullText}, "notify": {row.Notify, w.Notify}} {
		if now.wanted != nil && *now.wanted != now.is {
			p[name] = *now.wanted
		}
	}
	return p
}

// Set changes settings of a subscription, and gives its row as it then is: one write, and two more where another
// interval is asked for (the subscriber's row, and the feed's if its smallest interval changed with it), which
// holds at once. Those two come first: a crash between leaves a row that still differs from what is asked, so that
// asking again goes through all of it.
func (s *Service) Set(ctx context.Context, u reader.UserID, id reader.FeedID, w Settings) (*store.SubscriptionRow, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	tree, err := s.treeFor(ctx, u, w)
	if err != nil {
		return nil, err
	}
	row, err := s.store.Subscriptions.Get(ctx, u, id)
	if err != nil {
		return nil, err
	}
	return s.set(ctx, u, row, w, tree)
}

// treeFor reads the folders where some are named: the latest, for one may have been made a moment ago.
func (s *Service) treeFor(ctx context.Context, u reader.UserID, w Settings) (*reader.Tree, error) {
	if w.Folders == nil || len(*w.Folders) == 0 {
		return new(reader.Tree), nil
	}
	tree, err := s.store.Trees.Get(ctx, u, table.Consistent())
	return &tree, err
}

// set is Set for checked settings and a row that was read.
func (s *Service) set(ctx context.Context, u reader.UserID, row *store.SubscriptionRow, w Settings, tree *reader.Tree) (*store.SubscriptionRow, error) {
	var folders []int32
	if w.Folders != nil {
		var err error
		if folders, err = w.in(tree); err != nil {
			return nil, err
		}
	}
	id := row.Feed()
	for range settingsTries {
		p := w.patch(row, folders)
		if len(p) == 0 {
			return row, nil
		}
		if _, asked := p["interval"]; asked {
			if err := s.store.Subscriptions.PutSubscriber(ctx, id, store.Subscriber{User: u, Interval: *w.Interval}); err != nil {
				return nil, err
			}
			if err := s.recount(ctx, id); err != nil {
				return nil, err
			}
		}
		now, err := s.store.Subscriptions.Change(ctx, u, row, p)
		if !fault.Is(err, fault.Conflict) {
			return now, err
		}
		if row, err = s.store.Subscriptions.Get(ctx, u, id); err != nil {
			return nil, err
		}
	}
	return nil, fault.New(fault.Unavailable, "settings_contended", "subscribe: settings", nil)
}
