package usage_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/popular/usage"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var bg = context.Background()

type world struct {
	t     *testing.T
	clk   *clock.Manual
	store *store.Store
	s     *usage.Service
	users []reader.UserID
	feeds []reader.FeedID
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// newWorld makes an installation whose users follow three feeds each.
func newWorld(t *testing.T, users int) *world {
	clk := clock.NewManual(time.Date(2026, 12, 20, 23, 0, 0, 0, time.UTC))
	w := &world{t: t, clk: clk}
	rows := table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind})
	w.store = store.New(rows, clk)
	w.s = usage.New(w.store, clk, 2)
	for i := range 5 {
		row, err := w.store.Feeds.Ensure(bg, fmt.Sprint("https://example.org/", i), func(reader.FeedID) store.FeedRow {
			return store.FeedRow{Period: 5, Status: "active", Subs: int32(users), Seq: 9, FirstSeq: 9}
		})
		w.must(err)
		w.feeds = append(w.feeds, row.ID())
	}
	for i := range users {
		u := reader.UserID(fmt.Sprint("u", i))
		w.users = append(w.users, u)
		for j := range 3 {
			f := w.feeds[(i+j)%5]
			w.must(w.store.Subscriptions.Add(bg, u, f, store.SubscriptionRow{Since: 1}))
			w.must(w.store.Subscriptions.PutSubscriber(bg, f, store.Subscriber{User: u, At: 1}))
		}
	}
	return w
}

// note stores notes in a row of a user, as a change of an item does, and reports whether there was room.
func (w *world) note(u reader.UserID, f reader.FeedID, notes ...reader.Note) bool {
	w.t.Helper()
	row, err := w.store.Subscriptions.Get(bg, u, f)
	w.must(err)
	next := *row
	var added bool
	next.Notes, added = reader.Notes(row.Notes).Add(w.today(), notes)
	next.Rev++
	_, err = w.store.Subscriptions.Change(bg, u, row, &next)
	w.must(err)
	return added
}

func (w *world) today() reader.Day { return reader.DayOf(w.clk.Now().UnixMilli()) }

// TestSumsAgainstAModel: several people click, open and search for 40 days, over the end of a year; some switch it off.
// Each night's sums, and what everybody sees, are those of a list of all that was done. H-9 H-10 H-11 H-12 H-13
func TestSumsAgainstAModel(t *testing.T) {
	t.Parallel()
	for _, users := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(users, " users"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, users)
			rnd := rand.New(rand.NewPCG(uint64(users), 15))
			type done struct {
				day  reader.Day
				what store.UseSum
				kind reader.NoteKind
			}
			all := map[done]map[reader.UserID]int{}
			off := reader.UserID("")
			if users == 4 {
				off = w.users[3]
				_, err := w.store.Preferences.Change(bg, off, func(library.Preferences) (library.Preferences, error) {
					return library.Preferences{"countUse": false}, nil
				})
				w.must(err)
			}
			for end := w.clk.Now().AddDate(0, 0, 40); w.clk.Now().Before(end); w.clk.Add(
				time.Duration(rnd.IntN(300)) * time.Minute) {
				i := rnd.IntN(users)
				u, one := w.users[i],
					reader.Note{Kind: reader.NoteKind(1 + rnd.IntN(3)), Text: fmt.Sprint("t", rnd.IntN(3))}
				if one.Kind == reader.Clicked {
					one = reader.Note{Kind: reader.Clicked, Item: reader.NewItemID(100, 1, reader.Seq(1+rnd.IntN(3)))}
				}
				if w.note(u, w.feeds[(i+rnd.IntN(3))%5], one) && u != off {
					x := done{w.today(), store.UseSum{Item: one.Item, Text: one.Text}, one.Kind}
					if all[x] == nil {
						all[x] = map[reader.UserID]int{}
					}
					all[x][u]++
				}
				if rnd.IntN(4) > 0 {
					continue
				}
				w.must(w.s.Nightly(bg))
			}
			w.must(w.s.Nightly(bg))
			for _, days := range []int{1, 7, 30} {
				got, err := w.s.Popular(bg, w.users[0], days)
				w.must(err)
				for kind, list := range map[reader.NoteKind][]*store.UseSum{reader.Clicked: got.Clicks,
					reader.TagOpened: got.Tags, reader.Searched: got.Searches} {
					want := map[store.UseSum]int{}
					for x, by := range all {
						if x.kind != kind || x.day >= w.today() || x.day+reader.Day(days) < w.today() ||
							len(by) < min(users, 2) {
							continue
						}
						for _, n := range by {
							want[x.what] += n
						}
					}
					sums := map[store.UseSum]int{}
					for i, x := range list {
						sums[store.UseSum{Item: x.Item, Text: x.Text}] = x.N
						if i > 0 && list[i-1].N < x.N {
							t.Errorf("not most first: %v", list)
						}
					}
					if !maps.Equal(sums, want) || days == 30 && len(want) == 0 {
						t.Errorf("%d days, kind %d: %v, want %v", days, kind, sums, want)
					}
				}
			}
		})
	}
}

// TestOnlyOnePersonsUse: what one person alone did is shown to nobody else, neither before nor after another one joins.
// H-36
func TestOnlyOnePersonsUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	a, b := w.users[0], w.users[1]
	secret, shared := reader.Note{Kind: reader.Searched, Text: "secret"},
		reader.Note{Kind: reader.Searched, Text: "shared"}
	for range 5 {
		w.note(a, w.feeds[0], secret)
	}
	w.note(a, w.feeds[0], shared)
	w.note(b, w.feeds[1], shared)
	w.clk.Add(24 * time.Hour)
	w.must(w.s.Nightly(bg))
	for _, u := range w.users {
		got, err := w.s.Popular(bg, u, 7)
		w.must(err)
		if len(got.Searches) != 1 || *got.Searches[0] != (store.UseSum{Text: "shared", N: 2}) {
			t.Errorf("%s sees %v", u, got.Searches)
		}
	}
	alone := newWorld(t, 1)
	alone.note("u0", alone.feeds[0], secret)
	alone.clk.Add(24 * time.Hour)
	alone.must(alone.s.Nightly(bg))
	for u, want := range map[reader.UserID]int{"u0": 1, "u1": 0} {
		if got, err := alone.s.Popular(bg, u, 7); err != nil || len(got.Searches) != want {
			t.Errorf("%s sees %v of what u0 did alone: %v", u, got.Searches, err)
		}
	}
}

// TestFiftySearchesOfADayAreKept: those that were made most often, and as many tags.
func TestFiftySearchesOfADayAreKept(t *testing.T) {
	t.Parallel()
	for _, kind := range []reader.NoteKind{reader.Searched, reader.TagOpened} {
		w := newWorld(t, 2)
		for i := range 60 {
			for n := range 2 + i%2 {
				u := n % 2
				if !w.note(w.users[u], w.feeds[(u+i%3)%5], reader.Note{Kind: kind, Text: fmt.Sprintf("%02d", i)}) {
					t.Fatal("there is no room for the notes")
				}
			}
		}
		w.clk.Add(24 * time.Hour)
		w.must(w.s.Nightly(bg))
		rows, err := w.store.Uses.Days(bg, w.today()-1, w.today())
		w.must(err)
		use, err := rows[0].Use()
		w.must(err)
		list, thrice := slices.Concat(use.Searches, use.Tags), 0
		for _, x := range list {
			thrice += x.N - 2
		}
		if len(list) != 50 || thrice != 30 {
			t.Errorf("kind %d: %d are kept of 60, %d of them of the 30 that came three times", kind, len(list), thrice)
		}
	}
}

// TestNightsWriteWhatChanged: a night that finds the sums as they are writes nothing, and one whose write failed is
// repeated.
func TestNightsWriteWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	count := func() (rows int) {
		list, err := w.store.Uses.Days(bg, w.today()-30, w.today())
		w.must(err)
		return len(list)
	}
	writes := func() float64 {
		before := w.store.Table().Meter().Snapshot().TotalWrites()
		w.must(w.s.Nightly(bg))
		return w.store.Table().Meter().Snapshot().TotalWrites() - before
	}
	if n := writes(); n != 0 || count() != 0 {
		t.Errorf("a night after nothing writes %.0f units and %d rows", n, count())
	}
	w.note("u0", w.feeds[0], reader.Note{Kind: reader.TagOpened, Text: "go"})
	if n := writes(); n != 0 {
		t.Errorf("the day is not over, and %.0f units are written", n)
	}
	w.clk.Add(24 * time.Hour)
	if n := writes(); n != 1 || count() != 1 {
		t.Errorf("%.0f units, %d rows", n, count())
	}
	for range 3 {
		if n := writes(); n != 0 {
			t.Errorf("a repeated night writes %.0f units", n)
		}
		w.clk.Add(20 * time.Hour)
	}
	w.clk.Add(48 * time.Hour)
	w.note("u0", w.feeds[0]) // a later change drops what is counted
	row, err := w.store.Subscriptions.Get(bg, "u0", w.feeds[0])
	w.must(err)
	if writes(); count() != 1 || len(row.Notes) > 0 {
		t.Errorf("%d rows, %d bytes of notes", count(), len(row.Notes))
	}
}
