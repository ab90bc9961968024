package stream

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Imported stars are snapshots like all others, of a feed that is none: reader.ArchiveFeed. Their ids are made of
// when they were starred, so that they lie among the user's other stars in about that order; those from before our
// minutes began are pressed into the first of them. What a user has starred already, by its address or else by where
// it comes from and is called, is not taken again. An item of a feed that the user reads is starred where it lies, if
// it is among the newest (present.go); one that arrives, or whose feed is subscribed to, after its import is another
// star: to know it, each starring would have to read all stars.

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
	have, ids := map[uint64]*store.StarRow{}, map[reader.ItemID]bool{}
	err := s.store.Stars.Descend(ctx, u, 0, func(row *store.StarRow) (bool, error) {
		h, err := row.Header()
		if err != nil {
			return false, err
		}
		ids[row.ID()] = true
		row.Body = nil
		have[starIdentity(h.Link, row.Title, h.Title)] = row
		return true, nil
	})
	if err != nil {
		return StarsImported{}, err
	}
	there, err := s.present(ctx, u, items, func(it *starred.Item) bool { return have[identityOf(it)] == nil })
	if err != nil {
		return StarsImported{}, err
	}
	var out StarsImported
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(starsAtOnce)
	for i := range items {
		it := &items[i]
		identity := identityOf(it)
		if row := have[identity]; row != nil {
			out.Had++
			there.complete(row)
			continue
		}
		out.Imported++
		if e := there.find(it); e != nil {
			have[identity] = &store.StarRow{Feed: uint32(e.Feed), Seq: uint32(e.Seq)}
			ids[e.ID] = true
			there.complete(have[identity])
			g.Go(func() error { return s.starPresent(gctx, u, e, there.feeds[it.FeedURL], it) })
			continue
		}
		have[identity] = &store.StarRow{}
		id := archiveID(it.Starred, identity, ids)
		ids[id] = true
		g.Go(func() error { return s.importStar(gctx, u, id, identity, it) })
	}
	if err := g.Wait(); err != nil {
		return out, err
	}
	return out, s.setBits(ctx, u, there)
}

func identityOf(it *starred.Item) uint64 {
	return starIdentity(it.Link, cmp.Or(it.FeedTitle, it.FeedURL), it.Title)
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
		Origin: it.FeedURL, Site: it.SiteURL,
	}
	if err := s.keepBody(ctx, &row, html, func() string { return store.StarBlobKey(u, id, s.clock.Now()) }); err != nil {
		return err
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
	feeds[reader.ArchiveFeed] = nil
	// Of a feed that was left the row is there for some days, or for others that read it.
	feedOf := func(id reader.FeedID) (*store.FeedRow, error) {
		f, known := feeds[id]
		if known {
			return f, nil
		}
		f, err := s.store.Feeds.Get(ctx, id, false)
		if fault.Is(err, fault.NotFound) {
			f, err = nil, nil
		}
		feeds[id] = f
		return f, err
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
			Published: timeOf(h.Shown()), Updated: timeOf(h.Updated), Starred: timeOf(row.At), Categories: slices.Clone(h.Categories),
			FeedTitle: row.Title, FeedURL: row.Origin, SiteURL: row.Site,
		}
		f, err := feedOf(reader.FeedID(row.Feed))
		if err != nil {
			return false, err
		}
		if f != nil {
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
