package clients

import (
	"context"
	"iter"

	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Icons numbers the icons of a user's feeds: each by the first feed that has it.
type Icons struct {
	byHash map[string]reader.FeedID
	order  [][]byte
}

// IconsOf numbers the icons of a side bar.
func IconsOf(feeds []*stream.Subscribed) Icons {
	out := Icons{byHash: map[string]reader.FeedID{}}
	for _, x := range feeds {
		hash := x.Feed.IconHash
		if _, known := out.byHash[string(hash)]; !known && len(hash) > 0 {
			out.byHash[string(hash)], out.order = x.Feed.ID(), append(out.order, hash)
		}
	}
	return out
}

// Of returns the number of a feed's icon; zero when it has none.
func (i Icons) Of(f *store.FeedRow) reader.FeedID { return i.byHash[string(f.IconHash)] }

// All iterates over the icons: number and hash.
func (i Icons) All() iter.Seq2[reader.FeedID, []byte] {
	return func(yield func(reader.FeedID, []byte) bool) {
		for _, hash := range i.order {
			if !yield(i.byHash[string(hash)], hash) {
				return
			}
		}
	}
}

// Icon returns a feed's icon by its hash; NotFound when there is none.
func (s *Services) Icon(ctx context.Context, hash []byte) (icon.Image, error) {
	if s.Icons == nil || len(hash) == 0 {
		return icon.Image{}, fault.Coded(fault.NotFound, "icon_not_found")
	}
	return s.Icons.Get(ctx, store.IconName(hash))
}
