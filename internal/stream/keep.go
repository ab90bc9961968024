package stream

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Starred and labelled items are kept as snapshots, with their bodies, so that they outlive feed, retention and
// subscription. Blob, row, bit is the order of writing, bit, row, blob that of taking away: the row is the truth, and
// no row names a blob that is not there.

// putStar keeps a snapshot of a starred item.
func (s *Service) putStar(ctx context.Context, u reader.UserID, e Entry, sub *Subscribed) error {
	if s.starring != nil {
		if err := s.starring(ctx, u, e.ID); err != nil {
			return err
		}
	}
	row, err := s.snapshot(ctx, e, sub, func() string { return store.StarBlobKey(u, e.ID, s.clock.Now()) })
	if err != nil {
		return err
	}
	return s.aside(ctx, u, func() error { return s.store.Stars.Put(ctx, u, e.ID, row) })
}

// putLabel keeps a snapshot of a labelled item.
func (s *Service) putLabel(ctx context.Context, u reader.UserID, label reader.LabelID, e Entry, sub *Subscribed) error {
	row, err := s.snapshot(ctx, e, sub, func() string { return store.LabelBlobKey(u, label, e.ID, s.clock.Now()) })
	if err != nil {
		return err
	}
	return s.aside(ctx, u, func() error { return s.store.Labels.Put(ctx, u, label, e.ID, row) })
}

// aside does one write in the user's partition that no side bar shows.
func (s *Service) aside(ctx context.Context, u reader.UserID, write func() error) error {
	before, _ := s.store.Subscriptions.Version(ctx, u)
	if err := write(); err != nil {
		return err
	}
	s.views.passed(ctx, u, before)
	return nil
}

// snapshot makes the row of an item with its body. A large body goes under a name that is never used again: what no
// row names an hour later is an orphan for good, and may be removed (package tidy).
func (s *Service) snapshot(ctx context.Context, e Entry, sub *Subscribed, blobKey func() string) (store.StarRow, error) {
	packed, err := store.PackHeaders([]store.Header{e.Header})
	if err != nil {
		return store.StarRow{}, err
	}
	row := store.StarRow{
		Feed: uint32(e.Feed), Seq: uint32(e.Seq), At: s.clock.Now().Unix(), Title: e.FeedTitle, Head: packed,
	}
	var feed *store.FeedRow
	if sub != nil && sub.Sub != nil {
		row.Title, feed = sub.Title(), sub.Feed
	}
	// A body that is gone or cannot be parsed is a state and no error; a store that fails now is asked
	// again by the client, for a snapshot without its body would lose it with the feed's.
	body, err := s.body(ctx, e, feed)
	if err != nil || body.HTML == "" {
		return row, err
	}
	return row, s.keepBody(ctx, &row, body.HTML, blobKey)
}

// keepBody puts a body into a row, or a large one beside it.
func (s *Service) keepBody(ctx context.Context, row *store.StarRow, html string, blobKey func() string) error {
	if html == "" {
		return nil
	}
	small, err := deflate([]byte(html))
	if err != nil {
		return err
	}
	if len(small) <= store.MaxStarBody {
		row.Body = small
		return nil
	}
	row.Blob = blobKey()
	return s.blobs.Put(ctx, row.Blob, small, blob.Meta{ContentType: "text/html; charset=utf-8", ContentEncoding: "deflate"})
}

// removeStar takes a snapshot away, and the blob that it may have.
func (s *Service) removeStar(ctx context.Context, u reader.UserID, id reader.ItemID) error {
	// The latest: a read that lags shows no row where a star was just made, and it would stay for good.
	row, err := s.store.Stars.Latest(ctx, u, id)
	if err == nil {
		err = s.aside(ctx, u, func() error { return s.store.Stars.Remove(ctx, u, id) })
	}
	return s.removeBlob(ctx, row, err)
}

// removeLabelled is removeStar for a label.
func (s *Service) removeLabelled(ctx context.Context, u reader.UserID, label reader.LabelID, id reader.ItemID) error {
	row, err := s.store.Labels.Latest(ctx, u, label, id)
	if err == nil {
		err = s.aside(ctx, u, func() error { return s.store.Labels.Remove(ctx, u, label, id) })
	}
	return s.removeBlob(ctx, row, err)
}

func (s *Service) removeBlob(ctx context.Context, row *store.StarRow, err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || row.Blob == "" {
		return err
	}
	return s.blobs.Delete(ctx, row.Blob)
}

func (s *Service) starBody(ctx context.Context, u reader.UserID, id reader.ItemID) (Body, bool, error) {
	row, err := s.store.Stars.Get(ctx, u, id)
	return s.keptBody(ctx, row, err)
}

// labelBody finds the body that some label of an item kept.
func (s *Service) labelBody(ctx context.Context, u reader.UserID, e Entry) (b Body, ok bool, err error) {
	for _, label := range e.Labels {
		row, err := s.store.Labels.Get(ctx, u, label, e.ID)
		if b, ok, err = s.keptBody(ctx, row, err); err != nil || ok {
			return b, ok, err
		}
	}
	return b, false, nil
}

func (s *Service) keptBody(ctx context.Context, row *store.StarRow, err error) (Body, bool, error) {
	if fault.Is(err, fault.NotFound) {
		return Body{}, false, nil
	}
	if err != nil {
		return Body{}, false, err
	}
	packed := row.Body
	if row.Blob != "" {
		packed, _, err = s.blobs.Get(ctx, row.Blob, blob.Range{})
		if err != nil && !fault.Is(err, fault.NotFound) {
			return Body{}, false, err
		}
	}
	// A snapshot without a body, or with a spoilt one, leaves the feed to be asked.
	if len(packed) == 0 {
		return Body{}, false, nil
	}
	plain, err := inflate(packed)
	if err != nil {
		return Body{}, false, nil //nolint:nilerr // see above
	}
	html := string(plain)
	return Body{State: ContentFull, HTML: html, Characters: utf8.RuneCountInString(sanitize.Text(html))}, true, nil
}

// findKept resolves an id through the snapshots that outlive its feed: the star, or one of the user's labels.
func (s *Service) findKept(ctx context.Context, u reader.UserID, id reader.ItemID) (Entry, error) {
	row, err := s.store.Stars.Get(ctx, u, id)
	if err == nil {
		e, err := starEntry(row)
		e.Starred = true
		return e, err
	}
	if !fault.Is(err, fault.NotFound) {
		return Entry{}, err
	}
	gone := fault.New(fault.NotFound, "item_not_found", "stream: item", err)
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return Entry{}, err
	}
	var e Entry
	var labels []reader.LabelID
	for _, l := range tree.Labels {
		row, err := s.store.Labels.Get(ctx, u, l.ID, id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return Entry{}, err
		}
		if e, err = starEntry(row); err != nil {
			return Entry{}, err
		}
		labels = append(labels, l.ID)
	}
	if labels == nil {
		return Entry{}, gone
	}
	slices.Sort(labels)
	e.Labels = labels
	return e, nil
}
