package explore

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/stream"
)

const (
	// maxTags bounds a list of tags, and fewestEntries what is in it.
	maxTags       = 200
	fewestEntries = 3
	// Related tags share this many entries with a tag.
	maxRelated    = 12
	fewestRelated = 2
	// maxToday is how many of the newest items are looked at that arrived after the nightly job.
	maxToday = 200
	// maxLinked is how many newest items, beside those of the nightly job, are compared for links that feeds share.
	maxLinked = 1000
	// keptTagged is for how long a process does not look for a newer blob.
	keptTagged = 15 * time.Minute
)

// TagSum sums up a tag over the entries of a list.
type TagSum struct {
	Name    string
	Entries int
	Score   float64 // the sum over the entries, as a share of the greatest in its list
}

// TagList are the tags of a person's feeds.
type TagList struct {
	Tags  []TagSum
	State State
}

// Tags returns the tags of at least three entries posted in a period, by the sum of their scores.
func (s *Service) Tags(ctx context.Context, u reader.UserID, p Period, fresh bool) (TagList, error) {
	counts := s.counts(ctx, p.length())
	in, err := s.streams.Searchable(ctx, u, stream.Scope{}, stream.All, fresh)
	if err != nil {
		return TagList{}, err
	}
	t, err := s.withToday(ctx, u, fresh)
	if err != nil {
		return TagList{}, err
	}
	sums := newSums(t)
	for _, x := range in.Feeds {
		for it := range t.inFeed(x) {
			if it.sort >= counts.From {
				sums.add(it)
			}
		}
	}
	list := TagList{Tags: sums.best(maxTags, fewestEntries), State: Ready}
	if t.at == 0 && len(list.Tags) == 0 {
		list.State = Collecting
	}
	return list, nil
}

// inFeed gives the items of a feed that its user sees.
func (t *tagged) inFeed(x *stream.Subscribed) iter.Seq[*taggedItem] {
	return func(yield func(*taggedItem) bool) {
		wants, f := x.Wanted(stream.All), t.feed(x.Feed.ID())
		if wants == nil {
			return
		}
		for i := range f.items {
			if wants(f.items[i].seq) && !yield(&f.items[i]) {
				return
			}
		}
	}
}

// with gives the items of a feed that have a tag, as those that have a count.
func (t *tagged) with(x *stream.Subscribed, tag uint32, c *popular.Counts) iter.Seq[reader.BookmarkCount] {
	return func(yield func(reader.BookmarkCount) bool) {
		for it := range t.inFeed(x) {
			if !slices.ContainsFunc(it.tags, func(x itemTag) bool { return x.name == tag }) {
				continue
			}
			f := x.Feed.ID()
			if !yield(reader.BookmarkCount{Feed: f, Seq: it.seq, N: c.At(f, it.seq), Sort: it.sort, Story: it.story}) {
				return
			}
		}
	}
}

// related returns the other tags of the user's entries with a tag.
func (t *tagged) related(feeds []*stream.Subscribed, tag uint32) []TagSum {
	sums := newSums(t)
	for _, x := range feeds {
		for it := range t.inFeed(x) {
			if slices.ContainsFunc(it.tags, func(x itemTag) bool { return x.name == tag }) {
				sums.add(it)
			}
		}
	}
	delete(sums.of, tag)
	return sums.best(maxRelated, fewestRelated)
}

// sums add up tags over entries. Of the items of one story the first counts.
type sums struct {
	t     *tagged
	of    map[uint32]*TagSum
	added map[uint32]bool
}

func newSums(t *tagged) *sums { return &sums{t, map[uint32]*TagSum{}, map[uint32]bool{}} }

func (s *sums) add(it *taggedItem) {
	if it.story == 0 || s.added[it.story] {
		return
	}
	s.added[it.story] = true
	for _, x := range it.tags {
		sum := s.of[x.name]
		if sum == nil {
			sum = &TagSum{Name: s.t.name(x.name)}
			s.of[x.name] = sum
		}
		sum.Entries++
		sum.Score += float64(x.score)
	}
}

func (s *sums) best(most, fewest int) []TagSum {
	list := slices.SortedFunc(maps.Values(s.of), func(a, b *TagSum) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Entries, a.Entries), cmp.Compare(a.Name, b.Name))
	})
	out := make([]TagSum, 0, min(most, len(list)))
	for _, sum := range list {
		if sum.Entries >= fewest && len(out) < most {
			out = append(out, *sum)
		}
	}
	for i := len(out) - 1; i >= 0; i-- {
		out[i].Score /= out[0].Score
	}
	return out
}

// kept is the nightly blob in memory.
type kept struct {
	mu     sync.Mutex
	tagged *tagged
	looked time.Time
}

// lastNight returns the tags of the nightly job; none where there is no blob, or it cannot be read, which the log says.
func (s *Service) lastNight(ctx context.Context) *tagged {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	now := s.clock.Now()
	if t := s.kept.tagged; t != nil && now.Sub(s.kept.looked) < keptTagged {
		return t
	}
	t, err := s.readTagged(ctx, taggedKey)
	switch {
	case err == nil:
		s.kept.tagged = t
	case !fault.Is(err, fault.NotFound):
		s.log.Warn("the tags of items cannot be read", "code", fault.CodeOf(err), "error", err)
	}
	if s.kept.tagged == nil {
		s.kept.tagged = newTagged(0)
	}
	s.kept.looked = now
	return s.kept.tagged
}

func (s *Service) readTagged(ctx context.Context, key string) (*tagged, error) {
	packed, _, err := s.blobs.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	plain, err := blob.Gunzip(packed, maxTaggedBytes)
	if err != nil {
		return nil, fault.New(fault.Internal, "bad_tags", "explore: tags", err)
	}
	return unpackTagged(plain)
}

// withToday returns the tags of the nightly job, and those of the user's newest items that arrived since.
func (s *Service) withToday(ctx context.Context, u reader.UserID, fresh bool) (*tagged, error) {
	all := s.lastNight(ctx)
	since := max(all.at, s.clock.Now().Add(-popular.ListedFor).Unix())
	page, err := s.streams.List(ctx, u,
		stream.Query{Filter: stream.All, Since: since - int64((24 * time.Hour).Seconds()),
			Limit: maxToday, Fresh: fresh})
	if err != nil {
		return nil, err
	}
	t := newTagged(all.at)
	t.base = all
	for i := range page.Items {
		e := &page.Items[i]
		if f := t.copied(e.Feed); e.Seq > f.last {
			f.items = append(f.items, t.item(e.Seq, e.Header.Sort, e.Header.Link, tagsOf(&e.Header, f.usual, nil)))
		}
	}
	return t, nil
}

// copied is a feed of a list that goes on after the nightly job's.
func (t *tagged) copied(id reader.FeedID) *taggedFeed {
	f := t.feeds[id]
	if f == nil {
		copied := *t.base.feed(id)
		copied.items = slices.Clip(copied.items)
		f = &copied
		t.feeds[id] = f
	}
	return f
}

// linked gives the items of the last 30 days with what they link to, and no counts.
func (s *Service) linked(ctx context.Context, u reader.UserID, fresh bool) (inFeed, error) {
	t := newTagged(0)
	t.base = s.lastNight(ctx)
	since := max(t.base.at, s.clock.Now().Add(-popular.ListedFor).Unix()) - int64((24 * time.Hour).Seconds())
	q := stream.Query{Filter: stream.All, Since: since, Limit: stream.MaxLimit, Fresh: fresh, Unfolded: true}
	for range maxLinked / stream.MaxLimit {
		page, err := s.streams.List(ctx, u, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			e := &page.Items[i]
			if f := t.copied(e.Feed); e.Seq > f.last {
				f.items = append(f.items, t.item(e.Seq, e.Header.Sort, e.Header.Link, nil))
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	return func(x *stream.Subscribed) iter.Seq[reader.BookmarkCount] {
		return func(yield func(reader.BookmarkCount) bool) {
			for it := range t.inFeed(x) {
				if !yield(reader.BookmarkCount{Feed: x.Feed.ID(), Seq: it.seq, Sort: it.sort, Story: it.story}) {
					return
				}
			}
		}
	}, nil
}
