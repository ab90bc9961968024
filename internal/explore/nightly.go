package explore

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/content/tags"
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

// Nightly writes the tags of the items of the last 30 days into one blob, if counts are on: lists of tags stand beside the popular
// lists. It may be repeated.
func (s *Service) Nightly(ctx context.Context) error {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || !site.CountsBookmarks {
		return err
	}
	now := s.clock.Now()
	from := now.Add(-countedFor)
	var feeds []span
	if err := s.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.RemovingSince == 0 && f.Seq > f.Floor && reader.Minute(f.Stamp) >= reader.MinuteOf(from) {
			feeds = append(feeds, span{f.ID(), reader.Seq(f.Floor), reader.Seq(f.Seq)})
		}
		return nil
	}); err != nil {
		return err
	}
	t := newTagged(now.Unix())
	most := min(maxTaggedOfFeed, maxTagged/max(len(feeds), 1))
	var mu sync.Mutex
	g, reads := errgroup.WithContext(ctx)
	g.SetLimit(readAtOnce)
	for _, f := range feeds {
		g.Go(func() error {
			headers, err := s.newest(reads, f, from.Unix(), most)
			if err != nil {
				return err
			}
			categories := make([][]string, len(headers))
			for i, h := range headers {
				categories[i] = h.Categories
			}
			feed := &taggedFeed{last: f.last, usual: tags.UsualOf(categories)}
			found := make([][]tags.Tag, len(headers))
			for i := range headers {
				found[i] = tagsOf(&headers[i].Header, feed.usual)
			}
			mu.Lock()
			defer mu.Unlock()
			for i, h := range headers {
				feed.items = append(feed.items, t.item(h.seq, h.Sort, h.Link, found[i]))
			}
			slices.Reverse(feed.items)
			t.feeds[f.id] = feed
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return s.blobs.Put(ctx, taggedKey, blob.Gzip(t.pack()), blob.Meta{ContentType: "application/gzip"})
}

func tagsOf(h *store.Header, usual tags.Usual) []tags.Tag {
	return tags.Of(&tags.Text{Title: h.Title, Snippet: h.Snippet, Categories: h.Categories}, usual)
}

// span are the items of a feed.
type span struct {
	id          reader.FeedID
	floor, last reader.Seq // above, and up to
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
		return len(list) < most && d.At/1000 >= from && d.First() > f.floor+1, nil
	})
	return list, err
}
