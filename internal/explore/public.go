package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// Thresholds are those that pages offer.
var Thresholds = []int{1, 3, 10, 50, 100}

// MaxPublicFolders bounds the folders whose feeds are public.
const MaxPublicFolders = 20

// PublicLimit is how many entries a public list has.
const PublicLimit = 50

// PublicEntry is an entry as anybody may see it: nothing in it is of the user whose feeds list it.
type PublicEntry struct {
	Page, Link, Title, Excerpt string
	Feed                       string // the publisher's title of the feed that listed it first
	Posted                     int64  // Unix seconds
	N                          int
}

// Name is the title or, without one, the address.
func (e *PublicEntry) Name() string { return cmp.Or(e.Title, e.Link) }

// SetPublic chooses the folders of a user whose feeds the public lists are made from; without folders there are no such lists.
func (s *Service) SetPublic(ctx context.Context, u reader.UserID, folders []reader.FolderID, threshold int) error {
	if len(folders) > MaxPublicFolders {
		return fault.Coded(fault.Invalid, "public_folder_limit", MaxPublicFolders).At("folders")
	}
	if !slices.Contains(Thresholds, threshold) {
		return fault.Coded(fault.Invalid, "bad_public_threshold").At("threshold")
	}
	tree, err := s.store.Trees.Get(ctx, u)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if !tree.Has(f) {
			return fault.Coded(fault.NotFound, "folder_not_found").At("folders")
		}
	}
	return s.store.Accounts.SetPublic(ctx, u, folders, threshold)
}

// Public returns the first entries of the public feeds, in the order, of the period and with the threshold of a query.
func (s *Service) Public(ctx context.Context, site *store.SiteRow, q Query) ([]PublicEntry, error) {
	in, err := s.publicFeeds(ctx, site)
	if err != nil {
		return nil, err
	}
	counts, at := s.counts(ctx, nil, q.Period.length())
	list := q.rank(counts, in.Feeds, at.from)
	entries, err := s.read(ctx, &in, list[:min(PublicLimit, len(list))])
	if err != nil {
		return nil, err
	}
	out := make([]PublicEntry, 0, len(entries))
	for _, e := range entries {
		if reader.AskURL(e.Header.Link) == "" {
			continue // edited since it was counted: not an address for everybody any more
		}
		out = append(out, PublicEntry{
			Page: e.Page, Link: e.Header.Link, Title: e.Header.Title, Excerpt: e.Header.Snippet, Feed: in.Feed(e.Feed).Feed.DisplayTitle(),
			Posted: e.Header.Sort, N: e.N,
		})
	}
	return out, nil
}

// publicFeeds returns the feeds in the public folders, without those that are muted, have a secret in their address, or are never
// counted.
func (s *Service) publicFeeds(ctx context.Context, site *store.SiteRow) (stream.Searchable, error) {
	var in stream.Searchable
	for _, folder := range site.PublicFolders {
		one, err := s.streams.Searchable(ctx, reader.UserID(site.PublicUser), stream.Scope{Folder: folder}, stream.All, false)
		if fault.Is(err, fault.NotFound) {
			continue // deleted since
		}
		if err != nil {
			return stream.Searchable{}, err
		}
		in.Feeds = append(in.Feeds, one.Feeds...)
	}
	in.Feeds = slices.DeleteFunc(in.Feeds, func(x *stream.Subscribed) bool {
		return x.Sub.Mute || x.Feed.NoCounts || reader.HasSecret(x.Feed.URL)
	})
	byID := func(a, b *stream.Subscribed) int { return cmp.Compare(a.Feed.ID(), b.Feed.ID()) }
	slices.SortFunc(in.Feeds, byID)
	in.Feeds = slices.CompactFunc(in.Feeds, func(a, b *stream.Subscribed) bool { return byID(a, b) == 0 })
	in.All = in.Feeds
	return in, nil
}
