package watch

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
)

// archive keeps histories by their stored forms.
type archive map[string][]byte

func (a archive) get(m string) (*History, error) {
	if a[m] == nil {
		return nil, nil //nolint:nilnil // as documented
	}
	return DecodeHistory(a[m])
}

func (a archive) record(t *testing.T, s *State, cs []*Changes, puts int) {
	t.Helper()
	months, err := Record(s, cs, a.get)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Sorted(maps.Keys(months)) {
		if puts--; puts < 0 {
			return
		}
		a[m] = months[m].Encode()
	}
}

func (a archive) all(t *testing.T) (hs []*History) {
	t.Helper()
	for _, m := range slices.Sorted(maps.Keys(a)) {
		h, err := a.get(m)
		if err != nil {
			t.Fatal(err)
		}
		hs = append(hs, h)
	}
	return hs
}

// A crash between any two puts, and changes that came since, leave the same bytes.
func TestRecordIsIdempotent(t *testing.T) {
	t.Parallel()
	w := churn(t, 4, 100)
	want := archive{}
	want.record(t, NewState(), w.cs, 99)
	if len(want) < 2 {
		t.Fatalf("%d months", len(want))
	}
	for cut := 0; cut < len(w.cs); cut += 60 {
		for puts := range 3 {
			got := archive{}
			got.record(t, NewState(), upTo(w.cs, cut), puts)
			got.record(t, NewState(), w.cs, 99)
			got.record(t, NewState(), w.cs, 99)
			for m := range want {
				if !bytes.Equal(got[m], want[m]) {
					t.Fatalf("%s differs after a crash at %d", m, cut)
				}
			}
		}
	}
	// In two steps with a base between them.
	mid := upTo(w.cs, len(w.cs)/2)
	got := archive{}
	got.record(t, NewState(), mid, 99)
	s := NewState()
	s.Apply(mid...)
	s.FoldTo(mid[len(mid)-1].Tick, 0)
	got.record(t, s, w.cs, 99)
	for m := range want {
		if !bytes.Equal(got[m], want[m]) {
			t.Errorf("%s differs with a base", m)
		}
	}
}

// upTo returns all groups up to the tick of one.
func upTo(cs []*Changes, i int) []*Changes {
	return slices.DeleteFunc(slices.Clone(cs), func(c *Changes) bool { return c.Tick > cs[i].Tick })
}

// What people see does not depend on how much of it is history.
func TestThingsAndTrendDoNotDependOnFolding(t *testing.T) {
	t.Parallel()
	w := churn(t, 5, 80)
	from := start
	things, trend := Things(w.s, w.cs, nil), Trend(w.s, w.cs, nil, from, w.now)
	for _, i := range []int{0, 20, 50, 79, len(w.cs) - 1} {
		a := archive{}
		cs := upTo(w.cs, i)
		a.record(t, NewState(), cs, 99)
		s := NewState()
		s.Apply(cs...)
		s.FoldTo(cs[len(cs)-1].Tick, 0)
		rest := w.cs[len(cs):]
		s.Apply(rest...)
		got := Things(s, rest, a.all(t))
		if len(got) != len(things) {
			t.Fatalf("%d things, want %d", len(got), len(things))
		}
		for j := range got {
			g, x := got[j], things[j]
			if g.Result != x.Result || g.Text != x.Text || g.SoldAt != x.SoldAt || !slices.Equal(g.Prices, x.Prices) ||
				!slices.Equal(g.Events, x.Events) {
				t.Fatalf("got %+v\nwant %+v", g, x)
			}
		}
		if got := Trend(s, rest, a.all(t), from, w.now); !slices.Equal(got, trend) {
			t.Fatalf("got %+v\nwant %+v", got, trend)
		}
	}
}

// M-37
func TestHistoryOutlivesTombstones(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	w.wait(24 * time.Hour)
	w.look(append([]listing.Row{sold(row(1, 1000))}, rows(10)[1:]...)...)
	soldAt := w.now.Unix()
	w.wait(24 * time.Hour)
	w.look(rows(10)[1:]...)
	a := archive{}
	a.record(t, NewState(), w.cs, 99)
	w.s.FoldTo(w.cs[len(w.cs)-1].Tick+40*96, w.seq)
	if _, ok := w.s.Get(1); ok {
		t.Fatal("it is kept")
	}
	things := Things(w.s, nil, a.all(t))
	i := slices.IndexFunc(things, func(x Thing) bool { return x.Result.Key == 1 })
	if i < 0 || things[i].SoldAt != soldAt || things[i].Title != "thing 1" || things[i].Price != 1000 ||
		things[i].Status != Sold {
		t.Errorf("%+v", things)
	}
}

// A result that was introduced in another month has its texts in each.
func TestTextsInEachMonth(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	a := archive{}
	a.record(t, NewState(), w.cs, 99)
	w.s.FoldTo(w.cs[0].Tick, w.seq)
	before := w.s.atBase()
	first := Month(w.now.Unix())
	w.wait(40 * 24 * time.Hour)
	w.cs = nil
	w.look(append([]listing.Row{row(1, 500)}, rows(10)[1:]...)...)
	a.record(t, before, w.cs, 99)
	second := Month(w.now.Unix())
	h, err := a.get(second)
	if err != nil || len(h.lines) != 1 || h.lines[1].Text.Title != "thing 1" {
		t.Errorf("%v, %+v", err, h)
	}
	if !w.s.Needs(first) || w.s.Needs(second) {
		t.Error("the month is needed in which the results were introduced")
	}
}

func TestRemovedResultsLeaveHistory(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	a := archive{}
	a.record(t, NewState(), w.cs, 99)
	w.wait(40 * 24 * time.Hour)
	w.set.Max = 1004
	w.do(&Look{Page: 1, Full: true, Last: true, Inspect: true, Read: &listing.Page{Rows: rows(10)}})
	a.record(t, NewState(), w.cs, 99)
	for m := range a {
		h, err := a.get(m)
		if err != nil {
			t.Fatal(err)
		}
		for k := range h.lines {
			if k > 5 {
				t.Errorf("%s has %d", m, k)
			}
		}
	}
	if n := len(Things(w.s, nil, a.all(t))); n != 5 {
		t.Errorf("%d things", n)
	}
}

func TestTrendDaysWithoutChanges(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(4)...)
	w.wait(70 * 24 * time.Hour)
	w.look(row(1, 110), row(2, 120), row(3, 130), sold(row(4, 140)))
	days := Trend(w.s, w.cs, nil, start.Add(-24*time.Hour), w.now.Add(24*time.Hour))
	if len(days) != 73 {
		t.Fatalf("%d days", len(days))
	}
	none := Day{Day: days[0].Day, Lowest: -1, P25: -1, P50: -1, P75: -1, SoldMedian: -1}
	steady := Day{Day: days[50].Day, Currency: "JPY", Lowest: 1000, P25: 1000, P50: 1001, P75: 1002, OnSale: 4,
		SoldMedian: -1}
	last := Day{Day: days[71].Day, Currency: "JPY", Lowest: 110, P25: 110, P50: 120, P75: 130, OnSale: 3, Sold: 1,
		SoldMedian: 140}
	if days[0] != none || days[50] != steady || days[71] != last || days[72].OnSale != 3 || days[72].Sold != 0 {
		t.Errorf("%+v", days)
	}
	if n := len(Trend(w.s, w.cs, nil, time.Unix(0, 0).AddDate(-900, 0, 0), w.now)); n != maxDays {
		t.Errorf("%d days of 900 years", n)
	}
}

// A month of a listing that changes all the time loses what was sold first, and not what is on sale.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 0))
	h := &History{month: "2026-10", days: map[int64]summary{}, lines: map[Key]*line{}}
	for i := range 3000 {
		noise := make([]byte, 150)
		for j := range noise {
			noise[j] = byte(' ' + rng.Uint32N(95))
		}
		l := &line{Key: Key(i), Text: Text{Title: string(noise)}, FirstSeen: start.Unix(),
			Points: []point{{Since: start.Unix(), Status: OnSale, Source: FromList}}}
		if i%2 == 0 {
			l.Points = append(l.Points, point{Since: start.Unix() + int64(i), Status: Sold, Source: FromList})
		}
		h.lines[l.Key] = l
	}
	b := h.Encode()
	again, err := DecodeHistory(b)
	if err != nil || len(b) > maxHistory || len(again.lines) < 1800 || again.lines[0] != nil ||
		again.lines[2998] == nil || again.lines[1] == nil {
		t.Errorf("%v, %d bytes, %d lines", err, len(b), len(again.lines))
	}
}

// Keys that change and change back within a month, and from one month to the next.
func TestHistoryOfOtherKeys(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(6)...)
	a := archive{}
	step := func(wait time.Duration, offset uint64, price int64) {
		w.wait(wait)
		all := rows(6)
		for i := range all {
			all[i].Key += offset
			all[i].Link += "?"
		}
		all[0].Price.Amount = price
		if v := w.look(all...); len(w.s.Live()) != 6 {
			t.Fatalf("%d results, %s", len(w.s.Live()), kinds(v))
		}
		a.record(t, NewState(), w.cs, 99)
	}
	step(time.Hour, 1000, 900)
	step(time.Hour, 0, 800)
	step(40*24*time.Hour, 1000, 700)
	step(time.Hour, 0, 600)
	step(40*24*time.Hour, 1000, 500)
	things := Things(w.s, w.cs, a.all(t))
	if len(things) != 6 {
		t.Fatalf("%d things", len(things))
	}
	for _, x := range things {
		if x.Result.Key == 1001 && len(x.Prices) != 6 || x.Title == "" {
			t.Errorf("%+v", x)
		}
	}
}

// Not counted are: prices of another currency, what the last full look did not find, what was sold when first seen, a
// sale whose date was corrected, twice.
func TestTrendCounts(t *testing.T) {
	t.Parallel()
	w := newDetailWatcher(t)
	w.set.Details = true
	all := rows(6)
	all[5].Price = &listing.Price{Amount: 1, Currency: "USD"}
	w.look(append(all, sold(row(9, 5)))...)
	w.wait(25 * time.Hour)
	all[1] = sold(all[1])
	w.look(append(all[1:], sold(row(9, 5)))...)
	w.detail(2, &listing.Detail{Status: listing.Sold, SoldAt: w.now.Add(-2 * time.Hour)})
	w.wait(time.Minute)
	all[1].Price = &listing.Price{Amount: 1500, Currency: "JPY"} // after it was sold
	w.look(append(all[1:], sold(row(9, 5)))...)
	days := Trend(w.s, w.cs, nil, start, w.now)
	want := Day{Day: days[1].Day, Currency: "JPY", Lowest: 1002, P25: 1002, P50: 1003, P75: 1004, OnSale: 4,
		SoldMedian: -1}
	first := Day{Day: days[0].Day, Currency: "JPY", Lowest: 1000, P25: 1001, P50: 1002, P75: 1003, OnSale: 6, Sold: 1,
		SoldMedian: 1001}
	if !slices.Equal(days, []Day{first, want}) {
		t.Errorf("%+v", days)
	}
}
