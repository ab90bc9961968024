package search

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Limits of reading for one page.
const (
	maxTexts = 400 // blocks
	// maxDeltas are those of items that the index does not have yet, of which there are usually few.
	maxDeltas = 20_000

	// batchSize is how many candidates are read together, and batchBytes of how many bytes.
	batchSize  = 64
	batchBytes = 8 << 20

	// waveSize is how many segments are opened together. Older ones follow when nothing newer is left.
	waveSize = 16
)

// candidate is an item that may match.
type candidate struct {
	segment.Entry
	in     *leaf         // the segment that has it; nil for an unindexed item
	header *store.Header // of an unindexed item
	text   string        // of one
	n      int           // its bookmark count; in the tier counted
}

// finding is a search under way.
type finding struct {
	*index
	clock clock.Clock
	q     *query.Query
	r     *Request
	feeds *scope
	gets  atomic.Int64
	read  int // blocks of texts
	fresh []candidate

	closed []store.Segment // not opened yet, in order of creation
	leaves []*leaf         // opened segments, the newest first

	tier    int
	after   spot
	ranked  []candidate // in the tier counted
	next    int         // of ranked in that tier, of fresh in others
	isExact bool        // every candidate of a segment matches
}

// leaf is an opened segment, and where the search is in it.
type leaf struct {
	opened
	newer  []*leaf // those that replace some of its items
	set    segment.Set
	isRead bool // set is that of the tier
	at     int  // the next document
	end    int
}

// page searches a page.
func (s *Service) page(ctx context.Context, r *Request, feeds *scope, at spot, fresh bool) (Result, error) {
	segments, err := s.index.segments(ctx, fresh)
	if err != nil {
		return Result{}, err
	}
	x := &finding{index: s.index, clock: s.clock, q: r.Query, r: r, feeds: feeds, closed: segments, tier: at.tier,
		after: at}
	if at == (spot{}) {
		switch {
		case r.Best:
			x.tier = titles
		case r.Count != nil:
			x.tier = counted
		}
	}
	x.skip()
	u := &unindexed{Service: s, q: r.Query, atOnce: min(deltasAtOnce, s.index.atOnce)}
	u.left.Store(s.maxDeltas)
	u.bodies.Store(s.maxBodies)
	if err := x.begin(ctx, u, segments); err != nil {
		return Result{}, err
	}
	res := Result{IsBuilding: u.cut}
	if err := x.fill(ctx, &res); err != nil {
		return Result{}, err
	}
	if at == (spot{}) {
		res.Total = x.total(&res)
	}
	return res, nil
}

// skip leaves out the oldest segments without results. Others are opened, since they may replace older items.
func (x *finding) skip() {
	for len(x.closed) > 0 && !x.reaches(&x.closed[0]) {
		x.closed = x.closed[1:]
	}
}

// reaches reports whether a segment has documents of the wanted time.
func (x *finding) reaches(s *store.Segment) bool {
	return s.Documents > 0 && s.Newest >= x.q.From && (x.q.To == 0 || s.Oldest < x.q.To) &&
		(x.isFirstOfTwo() || x.after.id == 0 || s.Oldest <= x.after.sort)
}

// isFirstOfTwo reports whether another tier follows, which goes through all segments again.
func (x *finding) isFirstOfTwo() bool { return x.tier == titles || x.tier == counted }

// begin opens the newest segments, and scans the items that they do not cover.
func (x *finding) begin(ctx context.Context, u *unindexed, segments []store.Segment) error {
	var newest *segment.Tail
	if len(segments) > 0 {
		last := []opened{{info: &segments[len(segments)-1]}}
		if len(x.closed) > 0 {
			if err := x.openMore(ctx); err != nil {
				return err
			}
			newest = x.leaves[0].Tail
		} else {
			if err := x.open(ctx, last, &x.gets); err != nil {
				return err
			}
			newest = last[0].Tail
		}
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(x.atOnce)
	g.Go(func() error { return u.scan(gctx, x.feeds, newest) })
	g.Go(func() error { return x.collect(gctx) })
	if err := g.Wait(); err != nil {
		return err
	}
	x.fresh = u.found
	slices.SortFunc(x.fresh, func(a, b candidate) int { return a.Compare(&b.Entry) })
	if x.tier == counted {
		return x.rank(ctx)
	}
	return nil
}

// openMore opens the next segments.
func (x *finding) openMore(ctx context.Context) error {
	n := min(len(x.closed), waveSize)
	wave := make([]opened, 0, n)
	for i := range n {
		wave = append(wave, opened{info: &x.closed[len(x.closed)-1-i]})
	}
	x.closed = x.closed[:len(x.closed)-n]
	if err := x.open(ctx, wave, &x.gets); err != nil {
		return err
	}
	var replacing []*leaf
	for _, l := range x.leaves {
		if len(l.Replaces) > 0 {
			replacing = append(replacing, l)
		}
	}
	for _, o := range wave {
		l := &leaf{opened: o, newer: slices.Clip(replacing)}
		x.leaves = append(x.leaves, l)
		if len(l.Replaces) > 0 {
			replacing = append(replacing, l)
		}
	}
	return nil
}

// need is a set of index terms of which a document must have one, or none.
type need struct {
	segment.Range
	not bool
}

// needs returns the conditions on index terms that every document of a tier meets.
func (x *finding) needs() (list []need) {
	x.isExact = true
	for i := range x.q.Terms {
		t := &x.q.Terms[i]
		ranges, exact := segment.Ranges(t)
		x.isExact = x.isExact && exact
		if t.Not && !exact {
			continue
		}
		field := t.Field
		if x.tier == titles && field == query.Any && !t.Not {
			field = query.Title
		}
		for _, r := range ranges {
			list = append(list, need{r.In(field), t.Not})
		}
	}
	return list
}

// collect reads which documents of the opened segments have the index terms of the query.
func (x *finding) collect(ctx context.Context) error {
	var parts []*part
	needs := x.needs()
	type wanted struct {
		l      *leaf
		blocks map[int]*segment.Terms
	}
	var todo []wanted
	for _, l := range x.leaves {
		if l.isRead {
			continue
		}
		l.isRead = true
		l.place(x)
		if l.at >= l.end {
			continue
		}
		w := wanted{l, map[int]*segment.Terms{}}
		for _, n := range needs {
			from, to := l.Terms(n.Range)
			for b := from; b < to; b++ {
				if w.blocks[b] != nil {
					continue
				}
				into, key := new(segment.Terms), blockOf{l.info.Name, b}
				w.blocks[b] = into
				if cached, ok := x.terms.Get(key); ok {
					*into = cached
					continue
				}
				parts = append(parts, &part{l.info, l.Term(b), func(raw []byte) (err error) {
					if *into, err = segment.ReadTerms(raw); err == nil {
						x.terms.Put(key, *into, weightless+len(raw))
					}
					return err
				}})
			}
		}
		todo = append(todo, w)
	}
	if err := x.fetch(ctx, join(parts, x.gap), &x.gets); err != nil {
		return err
	}
	for _, w := range todo {
		if err := w.l.choose(needs, w.blocks); err != nil {
			return err
		}
	}
	return nil
}

// place sets where the search begins and ends in a segment.
func (l *leaf) place(x *finding) {
	docs := l.Documents
	l.at, l.end = 0, len(docs)
	if x.q.To > 0 {
		l.at = sort.Search(len(docs), func(i int) bool { return docs[i].Sort < x.q.To })
	}
	if x.q.From > 0 {
		l.end = sort.Search(len(docs), func(i int) bool { return docs[i].Sort < x.q.From })
	}
	if x.after.id > 0 && x.tier != counted {
		l.at = max(l.at, sort.Search(len(docs), func(i int) bool { return x.after.before(docs[i].Sort, docs[i].ID()) }))
	}
}

// choose makes the set of a segment's candidates.
func (l *leaf) choose(needs []need, blocks map[int]*segment.Terms) error {
	l.set = nil
	spare := segment.NewSet(len(l.Documents))
	for _, n := range needs {
		clear(spare)
		from, to := l.Terms(n.Range)
		for b := from; b < to; b++ {
			if err := blocks[b].Collect(n.Range, len(l.Documents), spare); err != nil {
				return err
			}
		}
		if l.set == nil {
			if n.not {
				l.set = segment.NewSet(len(l.Documents))
				for i := range l.set {
					l.set[i] = math.MaxUint64
				}
			} else {
				l.set = slices.Clone(spare)
				continue
			}
		}
		for i := range l.set {
			if n.not {
				l.set[i] &^= spare[i]
			} else {
				l.set[i] &= spare[i]
			}
		}
	}
	return nil
}

// peek returns the leaf's next document that may be found, nil at its end.
func (l *leaf) peek(x *finding) *segment.Entry {
	for ; l.at < l.end; l.at++ {
		if l.set != nil {
			word := l.set[l.at/64] >> (l.at % 64)
			if word == 0 {
				l.at |= 63
				continue
			}
			if l.at += bits.TrailingZeros64(word); l.at >= l.end {
				break
			}
		}
		e := &l.Documents[l.at]
		if x.feeds.takes(e) != nil && !x.isEarlier(e) && !slices.ContainsFunc(l.newer, func(n *leaf) bool {
			return n.Replaced(e.Feed, e.Seq)
		}) {
			return e
		}
	}
	return nil
}

// isEarlier reports whether a document is one of the tier before.
func (x *finding) isEarlier(e *segment.Entry) bool { return x.tier == uncounted && x.count(e) > 0 }

// take returns the next candidates of the tier, so many at most.
func (x *finding) take(ctx context.Context, n int) (list []candidate, err error) {
	if x.tier == counted {
		return x.takeRanked(n), nil
	}
	for len(list) < n {
		var best *segment.Entry
		var in *leaf
		for _, l := range x.leaves {
			if e := l.peek(x); e != nil && (best == nil || e.Compare(best) < 0) {
				best, in = e, l
			}
		}
		for x.next < len(x.fresh) {
			if e := &x.fresh[x.next].Entry; x.after.before(e.Sort, e.ID()) && !x.isEarlier(e) {
				break
			}
			x.next++
		}
		isFresh := x.next < len(x.fresh) && (best == nil || x.fresh[x.next].Compare(best) < 0)
		if isFresh {
			best = &x.fresh[x.next].Entry
		}
		if newest, ok := x.unopened(); ok && (best == nil || best.Sort <= newest) {
			if err := x.openMore(ctx); err != nil {
				return nil, err
			}
			if err := x.collect(ctx); err != nil {
				return nil, err
			}
			continue
		}
		switch {
		case best == nil:
			return list, nil
		case isFresh:
			list = append(list, x.fresh[x.next])
			x.next++
		default:
			list = append(list, candidate{Entry: *best, in: in})
			in.at++
		}
	}
	return list, nil
}

// unopened returns the newest sort time that a segment that is not opened yet can have; false if there is none.
func (x *finding) unopened() (newest int64, ok bool) {
	for i := range x.closed {
		if s := &x.closed[i]; x.reaches(s) {
			newest, ok = max(newest, s.Newest), true
		}
	}
	return newest, ok
}

// later begins the tier that follows; false if there is none.
func (x *finding) later(ctx context.Context) (bool, error) {
	if !x.isFirstOfTwo() {
		return false, nil
	}
	x.tier++
	x.after, x.next = spot{tier: x.tier}, 0
	for _, l := range x.leaves {
		l.isRead = false
	}
	return true, x.collect(ctx)
}

// fill examines candidates until the page is full, nothing is left, or too much was read.
func (x *finding) fill(ctx context.Context, res *Result) error {
	size := min(x.r.Limit, batchSize)
	if !x.isExact {
		size = min(size+size/4+4, batchSize)
	}
	last := x.after
	for {
		if x.read >= maxTexts || int(x.gets.Load()) >= pageWorth/x.gap && last != x.after {
			res.Next, res.Reached = last.encode(x.r.Mark), last.sort
			if x.tier == counted { // in no order of time
				res.Reached = x.clock.Now().Unix()
			}
			return nil
		}
		list, err := x.take(ctx, size)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			more, err := x.later(ctx)
			if err != nil || !more {
				return err
			}
			last = x.after
			continue
		}
		texts, list, err := x.load(ctx, list)
		if err != nil {
			return err
		}
		hits, err := x.examine(list, texts)
		if err != nil {
			return err
		}
		for i := range list {
			c := &list[i]
			last = spot{x.tier, c.n, c.Sort, c.ID()}
			if hits[i] == nil {
				continue
			}
			if res.Hits = append(res.Hits, *hits[i]); len(res.Hits) == x.r.Limit {
				return x.end(ctx, res, last, list[i+1:])
			}
		}
		size = batchSize
	}
}

// end ends a full page, of which some candidates are left.
func (x *finding) end(ctx context.Context, res *Result, last spot, left []candidate) (err error) {
	if len(left) == 0 && !x.isFirstOfTwo() {
		if left, err = x.take(ctx, 1); err != nil || len(left) == 0 {
			return err
		}
	}
	x.back(left)
	res.Next = last.encode(x.r.Mark)
	return nil
}

// maxCounted bounds the items that are counted beyond the first page.
const maxCounted = 1000

// total counts the hits of the first page and, where the index alone decides what matches, the candidates after it.
func (x *finding) total(res *Result) Total {
	feeds := make(map[reader.FeedID]bool)
	for i := range res.Hits {
		feeds[res.Hits[i].Feed] = true
	}
	t := Total{Items: len(res.Hits), IsLeast: res.Next != ""}
	if t.IsLeast && x.isExact && x.tier == byDate {
		_, t.IsLeast = x.unopened()
		for ; x.next < len(x.fresh) && t.Items < maxCounted; x.next++ {
			feeds[x.fresh[x.next].Feed] = true
			t.Items++
		}
		for _, l := range x.leaves {
			for e := l.peek(x); e != nil && t.Items < maxCounted; e = l.peek(x) {
				feeds[e.Feed] = true
				t.Items++
				l.at++
			}
		}
		t.IsLeast = t.IsLeast || t.Items >= maxCounted
	}
	t.Feeds = len(feeds)
	return t
}

// load reads the texts of as many candidates as can be read at once, and returns those candidates.
func (x *finding) load(ctx context.Context, list []candidate) (map[blockOf]segment.Texts, []candidate, error) {
	for {
		texts := map[blockOf]segment.Texts{}
		into := map[blockOf]*segment.Texts{}
		var parts []*part
		for i := range list {
			c := &list[i]
			if c.in == nil {
				continue
			}
			block, _ := c.Text()
			key := blockOf{c.in.info.Name, block}
			if _, ok := texts[key]; ok || into[key] != nil {
				continue
			}
			if cached, ok := x.texts.Get(key); ok {
				texts[key] = cached
				continue
			}
			t := new(segment.Texts)
			into[key] = t
			parts = append(parts, &part{c.in.info, c.in.Text(block), func(raw []byte) (err error) {
				if *t, err = segment.ReadTexts(raw); err == nil {
					x.texts.Put(key, *t, weightless+t.Bytes())
				}
				return err
			}})
		}
		ranges := fewer(join(parts, x.gap), batchWorth/x.gap, batchBytes)
		bytes := 0
		for i := range ranges {
			bytes += ranges[i].Size
		}
		if bytes > batchBytes && len(list) > 1 {
			x.back(list[len(list)/2:])
			list = list[:len(list)/2]
			continue
		}
		if err := x.fetch(ctx, ranges, &x.gets); err != nil {
			return nil, nil, err
		}
		for key, t := range into {
			texts[key] = *t
		}
		x.read += len(texts)
		return texts, list, nil
	}
}

// back returns candidates that were taken, and not examined.
func (x *finding) back(list []candidate) {
	for i := range list {
		if c := &list[i]; c.in == nil || x.tier == counted {
			x.next--
		} else {
			docs := c.in.Documents
			c.in.at = min(c.in.at, sort.Search(len(docs), func(i int) bool { return docs[i].Compare(&c.Entry) >= 0 }))
		}
	}
}

// share is how many candidates one goroutine examines, each of whose texts is folded as a whole.
const share = 8

// examine makes hits of the candidates that match, and leaves nil for others.
func (x *finding) examine(list []candidate, texts map[blockOf]segment.Texts) ([]*Hit, error) {
	hits := make([]*Hit, len(list))
	var g errgroup.Group
	g.SetLimit(x.atOnce)
	for from := 0; from < len(list); from += share {
		g.Go(func() (err error) {
			for i := from; i < min(from+share, len(list)) && err == nil; i++ {
				hits[i], err = x.examineOne(&list[i], texts)
			}
			return err
		})
	}
	return hits, g.Wait()
}

// examineOne decides whether a candidate matches, and makes a hit of it; nil if it does not.
func (x *finding) examineOne(c *candidate, texts map[blockOf]segment.Texts) (*Hit, error) {
	h, text := c.header, c.text
	if c.in != nil {
		block, place := c.Text()
		var record string
		var err error
		if record, text, err = texts[blockOf{c.in.info.Name, block}].Get(place); err != nil {
			return nil, err
		}
		header, err := store.ParseRecord(record)
		if err != nil {
			return nil, err
		}
		h = &header
	}
	it := item(h, text)
	if c.in != nil && !x.isExact && !x.q.Matches(it) || x.r.Best && x.q.MatchesTitle(it) != (x.tier == titles) {
		return nil, nil
	}
	hit := &Hit{Feed: c.Feed, Seq: c.Seq, Stamp: c.Stamp, Header: *h}
	hit.Title, hit.Text = x.q.Highlight(it)
	return hit, nil
}
