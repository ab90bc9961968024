package watch

import (
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
)

var start = reader.Epoch.Add(300 * 24 * time.Hour)

func row(n int, price int64) listing.Row {
	r := listing.Row{Key: uint64(n), Title: fmt.Sprintf("thing %d", n),
		Link: fmt.Sprintf("https://shop.example/item/%d", n)}
	if price >= 0 {
		r.Price = &listing.Price{Amount: price, Currency: "JPY"}
	}
	return r
}

func TestIsEstimated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status Status
		source Source
		want   bool
	}{
		{OnSale, FromList, false}, // seen when it appeared
		{Sold, FromList, true},    // sold before the first look
		{Gone, FromList, false},
		{OnSale, FromInterval, true},
		{Sold, FromInterval, true},
		{Gone, FromInterval, true},
		{Sold, FromDetail, false},
		{Gone, FromDetail, false},
	} {
		r := Result{Status: tt.status, Source: tt.source}
		if r.IsEstimated() != tt.want {
			t.Errorf("status %v from %v: %v", tt.status, tt.source, !tt.want)
		}
	}
}

func sold(r listing.Row) listing.Row {
	r.Status = listing.Sold
	return r
}

func rows(n int) (all []listing.Row) {
	for i := range n {
		all = append(all, row(i+1, int64(1000+i)))
	}
	return all
}

// watcher looks at pages again and again.
type watcher struct {
	t   *testing.T
	s   *State
	set *Settings
	now time.Time
	cs  []*Changes
	seq reader.Seq
}

func newWatcher(t *testing.T) *watcher {
	return &watcher{t: t, s: NewState(), now: start,
		set: &Settings{Events: EventKinds(), Layout: &listing.Layout{Pages: 20}}}
}

// look looks at a page as one that is all there is.
func (w *watcher) look(rs ...listing.Row) *Verdict {
	w.t.Helper()
	return w.do(&Look{Page: 1, Full: true, Last: true, Read: &listing.Page{Rows: rs}})
}

func (w *watcher) do(l *Look) *Verdict {
	w.t.Helper()
	l.At, l.Tick = w.now, schedule.TickOf(w.now)
	v := Compare(w.s, w.set, l)
	w.take(v)
	if again := Compare(w.s, w.set, l); !again.Changes.IsEmpty() || len(again.Events) > 0 {
		w.t.Fatalf("the same look again: %d events, %d changes", len(again.Events), len(again.Changes.entries))
	}
	return v
}

// take commits a verdict by its stored form.
func (w *watcher) take(v *Verdict) {
	w.t.Helper()
	if v.Changes.IsEmpty() {
		if len(v.Events) > 0 {
			w.t.Fatal("events without changes")
		}
		return
	}
	v.Changes.Announce(w.seq+1, v.Events)
	w.seq += reader.Seq(len(v.Events))
	c, err := DecodeChanges(v.Changes.Encode())
	if err != nil {
		w.t.Fatal(err)
	}
	w.s.Apply(c)
	w.cs = append(w.cs, c)
}

func (w *watcher) wait(d time.Duration) { w.now = w.now.Add(d) }

func kinds(v *Verdict) string {
	var s string
	for _, e := range v.Events {
		s += fmt.Sprintf("%s:%d ", e.Kind, e.Key)
	}
	return s
}

func TestFirstLook(t *testing.T) {
	w := newWatcher(t)
	v := w.look(rows(150)...)
	if len(v.Events) != 0 || len(w.s.Live()) != 150 {
		t.Errorf("%d events, %d results", len(v.Events), len(w.s.Live()))
	}
	w.wait(time.Hour)
	v = w.look(rows(152)...)
	if kinds(v) != "new:152 new:151 " {
		t.Errorf("after the baseline: %s", kinds(v))
	}
	if r, _ := w.s.Get(1); r.Seq != 0 {
		t.Errorf("seq %d of the baseline", r.Seq)
	}
}

// A first look at a page that says itself that it lists nothing is a baseline too.
func TestTheBaselineMayBeEmpty(t *testing.T) {
	w := newWatcher(t)
	w.do(&Look{At: w.now, Page: 1, Read: &listing.Page{Empty: true}})
	w.wait(time.Hour)
	if v := w.look(row(1, 100)); kinds(v) != "new:1 " {
		t.Errorf("%s", kinds(v))
	}
}
