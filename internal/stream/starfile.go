package stream

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/blob"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/sanitize"
	"github.com/ruri-reader/ruri/internal/starred"
	"github.com/ruri-reader/ruri/internal/store"
)

// Imported stars are snapshots like all others, of a feed that is none: reader.ArchiveFeed. Their ids are made of
// when they were starred, so that they lie among the user's other stars in about that order; those from before our
// minutes began are pressed into the first of them. What a user has starred already, by its address or else by where
// it comes from and is called, is not taken again.

const (
	// archivePressed is into how many minutes the stars from archiveFrom to our first minute are pressed.
	archivePressed = 30 * 24 * 60
	// starsAtOnce are written at the same time.
	starsAtOnce = 8
	// maxSnippetRunes is how much of a body a list shows.
	maxSnippetRunes = 300
)

var archiveFrom = time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC)

// StarsImported is what an import of stars did.
type StarsImported struct{ Imported, Had int }

// starIdentity tells stars apart.
func starIdentity(link, feed, title string) uint64 {
	h := fnv.New64a()
	if link == "" {
		link = "\x00" + feed + "\x00" + title
	}
	_, _ = h.Write([]byte(link))
	return h.Sum64()
}

// ImportStars keeps starred items from another reader, with what they hold, sanitised. Saying the same again adds
// nothing; an import that broke off is gone on with by the same.
func (s *Service) ImportStars(ctx context.Context, u reader.UserID, items []starred.Item) (StarsImported, error) {
	have, ids := map[uint64]bool{}, map[reader.ItemID]bool{}
	err := s.store.Stars.Descend(ctx, u, 0, func(row *store.StarRow) (bool, error) {
		h, err := row.Header()
		if err != nil {
			return false, err
		}
		ids[row.ID()] = true
		have[starIdentity(h.Link, row.Title, h.Title)] = true
		return true, nil
	})
	if err != nil {
		return StarsImported{}, err
	}
	var out StarsImported
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(starsAtOnce)
	for i := range items {
		it := &items[i]
		identity := starIdentity(it.Link, it.FeedTitle, it.Title)
		if have[identity] {
			out.Had++
			continue
		}
		have[identity] = true
		id := archiveID(it.Starred, identity, ids)
		ids[id] = true
		out.Imported++
		g.Go(func() error { return s.importStar(gctx, u, id, identity, it) })
	}
	return out, g.Wait()
}

// archiveID gives a star an id that none of the user's has.
func archiveID(at time.Time, identity uint64, taken map[reader.ItemID]bool) reader.ItemID {
	minute := reader.MinuteOf(at)
	if at.Before(reader.Epoch) {
		past := max(int64(at.Sub(archiveFrom)/time.Minute), 0) // an unknown time too is long ago
		minute = reader.Minute(past * archivePressed / int64(reader.Epoch.Sub(archiveFrom)/time.Minute))
	}
	for {
		for i := range uint64(1024) {
			if id := reader.NewItemID(minute, reader.ArchiveFeed, reader.Seq((identity+i)&1023)); !taken[id] {
				return id
			}
		}
		minute++
	}
}

func (s *Service) importStar(ctx context.Context, u reader.UserID, id reader.ItemID, identity uint64, it *starred.Item) error {
	html := sanitize.HTML(it.HTML, cmp.Or(it.Link, it.SiteURL, it.FeedURL))
	at := cmp.Or(unixOf(it.Starred), s.clock.Now().Unix())
	h := store.Header{
		Identity: identity, Title: it.Title, Link: it.Link, Author: it.Author, Published: unixOf(it.Published), Updated: unixOf(it.Updated),
		Sort: cmp.Or(unixOf(it.Published), at), Estimated: it.Published.IsZero(), Snippet: cutRunes(sanitize.Text(html), maxSnippetRunes),
		Categories: it.Categories,
	}
	head, err := store.PackHeaders([]store.Header{h})
	if err != nil {
		return err
	}
	row := store.StarRow{
		Feed: uint32(reader.ArchiveFeed), Seq: uint32(id.SeqLow()), At: at, Title: cmp.Or(it.FeedTitle, it.FeedURL), Head: head,
	}
	if html != "" {
		small, err := deflate([]byte(html))
		if err != nil {
			return err
		}
		if len(small) <= store.MaxStarBody {
			row.Body = small
		} else {
			row.Blob = store.StarBlobKey(u, id, s.clock.Now())
			if err := s.blobs.Put(ctx, row.Blob, small, blob.Meta{ContentType: "text/html; charset=utf-8", ContentEncoding: "deflate"}); err != nil {
				return err
			}
		}
	}
	return s.aside(ctx, u, func() error { return s.store.Stars.Put(ctx, u, id, row) })
}

func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// ExportStars hands out a user's starred items, the newest first, from below an id on (0: from the top), until each
// returns false; last is the one handed out last, zero when there are no more.
func (s *Service) ExportStars(ctx context.Context, u reader.UserID, before reader.ItemID, each func(starred.Item) (bool, error)) (last reader.ItemID, err error) {
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return 0, err
	}
	feeds := map[reader.FeedID]*store.FeedRow{}
	for i := range list {
		feeds[list[i].Feed.ID()] = list[i].Feed
	}
	more := true
	err = s.store.Stars.Descend(ctx, u, before, func(row *store.StarRow) (bool, error) {
		if !more {
			return false, nil // there is a further one: the list goes on
		}
		h, err := row.Header()
		if err != nil {
			return false, err
		}
		body, _, err := s.keptBody(ctx, row, nil)
		if err != nil {
			return false, err
		}
		it := starred.Item{
			ID: "tag:ruri,2026:reader/item/" + row.ID().String(), Title: h.Title, Link: h.Link, Author: h.Author, HTML: body.HTML,
			Published: timeOf(cmp.Or(h.Published, h.Sort)), Updated: timeOf(h.Updated), Starred: timeOf(row.At), Categories: slices.Clone(h.Categories),
			FeedTitle: row.Title,
		}
		if f := feeds[reader.FeedID(row.Feed)]; f != nil {
			it.FeedURL, it.SiteURL = f.URL, f.Site
		}
		last = row.ID()
		more, err = each(it)
		return true, err
	})
	if err != nil || more {
		return 0, err
	}
	return last, nil
}

func timeOf(s int64) time.Time {
	if s <= 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}
