package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/schedule"
)

func (w *watcher) details(ds ...DetailLook) *Verdict {
	w.t.Helper()
	v := CompareDetails(w.s, w.set, schedule.TickOf(w.now), w.now, ds)
	w.take(v)
	return v
}

func (w *watcher) detail(k Key, d *listing.Detail) *Verdict {
	w.t.Helper()
	return w.details(DetailLook{Key: k, At: w.now.Unix(), Read: d})
}

func newDetailWatcher(t *testing.T) *watcher {
	w := newWatcher(t)
	w.set.Detail = &listing.DetailLayout{SoldAt: listing.Field{At: "time"}}
	return w
}

// M-11, M-13
func TestDetailsOfTheMissing(t *testing.T) {
	t.Parallel()
	w := newDetailWatcher(t)
	w.look(rows(10)...)
	var asked []int // hours after the first look that misses it
	for h := range 24 * 25 {
		w.wait(time.Hour)
		v := w.look(rows(10)[1:]...)
		if len(v.Details) == 0 {
			continue
		}
		if !slices.Equal(v.Details, []Key{1}) {
			t.Fatalf("details of %v", v.Details)
		}
		asked = append(asked, h)
		w.expect("still on sale", w.detail(1, &listing.Detail{Status: listing.OnSale}), "")
	}
	if want := []int{0, 24, 72, 168, 336, 504}; !slices.Equal(asked, want) {
		t.Errorf("asked after %v hours, want %v", asked, want)
	}
	if w.status(1) != OnSale {
		t.Error("its page says that it is on sale")
	}
	w.wait(time.Hour)
	w.expect("cheaper", w.detail(1, &listing.Detail{Price: &listing.Price{Amount: 500, Currency: "JPY"}}), "dropped:1 ")
	w.wait(time.Hour)
	w.expect("gone", w.detail(1, &listing.Detail{Gone: true}), "gone:1 ")
	if r, _ := w.s.Get(1); r.Since != w.now.Unix() || r.Source != FromDetail || r.Price != 500 {
		t.Errorf("%+v", r)
	}
}

func TestDetailsThatFail(t *testing.T) {
	t.Parallel()
	w := newDetailWatcher(t)
	w.look(rows(10)...)
	asked := 0
	for d := range 10 {
		for range 24 {
			w.wait(time.Hour)
			if v := w.look(rows(10)[1:]...); len(v.Details) > 0 {
				asked++
				w.expect("unreadable", w.detail(1, nil), "")
			}
		}
		if want := OnSale; d < 7 && w.status(1) != want {
			t.Fatalf("status %d after %d days", w.status(1), d)
		}
	}
	if asked != 4 || w.status(1) != Gone {
		t.Errorf("asked %d times, status %d", asked, w.status(1))
	}
}

// M-12, M-14
func TestSoldDates(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		all     bool // dates of all are wanted
		first   bool // it is sold when it is first seen
		soldAt  time.Duration
		hasDate bool
		asked   int
		source  Source
		since   time.Duration
	}{
		{"found in between", false, false, 0, true, 0, FromInterval, time.Hour},
		{"exact", true, false, 20 * time.Minute, true, 1, FromDetail, 20 * time.Minute},
		{"first seen as sold", false, true, -50 * time.Hour, true, 1, FromDetail, -50 * time.Hour},
		{"no date", true, false, 0, false, 1, FromInterval, time.Hour},
		{"a date in the future", true, false, 900 * time.Hour, true, 1, FromDetail, time.Hour},
	} {
		w := newDetailWatcher(t)
		w.set.Details = tt.all
		all := rows(10)
		if tt.first {
			all = all[1:]
		}
		w.look(all...)
		w.wait(time.Hour)
		asked := 0
		all = append([]listing.Row{sold(row(1, 1000))}, rows(10)[1:]...)
		for range 10 {
			for _, k := range w.look(all...).Details {
				asked++
				d := &listing.Detail{Status: listing.Sold}
				if tt.hasDate {
					d.SoldAt = start.Add(tt.soldAt)
				}
				w.expect(tt.name, w.detail(k, d), "")
			}
			w.wait(26 * time.Hour)
		}
		r, _ := w.s.Get(1)
		if asked != tt.asked || r.Source != tt.source || r.Since != start.Add(tt.since).Unix() {
			t.Errorf("%s: asked %d times, %+v", tt.name, asked, r)
		}
	}
}

// M-25
func TestDetailsSayLessThanTheList(t *testing.T) {
	t.Parallel()
	w := newDetailWatcher(t)
	w.set.Details = true
	w.look(rows(10)...)
	w.wait(time.Hour)
	all := rows(10)
	all[0] = sold(all[0])
	w.look(all...)
	w.expect("the page is kept", w.detail(1, &listing.Detail{Status: listing.OnSale}), "")
	w.expect("it is gone, but was sold", w.detail(1, &listing.Detail{Gone: true}), "")
	w.expect("nobody knows it", w.detail(77, &listing.Detail{Gone: true}), "")
	if w.status(1) != Sold {
		t.Errorf("status %d", w.status(1))
	}
	// A page that was read before the list is older, though it is compared later.
	at := w.now.Unix()
	w.wait(time.Minute)
	w.look(rows(10)...)
	w.expect("an old page", w.details(DetailLook{Key: 1, At: at, Read: &listing.Detail{Status: listing.Sold}}), "")
	if w.status(1) != OnSale {
		t.Errorf("status %d", w.status(1))
	}
}

// C-33, M-18
func TestAtMostTwentyDetails(t *testing.T) {
	t.Parallel()
	w := newDetailWatcher(t)
	w.look(rows(60)...)
	w.wait(time.Hour)
	if v := w.look(rows(60)[30:]...); len(v.Details) != maxDetails {
		t.Errorf("%d details", len(v.Details))
	}
}

// Without an adapter a crawl reads few pages, and none unless the user wants it.
func TestDetailsThatNoAdapterDescribes(t *testing.T) {
	t.Parallel()
	for isWanted, want := range map[bool]int{false: 0, true: maxWanted} {
		w := newWatcher(t)
		w.set.Details = isWanted
		list := rows(10)
		for i := range list {
			list[i].Status = listing.Sold
		}
		if v := w.look(list...); len(v.Details) != want {
			t.Errorf("wanted %v: %d pages", isWanted, len(v.Details))
		}
	}
}
