package stream

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Starred and labelled items are kept as snapshots with their bodies, which outlive feed, retention and subscription.
// They are written in the order blob, row, bit and removed in reverse, so that no row names a missing blob.

// putSnapshot stores the snapshot of a starred item, or of one with a label.
func (s *Service) putSnapshot(ctx context.Context, u reader.UserID, label reader.LabelID, e Entry,
	sub *Subscribed) error {
	if label == store.Star && s.onStar != nil {
		if err := s.onStar(ctx, u, e.ID); err != nil {
			return err
		}
	}
	row, err := s.snapshot(e)
	if err != nil {
		return err
	}
	var feed *store.FeedRow
	if sub != nil {
		row.Title, feed = sub.Title(), sub.Feed
	}
	// A body that is gone or cannot be parsed is a state, not an error. When the store fails, the client tries again,
	// so that no snapshot is made without its body.
	body, err := s.body(ctx, e, feed)
	if err == nil && body.State == ContentGone && sub != nil {
		body, err = s.latestBody(ctx, e, sub)
	}
	if err == nil {
		err = row.SetBody(ctx, s.blobs, u, label, e.ID, body.HTML, s.clock.Now())
	}
	if err != nil {
		return err
	}
	return s.store.Snapshots.Put(ctx, u, label, e.ID, row)
}

// latestBody is body for an item whose raw feed is gone: the row that named it may have lagged behind an edit.
func (s *Service) latestBody(ctx context.Context, e Entry, sub *Subscribed) (Body, error) {
	row, err := s.store.Items.At(ctx, e.Feed, e.Seq)
	if err == nil {
		row, err = s.store.Items.Get(ctx, e.Feed, row.First())
	}
	if fault.Is(err, fault.NotFound) {
		return Body{State: ContentGone}, nil
	}
	if err != nil {
		return Body{}, err
	}
	d, err := unpack(row)
	if err != nil {
		return Body{}, err
	}
	return s.body(ctx, d.entry(sub, e.Seq), sub.Feed)
}

// snapshot makes the row of an item, without its body.
func (s *Service) snapshot(e Entry) (store.SnapshotRow, error) {
	head, err := store.PackHeaders([]store.Header{e.Header})
	return store.SnapshotRow{Feed: uint32(e.Feed), Seq: uint32(e.Seq), At: s.clock.Now().Unix(), Title: e.FeedTitle,
		Head: head}, err
}

// removeSnapshot removes a snapshot and its blob, if there is one.
func (s *Service) removeSnapshot(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) error {
	// The latest: a stale read may not show a row that was just made, which would then stay for good.
	row, err := s.store.Snapshots.Latest(ctx, u, label, id)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil {
		err = s.store.Snapshots.Remove(ctx, u, label, id)
	}
	if err != nil || row.Blob == "" {
		return err
	}
	return s.blobs.Delete(ctx, row.Blob)
}

// keptBody returns the first body among an item's snapshots; with mustBeCurrent, only one taken since the last edit.
func (s *Service) keptBody(ctx context.Context, u reader.UserID, e *Entry, mustBeCurrent bool,
	labels ...reader.LabelID) (Body, bool, error) {
	for _, label := range labels {
		row, err := s.store.Snapshots.Get(ctx, u, label, e.ID)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return Body{}, false, err
		}
		if mustBeCurrent && e.Raw != "" {
			if h, err := row.Header(); err != nil || h.Content != e.Header.Content {
				continue
			}
		}
		if html, err := row.ReadBody(ctx, s.blobs); err != nil || html != "" {
			return fullBody(html), err == nil, err
		}
	}
	return Body{}, false, nil
}

func fullBody(html string) Body {
	return Body{State: ContentFull, HTML: html, Characters: utf8.RuneCountInString(sanitize.Text(html))}
}

// findKept finds an item through the snapshots that outlive its feed: the star, and those of the user's labels.
func (s *Service) findKept(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, error) {
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return Entry{}, err
	}
	labels := []reader.LabelID{store.Star}
	for _, l := range tree.Labels {
		labels = append(labels, l.ID)
	}
	slices.Sort(labels)
	rows := make([]*store.SnapshotRow, len(labels))
	err = s.each(len(labels), func(i int) error {
		row, err := s.store.Snapshots.Get(ctx, u, labels[i], id)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		rows[i] = row
		return err
	})
	if err != nil {
		return Entry{}, err
	}
	first := slices.IndexFunc(rows, func(row *store.SnapshotRow) bool { return row != nil })
	if first < 0 {
		return Entry{}, itemNotFound()
	}
	e, err := snapshotEntry(rows[first])
	for i, row := range rows {
		switch {
		case row == nil:
		case labels[i] == store.Star:
			e.Starred = true
		default:
			e.Labels = append(e.Labels, labels[i])
		}
	}
	return e, err
}

func itemNotFound() error { return fault.New(fault.NotFound, "item_not_found", "stream: item", nil) }
