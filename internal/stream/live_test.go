package stream_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/storage/table/sqlitetable"
	"github.com/ruri-reader/ruri/internal/stream"
)

// readers are processes over one file, and some of the feeds, which nobody else changes.
type readers struct {
	world
	processes []process
	ids       []reader.FeedID
	undo      string
	alone     bool // nobody else has feeds
}

// newReaders makes n that share the processes, with feeds of their own.
func newReaders(t *testing.T, seed uint64, n, feeds int) (list []*readers, clk *clock.Manual) {
	t.Helper()
	processes, clk := openSQLite(t, 2)
	for i := range n {
		r := &readers{processes: processes, alone: n == 1,
			world: world{t: t, rng: rand.New(rand.NewPCG(seed, uint64(i))), clk: clk, feeds: 1000 * i}}
		r.choose()
		for range feeds {
			id := r.feed()
			r.ids = append(r.ids, id)
			r.news(id, 3)
		}
		list = append(list, r)
	}
	return list, clk
}

// choose lets the next step run in one of the processes.
func (r *readers) choose() {
	p := r.processes[r.rng.IntN(len(r.processes))]
	r.s, r.store, r.blobs = p.s, p.store, p.blobs
}

// step changes something, and returns what.
func (r *readers) step(i int) string {
	r.choose()
	ctx, id := r.t.Context(), r.ids[r.rng.IntN(len(r.ids))]
	sub, err := r.s.Get(ctx, user, id)
	if fault.Is(err, fault.NotFound) {
		r.ok(r.store.Subscriptions.Add(ctx, user, id, store.SubscriptionRow{Since: int64(i)}))
		return fmt.Sprint("subscribe to ", id)
	}
	r.ok(err)
	yes := r.rng.IntN(2) == 0
	kind := r.rng.IntN(14)
	if kind >= 12 && r.alone {
		done, err := r.s.MarkRead(ctx, user, stream.Mark{})
		r.ok(err)
		r.undo = done.Undo
		return "mark all"
	}
	switch kind {
	case 0:
		r.ok(r.store.Subscriptions.Remove(ctx, user, id))
		return fmt.Sprint("unsubscribe from ", id)
	case 1, 2:
		r.clk.Add(time.Minute)
		r.news(id, 1+r.rng.IntN(3))
		return fmt.Sprint("crawl ", id)
	case 3:
		next := *sub.Sub
		next.Mute, next.Title = yes, fmt.Sprint("title ", i)
		_, err := r.store.Subscriptions.Change(ctx, user, sub.Sub, &next)
		r.ok(err)
		return fmt.Sprint("settings of ", id)
	case 4:
		_, err := r.store.Feeds.Modify(ctx, id, func(f *store.FeedRow) { f.Title = fmt.Sprint("title ", i) })
		r.ok(err)
		return fmt.Sprint("title of ", id)
	case 5:
		done, err := r.s.MarkRead(ctx, user, stream.Mark{Scope: stream.Scope{Feed: id}})
		r.ok(err)
		r.undo = done.Undo
		return fmt.Sprint("mark ", id)
	case 6:
		if r.undo != "" {
			_, err := r.s.Undo(ctx, user, 0, r.undo)
			r.undo = ""
			if !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.NotFound) {
				r.ok(err)
			}
		}
		return "undo"
	default:
		p, err := r.s.List(ctx, user, stream.Query{Scope: stream.Scope{Feed: id}, Filter: stream.All, Limit: 200})
		r.ok(err)
		item := p.Items[r.rng.IntN(len(p.Items))].ID
		c := stream.Change{Read: &yes}
		if kind < 8 {
			c = stream.Change{Starred: &yes}
		}
		_, _, err = r.s.SetState(ctx, user, item, c)
		r.ok(err)
		return fmt.Sprint("state of ", item, " in ", id)
	}
}

// naive reads everything, and describes the own feeds; and the totals of all.
func (r *readers) naive() (string, stream.Totals) {
	r.t.Helper()
	var b strings.Builder
	var t stream.Totals
	r.ok(r.store.Subscriptions.EachLatest(r.t.Context(), user, func(sub *store.SubscriptionRow) error {
		f, err := r.store.Feeds.Get(r.t.Context(), sub.Feed(), true)
		if err != nil {
			return err
		}
		state := sub.StateIn(f)
		unread, starred := state.Unread(reader.Seq(f.Floor), reader.Seq(f.Seq)), state.Stars.Len()
		t.Feeds++
		t.Starred += starred
		if !sub.Mute {
			t.Unread += unread
		}
		r.line(&b, f, sub, unread, starred)
		return nil
	}))
	return b.String(), t
}

func (r *readers) line(b *strings.Builder, f *store.FeedRow, sub *store.SubscriptionRow, unread, starred int) {
	for _, id := range r.ids {
		if id == f.ID() {
			fmt.Fprintln(b, id, f.Title, sub.Title, f.Seq, sub.Mute, sub.Rev, sub.OwnRev, unread, starred)
		}
	}
}

// seen describes the own feeds as a process shows them.
func (r *readers) seen(p process) string {
	r.t.Helper()
	list, err := p.s.Feeds(r.t.Context(), user)
	r.ok(err)
	var b strings.Builder
	for _, x := range list {
		r.line(&b, x.Feed, x.Sub, x.Unread(), x.StarredCount())
	}
	return b.String()
}

// TestSideBarOfTwoProcesses: after each change by one of two processes, both show what reading everything shows.
//
func TestSideBarOfTwoProcesses(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		list, _ := newReaders(t, seed, 1, 5)
		r := list[0]
		for i := range 150 {
			what := r.step(i)
			want, totals := r.naive()
			for n, p := range r.processes {
				if r.rng.IntN(3) == 0 {
					continue // let several changes come together
				}
				if got := r.seen(p); got != want {
					t.Fatalf("seed %d, step %d (%s): process %d shows\n%s\nwant\n%s", seed, i, what, n, got, want)
				}
				if got, err := p.s.Totals(t.Context(), user); err != nil || got != totals {
					t.Fatalf("seed %d, step %d (%s): process %d sums %+v (%v), want %+v", seed, i, what, n,
						got, err, totals)
				}
			}
		}
	}
}

// TestSideBarOfTwoProcessesAtOnce: many change feeds of their own in two processes at once, and each finds its changes
// in both as soon as they are made.
func TestSideBarOfTwoProcessesAtOnce(t *testing.T) {
	t.Parallel()
	list, _ := newReaders(t, 7, 8, 2)
	var wg sync.WaitGroup
	for _, r := range list {
		wg.Go(func() {
			for i := range 60 {
				what := r.step(i)
				want, _ := r.naive()
				for n, p := range r.processes {
					if got := r.seen(p); got != want {
						t.Errorf("step %d (%s): process %d shows\n%s\nwant\n%s", i, what, n, got, want)
						return
					}
					if _, err := p.s.Totals(t.Context(), user); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	_, want := list[0].naive()
	for n, p := range list[0].processes {
		if got, err := p.s.Totals(t.Context(), user); err != nil || got != want {
			t.Errorf("in the end process %d sums %+v (%v), want %+v", n, got, err, want)
		}
	}
}

// TestSideBarOfOneFeedAtOnce: many mark items of the same feed at once, so that they overtake each other.
func TestSideBarOfOneFeedAtOnce(t *testing.T) {
	t.Parallel()
	list, _ := newReaders(t, 11, 1, 1)
	r := list[0]
	r.news(r.ids[0], 20)
	p, err := r.s.List(t.Context(), user, stream.Query{Filter: stream.All, Limit: 200})
	r.ok(err)
	for round := range 25 {
		var wg sync.WaitGroup
		for i := range 6 {
			s := r.processes[i%2].s
			wg.Go(func() {
				for j := range 3 {
					yes := (round+i+j)%2 == 0
					_, _, err := s.SetState(t.Context(), user, p.Items[6*j+i].ID, stream.Change{Read: &yes})
					if err == nil {
						_, err = s.Totals(t.Context(), user)
					}
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		want, totals := r.naive()
		for n, p := range r.processes {
			got, err := p.s.Totals(t.Context(), user)
			if shown := r.seen(p); err != nil || got != totals || shown != want {
				t.Fatalf("round %d: process %d shows %s and %+v (%v), want %s and %+v", round, n, shown, got,
					err, want, totals)
			}
		}
	}
}

// reads returns how many rows a process has read.
func (p process) reads() int64 { return p.store.Table().Meter().Snapshot().ReadOps }

// TestMarksDoNotGrowWithTheSideBar: a mark and its counts read and write the same at 100 and at 3,000 feeds, and
// allocate no more than the new list.
// It is not parallel: it measures what is allocated.
func TestMarksDoNotGrowWithTheSideBar(t *testing.T) {
	type cost struct {
		reads  int64
		writes float64
		bytes  uint64
	}
	const marks = 50
	costs := map[int]cost{}
	for _, n := range []int{100, 3000} {
		list, clk := openSQLite(t, 1)
		p, items := list[0], fillSideBar(t, list[0].store, clk, n)
		mark := func(i int) {
			read := i%2 == 0
			_, sub, err := p.s.SetState(context.Background(), user, items[i/2], stream.Change{Read: &read})
			if err == nil {
				_, err = p.s.Totals(context.Background(), user, sub)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for i := range 10 {
			mark(i)
		}
		var before, after runtime.MemStats
		reads, units := p.reads(), p.store.Table().Meter().Snapshot().Writes["subscription"]
		runtime.ReadMemStats(&before)
		for i := range marks {
			mark(10 + i)
		}
		runtime.ReadMemStats(&after)
		costs[n] = cost{p.reads() - reads, p.store.Table().Meter().Snapshot().Writes["subscription"] - units,
			(after.TotalAlloc - before.TotalAlloc) / marks}
	}
	few, many := costs[100], costs[3000]
	// Pools and the race detector move the bytes a little.
	if few.reads != many.reads || few.writes != many.writes || few.writes != marks ||
		many.bytes > 3*few.bytes/2+10*3000 {
		t.Errorf("at 100 feeds %+v, at 3,000 %+v", few, many)
	}
}

// TestManyMarkersRebuildNothing: when 16 mark at once, only the subscriptions that they mark are made anew.
func TestManyMarkersRebuildNothing(t *testing.T) {
	t.Parallel()
	const feeds, each = 200, 10
	list, clk := openSQLite(t, 1)
	p, items := list[0], fillSideBar(t, list[0].store, clk, feeds)
	slices.SortFunc(items, func(a, b reader.ItemID) int { return cmp.Compare(a.Feed(), b.Feed()) })
	before, err := p.s.Feeds(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	yes := true
	for m := range 16 {
		wg.Go(func() {
			for i := range each {
				_, sub, err := p.s.SetState(context.Background(), user, items[m*each+i], stream.Change{Read: &yes})
				if err == nil {
					_, err = p.s.Totals(context.Background(), user, sub)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	after, err := p.s.Feeds(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range after {
		if marked := i < 16*each; (x == before[i]) == marked {
			t.Errorf("subscription %d: marked %v, made anew %v", i, marked, x != before[i])
		}
	}
	got, err := p.s.Totals(t.Context(), user)
	if err != nil || got.Unread != feeds*20-16*each {
		t.Errorf("in the end %+v, %v", got, err)
	}
}

// asked counts how often the log of changes is read.
type asked struct {
	*sqlitetable.Driver
	times int64
}

func (a *asked) Changes(ctx context.Context, after uint64) ([]table.Change, uint64, bool) {
	a.times++
	return a.Driver.Changes(ctx, after)
}

// TestMarksReadWhatChanged: where the side bar is in memory, an item that was opened needs no row, and a mark reads the
// one that it wrote. What another process wrote is read as well, and no condition fails because of it. The log is read
// once to open an item, and twice to mark one: before and after the write.
func TestMarksReadWhatChanged(t *testing.T) {
	t.Parallel()
	list, clk := openSQLite(t, 2)
	a, b := list[0], list[1]
	log := &asked{Driver: a.store.Table().Driver().(*sqlitetable.Driver)}
	a.store = store.New(table.New(log, table.Options{Clock: clk, Kind: store.Kind}), clk)
	a.s = stream.New(a.store, a.blobs, clk)
	item := fillSideBar(t, a.store, clk, 3)[0]
	one := reader.NewItemID(item.Stamp(), item.Feed(), 1)
	mark := func(p process, id reader.ItemID) *stream.Subscribed {
		t.Helper()
		yes := true
		_, sub, err := p.s.SetState(t.Context(), user, id, stream.Change{Read: &yes})
		if err == nil {
			_, err = p.s.Totals(t.Context(), user, sub)
		}
		if err != nil {
			t.Fatal(err)
		}
		return sub
	}
	open := func() {
		t.Helper()
		if _, _, err := a.s.Find(t.Context(), user, item); err != nil {
			t.Fatal(err)
		}
	}
	costs := func(what string, do func(), reads, writes, logs int64) {
		t.Helper()
		before, asked := a.store.Table().Meter().Snapshot(), log.times
		do()
		after := a.store.Table().Meter().Snapshot()
		if r, w := after.ReadOps-before.ReadOps, after.WriteOps-before.WriteOps; r != reads || w != writes ||
			log.times-asked != logs {
			t.Errorf("%s: %d reads, %d writes, %d of the log, want %d, %d and %d", what, r, w, log.times-asked,
				reads, writes, logs)
		}
	}
	if _, err := a.s.Feeds(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	costs("open an item", open, 1, 0, 1) // its delta
	costs("again", open, 0, 0, 1)
	costs("mark it", func() { mark(a, item) }, 1, 1, 2)
	mark(b, one)
	var sub *stream.Subscribed
	costs("mark another after another process", func() { sub = mark(a, item-1) }, 2, 1, 2)
	if !sub.State.IsRead(1) || !sub.State.IsRead(19) || !sub.State.IsRead(20) || sub.Unread() != 17 {
		t.Errorf("%d unread: %+v", sub.Unread(), sub.State.ReadState)
	}
}
