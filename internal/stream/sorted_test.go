package stream_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestSortedAsAModel: pages in any order, direction and state are those of the whole list, also where texts begin
// alike, after items have arrived, and after an edit.
func TestSortedAsAModel(t *testing.T) {
	t.Parallel()
	list, clk := openSQLite(t, 1)
	p, ctx, r := list[0], context.Background(), rand.New(rand.NewPCG(7, 61))
	type item struct {
		id reader.ItemID
		h  store.Header
	}
	all := map[reader.FeedID]map[reader.Seq]item{}
	text := func() string {
		return strings.Repeat("Same beginning ", r.IntN(2)) +
			[]string{"", "b", "Bb", "ccccccc", "cccccccd"}[r.IntN(5)] + fmt.Sprint(r.IntN(4))
	}
	commit := func(feed reader.FeedID, n int) {
		row, err := p.store.Feeds.Get(ctx, feed, true)
		if err != nil {
			t.Fatal(err)
		}
		stamp, hs := max(reader.MinuteOf(clk.Now()), reader.Minute(row.Stamp)+1), make([]store.Header, n)
		newest := row.NewestAt
		for i := range hs {
			hs[i] = store.Header{Identity: r.Uint64(), Title: text(), Author: text(),
				Sort: clk.Now().Unix() - r.Int64N(90_000)}
			if r.IntN(3) == 0 {
				hs[i].Published = hs[i].Sort - r.Int64N(200_000)
			}
			if r.IntN(3) == 0 {
				hs[i].Updated = clk.Now().Unix() + r.Int64N(9000) - 5000
			}
			newest = max(newest, hs[i].Sort)
			seq := reader.Seq(row.Seq) + reader.Seq(i) + 1
			all[feed][seq] = item{reader.NewItemID(stamp, feed, seq), hs[i]}
		}
		d, err := store.NewDelta(feed, reader.Seq(row.Seq)+1, stamp, clk.Now().UnixMilli(),
			fmt.Sprint("raw", row.Seq), hs)
		if err == nil {
			err = p.store.Items.Put(ctx, d)
		}
		if err == nil {
			_, err = p.store.Feeds.Modify(ctx, feed, func(f *store.FeedRow) {
				f.Seq, f.Stamp, f.NewestAt, f.Raw = f.Seq+uint32(n), uint32(stamp), newest, d.Raw
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 7 {
		f, err := p.store.Feeds.Ensure(ctx, fmt.Sprint("https://host.example/", i), func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active", Subs: 1}
		})
		if err == nil {
			err = p.store.Subscriptions.Add(ctx, user, f.ID(), store.SubscriptionRow{Since: 1})
		}
		if err != nil {
			t.Fatal(err)
		}
		all[f.ID()] = map[reader.Seq]item{}
	}
	for round := range 6 {
		for f := range all {
			if r.IntN(3) > 0 {
				commit(f, 1+r.IntN(70))
			}
		}
		clk.Add(time.Duration(r.IntN(300)) * time.Second)
		feeds, err := p.s.Feeds(ctx, user)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range feeds {
			if x.Feed.Seq == 0 || r.IntN(2) > 0 {
				continue
			}
			ops := []reader.Op{
				{Kind: reader.OpRead, Seqs: []reader.Seq{1 + reader.Seq(r.IntN(int(x.Feed.Seq))),
					1 + reader.Seq(r.IntN(int(x.Feed.Seq)))}}}
			next, _ := reader.Apply(x.State,
				reader.Change{Ops: ops, Last: reader.Seq(x.Feed.Seq), At: int64(round + 1)})
			if _, err := p.store.Subscriptions.ChangeState(ctx, user, x.Sub, next); err != nil {
				t.Fatal(err)
			}
		}
		if feeds, err = p.s.Feeds(ctx, user); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			q := stream.SortedQuery{
				IDQuery: stream.IDQuery{Is: stream.State(r.IntN(3)), Oldest: r.IntN(2) == 0,
					Limit: 1 + r.IntN(40)},
				Order: stream.Order(r.IntN(5)), Offset: r.IntN(4) * r.IntN(100),
			}
			if r.IntN(4) == 0 {
				q.Published.After = clk.Now().Unix() - r.Int64N(90_000)
			}
			if r.IntN(4) == 0 {
				q.Changed.Before = clk.Now().Unix() - r.Int64N(600)
			}
			var want []item
			for _, x := range feeds {
				for seq, it := range all[x.Feed.ID()] {
					isRead := x.State.IsRead(seq)
					if (q.Is == stream.IsRead && !isRead) || (q.Is == stream.IsUnread && isRead) ||
						stream.Published(&it.h) <= q.Published.After ||
						q.Changed.Before > 0 && p.s.Changed(&it.h, it.id) >= q.Changed.Before {
						continue
					}
					want = append(want, it)
				}
			}
			slices.SortFunc(want, func(a, b item) int {
				if !q.Oldest {
					a, b = b, a
				}
				c := 0
				switch q.Order {
				case stream.ByPublished:
					c = cmp.Compare(stream.Published(&a.h), stream.Published(&b.h))
				case stream.ByChanged:
					c = cmp.Compare(p.s.Changed(&a.h, a.id), p.s.Changed(&b.h, b.id))
				case stream.ByTitle:
					c = strings.Compare(strings.ToLower(a.h.Title), strings.ToLower(b.h.Title))
				case stream.ByAuthor:
					c = strings.Compare(strings.ToLower(a.h.Author), strings.ToLower(b.h.Author))
				}
				return cmp.Or(c, cmp.Compare(a.id, b.id))
			})
			got, total, err := p.s.Sorted(ctx, user, feeds, q)
			if err != nil || total != len(want) {
				t.Fatalf("%+v: %d items of %d, %v", q, total, len(want), err)
			}
			want = want[min(q.Offset, len(want)):]
			want = want[:min(q.Limit, len(want))]
			if !slices.EqualFunc(got, want, func(id reader.ItemID, it item) bool { return id == it.id }) {
				t.Fatalf("round %d, %+v:\n%v\nwant %v", round, q, got, want)
			}
		}
	}
}

// TestManyItemsOfOneAuthor: a page by author does not read the items that have the same one.
func TestManyItemsOfOneAuthor(t *testing.T) {
	w := newWorld(t, 17)
	id := w.feed()
	for n := range 3 {
		w.clk.Add(time.Hour)
		hs := make([]store.Header, 1000)
		for i := range hs {
			hs[i] = store.Header{Identity: uint64(1000*n + i), Author: "The Newsroom", Sort: w.clk.Now().Unix()}
		}
		d, err := store.NewDelta(id, reader.Seq(1000*n+1), reader.MinuteOf(w.clk.Now()), w.clk.Now().UnixMilli(), "raw",
			hs)
		w.ok(err)
		w.ok(w.store.Items.Put(t.Context(), d))
		_, err = w.store.Feeds.Modify(t.Context(), id, func(row *store.FeedRow) { row.Take(d) })
		w.ok(err)
	}
	w.clk.Add(time.Hour)
	feeds, err := w.s.Feeds(t.Context(), user)
	w.ok(err)
	allocs := testing.AllocsPerRun(5, func() {
		ids, total, err := w.s.Sorted(t.Context(), user, feeds,
			stream.SortedQuery{IDQuery: stream.IDQuery{Limit: 50}, Order: stream.ByAuthor})
		if err != nil || total != 3000 || len(ids) != 50 || ids[0] < ids[49] {
			t.Fatal(total, ids, err)
		}
	})
	if allocs > 1000 {
		t.Errorf("a page takes %v allocations", allocs)
	}
}
