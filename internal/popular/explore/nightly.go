package explore

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	taggedKey = store.TagsPrefix + "recent.gz"
	// maxTagged bounds the items whose tags are kept; each feed has an equal share, and no more than maxTaggedOfFeed.
	maxTagged       = 300_000
	maxTaggedOfFeed = 1000
	// maxTaggedBytes bounds what the blob may inflate to.
	maxTaggedBytes = 64 << 20

	readAtOnce = 4 // feeds
)

// Nightly writes the tags of 30 days into one blob, then begins to ask for key phrases if the owner wants them. It may
// be repeated.
func (s *Service) Nightly(ctx context.Context) error {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil {
		return err
	}
	wanted, err := s.writeTags(ctx, site)
	if err != nil || len(wanted) == 0 {
		return err
	}
	return s.askFor(ctx, wanted)
}

// writeTags returns the items to ask for key phrases; none where no provider is asked.
func (s *Service) writeTags(ctx context.Context, site *store.SiteRow) (wanted []wantedItem, err error) {
	now := s.clock.Now()
	var phrases *tagged
	if site.YahooID != "" {
		if phrases, err = s.readPhrases(ctx); err != nil {
			return nil, err
		}
	}
	from := now.Add(-popular.ListedFor)
	var feeds []span
	if err := s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.RemovingSince == 0 && f.Seq > f.Floor && reader.Minute(f.Stamp) >= reader.MinuteOf(from) {
			feeds = append(feeds, span{f.ID(), reader.Seq(f.Floor), reader.Seq(f.Seq), isPublic(f)})
		}
		return nil
	}); err != nil {
		return nil, err
	}
	t := newTagged(now.Unix())
	most := min(maxTaggedOfFeed, maxTagged/max(len(feeds), 1))
	for some := range slices.Chunk(feeds, s.atOnce) {
		newest := make([][]numbered, len(some))
		g, reads := errgroup.WithContext(ctx)
		for i, f := range some {
			g.Go(func() (err error) {
				newest[i], err = s.newest(reads, f, from.Unix(), most)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		for i, f := range some { // in order, because the first writing of a tag stays
			wanted = append(wanted, t.addFeed(f, newest[i], phrases)...)
		}
	}
	t.isYahoos = phrases != nil && len(phrases.names) > 0
	return wanted, s.blobs.Put(ctx, taggedKey, blob.Gzip(t.pack()), blob.Meta{ContentType: "application/gzip"})
}

// addFeed adds a feed with its newest items, and returns those that have none of the phrases asked for.
func (t *tagged) addFeed(f span, newest []numbered, phrases *tagged) (wanted []wantedItem) {
	categories := make([][]string, len(newest))
	for i, h := range newest {
		categories[i] = h.Categories
	}
	feed := &taggedFeed{last: f.last, usual: tags.UsualOf(categories)}
	for i := range newest {
		h := &newest[i]
		var known []tags.Tag
		if phrases != nil {
			it := phrases.find(f.id, h.seq)
			if known = phrases.tagsOf(it); it == nil && f.isPublic && isAskable(&h.Header) {
				wanted = append(wanted, wantedItem{f.id, h.seq, h.Sort})
			}
		}
		feed.items = append(feed.items, t.item(h.seq, h.Sort, h.Link, tagsOf(&h.Header, feed.usual, known)))
	}
	slices.Reverse(feed.items)
	t.feeds[f.id] = feed
	return wanted
}

// tagsOf returns an item's tags. phrases are key phrases from a provider, if any.
func tagsOf(h *store.Header, usual tags.Usual, phrases []tags.Tag) []tags.Tag {
	return tags.Of(&tags.Text{Title: h.Title, Snippet: h.Snippet, Categories: h.Categories, Phrases: phrases}, usual)
}

// span are the items of a feed.
type span struct {
	id          reader.FeedID
	floor, last reader.Seq // above, and up to
	isPublic    bool       // its items may be named to others
}

// numbered is a header with its item's number.
type numbered struct {
	seq reader.Seq
	store.Header
}

// newest returns the newest items of a feed that were posted from a time on, the newest first.
func (s *Service) newest(ctx context.Context, f span, from int64, most int) (list []numbered, err error) {
	err = s.store.Items.Descend(ctx, f.id, f.last, func(d *store.DeltaRow) (bool, error) {
		headers, err := d.Headers()
		if err != nil {
			return false, err
		}
		for i := len(headers) - 1; i >= 0; i-- {
			seq := d.First() + reader.Seq(i)
			if seq > f.floor && seq <= f.last && headers[i].Sort >= from && len(list) < most {
				list = append(list, numbered{seq, headers[i]})
			}
		}
		return len(list) < most && d.Arrived()/1000 >= from && d.First() > f.floor+1, nil
	})
	return list, err
}
