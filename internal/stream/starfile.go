package stream

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Imported stars are snapshots of no feed (reader.ArchiveFeed). Their ids are made from the time of starring, so that
// they sort among other stars; times before reader.Epoch are compressed into the first minutes after it. A star that
// exists, by address or else by origin and title, is not imported again. If a subscribed feed still lists the item, it
// is starred there (present.go).

const (
	// archivePressed is the number of minutes for the stars from archiveFrom to reader.Epoch.
	archivePressed = 30 * 24 * 60
	// starsAtOnce are written concurrently.
	starsAtOnce = 8
	// maxSnippetRunes is the length of a snippet in lists.
	maxSnippetRunes = 300
)

var archiveFrom = time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC)

// StarsImported is the result of an import of stars.
type StarsImported struct {
	Imported, Had int
	Refused       []RefusedLabel // their stars are imported without them
}

// starIdentity identifies a star.
func starIdentity(link, feed, title string) uint64 {
	h := fnv.New64a()
	if link == "" {
		link = "\x00" + feed + "\x00" + title
	}
	_, _ = h.Write([]byte(link))
	return h.Sum64()
}

// ImportStars stores starred items from another reader, sanitised, with their labels. Repeating it adds nothing, and
// continues after a crash.
func (s *Service) ImportStars(ctx context.Context, u reader.UserID, items []starred.Item) (StarsImported, error) {
	have, ids := map[uint64]store.SnapshotPlace{}, map[reader.ItemID]bool{}
	err := s.store.Snapshots.Walk(ctx, u, store.Star, 0, true, 64, func(row *store.SnapshotRow) (bool, error) {
		h, err := row.Header()
		if err != nil {
			return false, err
		}
		ids[row.ID()] = true
		have[starIdentity(h.Link, row.Title, h.Title)] = store.SnapshotPlace{ID: row.ID(), Seq: reader.Seq(row.Seq)}
		return true, nil
	})
	if err != nil {
		return StarsImported{}, err
	}
	existing, err := s.present(ctx, u, items, func(it *starred.Item) bool { return have[identityOf(it)].ID == 0 })
	if err != nil {
		return StarsImported{}, err
	}
	var out StarsImported
	labels, err := s.importLabels(ctx, u, items, &out)
	if err != nil {
		return out, err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(starsAtOnce)
	for i := range items {
		it := &items[i]
		identity := identityOf(it)
		at, had := have[identity]
		if had {
			out.Had++
		} else {
			out.Imported++
			sub, e := existing.feeds[it.FeedURL], existing.find(it)
			if e == nil {
				id := archiveID(it.Starred, identity, ids)
				sub, e = nil, &Entry{ID: id, Feed: reader.ArchiveFeed, Seq: id.SeqLow(),
					FeedTitle: cmp.Or(it.FeedTitle, it.FeedURL)}
				e.Header.Identity = identity
			}
			at = store.SnapshotPlace{ID: e.ID, Seq: e.Seq}
			have[identity], ids[e.ID] = at, true
			g.Go(func() error { return s.importStar(gctx, u, it, *e, sub) })
		}
		existing.complete(at, store.Star)
		for _, name := range it.Labels {
			if l := labels[name]; l != nil {
				l.stars = append(l.stars, at)
			}
		}
	}
	err = g.Wait()
	if err == nil && out.Imported > 0 {
		err = s.forgetKept(ctx, u, store.Star)
	}
	if err != nil {
		return out, err
	}
	put, err := s.putLabels(ctx, u, labels, existing)
	if err == nil {
		err = s.setBits(ctx, u, existing)
	}
	if err == nil {
		_, err = s.unlabelGone(ctx, u, put)
	}
	return out, err
}

func identityOf(it *starred.Item) uint64 {
	return starIdentity(it.Link, cmp.Or(it.FeedTitle, it.FeedURL), it.Title)
}

// archiveID returns an id for a star that none of the user's has.
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

// importStar stores a star with the body of the list, for an item of a feed, or of the archive if sub is nil.
func (s *Service) importStar(ctx context.Context, u reader.UserID, it *starred.Item, e Entry, sub *Subscribed) error {
	html := sanitize.HTML(it.HTML, cmp.Or(it.Link, it.SiteURL, it.FeedURL))
	at := cmp.Or(unixOf(it.Starred), s.clock.Now().Unix())
	switch {
	case sub == nil:
		e.Header = store.Header{
			Identity: e.Header.Identity, Title: it.Title, Link: it.Link, Author: it.Author,
			Published: unixOf(it.Published),
			Updated:   unixOf(it.Updated), Sort: cmp.Or(unixOf(it.Published), at), Estimated: it.Published.IsZero(),
			Snippet: reader.Cut(sanitize.Text(html), maxSnippetRunes), Categories: it.Categories,
		}
	case html == "":
		body, err := s.body(ctx, e, sub.Feed)
		if err != nil {
			return err
		}
		html = body.HTML
	}
	row, err := s.snapshot(e)
	if err != nil {
		return err
	}
	row.At = at
	if sub == nil {
		row.Origin, row.Site = it.FeedURL, it.SiteURL
	}
	if err := row.SetBody(ctx, s.blobs, u, store.Star, e.ID, html, s.clock.Now()); err != nil {
		return err
	}
	return s.store.Snapshots.Put(ctx, u, store.Star, e.ID, row)
}

func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// ExportStars calls each for the user's stars, newest first, below an id (0: all), until it returns false. last is the
// last one, zero at the end.
func (s *Service) ExportStars(ctx context.Context, u reader.UserID, before reader.ItemID,
	each func(starred.Item) (bool, error)) (last reader.ItemID, err error) {
	list, err := s.Feeds(ctx, u)
	if err != nil {
		return 0, err
	}
	feeds := map[reader.FeedID]*store.FeedRow{}
	looks := map[reader.FeedID]*lookup{}
	for i := range list {
		id := list[i].Feed.ID()
		feeds[id], looks[id] = list[i].Feed, &lookup{s: s, sub: list[i]}
	}
	feeds[reader.ArchiveFeed] = nil
	labels := map[reader.ItemID][]string{}
	err = s.eachLabelled(ctx, u, list, func(id reader.ItemID, l library.Label) {
		labels[id] = append(labels[id], l.Name)
	})
	if err != nil {
		return 0, err
	}
	// A feed that was left may still exist.
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
	err = s.store.Snapshots.Walk(ctx, u, store.Star, before, true, 64, func(row *store.SnapshotRow) (bool, error) {
		if !more {
			return false, nil // there is a further one: the list goes on
		}
		h, html, err := s.starNow(ctx, u, row, looks[reader.FeedID(row.Feed)])
		if err != nil {
			return false, err
		}
		it := starred.Item{
			ID: "tag:ruri,2026:reader/item/" + row.ID().String(), Title: h.Title, Link: h.Link,
			Author: h.Author, HTML: html,
			Published: timeOf(h.Shown()), Updated: timeOf(h.Updated), Starred: timeOf(row.At),
			Categories: slices.Clone(h.Categories), Labels: labels[row.ID()],
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

// starNow returns a star's header and body: as its feed has them now, if it has edited them since.
func (s *Service) starNow(ctx context.Context, u reader.UserID, row *store.SnapshotRow, look *lookup) (store.Header,
	string, error) {
	h, err := row.Header()
	if err != nil {
		return h, "", err
	}
	if look != nil && look.sub.editedSince(row) {
		now, err := look.inFeed(ctx, row.ID())
		if err == nil && now.Header.Content != h.Content {
			now.Starred = true
			body, err := s.Body(ctx, u, now, look.sub)
			return now.Header, body.HTML, err
		}
		if err = fault.Ignore(err, fault.NotFound); err != nil {
			return h, "", err
		}
	}
	html, err := row.ReadBody(ctx, s.blobs)
	return h, html, err
}

func timeOf(s int64) time.Time {
	if s <= 0 {
		return time.Time{}
	}
	return time.Unix(s, 0).UTC()
}
