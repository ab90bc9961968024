package find_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

const user = reader.UserID("u1")

// engine finds the newest item of each feed that it is given, up to the limit.
type engine struct{}

func (engine) Search(_ context.Context, r search.Request) (out search.Result, err error) {
	for _, f := range r.Feeds {
		if seq := reader.Seq(f.Row.Seq); len(out.Hits) < r.Limit && f.Wants(seq) {
			out.Hits = append(out.Hits, search.Hit{Feed: f.Row.ID(), Seq: seq, Stamp: reader.Minute(f.Row.Stamp),
				Header: store.Header{Title: "found"}})
		}
	}
	return out, nil
}

// library gives the user so many feeds with two items each.
func library(tb testing.TB, driver table.Driver, feeds int) *find.Service {
	tb.Helper()
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	t := table.New(driver, table.Options{Clock: clk, Kind: store.Kind})
	tb.Cleanup(func() { _ = t.Close() })
	st := store.New(t, clk)
	var g errgroup.Group
	g.SetLimit(64)
	for i := range feeds {
		g.Go(func() error {
			f, err := st.Feeds.Ensure(tb.Context(), fmt.Sprint("https://example.org/", i),
				func(reader.FeedID) store.FeedRow {
					return store.FeedRow{Period: 5, Status: "active", Seq: 2, FirstSeq: 2, Stamp: 1000,
						NewestAt: clk.Now().Unix()}
				})
			if err == nil {
				err = st.Subscriptions.Add(tb.Context(), user, f.ID(), store.SubscriptionRow{Since: 1})
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		tb.Fatal(err)
	}
	return find.New(stream.New(st, nil, clk), engine{}, nil, search.Titles)
}

// An engine is trusted with what it may look into, not with what is shown: of other feeds nothing is.
func TestOnlyFeedsOfTheUserAreShown(t *testing.T) {
	t.Parallel()
	s := library(t, memtable.New(), 1)
	p, err := s.Search(t.Context(), user, find.Query{Text: "x"})
	if err != nil || len(p.Items) != 1 || p.Items[0].FeedTitle != "example.org" || p.Feed(p.Items[0].Feed) == nil {
		t.Fatalf("%+v, %v", p, err)
	}
	s = find.New(find.StreamsOf(s), elsewhere{}, nil, search.Titles)
	if p, err = s.Search(t.Context(), user, find.Query{Text: "x"}); err != nil || len(p.Items) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// elsewhere finds an item of a feed that it was not given.
type elsewhere struct{}

func (elsewhere) Search(context.Context, search.Request) (search.Result, error) {
	return search.Result{Hits: []search.Hit{{Feed: 77, Seq: 1, Stamp: 1, Header: store.Header{Title: "another's"}}}},
		nil
}

// FuzzCursor: no cursor but one that a search gave leads anywhere, and none breaks anything.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{"", "i", "ix", "s", "s.", "s1.1", "s0.zzzzzzzzzzzzzzzz", "\xff", "桜"} {
		f.Add(s)
	}
	s := library(f, memtable.New(), 1)
	f.Fuzz(func(t *testing.T, cursor string) {
		for _, filter := range []stream.Filter{stream.All, stream.Starred} {
			if _, err := s.Search(t.Context(), user, find.Query{Text: "x", Filter: filter, Cursor: cursor}); err !=
				nil && fault.CodeOf(err) != "bad_cursor" {
				t.Errorf("%q: %v", cursor, err)
			}
		}
	})
}

// BenchmarkSearch is all of a search but the engine, on one machine, where the side bar is in memory.
func BenchmarkSearch(b *testing.B) {
	for _, feeds := range []int{100, 5000} {
		b.Run(fmt.Sprint(feeds, " feeds"), func(b *testing.B) {
			d, err := sqlitetable.Open(filepath.Join(b.TempDir(), "ruri.db"), sqlitetable.Options{})
			if err != nil {
				b.Fatal(err)
			}
			s := library(b, d, feeds)
			b.ReportAllocs()
			for b.Loop() {
				if p, err := s.Search(b.Context(), user, find.Query{Text: "x"}); err != nil || len(p.Items) != 50 {
					b.Fatal(len(p.Items), err)
				}
			}
		})
	}
}
