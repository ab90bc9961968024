package stream_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/stream"
)

// running is a program that crawls and answers over a file that others may have open.
type running struct {
	file  *sqlitetable.Driver
	store *store.Store
	s     *stream.Service
	under map[reader.FeedID]func() // commits under way
	first bool                     // to open the file
}

func (w *world) process(path string) *running {
	file, err := sqlitetable.Open(path, sqlitetable.Options{})
	w.ok(err)
	w.t.Cleanup(func() { _ = file.Close() })
	st := store.New(table.New(file, table.Options{Clock: w.clk, Kind: store.Kind}), w.clk)
	return &running{file: file, store: st, s: stream.New(st, w.blobs, w.clk), under: map[reader.FeedID]func(){}}
}

// begin begins a commit of a new item, as the crawler does, and returns what ends it.
func (p *running) begin(w *world, id reader.FeedID) func() {
	f, err := p.store.Feeds.Get(w.t.Context(), id, true)
	w.ok(err)
	now := w.clk.Now()
	stamp := max(reader.MinuteOf(now), reader.Minute(f.Stamp)+1)
	stamp, end, err := p.store.Stamps.Begin(w.t.Context(), id, stamp)
	w.ok(err)
	return func() {
		defer end()
		d, err := store.NewDelta(id, reader.Seq(f.Seq+1), stamp, now.UnixMilli(), "raw",
			[]store.Header{{Identity: uint64(f.Seq), Sort: now.Unix()}})
		w.ok(err)
		w.ok(p.store.Items.Put(w.t.Context(), d))
		_, err = p.store.Feeds.Modify(w.t.Context(), id, func(row *store.FeedRow) { row.Take(d) })
		w.ok(err)
	}
}

// TestSettledAtOnce: a process that is alone lists at once what is committed. At every moment counters count what is
// listed. However commits overlap, the clock steps, processes start beside it, end and start again, a program that
// goes on from the newest id misses nothing and gets nothing twice.
func TestSettledAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		path := filepath.Join(t.TempDir(), "ruri.db")
		file, err := sqlitetable.Open(path, sqlitetable.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorldOver(t, 900+seed, file)
		feeds := make([]reader.FeedID, 6)
		for i := range feeds {
			feeds[i] = w.feed()
		}
		w.ok(file.Close())

		open := []*running{w.process(path)}
		open[0].first = true
		shared := w.clk.Now()
		var above reader.ItemID
		var have []reader.ItemID
		sync := func(p *running) {
			ctx := stream.Settled(stream.Syncing(t.Context()))
			list, err := p.s.Feeds(ctx, user)
			w.ok(err)
			ids, _, err := p.s.IDs(ctx, user, stream.IDQuery{Limit: 10_000, Above: above, Oldest: true})
			w.ok(err)
			for _, id := range ids {
				if id <= above {
					t.Fatalf("seed %d: %d comes after %d", seed, id, above)
				}
				above, have = id, append(have, id)
			}
			count, all := 0, 0
			for _, x := range list {
				count += x.Unread()
			}
			ids, _, err = p.s.IDs(ctx, user, stream.IDQuery{Limit: 10_000, Is: stream.IsUnread})
			w.ok(err)
			_, sorted, err := p.s.Sorted(ctx, user, list, stream.SortedQuery{Order: stream.ByTitle})
			w.ok(err)
			if count != len(ids) || count != sorted {
				t.Fatalf("seed %d: %d items are counted, %d and %d listed", seed, count, len(ids), sorted)
			}
			list, err = p.s.Feeds(t.Context(), user)
			w.ok(err)
			// Stamps that have run ahead of the clock are waited for.
			isAhead := slices.ContainsFunc(list, func(x *stream.Subscribed) bool {
				return reader.Minute(x.Feed.Stamp) > reader.MinuteOf(w.clk.Now())+5
			})
			for _, x := range list {
				all += x.Unread()
			}
			if len(open) == 1 && p.first && len(p.under) == 0 && !isAhead && count != all {
				t.Fatalf("seed %d: %d items are listed, and there are %d", seed, count, all)
			}
		}
		for range 500 {
			p := open[w.rng.IntN(len(open))]
			id := feeds[w.rng.IntN(len(feeds))]
			switch n := w.rng.IntN(40); {
			case n < 10:
				w.clk.Add(time.Duration(w.rng.IntN(15_000)) * time.Millisecond)
			case n == 10 && len(open) == 1:
				// where several write, clocks that step back by minutes are not provided for
				w.clk.Add(-time.Duration(w.rng.IntN(90)) * time.Second)
			case n == 11 && len(open) == 1:
				open, shared = append(open, w.process(path)), w.clk.Now()
			case n == 12:
				for _, f := range p.under {
					f()
				}
				w.ok(p.file.Close())
				if open = slices.DeleteFunc(open, func(x *running) bool { return x == p }); len(open) == 0 {
					open = append(open, w.process(path))
					open[0].first = true
				}
			case n < 26 && p.under[id] != nil:
				p.under[id]()
				delete(p.under, id)
			case n < 26 && !slices.ContainsFunc(open, func(p *running) bool { return p.under[id] != nil }):
				p.under[id] = p.begin(w, id)
			case n < 30:
				for id, f := range p.under {
					f()
					delete(p.under, id)
				}
			default:
				sync(p)
			}
			if len(open) > 1 {
				for _, p := range open { // a commit takes no longer than this without a new stamp
					if w.clk.Now().Sub(shared) > 20*time.Second {
						for id, f := range p.under {
							f()
							delete(p.under, id)
						}
						shared = w.clk.Now()
					}
				}
			}
		}
		for _, p := range open {
			for _, f := range p.under {
				f()
			}
		}
		w.clk.Add(3 * time.Hour)
		clear(open[0].under)
		sync(open[0])
		total := 0
		list, err := open[0].s.Feeds(t.Context(), user)
		w.ok(err)
		for _, x := range list {
			total += int(x.Feed.Seq)
		}
		if len(have) != total || total < 50 {
			t.Errorf("seed %d: %d of %d items came", seed, len(have), total)
		}
	}
}
