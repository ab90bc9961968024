package watch

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/schedule"
)

// churn looks at random pages for some days, and leaves the changes in cs.
func churn(t *testing.T, seed uint64, looks int) *watcher {
	rng := rand.New(rand.NewPCG(seed, 0))
	w := newDetailWatcher(t)
	w.set.Details = true
	for range looks {
		var page []listing.Row
		for i := range 40 {
			r := row(i+1, int64(rng.IntN(8)*100+500))
			switch rng.IntN(12) {
			case 0:
				continue
			case 1:
				r.Status = listing.Sold
			case 2:
				r.Price = nil
			}
			page = append(page, r)
		}
		rng.Shuffle(len(page), func(i, j int) { page[i], page[j] = page[j], page[i] })
		v := w.look(page...)
		for _, k := range v.Details {
			w.wait(5 * time.Second)
			w.detail(k, &listing.Detail{Status: listing.Status(rng.IntN(3)), Gone: rng.IntN(9) == 0,
				SoldAt: w.now.Add(-time.Hour)})
		}
		w.wait(time.Duration(rng.IntN(10)+1) * time.Hour)
	}
	return w
}

// The order in which changes are applied, and in how many steps, does not matter; neither where a base lies between
// them.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	w := churn(t, 1, 60)
	want := w.s.Encode()
	rng := rand.New(rand.NewPCG(2, 0))
	for range 50 {
		cs := slices.Clone(w.cs)
		rng.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
		s := NewState()
		for len(cs) > 0 {
			n := 1 + rng.IntN(len(cs))
			s.Apply(cs[:n]...)
			s.Apply(cs[:n/2]...) // some of them twice
			cs = cs[n:]
		}
		if !bytes.Equal(s.Encode(), want) {
			t.Fatal("another state")
		}
		if b := s.atBase(); !bytes.Equal(b.Encode(), NewState().Encode()) {
			t.Fatal("the state before is not the one before")
		}
	}
}

// Groups that were made without knowledge of each other in the same millisecond have an order too.
func TestTies(t *testing.T) {
	t.Parallel()
	look := func(price int64) *Changes {
		l := &Look{Page: 1, At: start, Tick: schedule.TickOf(start),
			Read: &listing.Page{Rows: []listing.Row{row(1, price)}}}
		v := Compare(NewState(), &Settings{}, l)
		return &v.Changes
	}
	one, two := NewState(), NewState()
	one.Apply(look(1), look(2))
	two.Apply(look(2), look(1))
	if !bytes.Equal(one.Encode(), two.Encode()) {
		t.Error("the order matters")
	}
}

// M-26
func TestFolding(t *testing.T) {
	t.Parallel()
	w := churn(t, 3, 60)
	want := w.s.Live()
	s := NewState()
	for i := 5; i < len(w.cs); i += 5 {
		to := w.cs[i].Tick
		at := slices.DeleteFunc(slices.Clone(w.cs), func(c *Changes) bool { return c.Tick > to })
		s.Apply(at...)
		s.FoldTo(to, 7)
		var err error
		if s, err = DecodeState(s.Encode()); err != nil {
			t.Fatal(err)
		}
		if tick, seq := s.Folded(); tick != to || seq != 7 {
			t.Fatalf("folded to %d, %d", tick, seq)
		}
	}
	folded := s.Encode()
	s.Apply(w.cs[0]) // it has been folded
	if !bytes.Equal(s.Encode(), folded) {
		t.Error("a base takes changes that it has")
	}
	s.Apply(w.cs...)
	got := s.Live()
	order := func(a, b Result) int { return int(a.Key) - int(b.Key) }
	slices.SortFunc(want, order)
	if slices.SortFunc(got, order); !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// M-37
func TestTombstones(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	all := rows(10)
	all[1] = sold(all[1])
	w.look(all...)
	for range 3 {
		w.wait(20 * time.Hour)
		w.look(all[1:]...)
	}
	if w.status(1) != Gone {
		t.Fatalf("status %d", w.status(1))
	}
	fold := func(days int) {
		w.s.FoldTo(schedule.TickOf(start.Add(time.Duration(days)*24*time.Hour)), 0)
	}
	fold(30)
	if w.status(1) != Gone {
		t.Error("forgotten too early")
	}
	fold(32)
	if w.status(1) != 0 || w.status(2) != Sold || w.status(3) != OnSale {
		t.Error("a result that is gone is kept, or one that is still listed was forgotten")
	}
	w.now = start.Add(33 * 24 * time.Hour)
	w.look(all[2:]...)
	fold(62)
	if w.status(2) != Sold {
		t.Error("forgotten too early")
	}
	fold(64)
	if w.status(2) != 0 {
		t.Error("what was sold, and is no longer listed, is kept")
	}
}

func TestTombstonesAreLimited(t *testing.T) {
	t.Parallel()
	s := NewState()
	for i := range 3 * maxLive {
		k := Key(i + 1)
		s.results[k] = Result{Key: k, Status: Gone, Source: FromList, Since: start.Unix() + int64(i)}
	}
	s.FoldTo(schedule.TickOf(start.Add(24*time.Hour)), 1)
	if _, ok := s.Get(3 * maxLive); len(s.Live()) != maxLive || !ok {
		t.Errorf("%d results that are gone", len(s.Live()))
	}
}

func TestNeedsBase(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(100)...)
	if NeedsBase(w.cs) {
		t.Error("after one look")
	}
	for i := range maxSince {
		if NeedsBase(w.cs) {
			t.Fatalf("after %d looks", i+1)
		}
		w.wait(time.Hour)
		all := rows(100)
		all[0] = row(1, int64(i))
		w.look(all...)
	}
	if !NeedsBase(w.cs) {
		t.Errorf("not after %d groups", len(w.cs))
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	for p := range 20 {
		var page []listing.Row
		for i := range 50 {
			n := p*50 + i
			r := row(n+1, int64(1000+37*n))
			r.Key = r.Key * 0x9e3779b97f4a7c15 >> 16
			page = append(page, r)
		}
		w.do(&Look{Page: p + 1, Full: true, Last: p == 19, Read: &listing.Page{Rows: page}})
		w.wait(5 * time.Second)
	}
	w.s.FoldTo(schedule.TickOf(w.now), w.seq)
	n := len(w.s.Encode())
	t.Logf("a base of 1,000 results has %d bytes", n)
	if n > 32_000 {
		t.Errorf("%d bytes", n)
	}
}

// What is announced is stored with the changes.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.seq = 40
	w.look(rows(3)...)
	w.wait(time.Hour)
	w.look(row(1, 500), row(2, 1001), row(3, 1002), row(4, 1003))
	w.wait(time.Hour)
	w.look(row(1, 500), row(2, 1001), row(3, 1002), row(4, 800))
	for _, thing := range Things(w.s, w.cs, nil) {
		switch thing.Result.Key {
		case 1:
			if thing.Seq != 42 || !slices.Equal(thing.Events, []Mention{{Dropped, 42, w.now.Unix() - 3600}}) {
				t.Errorf("%+v", thing)
			}
		case 4:
			if thing.Seq != 41 ||
				!slices.Equal(thing.Events, []Mention{{New, 41, w.now.Unix() - 3600}, {Dropped, 43, w.now.Unix()}}) {
				t.Errorf("%+v", thing)
			}
		case 3:
			if thing.Seq != 0 {
				t.Errorf("%+v", thing)
			}
		}
	}
}
