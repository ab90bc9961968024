package stream_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/blob/fileblob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/stream"
)

// process is a service over a file that others may have open too.
type process struct {
	s     *stream.Service
	store *store.Store
	blobs *blob.Bucket
}

// openSQLite opens one file as several processes do.
func openSQLite(tb testing.TB, processes int) (list []process, clk *clock.Manual) {
	tb.Helper()
	clk = clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	folder := tb.TempDir()
	files, err := fileblob.Open(filepath.Join(folder, "blobs"), fileblob.Options{Clock: clk})
	if err != nil {
		tb.Fatal(err)
	}
	for range processes {
		d, err := sqlitetable.Open(filepath.Join(folder, "ruri.db"), sqlitetable.Options{})
		if err != nil {
			tb.Fatal(err)
		}
		t := table.New(d, table.Options{Clock: clk, Kind: store.Kind})
		tb.Cleanup(func() { _ = t.Close() })
		p := process{store: store.New(t, clk), blobs: blob.New(files)}
		p.s = stream.New(p.store, p.blobs, clk)
		list = append(list, p)
	}
	return list, clk
}

// fillSideBar gives the user n feeds with one delta of 20 items each, and returns the newest items.
func fillSideBar(tb testing.TB, st *store.Store, clk clock.Clock, n int) []reader.ItemID {
	tb.Helper()
	const each = 20
	stamp, items := reader.MinuteOf(clk.Now()), make([]reader.ItemID, n)
	hs := make([]store.Header, each)
	for i := range hs {
		hs[i] = store.Header{Identity: uint64(i + 1), Title: "An item", Sort: clk.Now().Unix()}
	}
	var g errgroup.Group
	g.SetLimit(64) // these share a flush of the disk
	for i := range n {
		g.Go(func() error {
			ctx := context.Background()
			f, err := st.Feeds.Ensure(ctx, fmt.Sprint("https://host", i%50, ".example.org/feed/", i),
				func(reader.FeedID) store.FeedRow {
					return store.FeedRow{Period: 5, Status: "active", Subs: 1, Title: fmt.Sprint("Feed ", i), Seq: each,
						FirstSeq: each, Stamp: uint32(stamp), NewestAt: clk.Now().Unix()}
				})
			if err == nil {
				err = st.Subscriptions.Add(ctx, user, f.ID(), store.SubscriptionRow{Since: 1})
			}
			if err != nil {
				return err
			}
			d, err := store.NewDelta(f.ID(), 1, stamp, clk.Now().UnixMilli(), "raw", hs)
			if err != nil {
				return err
			}
			items[i] = reader.NewItemID(stamp, f.ID(), each)
			return st.Items.Put(ctx, d)
		})
	}
	if err := g.Wait(); err != nil {
		tb.Fatal(err)
	}
	return items
}

// BenchmarkMarks toggles items and returns the sums, as a request does: 16 at once, and one at a time.
func BenchmarkMarks(b *testing.B) {
	for _, c := range []struct{ feeds, atOnce int }{{100, 1}, {5000, 1}, {100, 16}, {5000, 16}} {
		b.Run(fmt.Sprint(c.feeds, "feeds,", c.atOnce, "atonce"), func(b *testing.B) {
			list, clk := openSQLite(b, 1)
			s, items := list[0].s, fillSideBar(b, list[0].store, clk, c.feeds)
			if t, err := s.Totals(context.Background(), user); err != nil || t.Feeds != c.feeds {
				b.Fatal(t, err)
			}
			var n atomic.Int64
			b.ReportAllocs()
			b.SetParallelism(max(c.atOnce/2, 1)) // times two cores
			work := func() bool {
				i := n.Add(1)
				read := i/int64(c.feeds)%2 == 0
				_, sub, err := s.SetState(context.Background(), user, items[i%int64(c.feeds)],
					stream.Change{Read: &read})
				if err == nil {
					_, err = s.Totals(context.Background(), user, sub)
				}
				if err != nil {
					b.Error(err)
				}
				return err == nil
			}
			b.ResetTimer()
			if c.atOnce == 1 {
				for b.Loop() {
					work()
				}
			} else {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() && work() {
					}
				})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "marks/s")
		})
	}
}

// fillItems gives the user n feeds with 20 items and then others, that are unread and came minute by minute, ten at
// once.
func fillItems(b *testing.B, p process, clk *clock.Manual, n, unread int) {
	b.Helper()
	s, st := p.s, p.store
	fillSideBar(b, st, clk, n)
	ctx := context.Background()
	var g errgroup.Group
	g.SetLimit(64)
	for i := range n {
		g.Go(func() error {
			id, seq := reader.FeedID(i+1), uint32(20)
			for ; int(seq) < unread+20; seq += 10 {
				stamp := reader.MinuteOf(clk.Now()) + reader.Minute(seq)
				hs := make([]store.Header, 10)
				for j := range hs {
					hs[j] = store.Header{Identity: uint64(j + 1),
						Title: fmt.Sprint((i*7919+j*104729+int(seq))%100_003, " things"),
						Sort:  stamp.Time().Unix() + int64(j)}
				}
				d, err := store.NewDelta(id, reader.Seq(seq+1), stamp, clk.Now().UnixMilli(), "raw", hs)
				if err == nil {
					err = st.Items.Put(ctx, d)
				}
				if err != nil {
					return err
				}
			}
			_, err := st.Feeds.Modify(ctx, id, func(f *store.FeedRow) {
				stamp := reader.MinuteOf(clk.Now()) + reader.Minute(seq-10)
				f.Seq, f.Stamp, f.FirstSeq, f.NewestAt = seq, uint32(stamp), 20, stamp.Time().Unix()+9
			})
			if err != nil {
				return err
			}
			sub, err := s.Get(ctx, user, id)
			if err != nil {
				return err
			}
			next, _ := reader.Apply(sub.State,
				reader.Change{Ops: []reader.Op{{Kind: reader.OpReadUpTo, UpTo: reader.Seq(seq) - reader.Seq(unread)}},
					Last: reader.Seq(seq), At: 1})
			_, err = st.Subscriptions.ChangeState(ctx, user, sub.Sub, next)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkIDs lists the ids of 50,000 unread items of 100 and of 5,000 feeds in SQLite, when all is in memory.
func BenchmarkIDs(b *testing.B) {
	for _, feeds := range []int{100, 5000} {
		b.Run(fmt.Sprint(feeds, "feeds"), func(b *testing.B) {
			list, clk := openSQLite(b, 1)
			fillItems(b, list[0], clk, feeds, stream.MaxIDs/feeds)
			b.ReportAllocs()
			for b.Loop() {
				ids, _, err := list[0].s.IDs(context.Background(), user,
					stream.IDQuery{Is: stream.IsUnread, Limit: stream.MaxIDs})
				if err != nil || len(ids) < stream.MaxIDs*9/10 {
					b.Fatal(len(ids), err)
				}
			}
		})
	}
}

// BenchmarkSorted lists pages of 50 of the 300,000 items of 5,000 feeds, of which most are unread, in each order.
func BenchmarkSorted(b *testing.B) {
	list, clk := openSQLite(b, 1)
	fillItems(b, list[0], clk, 5000, 40)
	clk.Add(time.Hour)
	s, ctx := list[0].s, context.Background()
	for name, order := range map[string]stream.Order{"arrival": stream.ByArrival, "published": stream.ByPublished,
		"changed": stream.ByChanged, "title": stream.ByTitle, "author": stream.ByAuthor} {
		for state, is := range map[string]stream.State{"any": stream.AnyState, "unread": stream.IsUnread,
			"read": stream.IsRead} {
			for direction, oldest := range map[string]bool{"asc": true, "desc": false} {
				b.Run(name+","+state+","+direction, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						feeds, err := s.Feeds(ctx, user)
						if err != nil {
							b.Fatal(err)
						}
						ids, _, err := s.Sorted(ctx, user, feeds,
							stream.SortedQuery{IDQuery: stream.IDQuery{Is: is, Oldest: oldest, Limit: 50},
								Order: order})
						if err != nil || len(ids) != 50 {
							b.Fatal(len(ids), err)
						}
					}
				})
			}
		}
	}
}
