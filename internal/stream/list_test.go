package stream_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// pages reads a whole stream page by page.
func (w *world) pages(q stream.Query, limit func() int) []stream.Entry {
	w.t.Helper()
	var out []stream.Entry
	for range 10_000 {
		q.Limit = limit()
		p, err := w.s.List(w.t.Context(), user, q)
		w.ok(err)
		out = append(out, p.Items...)
		if q.Cursor = p.Next; p.Next == "" {
			return out
		}
	}
	w.t.Fatal("the stream does not end")
	return nil
}

// settings changes what is no reading of a subscription.
func (w *world) settings(id reader.FeedID, edit func(*store.SubscriptionRow)) {
	w.t.Helper()
	row, err := w.store.Subscriptions.Get(w.t.Context(), user, id)
	w.ok(err)
	next := *row
	edit(&next)
	_, err = w.store.Subscriptions.Change(w.t.Context(), user, row, &next)
	w.ok(err)
}

func hours(n int) time.Duration { return time.Duration(n) * time.Hour }

// TestStreamsAgainstASort compares streams of every scope, filter, order and time bound, in pages of random sizes,
// with a plain sort of all items, also where the clock was set back and forth. (G-15, G-16, G-18, C-24)
func TestStreamsAgainstASort(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		w := newWorld(t, 1000+seed)
		w.ancient = seed%2 == 1
		switch seed % 6 {
		case 2, 5: // rows of before what was set back was noted
			w.steps = []time.Duration{time.Minute, 10 * time.Minute, hours(2), hours(20)}
		case 3, 4:
			w.noted, w.steps = true, []time.Duration{10 * time.Minute, hours(3), hours(30), hours(24 * 20),
				hours(24 * 800)}
		}
		var outer, inner reader.FolderID
		_, err := w.store.Trees.Change(t.Context(), user, func(tr *library.Tree) (err error) {
			if outer, err = tr.AddFolder(0, "outer"); err == nil {
				inner, err = tr.AddFolder(outer, "inner")
			}
			return err
		})
		w.ok(err)
		folder, muted := map[reader.FeedID]reader.FolderID{}, map[reader.FeedID]bool{}
		var ids []reader.FeedID
		for i := range 2 + w.rng.IntN(6) {
			id := w.feed()
			ids = append(ids, id)
			if f := []reader.FolderID{0, outer, inner}[i%3]; f > 0 {
				folder[id] = f
				w.settings(id, func(row *store.SubscriptionRow) { row.Folders = []reader.FolderID{f} })
			}
			if muted[id] = w.rng.IntN(4) == 0; muted[id] {
				w.settings(id, func(f *store.SubscriptionRow) { f.Mute = true })
			}
		}
		for range 40 {
			most := 6
			if seed%6 == 3 {
				most = 40 // for bisections
			}
			w.news(ids[w.rng.IntN(len(ids))], 1+w.rng.IntN(most))
			w.pass(300)
		}
		var every []stream.Entry
		for _, id := range ids {
			list := w.pages(stream.Query{Scope: stream.Scope{Feed: id}}, func() int { return 200 })
			if sub, err := w.s.Get(t.Context(), user, id); err != nil || len(list) != int(sub.Feed.Seq) {
				t.Fatalf("seed %d: %d items of %d, %v", seed, len(list), sub.Feed.Seq, err)
			}
			every = append(every, list...)
		}
		for _, e := range every {
			if yes := true; w.rng.IntN(2) == 0 {
				_, _, err := w.s.SetState(t.Context(), user, e.ID, stream.Change{Read: &yes})
				w.ok(err)
			}
		}
		id := ids[w.rng.IntN(len(ids))]
		putAway(t, w, id, 1, 3)
		for _, scope := range []stream.Scope{{}, {Feed: id}, {Folder: outer}, {Folder: inner}} {
			for _, filter := range []stream.Filter{stream.All, stream.Unread, stream.Hidden} {
				for _, since := range []int64{0, w.clk.Now().Add(-hours(72)).Unix()} {
					for _, oldest := range []bool{false, true} {
						q := stream.Query{Scope: scope, Filter: filter, Oldest: oldest, Since: since}
						want := slices.DeleteFunc(w.states(every), func(e stream.Entry) bool {
							f := folder[e.Feed]
							in := scope.Feed == e.Feed || scope.Folder > 0 &&
								(f == scope.Folder || f == inner && scope.Folder == outer) ||
								scope == stream.Scope{} && !muted[e.Feed]
							return !in || since > 0 && e.Header.Sort < since || filter == stream.Unread && e.Read ||
								e.Hidden != (filter == stream.Hidden)
						})
						sort.Slice(want, func(i, j int) bool { return before(&want[i], &want[j]) != oldest })
						compare(t, seed, fmt.Sprintf("%+v", q), w.pages(q, func() int {
							return 1 + w.rng.IntN(9)
						}), want)
					}
				}
			}
		}
	}
}

func before(a, b *stream.Entry) bool {
	if a.Header.Sort != b.Header.Sort {
		return a.Header.Sort > b.Header.Sort
	}
	return a.ID > b.ID
}

// states gives items in the state that they have now.
func (w *world) states(list []stream.Entry) []stream.Entry {
	w.t.Helper()
	out := slices.Clone(list)
	for i := range out {
		sub, err := w.s.Get(w.t.Context(), user, out[i].Feed)
		w.ok(err)
		out[i].Read, out[i].Hidden = sub.State.IsRead(out[i].Seq), sub.State.Hid.Has(out[i].Seq)
	}
	return out
}

func putAway(t *testing.T, w *world, id reader.FeedID, seqs ...reader.Seq) {
	t.Helper()
	sub, err := w.s.Get(t.Context(), user, id)
	w.ok(err)
	next, changed := reader.Apply(sub.State, reader.Change{
		Ops: []reader.Op{{Kind: reader.OpHide, Seqs: seqs}}, Last: reader.Seq(sub.Feed.Seq),
	})
	if changed {
		_, err = w.store.Subscriptions.ChangeState(t.Context(), user, sub.Sub, next)
		w.ok(err)
	}
}

// TestCursorsAreOfTheirStream: a page's address of one stream does not open another.
func TestCursorsAreOfTheirStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 71)
	id := w.feed()
	w.news(id, 9)
	p, err := w.s.List(t.Context(), user, stream.Query{Limit: 3})
	w.ok(err)
	for _, q := range []stream.Query{{Oldest: true}, {Filter: stream.Unread},
		{Scope: stream.Scope{Feed: id}}, {Since: 5}} {
		q.Cursor = p.Next
		if _, err := w.s.List(t.Context(), user, q); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v was opened: %v", q, err)
		}
	}
	if _, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Folder: 7}}); !fault.Is(err,
		fault.NotFound) {
		t.Errorf("a folder that is not there gives %v", err)
	}
}

// TestAStoryIsShownOnce folds the same story of several feeds within the page, names the others, and leaves the
// items of one feed and counts alone.
func TestAStoryIsShownOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 72)
	a, b, c := w.feed(), w.feed(), w.feed()
	at := w.clk.Now().Unix()
	w.items(a, store.Header{Title: "a1", Link: "https://example.org/story?utm_source=a", Sort: at - 1})
	w.items(b, store.Header{Title: "b1", Link: "http://example.org/story/#top", Sort: at - 2},
		store.Header{Title: "b2", Link: "https://example.org/story", Sort: at - 3},
		store.Header{Title: "b3", Link: "https://example.org/", Sort: at - 4})
	w.items(c, store.Header{Title: "c1", Link: "https://example.org/other", Sort: at - 5},
		store.Header{Title: "c2", Link: "https://example.org/", Sort: at - 6},
		store.Header{Title: "c3", Link: "https://example.org/story", Sort: at - 7})
	for _, limit := range []int{1, 4, 50} {
		p, err := w.s.List(t.Context(), user, stream.Query{Limit: limit})
		w.ok(err)
		if limit == 1 {
			if len(p.Items) != 1 || len(p.Items[0].Also) != 0 {
				t.Errorf("one item: %+v", p.Items)
			}
			continue
		}
		first := p.Items[0]
		want := []reader.FeedID{b, c}
		if limit == 4 {
			want = want[:1] // c's comes after the page
		}
		if first.Header.Title != "a1" || len(first.Also) != len(want) || first.Also[0].Feed != b ||
			first.Also[0].Title != "example.org" || first.Also[0].ID == 0 {
			t.Errorf("limit %d: %+v", limit, first)
		}
		if limit == 50 && len(p.Items) != 5 || p.Unread != 7 {
			t.Errorf("limit %d: %d shown, %d unread", limit, len(p.Items), p.Unread)
		}
	}
	total := 0
	for _, e := range w.pages(stream.Query{}, func() int { return 2 }) {
		total += 1 + len(e.Also)
	}
	if total != 7 {
		t.Errorf("%d items in all pages", total)
	}
	if p, err := w.s.List(t.Context(), user, stream.Query{Scope: stream.Scope{Feed: b}}); err != nil ||
		len(p.Items) != 3 {
		t.Errorf("the feed alone shows %d, %v", len(p.Items), err)
	}
}

// items commits a delta of these items to a feed.
func (w *world) items(id reader.FeedID, hs ...store.Header) {
	w.t.Helper()
	ctx := w.t.Context()
	f, err := w.store.Feeds.Get(ctx, id, true)
	w.ok(err)
	now, newest, sorts := w.clk.Now(), f.NewestAt, make([]int64, len(hs))
	for i := range hs {
		newest, sorts[i] = max(newest, hs[i].Sort), hs[i].Sort
	}
	stamp := max(reader.MinuteOf(now), reader.Minute(f.Stamp)+1)
	d, err := store.NewDelta(id, reader.Seq(f.Seq+1), stamp, now.UnixMilli(), "raw", hs)
	w.ok(err)
	w.ok(w.store.Items.Put(ctx, d))
	_, err = w.store.Feeds.Modify(ctx, id, func(row *store.FeedRow) {
		row.Seq = f.Seq + uint32(len(hs))
		row.Stamp = uint32(stamp)
		row.NewestAt = newest
		row.Hash = []byte{1}
		row.Ages = []byte(f.Ages.Add(reader.Seq(f.Floor), d.First(), sorts))
	})
	w.ok(err)
}

// TestUnreadItemsFarDownAreFoundAtOnce: an unread stream opens only deltas with an unread item.
func TestUnreadItemsFarDownAreFoundAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 73)
	id := w.feed()
	for range 300 {
		w.news(id, 2)
		w.clk.Add(time.Hour)
	}
	w.markFeed(id, 0)
	no := false
	e := w.pages(stream.Query{Scope: stream.Scope{Feed: id}, Oldest: true}, func() int { return 200 })[30]
	_, _, err := w.s.SetState(t.Context(), user, e.ID, stream.Change{Read: &no})
	w.ok(err)
	for _, oldest := range []bool{false, true} {
		before := w.meter.Snapshot().Reads["delta"]
		list := w.pages(stream.Query{Filter: stream.Unread, Oldest: oldest}, func() int { return 50 })
		if n := w.meter.Snapshot().Reads["delta"] - before; len(list) != 1 || list[0].ID != e.ID || n > 1.5 {
			t.Errorf("oldest first %v: %d items in %v read units", oldest, len(list), n)
		}
	}
	before := w.meter.Snapshot().Reads["delta"]
	list := w.pages(stream.Query{Oldest: true, Since: w.clk.Now().Add(-hours(10)).Unix()}, func() int { return 50 })
	if n := w.meter.Snapshot().Reads["delta"] - before; len(list) == 0 || n > 20 {
		t.Errorf("the last ten hours: %d items in %v read units", len(list), n)
	}
}

// TestOldestFirstGoesOnWithWhatArrives: what comes while one pages is behind the last page, of every feed alike.
func TestOldestFirstGoesOnWithWhatArrives(t *testing.T) {
	t.Parallel()
	for _, filter := range []stream.Filter{stream.All, stream.Unread} {
		w := newWorld(t, 89)
		few, many := w.feed(), w.feed()
		w.news(few, 3)
		w.news(many, 30)
		w.clk.Add(48 * time.Hour)
		shown := map[reader.FeedID]int{}
		q := stream.Query{Oldest: true, Filter: filter, Limit: 25}
		for page := 0; ; page++ {
			p, err := w.s.List(t.Context(), user, q)
			w.ok(err)
			for _, e := range p.Items {
				shown[e.Feed]++
			}
			if page == 0 { // the small one has been shown to its end by now
				w.news(few, 1)
				w.news(many, 1)
			}
			if q.Cursor = p.Next; q.Cursor == "" {
				break
			}
		}
		if shown[few] != 4 || shown[many] != 31 {
			t.Errorf("%s: %v of 4 and 31 items", filter, shown)
		}
	}
}
