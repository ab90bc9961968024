// Package library has the rules for folders and labels (Tree), saved searches (Searches) and preferences (Preferences)
// of a person. Its types are changed in place by their methods and stored by package store; Service makes the changes
// that concern several of them. The API, other reader apps' APIs and the import translate requests into calls of this
// package, and have no rules of their own.
package library

import (
	"context"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Stored is the storage of one of these types, with a value for each person. Change changes the value in one write, or
// none when nothing differs, and returns the new one; change may run more than once.
type Stored[T any] interface {
	Change(ctx context.Context, u reader.UserID, change func(*T) error) (T, error)
}

// Subscriptions are the feeds of a person.
type Subscriptions interface {
	// Check returns fault.NotFound for a feed that the person does not follow.
	Check(ctx context.Context, u reader.UserID, id reader.FeedID) error
	// Refile puts the feeds of one folder into another. Repeating it does what was left.
	Refile(ctx context.Context, u reader.UserID, from, to reader.FolderID) error
}

// Items are the items that a person has.
type Items interface {
	// RemoveLabel takes a label off items, a part of them at a time; done reports that none has it any more.
	RemoveLabel(ctx context.Context, u reader.UserID, id reader.LabelID) (done bool, err error)
}

// Webhooks that follow a search are told when it is deleted.
type Webhooks interface {
	SearchDeleted(ctx context.Context, u reader.UserID, id reader.SearchID) error
}

// Service makes the changes that reach further than the folders, labels and searches themselves. It is safe for
// concurrent use.
type Service struct {
	Trees         Stored[Tree]
	Searches      Stored[Searches]
	Subscriptions Subscriptions
	Items         Items
	Webhooks      Webhooks
}

// DeleteFolder deletes a folder, and returns the tree without it. Its content moves up to the folder's own place: its
// folders with everything in them, and its feeds; feeds of a folder at the top are then in no folder.
//
// Rules, saved searches and webhooks for the deleted folder apply to nothing any more: moved up, they would apply to
// more than was asked for.
func (s *Service) DeleteFolder(ctx context.Context, u reader.UserID, id reader.FolderID) (Tree, error) {
	t, err := s.has(ctx, u, id)
	if err != nil {
		return Tree{}, err
	}
	// The feeds first: after a failure in between, repeating it does the rest.
	if f, _ := t.Folder(id); f.Parent != 0 {
		if err := s.Subscriptions.Refile(ctx, u, id, f.Parent); err != nil {
			return Tree{}, err
		}
	}
	return s.Trees.Change(ctx, u, func(t *Tree) error { return t.DeleteFolder(id) })
}

// has returns the latest tree if it has a folder.
func (s *Service) has(ctx context.Context, u reader.UserID, id reader.FolderID) (Tree, error) {
	return s.Trees.Change(ctx, u, func(t *Tree) error {
		if !t.Has(id) {
			return FolderGone()
		}
		return nil
	})
}

// ReadLater returns the label of items to read later and the tree that has it. Where there is none, a label is made,
// named in a language.
func (s *Service) ReadLater(ctx context.Context, u reader.UserID, language string) (id reader.LabelID, t Tree,
	err error) {
	t, err = s.Trees.Change(ctx, u, func(t *Tree) (err error) {
		id, err = t.EnsureReadLater(readLaterName(language))
		return err
	})
	return id, t, err
}

// maxLabelRounds bounds the work of one request.
const maxLabelRounds = 4

// DeleteLabel deletes a label and takes it off its items, which stay. Items that keep it after a failure, or beyond
// maxLabelRounds, show it nowhere: its number is not used again.
func (s *Service) DeleteLabel(ctx context.Context, u reader.UserID, id reader.LabelID) (Tree, error) {
	t, err := s.Trees.Change(ctx, u, func(t *Tree) error { return t.DeleteLabel(id) })
	for done, round := false, 0; err == nil && !done && round < maxLabelRounds; round++ {
		done, err = s.Items.RemoveLabel(ctx, u, id)
	}
	return t, err
}

// AddSearch saves a search.
func (s *Service) AddSearch(ctx context.Context, u reader.UserID, x Search) (Searches, reader.SearchID, error) {
	if err := s.check(ctx, u, &x); err != nil {
		return Searches{}, 0, err
	}
	list, err := s.Searches.Change(ctx, u, func(l *Searches) (err error) {
		x, err = l.Add(x)
		return err
	})
	return list, x.ID, err
}

// ReplaceSearch replaces the search that has the number of another.
func (s *Service) ReplaceSearch(ctx context.Context, u reader.UserID, x Search) (Searches, error) {
	if err := s.check(ctx, u, &x); err != nil {
		return Searches{}, err
	}
	return s.Searches.Change(ctx, u, func(l *Searches) error { return l.Replace(x) })
}

// check refuses a search that is not valid, or for a feed or a folder that the person does not have.
func (s *Service) check(ctx context.Context, u reader.UserID, x *Search) error {
	err := x.check()
	switch {
	case err != nil:
	case x.Feed != 0:
		err = s.Subscriptions.Check(ctx, u, x.Feed)
	case x.Folder != 0:
		_, err = s.has(ctx, u, x.Folder)
	}
	return err
}

// DeleteSearch deletes a saved search. Webhooks that follow it are switched off.
func (s *Service) DeleteSearch(ctx context.Context, u reader.UserID, id reader.SearchID) (Searches, error) {
	list, err := s.Searches.Change(ctx, u, func(l *Searches) error { return l.Delete(id) })
	if err == nil {
		err = s.Webhooks.SearchDeleted(ctx, u, id)
	}
	return list, err
}
