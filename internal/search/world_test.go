package search_test

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/query"
	"github.com/ruri-reader/ruri/internal/search/segment"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memblob"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// world has feeds whose deltas are written as the crawler would, and an index that is made of them by hand.
type world struct {
	testing.TB
	rnd     *rand.Rand
	clk     *clock.Manual
	driver  blob.Driver
	blobs   *blob.Bucket
	store   *store.Store
	s       *search.Service
	feeds   []*store.FeedRow
	texts   map[query.Ref]string // bodies, which only the index has
	covered []segment.Covered
	list    []store.Segment
}

func newWorld(t testing.TB, seed uint64) *world {
	t.Helper()
	return newWorldOn(t, seed, memtable.New(), memblob.New())
}

func newWorldOn(t testing.TB, seed uint64, d table.Driver, blobs blob.Driver) *world {
	t.Helper()
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	w := &world{TB: t, rnd: rand.New(rand.NewPCG(seed, 5)), clk: clk, driver: blobs, texts: map[query.Ref]string{}}
	w.store = store.New(table.New(d, table.Options{Clock: clk, Kind: store.Kind}), clk)
	w.blobs = blob.New(w.driver)
	w.fresh()
	return w
}

// fresh forgets what the service has in memory.
func (w *world) fresh() { w.s = search.New(w.store, w.blobs, w.clk) }

func (w *world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// feed adds a feed, and returns its index.
func (w *world) feed() int {
	w.Helper()
	f, err := w.store.Feeds.Ensure(context.Background(), fmt.Sprint("https://example.org/", len(w.feeds)),
		func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active", Subs: 1}
		})
	w.ok(err)
	w.feeds = append(w.feeds, f)
	return len(w.feeds) - 1
}

func (w *world) change(feed int, edit func(*store.FeedRow)) {
	w.Helper()
	row, err := w.store.Feeds.Modify(context.Background(), w.feeds[feed].ID(), edit)
	w.ok(err)
	w.feeds[feed] = row
}

// commit adds items to a feed, in one delta. Texts are their bodies, if there are any.
func (w *world) commit(feed int, texts []string, hs ...store.Header) (first reader.Seq) {
	w.Helper()
	f := w.feeds[feed]
	first = reader.Seq(f.Seq) + 1
	stamp := max(reader.MinuteOf(w.clk.Now()), reader.Minute(f.Stamp)+1)
	d, err := store.NewDelta(f.ID(), first, stamp, w.clk.Now().UnixMilli(), "feeds/raw", hs)
	w.ok(err)
	w.ok(w.store.Items.Put(context.Background(), d))
	newest := f.NewestAt
	for i := range hs {
		newest = max(newest, hs[i].Sort)
		if i < len(texts) {
			w.texts[query.Ref{Feed: f.ID(), Seq: first + reader.Seq(i)}] = texts[i]
		}
	}
	w.change(feed, func(f *store.FeedRow) { f.Seq, f.Stamp, f.NewestAt = uint32(d.Last()), uint32(stamp), newest })
	return first
}

// edit replaces headers of the delta that begins at a seq.
func (w *world) edit(feed int, first reader.Seq, edit func([]store.Header)) {
	w.Helper()
	f := w.feeds[feed].ID()
	d, err := w.store.Items.Get(context.Background(), f, first)
	w.ok(err)
	hs, err := d.Headers()
	w.ok(err)
	edit(hs)
	w.ok(w.store.Items.Edit(context.Background(), d, hs))
	w.change(feed, func(f *store.FeedRow) { f.NoteEdits([]reader.Seq{first}) })
}

// deltas reads all deltas of a feed, the oldest first.
func (w *world) deltas(feed int) (list []*store.DeltaRow) {
	w.Helper()
	w.ok(w.store.Items.Ascend(context.Background(), w.feeds[feed].ID(), 0, true, func(d *store.DeltaRow) (bool, error) {
		list = append(list, d)
		return true, nil
	}))
	return list
}

// indexAll adds to the index what it does not cover, merging the last so many segments; with some feeds alone, only
// theirs.
func (w *world) indexAll(merge int, feeds ...int) {
	w.Helper()
	p := &segment.Part{}
	for i, f := range w.feeds {
		at, ok := slices.BinarySearchFunc(w.covered, f.ID(), func(c segment.Covered, f reader.FeedID) int {
			return cmp.Compare(c.Feed, f)
		})
		if len(feeds) > 0 && !slices.Contains(feeds, i) {
			continue
		}
		if !ok {
			w.covered = slices.Insert(w.covered, at, segment.Covered{Feed: f.ID()})
		}
		covered := w.covered[at]
		edited, all := f.EditedSince(covered.Edits)
		for _, d := range w.deltas(i) {
			isOld := d.Last() <= covered.Seq
			if isOld && !all && !slices.Contains(edited, d.First()) {
				continue
			}
			hs, err := d.Headers()
			w.ok(err)
			for j := range hs {
				seq := d.First() + reader.Seq(j)
				if isOld {
					p.Replaces = append(p.Replaces, query.Ref{Feed: f.ID(), Seq: seq})
				}
				p.Documents = append(p.Documents, w.document(f.ID(), seq, d, &hs[j]))
			}
		}
		w.covered[at] = segment.Covered{Feed: f.ID(), Seq: reader.Seq(f.Seq), Edits: f.Edits}
	}
	p.Covered = w.covered
	w.put(merge, p)
}

func (w *world) document(f reader.FeedID, seq reader.Seq, d *store.DeltaRow, h *store.Header) segment.Document {
	return segment.Document{
		Feed: f, Seq: seq, Stamp: reader.Minute(d.Stamp), Sort: h.Sort, Record: h.Record(),
		Item: query.Item{Title: h.Title, Author: h.Author, Snippet: h.Snippet, Categories: h.Categories,
			Text: w.texts[query.Ref{Feed: f, Seq: seq}]},
	}
}

// put merges the last so many segments with a part, which may be nil, and stores the new one in their place.
func (w *world) put(merge int, p *segment.Part) {
	w.Helper()
	ctx := context.Background()
	merge = min(merge, len(w.list))
	old := w.list[len(w.list)-merge:]
	var files [][]byte
	for _, s := range old {
		file, _, err := w.blobs.Get(ctx, store.SegmentKey(s.Name))
		w.ok(err)
		files = append(files, file)
	}
	var file []byte
	var tail int
	var err error
	if p != nil {
		file, tail, err = segment.Build(p)
		w.ok(err)
		files = append(files, file)
	}
	if merge > 0 {
		file, tail, err = segment.Merge(files, segment.Options{Keep: w.keep, Whole: merge == len(w.list)})
		w.ok(err)
	}
	opened, err := segment.OpenFile(file)
	w.ok(err)
	name := hex.EncodeToString([]byte(fmt.Sprintf("%08x", w.rnd.Uint32())))
	s := store.Segment{Name: name, Size: len(file), Tail: tail, Documents: len(opened.Documents)}
	if n := len(opened.Documents); n > 0 {
		s.Newest, s.Oldest = opened.Documents[0].Sort, opened.Documents[n-1].Sort
	}
	w.ok(w.blobs.Put(ctx, store.SegmentKey(name), file, blob.Meta{}))
	w.list = append(slices.Clone(w.list[:len(w.list)-merge]), s)
	read, err := w.store.Search.Get(ctx, true)
	w.ok(err)
	next := *read
	next.Format = segment.Format
	next.SetList(w.list)
	_, err = w.store.Search.Replace(ctx, read, &next)
	w.ok(err)
	for _, s := range old {
		w.ok(w.blobs.Delete(ctx, store.SegmentKey(s.Name)))
	}
}

func (w *world) keep(f reader.FeedID, seq reader.Seq) bool {
	i := slices.IndexFunc(w.feeds, func(row *store.FeedRow) bool { return row.ID() == f })
	return i >= 0 && uint32(seq) > w.feeds[i].Floor
}

// request is a search in some feeds, all without any.
func (w *world) request(q string, feeds ...int) search.Request {
	w.Helper()
	parsed, err := query.Parse(q, query.Options{})
	w.ok(err)
	r := search.Request{Query: parsed, Limit: 50}
	for i, f := range w.feeds {
		if len(feeds) == 0 || slices.Contains(feeds, i) {
			r.Feeds = append(r.Feeds, search.Feed{Row: f, Wants: func(reader.Seq) bool { return true }})
		}
	}
	return r
}

// all reads all pages, and returns the items as feed/seq; between is called after each page.
func (w *world) all(r search.Request, between func(search.Result)) (found []string) {
	w.Helper()
	var total search.Total // of the first page
	feeds := map[reader.FeedID]bool{}
	for page := range 1000 {
		res, err := w.s.Search(context.Background(), r)
		w.ok(err)
		for _, h := range res.Hits {
			found = append(found, fmt.Sprintf("%d/%d", h.Feed, h.Seq))
			feeds[h.Feed] = true
		}
		if page == 0 {
			total = res.Total
		}
		if r.Cursor = res.Next; r.Cursor == "" {
			want := search.Total{Items: len(found), Feeds: len(feeds)}
			if total.IsLeast && total.Items <= want.Items && total.Feeds <= want.Feeds {
				want = total
			}
			if total != want {
				w.Fatalf("%+v were counted, want %+v", total, want)
			}
			return found
		}
		if between != nil {
			between(res)
		}
	}
	w.Fatal("a search without end")
	return nil
}

// wanted is what a search has to find, by looking at every item.
func (w *world) wanted(r search.Request) (found []string) {
	w.Helper()
	type hit struct {
		title bool
		sort  int64
		id    reader.ItemID
		name  string
	}
	var hits []hit
	for _, f := range r.Feeds {
		i := slices.IndexFunc(w.feeds, func(row *store.FeedRow) bool { return row.ID() == f.Row.ID() })
		edited, all := f.Row.EditedSince(w.coveredOf(f.Row.ID()).Edits)
		for _, d := range w.deltas(i) {
			hs, err := d.Headers()
			w.ok(err)
			for j := range hs {
				seq := d.First() + reader.Seq(j)
				if uint32(seq) <= f.Row.Floor || uint32(seq) > f.Row.Seq || seq <= f.Above || !f.Wants(seq) {
					continue
				}
				h := &hs[j]
				if h.Sort < r.Query.From || r.Query.To > 0 && h.Sort >= r.Query.To {
					continue
				}
				it := &query.Item{Title: h.Title, Author: h.Author, Snippet: h.Snippet, Categories: h.Categories}
				if seq <= w.coveredOf(f.Row.ID()).Seq && !all && !slices.Contains(edited, d.First()) {
					it.Text = w.texts[query.Ref{Feed: f.Row.ID(), Seq: seq}]
				}
				if r.Query.Matches(query.Fold(it)) {
					hits = append(hits, hit{r.Best && r.Query.MatchesTitle(query.Fold(it)), h.Sort,
						reader.NewItemID(reader.Minute(d.Stamp), f.Row.ID(), seq),
						fmt.Sprintf("%d/%d", f.Row.ID(), seq)})
				}
			}
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		if a.title != b.title {
			if a.title {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.sort, a.sort), cmp.Compare(b.id, a.id))
	})
	for _, h := range hits {
		found = append(found, h.name)
	}
	return found
}

func (w *world) coveredOf(f reader.FeedID) segment.Covered {
	for _, c := range w.covered {
		if c.Feed == f {
			return c
		}
	}
	return segment.Covered{}
}

// compare searches, and compares what is found with what there is.
func (w *world) compare(what string, r search.Request, between func(search.Result)) {
	w.Helper()
	if got, want := w.all(r, between), w.wanted(r); !slices.Equal(got, want) {
		w.Fatalf("%s: found %v, want %v", what, got, want)
	}
}

var vocabulary = []string{
	"go", "golang", "Google", "update", "updates", "東京", "東京都庁", "京都", "カメラ", "かめら", "ガンダム", "Café", "cafe",
	"node.js", "c++",
	"한국어", "ประเทศไทย", "Привет", "internationalisation", "internationalization", "1.26", "x", "the", "㍿",
	"株式会社", "Ｇｏ言語",
	"don’t", "don't", "U.S.A.", "usa", "Straße", "strasse", "🎉", "❤️", "Ёж", "еж", "co‑op", "co-op",
	"so\u00adft", "soft",
}

func (w *world) words(n int) (s string) {
	for range n {
		s += vocabulary[w.rnd.IntN(len(vocabulary))] + []string{" ", "、", "", " - "}[w.rnd.IntN(4)]
	}
	return s
}

// header makes an item with random words.
func (w *world) header() store.Header {
	h := store.Header{
		Identity: w.rnd.Uint64(), Title: w.words(1 + w.rnd.IntN(4)), Author: w.words(w.rnd.IntN(2)),
		Snippet: w.words(w.rnd.IntN(6)),
		Sort:    w.clk.Now().Unix() - int64(w.rnd.IntN(100))*3600, Link: "https://example.org/a",
	}
	for range w.rnd.IntN(2) {
		h.Categories = append(h.Categories, w.words(1))
	}
	return h
}

// step lets something happen: items, edits, retention, indexing, merging.
func (w *world) step() {
	w.Helper()
	feed := w.rnd.IntN(len(w.feeds))
	f := w.feeds[feed]
	switch w.rnd.IntN(8) {
	case 0, 1, 2:
		hs, texts := make([]store.Header, 1+w.rnd.IntN(6)), []string(nil)
		for i := range hs {
			hs[i] = w.header()
			texts = append(texts, w.words(w.rnd.IntN(40)))
		}
		w.clk.Add(time.Duration(w.rnd.IntN(300)) * time.Minute)
		w.commit(feed, texts, hs...)
	case 3:
		if list := w.deltas(feed); len(list) > 0 {
			w.edit(feed, list[w.rnd.IntN(len(list))].First(), func(hs []store.Header) {
				old := &hs[w.rnd.IntN(len(hs))]
				h := w.header()
				if w.rnd.IntN(2) == 0 {
					h.Sort = old.Sort
				}
				*old = h
			})
		}
	case 4:
		w.change(feed, func(f *store.FeedRow) { f.Floor = min(f.Seq, f.Floor+uint32(w.rnd.IntN(3))) })
	case 5:
		w.indexAll(w.rnd.IntN(3))
	case 6:
		w.indexAll(w.rnd.IntN(2), feed)
	case 7:
		if w.rnd.IntN(3) == 0 && f.Seq > 0 {
			w.change(feed, func(f *store.FeedRow) { f.NoteEditOfAll() })
		} else if len(w.list) > 1 {
			w.put(2, nil)
		}
	}
}

// randomRequest is a search for words of the vocabulary, with everything that a request can have.
func (w *world) randomRequest() search.Request {
	w.Helper()
	for {
		s := ""
		for range 1 + w.rnd.IntN(3) {
			word := vocabulary[w.rnd.IntN(len(vocabulary))]
			if r := []rune(word); w.rnd.IntN(4) == 0 {
				word = string(r[:1+w.rnd.IntN(len(r))])
			}
			s += []string{"", "", "", "-", "title:", "author:", "-title:"}[w.rnd.IntN(7)]
			s += []string{word, word, word + "*", `"` + word + `"`}[w.rnd.IntN(4)] + " "
		}
		q, err := query.Parse(s, query.Options{Kana: w.rnd.IntN(2) == 0})
		if fault.CodeOf(err) == "search_empty" {
			continue
		}
		w.ok(err)
		if w.rnd.IntN(4) == 0 {
			q.From = w.clk.Now().Unix() - int64(w.rnd.IntN(200))*3600
		}
		if w.rnd.IntN(4) == 0 {
			q.To = w.clk.Now().Unix() - int64(w.rnd.IntN(200))*3600
		}
		r := search.Request{Query: q, Limit: 1 + w.rnd.IntN(20), Best: w.rnd.IntN(3) == 0, Mark: w.rnd.Uint32()}
		odd := w.rnd.IntN(3) == 0
		for _, f := range w.feeds {
			if w.rnd.IntN(5) > 0 {
				x := search.Feed{Row: f, Wants: func(seq reader.Seq) bool { return !odd || seq%2 == 1 }}
				if w.rnd.IntN(4) == 0 {
					x.Above = reader.Seq(w.rnd.IntN(int(f.Seq) + 1))
				}
				r.Feeds = append(r.Feeds, x)
			}
		}
		return r
	}
}
