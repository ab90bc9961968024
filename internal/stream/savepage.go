package stream

import (
	"cmp"
	"context"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// WebPage is a page that a user saves. HTML is sanitised, and empty if the page could not be read.
type WebPage struct {
	URL, Title, Site, Lang, HTML string
}

// lastSaved is the number of newest items with a label among which a page is looked for that may be saved already.
const lastSaved = 50

// SavePage keeps a web page as an item with a label. The page need not belong to any feed: the item is one of
// reader.ArchiveFeed, like an imported star. A page that is among the last saved ones is not saved again.
func (s *Service) SavePage(ctx context.Context, u reader.UserID, label reader.LabelID, p WebPage) (reader.ItemID,
	error) {
	taken := map[reader.ItemID]bool{}
	var saved reader.ItemID
	err := s.store.Snapshots.Walk(ctx, u, label, 0, true, lastSaved, func(row *store.SnapshotRow) (bool, error) {
		h, err := row.Header()
		if err == nil && h.Link == p.URL {
			saved = row.ID()
		}
		taken[row.ID()] = true
		return saved == 0 && len(taken) < lastSaved, err
	})
	if err != nil || saved != 0 {
		return saved, err
	}
	now, identity := s.clock.Now(), starIdentity(p.URL, "", "")
	id := archiveID(now, identity, taken)
	row, err := s.snapshot(Entry{ID: id, Feed: reader.ArchiveFeed, Seq: id.SeqLow(),
		FeedTitle: cmp.Or(p.Site, fetch.HostOf(p.URL)),
		Header: store.Header{Identity: identity, Title: cmp.Or(p.Title, p.URL), Link: p.URL, Sort: now.Unix(),
			Estimated: true, Lang: p.Lang, Snippet: reader.Cut(sanitize.Text(p.HTML), maxSnippetRunes)}})
	if err == nil {
		err = row.SetBody(ctx, s.blobs, u, label, id, p.HTML, now)
	}
	if err == nil {
		err = s.store.Snapshots.Put(ctx, u, label, id, row)
	}
	if err == nil {
		err = s.forgetKept(ctx, u, label)
	}
	if err != nil {
		return 0, err
	}
	gone, err := s.unlabelGone(ctx, u, []reader.LabelID{label})
	if err == nil && len(gone) > 0 {
		return 0, library.LabelGone()
	}
	return id, err
}
