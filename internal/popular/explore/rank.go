package explore

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/content/tags"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// ranked is an entry before it is read.
type ranked struct {
	place
	n, grew int
	feeds   int           // how many list it
	in      reader.FeedID // the last of them
	others  []stream.Place
}

// place is where an entry is in a list: it has the same one in all pages.
type place struct {
	by    [2]int // by which lists are ordered before time
	first reader.BookmarkCount
}

// compare orders entries.
func (a *place) compare(b *place) int {
	return cmp.Or(cmp.Compare(b.by[0], a.by[0]), cmp.Compare(b.by[1], a.by[1]), cmp.Compare(b.first.Sort, a.first.Sort),
		byFeed(&a.first, &b.first))
}

func byFeed(a, b *reader.BookmarkCount) int {
	return cmp.Or(cmp.Compare(a.Feed, b.Feed), cmp.Compare(a.Seq, b.Seq))
}

// maxOthers is how many further items of an entry are named.
const maxOthers = 20

// inFeed gives items of a feed in order of seq, with their counts: those that may be in a list.
type inFeed func(*stream.Subscribed) iter.Seq[reader.BookmarkCount]

// counted are the items that have a count.
func counted(c *popular.Counts) inFeed {
	return func(x *stream.Subscribed) iter.Seq[reader.BookmarkCount] {
		return c.InFeed(x.Feed.ID(), reader.Seq(x.Feed.Floor))
	}
}

// rank lists the entries of some feeds in order. An entry's first item was posted first, and its count is the greatest
// of its items'. Links to whole sites are no entries. Without counts, Hot and Rising order by the feeds that link to an
// entry, at least two.
func (q *Query) rank(c *popular.Counts, feeds []*stream.Subscribed, items inFeed, from int64) []*ranked {
	ofStory := map[uint32]*ranked{}
	var list []*ranked
	for _, x := range feeds {
		wants := x.Wanted(stream.All)
		if wants == nil {
			continue
		}
		for item := range items(x) {
			if item.Story == 0 || !wants(item.Seq) {
				continue
			}
			e := ofStory[item.Story]
			if e != nil {
				e.add(item)
			} else {
				e = &ranked{place: place{first: item}, n: item.N}
				ofStory[item.Story] = e
				list = append(list, e)
			}
			if e.in != item.Feed {
				e.in, e.feeds = item.Feed, e.feeds+1
			}
		}
	}
	if q.Order == Rising {
		for _, g := range c.Grown() {
			if e := ofStory[g.Story]; e != nil {
				e.grew = max(e.grew, g.N)
			}
		}
	}
	list = slices.DeleteFunc(list, func(e *ranked) bool {
		if q.byLinks {
			return e.first.Sort < from || e.feeds < 2 && q.Order != Newest && q.Tag == ""
		}
		return e.n < q.Threshold || e.first.Sort < from || q.Order == Rising && e.grew == 0
	})
	for _, e := range list {
		switch {
		case q.Order == Newest:
		case q.byLinks:
			e.by = [...]int{e.feeds, 0}
		case q.Order == Hot:
			e.by = [...]int{e.n, 0}
		case q.Order == Rising:
			e.by = [...]int{e.grew, e.n}
		}
	}
	slices.SortFunc(list, func(a, b *ranked) int { return a.compare(&b.place) })
	return list
}

// add adds another item of the entry.
func (e *ranked) add(item reader.BookmarkCount) {
	e.n = max(e.n, item.N)
	if item.Sort < e.first.Sort || item.Sort == e.first.Sort && byFeed(&item, &e.first) < 0 {
		e.first, item = item, e.first
	}
	if len(e.others) < maxOthers {
		e.others = append(e.others, stream.Place{Feed: item.Feed, Seq: item.Seq})
	}
}

// read reads the items of entries. Of the others it reads as many as there are entries, at most.
func (s *Service) read(ctx context.Context, in *stream.Searchable, list []*ranked) ([]Entry, error) {
	var places []stream.Place
	left := len(list)
	for _, e := range list {
		e.others = e.others[:min(left, len(e.others))]
		left -= len(e.others)
		places = append(append(places, stream.Place{Feed: e.first.Feed, Seq: e.first.Seq}), e.others...)
	}
	found, err := s.streams.Pick(ctx, in, places)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(list))
	for _, e := range list {
		items := found[:1+len(e.others)]
		found = found[len(items):]
		x := Entry{N: e.n, IsCounted: e.n > 0, Grew: e.grew}
		for _, item := range items {
			if item == nil {
				continue // removed meanwhile
			}
			page := reader.EntryID(reader.StoryURL(item.Header.Link))
			if x.Page == "" {
				x.Entry, x.Page = *item, page
			} else if page == x.Page {
				x.Also = append(x.Also, item.Other())
			}
		}
		if x.Page != "" {
			out = append(out, x)
		}
	}
	return out, nil
}

// mark distinguishes the cursors of different lists.
func (q *Query) mark() uint32 {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s %s %d %s", q.Order, q.Period, q.Threshold, tags.Key(q.Tag))
	return h.Sum32()
}

// cursor returns the cursor of the position after an entry.
func (q *Query) cursor(p *place) string {
	b := binary.AppendUvarint(nil, uint64(q.mark()))
	for _, n := range [...]int{p.by[0], p.by[1], int(p.first.Feed), int(p.first.Seq)} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return base64.RawURLEncoding.EncodeToString(binary.AppendVarint(b, p.first.Sort))
}

// behind decodes a cursor; nil for none.
func (q *Query) behind(cursor string) (*place, error) {
	if cursor == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	d := reader.Decoder{Rest: string(b), Bad: err != nil}
	mark := d.AtMost(math.MaxUint32)
	p := &place{by: [...]int{int(d.AtMost(math.MaxInt32)), int(d.AtMost(math.MaxInt32))}}
	p.first.Feed, p.first.Seq = reader.FeedID(d.AtMost(uint64(reader.MaxFeedID))),
		reader.Seq(d.AtMost(uint64(reader.MaxSeq)))
	p.first.Sort = d.Varint()
	if !d.Done() || mark != uint64(q.mark()) {
		return nil, badCursor()
	}
	return p, nil
}
