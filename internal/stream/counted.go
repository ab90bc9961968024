package stream

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
)

// A list by popularity begins with the items that have a bookmark count, by count; the rest follows in order of time.
// Pages fit together if each is made with the counts of the first.

// restCursor begins the cursors of the second part, countedCursor those of the first.
const (
	restCursor    = "d"
	countedCursor = "n"
)

// ranked is an item with a count and its place in the list.
type ranked struct {
	reader.BookmarkCount
	also []Place // the same story in other feeds
}

// compare orders items by falling counts, then from the newest on.
func (a *ranked) compare(b *ranked) int {
	return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(b.Sort, a.Sort), cmp.Compare(a.Feed, b.Feed),
		cmp.Compare(a.Seq, b.Seq))
}

// countedCursor returns the item after which a page of the first part begins, or the cursor of the second part.
func (q *Query) countedCursor() (behind *ranked, rest string, err error) {
	if q.Counts == nil || q.Cursor == "" {
		return nil, q.Cursor, nil
	}
	kind, rest := q.Cursor[:1], q.Cursor[1:]
	if kind == restCursor {
		return nil, rest, nil
	}
	d := readToken(rest)
	mark := d.AtMost(math.MaxUint32)
	behind = &ranked{BookmarkCount: reader.BookmarkCount{
		N: int(d.AtMost(math.MaxInt32)), Sort: d.Varint(), Feed: reader.FeedID(d.AtMost(uint64(reader.MaxFeedID))),
		Seq: readSeq(d),
	}}
	if kind != countedCursor || !d.Done() || mark != uint64(q.hash()) {
		return nil, "", badCursor()
	}
	return behind, "", nil
}

func (q *Query) behind(x *ranked) string {
	b := binary.AppendUvarint([]byte{tokenForm}, uint64(q.hash()))
	b = binary.AppendUvarint(b, uint64(x.N))
	b = binary.AppendVarint(b, x.Sort)
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(x.Feed)), uint64(x.Seq))
	return countedCursor + base64.RawURLEncoding.EncodeToString(b)
}

// counted returns a page of the first part; an empty one if that is over, after which the query lists the second part.
func (s *Service) counted(ctx context.Context, q *Query, behind *ranked, bar *sideBar) (Page, error) {
	list, first := q.rank(bar)
	isRest := q.Cursor != "" && behind == nil
	if behind != nil {
		i, isThere := slices.BinarySearchFunc(list, behind, func(a ranked, b *ranked) int { return a.compare(b) })
		if isThere {
			i++
		}
		list = list[i:]
	}
	if isRest || len(list) == 0 {
		q.first = first
		return Page{}, nil
	}
	part := list[:min(q.Limit, len(list))]
	p := Page{Next: restCursor}
	if len(part) < len(list) {
		p.Next = q.behind(&part[len(part)-1])
	}
	var err error
	p.Items, err = s.rankedItems(ctx, bar, part)
	p.IsPartial = len(p.Items) < q.Limit
	return p, err
}

// rankedItems reads items with those that are shown with them.
func (s *Service) rankedItems(ctx context.Context, bar *sideBar, list []ranked) ([]Entry, error) {
	var places []Place
	for i := range list {
		places = append(append(places, Place{list[i].Feed, list[i].Seq}), list[i].also...)
	}
	found, err := s.Pick(ctx, &Searchable{All: bar.all}, places)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(list))
	for i := range list {
		n := 1 + len(list[i].also)
		out, found = appendStory(out, found[:n]), found[n:]
	}
	return out, nil
}

// appendStory appends the first of some items that still exists, and names the others with it.
func appendStory(list []Entry, story []*Entry) []Entry {
	var first *Entry
	for _, e := range story {
		switch {
		case e == nil:
		case first == nil:
			list = append(list, *e)
			first = &list[len(list)-1]
		default:
			first.Also = append(first.Also, e.Other())
		}
	}
	return list
}

// firstPart has the items of the first part, which the second leaves out. Nil is empty.
type firstPart struct {
	places  map[Place]bool
	stories map[uint32][]reader.FeedID // the feeds that have a story; nil where stories are not folded
}

func (f *firstPart) has(feed reader.FeedID, seq reader.Seq) bool {
	return f != nil && f.places[Place{feed, seq}]
}

// tells reports whether the first part has the story of an item of another feed.
func (f *firstPart) tells(e Entry) bool {
	feeds := f.stories[reader.StoryHash(reader.StoryURL(e.Header.Link))]
	return len(feeds) > 0 && !slices.Contains(feeds, e.Feed)
}

// rank lists the items of a side bar that come first, in order.
func (q *Query) rank(bar *sideBar) (list []ranked, first *firstPart) {
	first = &firstPart{places: map[Place]bool{}}
	for _, x := range bar.chosen() {
		wants := x.Wanted(q.Filter)
		if wants == nil {
			continue
		}
		labelled := x.State.Labels.Of(q.Label)
		for c := range q.Counts.InFeed(x.id, reader.Seq(x.Feed.Floor)) {
			if c.Sort >= max(q.Since, q.CountedSince) && wants(c.Seq) && (q.Label == 0 || labelled.Has(c.Seq)) {
				list = append(list, ranked{BookmarkCount: c})
				first.places[Place{c.Feed, c.Seq}] = true
			}
		}
	}
	slices.SortFunc(list, func(a, b ranked) int { return a.compare(&b) })
	if q.Feed > 0 || q.Filter == Hidden {
		return list, first
	}
	first.stories = map[uint32][]reader.FeedID{}
	for _, c := range list {
		if c.Story != 0 {
			first.stories[c.Story] = append(first.stories[c.Story], c.Feed)
		}
	}
	return folded(list), first
}

// folded shows a story that several feeds have once, as Folding does: items of one feed are never folded.
func folded(list []ranked) []ranked {
	first := map[uint32]int{} // of each story
	out := list[:0]
	for _, c := range list {
		i, isThere := first[c.Story]
		if !isThere || c.Story == 0 {
			first[c.Story] = len(out)
		} else if x := &out[i]; x.Feed != c.Feed && len(x.also) < maxOthers &&
			!slices.ContainsFunc(x.also, func(p Place) bool {
				return p.Feed == c.Feed
			}) {
			x.also = append(x.also, Place{c.Feed, c.Seq})
			continue
		}
		out = append(out, c)
	}
	return out
}
