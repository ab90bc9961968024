package stream

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// RefusedLabel is a label of imported stars that could not be made, and why.
type RefusedLabel struct {
	Name string
	Err  error
}

// importedLabel is a label that an import puts on stars.
type importedLabel struct {
	id    reader.LabelID
	stars []store.SnapshotPlace
}

// importLabels returns the labels of a list by the names that it has, and makes those that are missing.
func (s *Service) importLabels(ctx context.Context, u reader.UserID, items []starred.Item,
	out *StarsImported) (map[string]*importedLabel, error) {
	var names []string // in the order of the list, which decides when there is no room for all
	seen := map[string]bool{}
	for i := range items {
		for _, name := range items[i].Labels {
			if !seen[name] {
				seen[name], names = true, append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	var labels map[string]*importedLabel
	_, err := s.store.Trees.Change(ctx, u, func(t *library.Tree) error {
		labels, out.Refused = map[string]*importedLabel{}, nil
		byID := map[reader.LabelID]*importedLabel{}
		for _, name := range names {
			id, err := t.EnsureLabel(name)
			if err != nil {
				out.Refused = append(out.Refused, RefusedLabel{name, err})
				continue
			}
			byID[id] = cmp.Or(byID[id], &importedLabel{id: id})
			labels[name] = byID[id]
		}
		return nil
	})
	return labels, err
}

// putLabels puts the rows of labels on stars, and notes the bits that their subscriptions lack.
func (s *Service) putLabels(ctx context.Context, u reader.UserID, labels map[string]*importedLabel,
	existing *present) (ids []reader.LabelID, err error) {
	for _, l := range labels {
		if slices.Contains(ids, l.id) {
			continue
		}
		ids = append(ids, l.id)
		stars, err := s.putLabel(ctx, u, l)
		if err != nil {
			return ids, err
		}
		for _, at := range stars {
			existing.complete(at, l.id)
		}
	}
	return ids, nil
}

// putLabel puts the rows of one label on its stars, and returns those that have it now.
func (s *Service) putLabel(ctx context.Context, u reader.UserID, l *importedLabel) (stars []store.SnapshotPlace,
	err error) {
	places, err := s.store.Snapshots.Places(ctx, u, l.id)
	if err != nil {
		return nil, err
	}
	has := map[reader.ItemID]bool{}
	for _, at := range places {
		has[at.ID] = true
	}
	missing := make([]bool, len(l.stars))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(starsAtOnce)
	for i, at := range l.stars {
		if has[at.ID] {
			continue
		}
		has[at.ID] = true
		g.Go(func() error {
			err := s.labelStar(gctx, u, at.ID, l.id)
			if missing[i] = fault.Is(err, fault.NotFound); missing[i] { // it was unstarred meanwhile
				return nil
			}
			return err
		})
	}
	if err := cmp.Or(g.Wait(), s.forgetKept(ctx, u, l.id)); err != nil {
		return nil, err
	}
	for i, at := range l.stars {
		if !missing[i] {
			stars = append(stars, at)
		}
	}
	return stars, nil
}

// labelStar gives a star a label: a copy of its row.
func (s *Service) labelStar(ctx context.Context, u reader.UserID, id reader.ItemID, label reader.LabelID) error {
	star, err := s.store.Snapshots.Latest(ctx, u, store.Star, id)
	if err != nil {
		return err
	}
	html, err := star.ReadBody(ctx, s.blobs)
	if err != nil {
		return err
	}
	row := *star
	row.Body, row.Blob = nil, ""
	if err := row.SetBody(ctx, s.blobs, u, label, id, html, s.clock.Now()); err != nil {
		return err
	}
	return s.store.Snapshots.Put(ctx, u, label, id, row)
}
