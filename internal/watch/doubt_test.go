package watch

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
)

// A price that is far from the one before is announced when a second look has found it too.
func TestDoubtfulPrices(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.set.Events, w.set.Wanted = EventKinds(), 200
	w.look(row(1, 15000), row(2, 1000), row(3, 1000))
	price := func(want int64) {
		t.Helper()
		if r, _ := w.s.Get(1); r.Price != want {
			t.Errorf("price %d, want %d", r.Price, want)
		}
	}
	see := func(what string, p int64, want string) *Verdict {
		t.Helper()
		w.wait(time.Hour)
		v := w.look(row(1, p), row(2, 1000), row(3, 1000))
		w.expect(what, v, want)
		return v
	}
	if v := see("a first time", 100, ""); !v.Again {
		t.Error("nobody looks again")
	}
	price(15000)
	see("as before", 15000, "")
	see("again a first time", 100, "")
	see("another one", 120, "")
	see("a second time", 120, "reached:1 ")
	price(120)
	see("up", 15000, "")
	price(120)
	see("up, a second time", 15000, "risen:1 ")
	price(15000)
	see("by 90 %", 1500, "")
	price(1500)
}

// What could be the place of something else, or wrongly decoded, renames nothing and announces nothing.
func TestRenamedPagesAreSuspect(t *testing.T) {
	t.Parallel()
	all := func(change func(i int, r *listing.Row)) []listing.Row {
		rs := []listing.Row{row(1, 1000), row(2, 1001), row(3, 1002), row(4, 1003)}
		for i := range rs {
			change(i, &rs[i])
		}
		return rs
	}
	for name, c := range map[string]struct {
		rows []listing.Row
		want string
	}{
		"authors": {all(func(_ int, r *listing.Row) { r.Title = "Ito" }), ProblemChanged},
		"three of four": {all(func(i int, r *listing.Row) {
			if i > 0 {
				r.Title += ", mended"
			}
		}), ""},
		"half not decoded": {all(func(i int, r *listing.Row) {
			if i > 1 {
				r.Title = "\uFFFD\uFFFD\uFFFD lamp"
			}
		}), ProblemChanged},
		"UTF-8 as Latin-1": {all(func(i int, r *listing.Row) {
			if i > 1 {
				r.Title = "Ã©tagÃ¨re"
			}
		}), ProblemChanged},
		"UTF-8 as Shift_JIS": {all(func(i int, r *listing.Row) {
			if i > 1 {
				r.Title = "繧ｫ繝｡繝ｩ"
			}
		}), ProblemChanged},
	} {
		w := newWatcher(t)
		w.look(all(func(int, *listing.Row) {})...)
		w.wait(time.Hour)
		if v := w.look(c.rows...); v.Problem != c.want || len(v.Events) > 0 {
			t.Errorf("%s: %q, %s", name, v.Problem, kinds(v))
		}
	}
}

// Where a mark has gone that several rows had, what was sold is not back.
func TestAStatusThatMatchesNowhere(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(sold(row(1, 1000)), sold(row(2, 1001)), row(3, 1002))
	w.wait(time.Hour)
	v := w.do(&Look{At: w.now, Page: 1,
		Read: &listing.Page{Missing: []string{"status"}, Rows: []listing.Row{row(1, 1000), row(2, 1001), row(3, 1002),
			row(4, 1003)}}})
	if v.Problem != ProblemChanged || kinds(v) != "new:4 " {
		t.Errorf("%q, %s", v.Problem, kinds(v))
	}
	w = newWatcher(t)
	w.look(sold(row(1, 1000)), row(2, 1001), row(3, 1002))
	w.wait(time.Hour)
	v = w.do(&Look{At: w.now, Page: 1,
		Read: &listing.Page{Missing: []string{"status"},
			Rows: []listing.Row{row(1, 1000), row(2, 1001), row(3, 1002)}}})
	if v.Problem != "" || kinds(v) != "back:1 " {
		t.Errorf("the only one: %q, %s", v.Problem, kinds(v))
	}
}

// A layout that was chosen anew is a look like any other: what is new is announced, and what is missing is not gone at
// once.
func TestRelaid(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(row(1, 1000), row(2, 1001), row(3, 1002))
	w.wait(time.Hour)
	v := w.do(&Look{At: w.now, Page: 1, Full: true, Last: true, Inspect: true, Relaid: true,
		Read: &listing.Page{Rows: []listing.Row{row(2, 1001), row(4, 1003)}}})
	w.expect("another layout", v, "new:4 ")
	if r, ok := w.s.Get(1); !ok || r.Status != OnSale || r.Missing == 0 {
		t.Errorf("%+v", r)
	}
}
