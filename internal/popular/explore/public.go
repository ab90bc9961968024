package explore

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
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
	Language                   string // as the publisher gives it, such as "ja"; empty if unknown
	Feed                       string // the publisher's title of the feed that listed it first
	Posted                     int64  // Unix seconds
	N                          int
}

// Name is the title or, without one, the address.
func (e *PublicEntry) Name() string { return cmp.Or(e.Title, e.Link) }

// SetPublic switches the public lists on or off, and chooses the folders of a user whose feeds they are made from.
func (s *Service) SetPublic(ctx context.Context, u reader.UserID, isOn bool, folders []reader.FolderID,
	threshold int) error {
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
			return library.FolderGone().At("folders")
		}
	}
	return s.store.Accounts.SetPublic(ctx, isOn, u, folders, threshold)
}

// Published is what an installation shows to everybody: feeds of a user in some folders.
type Published struct {
	User      reader.UserID
	Folders   []reader.FolderID // in order, those inside of them included
	Threshold int               // the least of a query
}

// Published returns nil while there are no public lists. It reads the owner's choice and the folders, so that a change
// takes effect at once.
func (s *Service) Published(ctx context.Context) (*Published, error) {
	site, err := s.store.Accounts.Site(ctx)
	if err != nil || !site.IsPublic {
		return nil, err
	}
	p := Published{User: reader.UserID(site.PublicUser), Threshold: max(int(site.PublicThreshold), Thresholds[0])}
	tree, err := s.store.Trees.Get(ctx, p.User)
	if err != nil {
		return nil, err
	}
	for _, f := range site.PublicFolders {
		within, _ := tree.Within(f) // one that is gone is passed over
		p.Folders = append(p.Folders, within...)
	}
	if len(p.Folders) == 0 {
		return nil, nil
	}
	slices.Sort(p.Folders)
	p.Folders = slices.Compact(p.Folders)
	return &p, nil
}

// Public returns the first public entries in a query's order and period, with its threshold and tag.
func (s *Service) Public(ctx context.Context, p *Published, q Query) ([]PublicEntry, error) {
	in, err := s.publicFeeds(ctx, p)
	if err != nil {
		return nil, err
	}
	counts := s.counts(ctx, q.Period.length())
	items := counted(counts.Counts)
	if q.Tag != "" {
		t := s.lastNight(ctx)
		id, isThere := t.id(q.Tag)
		if !isThere {
			return nil, nil
		}
		items = func(x *stream.Subscribed) iter.Seq[reader.BookmarkCount] { return t.with(x, id, counts.Counts) }
	}
	list := q.rank(counts.Counts, in.Feeds, items, counts.From)
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
			Page: e.Page, Link: e.Header.Link, Title: e.Header.Title, Excerpt: e.Header.Snippet,
			Language: e.Header.Lang, Feed: in.Feed(e.Feed).Feed.DisplayTitle(),
			Posted: e.Header.Sort, N: e.N,
		})
	}
	return out, nil
}

// PublicTags returns the tags of public entries of 30 days that reach the threshold.
func (s *Service) PublicTags(ctx context.Context, p *Published) ([]TagSum, error) {
	in, err := s.publicFeeds(ctx, p)
	if err != nil {
		return nil, err
	}
	counts := s.counts(ctx, Month.length())
	t := s.lastNight(ctx)
	sums := newSums(t)
	for _, x := range in.Feeds {
		for it := range t.inFeed(x) {
			// What has no count may link to what is not for everybody, and so may its title speak of it.
			if it.sort >= counts.From && counts.At(x.Feed.ID(), it.seq) >= p.Threshold {
				sums.add(it)
			}
		}
	}
	return sums.best(maxTags, fewestEntries), nil
}

// publicFeeds returns the feeds that are public.
func (s *Service) publicFeeds(ctx context.Context, p *Published) (stream.Searchable, error) {
	all, err := s.streams.Searchable(ctx, p.User, stream.Scope{}, stream.All, false)
	if err != nil {
		return stream.Searchable{}, err
	}
	var feeds []*stream.Subscribed
	for _, x := range all.Feeds {
		if x.Sub.In(p.Folders) && isPublic(x.Feed) {
			feeds = append(feeds, x)
		}
	}
	return stream.Searchable{All: feeds, Feeds: feeds}, nil
}

// isPublic reports whether everybody may know of a feed: no subscriber keeps it private, and its address is neither
// secret nor in a private network.
func isPublic(f *store.FeedRow) bool { return !f.IsUncountable() && reader.AskURL(f.URL) != "" }
