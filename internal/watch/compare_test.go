package watch

import (
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/schedule"
)

func (w *watcher) expect(what string, v *Verdict, want string) {
	w.t.Helper()
	if got := kinds(v); got != want {
		w.t.Errorf("%s: events %q, want %q", what, got, want)
	}
}

func (w *watcher) status(k Key) Status {
	w.t.Helper()
	r, ok := w.s.Get(k)
	if !ok {
		return 0
	}
	return r.Status
}

// M-9
func TestStatuses(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	all := rows(10)
	w.look(all...)
	w.wait(time.Hour)
	w.expect("nothing", w.look(all...), "")
	all[2] = sold(row(3, -1)) // as pages often have it
	w.expect("sold", w.look(all...), "sold:3 ")
	if r, _ := w.s.Get(3); r.Price != 1002 || r.Source != FromInterval || r.Since != w.now.Unix() {
		t.Errorf("%+v", r)
	}
	w.wait(time.Hour)
	all[2] = row(3, 1002)
	w.expect("back", w.look(all...), "back:3 ")
	w.wait(time.Hour)
	w.expect("sold when first seen", w.look(append(all, sold(row(99, 5)))...), "sold:99 ")
	if r, _ := w.s.Get(99); r.Source != FromList {
		t.Errorf("%+v", r)
	}
}

// M-11
func TestGone(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	all := rows(10)
	w.look(all...)
	rest := all[1:]
	var v *Verdict
	for i, hours := range []int{24, 10, 10, 3, 1} {
		w.wait(time.Duration(hours) * time.Hour)
		v = w.look(rest...)
		want := ""
		if i == 4 {
			want = "gone:1 " // three times after 20 hours, but not for a day until now
		}
		w.expect("missing", v, want)
	}
	r, _ := w.s.Get(1)
	if r.Status != Gone || r.Since != start.Add(24*time.Hour).Unix() || r.Source != FromInterval {
		t.Errorf("%+v", r)
	}
	w.wait(time.Hour)
	w.expect("back", w.look(all...), "back:1 ")
	if r, _ = w.s.Get(1); r.FirstSeen != start.Unix() || r.Missing != 0 || r.Misses != 0 {
		t.Errorf("%+v", r)
	}
}

func TestMissingNeedsThreeLooks(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	w.wait(time.Hour)
	w.look(rows(10)[1:]...)
	w.wait(48 * time.Hour)
	w.expect("the second look after two days", w.look(rows(10)[1:]...), "")
	w.wait(time.Hour)
	w.expect("found again", w.look(rows(10)...), "")
	w.wait(time.Hour)
	w.expect("missing again", w.look(rows(10)[1:]...), "")
}

func TestOnlyTheEndOfAListingTellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Look){
		"only page 1":        func(l *Look) { l.Full = false },
		"not the last page":  func(l *Look) { l.Last = false },
		"more than is read":  func(l *Look) { l.Read.Next = "https://shop.example/?page=2" },
		"more rows than 500": func(l *Look) { l.Read.LeftOut = 1 },
		"a suspect page":     func(l *Look) { l.Read.Rows = l.Read.Rows[:2] },
	} {
		w := newWatcher(t)
		w.look(rows(10)...)
		w.wait(time.Hour)
		l := &Look{Page: 1, Full: true, Last: true, Read: &listing.Page{Rows: rows(10)[1:]}}
		change(l)
		w.do(l)
		if r, _ := w.s.Get(1); r.Missing != 0 {
			t.Errorf("%s: missing", name)
		}
	}
	// A result on an earlier page of the crawl is not missing.
	w := newWatcher(t)
	w.look(rows(10)...)
	w.wait(time.Hour)
	w.do(&Look{Page: 2, Full: true, Last: true, Seen: []Key{1, 2}, Read: &listing.Page{Rows: rows(10)[2:]}})
	if r, _ := w.s.Get(1); r.Missing != 0 {
		t.Error("missing")
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	type look struct {
		price int64
		want  string
	}
	for name, looks := range map[string][]look{
		"less than 1 %":   {{991, ""}, {990, "dropped:1 "}},
		"step by step":    {{995, ""}, {991, ""}, {989, "dropped:1 "}, {985, ""}, {979, "dropped:1 "}},
		"risen, and back": {{1200, "risen:1 "}, {1000, ""}, {990, "dropped:1 "}},
		"lost, and lower": {{-1, ""}, {900, "dropped:1 "}},
		"lost, and again": {{-1, ""}, {1000, ""}},
		"wanted":          {{500, "reached:1 "}, {400, "dropped:1 "}, {600, "risen:1 "}, {450, "reached:1 "}},
		"free": {{100, "reached:1 "}, {9, ""}, {9, "dropped:1 "}, {0, ""}, {0, "dropped:1 "},
			{10, "risen:1 "}, {1, ""}, {1, ""}},
		"beyond all limits": {{1 << 60, ""}, {1000, ""}},
	} {
		w := newWatcher(t)
		w.set.Wanted = 500
		w.look(row(1, 1000), row(2, 1000), row(3, 1000), row(4, 1000))
		for i, l := range looks {
			w.wait(time.Hour)
			v := w.look(row(1, l.price), row(2, 1000), row(3, 1000), row(4, 1000))
			w.expect(name, v, l.want)
			if r, _ := w.s.Get(1); l.price < maxAmount && r.Doubted == 0 && r.Price != l.price {
				t.Errorf("%s %d: price %d", name, i, r.Price)
			}
		}
	}
}

func TestCurrencies(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	in := func(r listing.Row, amount int64, currency string) listing.Row {
		r.Price = &listing.Price{Amount: amount, Currency: currency}
		return r
	}
	all := rows(10)
	all[0] = in(all[0], 7, "USD")
	w.wait(time.Hour)
	w.expect("one thing in dollars", w.look(all...), "")
	if r, _ := w.s.Get(1); r.Price != 7 || r.Currency != "USD" || r.Lowest != 7 {
		t.Errorf("%+v", r)
	}
	all[0] = in(all[0], 7, "")
	if v := w.look(all...); !v.Changes.IsEmpty() {
		t.Error("a currency that the page does not tell is another one")
	}
	for i := range all {
		all[i] = in(all[i], 9, "EUR")
	}
	w.wait(time.Hour)
	v := w.look(all...)
	w.expect("all in euros", v, "")
	if r, _ := w.s.Get(2); v.Problem != ProblemChanged || r.Price != 1001 {
		t.Errorf("problem %q, %+v", v.Problem, r)
	}
	w.wait(time.Hour)
	if v = w.do(&Look{Page: 1, Full: true, Last: true, Inspect: true, Read: &listing.Page{Rows: all}}); v.Problem !=
		"" || w.s.Currency() != "EUR" {
		t.Errorf("a person has looked at it: %q, %s", v.Problem, w.s.Currency())
	}
}

func TestSuspect(t *testing.T) {
	t.Parallel()
	each := func(change func(*listing.Row)) []listing.Row {
		all := rows(10)
		for i := range all[:5] {
			change(&all[i])
		}
		return all
	}
	for _, tt := range []struct {
		name string
		page listing.Page
		want string
	}{
		{"no rows", listing.Page{}, listing.ProblemEmpty},
		{"a challenge", listing.Page{Problem: listing.ProblemChallenge}, listing.ProblemChallenge},
		{"made in the browser", listing.Page{Problem: listing.ProblemRendered}, listing.ProblemRendered},
		{"the page says that it is empty", listing.Page{Empty: true}, ""},
		{"few rows", listing.Page{Rows: rows(2)}, ProblemChanged},
		{"30 %", listing.Page{Rows: rows(3)}, ""},
		{"half without titles", listing.Page{Rows: each(func(r *listing.Row) { r.Title = "" })}, ProblemChanged},
		{"half without prices", listing.Page{Rows: each(func(r *listing.Row) { r.Price = nil })}, ProblemChanged},
		{"half in dollars", listing.Page{Rows: each(func(r *listing.Row) {
			r.Price = &listing.Price{Amount: 1, Currency: "USD"}
		})}, ProblemChanged},
		{"half sold, without prices", listing.Page{Rows: each(func(r *listing.Row) {
			r.Price, r.Status = nil, listing.Sold
		})}, ""},
		{"other keys without titles", listing.Page{Rows: []listing.Row{{Key: 91}, {Key: 92}, {Key: 93}, {Key: 94}}},
			ProblemChanged},
	} {
		w := newWatcher(t)
		w.look(rows(10)...)
		before := w.s.Live()
		for i := range 4 {
			w.wait(24 * time.Hour)
			v := w.do(&Look{Page: 1, Full: true, Last: true, Read: &tt.page})
			if v.Problem != tt.want || tt.want != "" && (v.More || len(v.Events) > 0 || len(v.Details) > 0) {
				t.Errorf("%s: %+v", tt.name, v)
			}
			code, n := w.s.Problem()
			wantCode, wantN := "", i+1
			if tt.want == "" {
				wantN = 0
			}
			if wantN = min(wantN, 3); wantN == 3 {
				wantCode = tt.want
			}
			if code != wantCode || n != wantN {
				t.Errorf("%s, look %d: problem %q, %d suspects", tt.name, i, code, n)
			}
		}
		if tt.want == "" {
			continue
		}
		order := func(a, b Result) int { return int(a.Key) - int(b.Key) }
		after := w.s.Live()
		slices.SortFunc(before, order)
		if slices.SortFunc(after, order); !slices.Equal(before, after) {
			t.Errorf("%s: results have changed", tt.name)
		}
		w.wait(time.Hour)
		w.expect("good again", w.look(rows(10)...), "")
		if code, n := w.s.Problem(); code != "" || n != 0 {
			t.Errorf("%s: problem %q, %d suspects after a good look", tt.name, code, n)
		}
	}
}

func TestSuspectPagesHaveNewResults(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	w.wait(time.Hour)
	r := row(1, 500)
	w.expect("a cut page", w.look(row(77, 5), sold(r)), "new:77 ")
	if w.status(1) != OnSale {
		t.Error("sold by a suspect page")
	}
	w.wait(time.Hour)
	bad := rows(10)
	for i := range bad {
		bad[i].Price = nil
	}
	w.expect("without prices", w.look(append(bad, row(78, -1))...), "")
}

func TestSuspectLooksOfOneTickCountOnce(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	w.wait(time.Hour)
	for range 3 {
		w.wait(time.Second)
		w.look()
	}
	if _, n := w.s.Problem(); n != 1 {
		t.Errorf("%d suspects", n)
	}
}

func TestSuspectFullCrawls(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	first := func() {
		w.do(&Look{Page: 1, Full: true, Read: &listing.Page{Rows: rows(10), Next: "https://shop.example/?page=2"}})
	}
	first()
	more := rows(40)[10:]
	w.do(&Look{Page: 2, Full: true, Last: true, Seen: keys(10), Read: &listing.Page{Rows: more}})
	for range 3 {
		w.wait(24 * time.Hour)
		first() // good each time
		if v := w.do(&Look{Page: 2, Full: true, Last: true, Seen: keys(10),
			Read: &listing.Page{Rows: more[:1]}}); v.Problem != ProblemChanged {
			t.Errorf("problem %q", v.Problem)
		}
	}
	if code, n := w.s.Problem(); code != ProblemChanged || n != 3 || w.status(40) != OnSale {
		t.Errorf("problem %q, %d suspects", code, n)
	}
}

func keys(n int) (ks []Key) {
	for i := range n {
		ks = append(ks, Key(i+1))
	}
	return ks
}

// M-8
func TestMore(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	next := "https://shop.example/?page=2"
	page := func(rs ...listing.Row) *Verdict {
		w.wait(time.Hour)
		return w.do(&Look{Page: 1, Read: &listing.Page{Rows: rs, Next: next}})
	}
	w.do(&Look{Page: 1, Full: true, Last: true, Read: &listing.Page{Rows: rows(5)}})
	for _, tt := range []struct {
		name string
		more bool
		rows []listing.Row
	}{
		{"nothing new", false, rows(5)},
		{"one new", false, append(rows(5), row(11, 1))},
		{"all new", true, []listing.Row{row(20, 1), row(21, 1)}},
		{"new or changed", true, []listing.Row{row(20, 2), row(22, 1)}},
	} {
		if page(tt.rows...).More != tt.more {
			t.Error(tt.name)
		}
	}
	w.set.Layout.Pages = 1
	if page(row(30, 1), row(31, 1)).More {
		t.Error("more pages than the layout has")
	}
}

func TestThePagesOfTheFirstCrawlAreItsArchive(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	next := "https://shop.example/?page=2"
	v := w.do(&Look{Page: 1, Full: true, Read: &listing.Page{Rows: rows(3), Next: next}})
	w.expect("page 1", v, "")
	if !v.More || !slices.Equal(v.Seen, keys(3)) || !w.s.WantsFull() {
		t.Errorf("%+v", v)
	}
	w.expect("page 2",
		w.do(&Look{Page: 2, Full: true, Last: true, Seen: v.Seen, Read: &listing.Page{Rows: []listing.Row{row(4, 1)}}}),
		"")
	if w.s.WantsFull() || w.status(4) != OnSale {
		t.Error("the crawl is not complete")
	}
	w.wait(time.Hour)
	w.expect("later",
		w.do(&Look{Page: 2, Full: true, Last: true, Seen: v.Seen,
			Read: &listing.Page{Rows: []listing.Row{row(4, 1), row(5, 1)}}}), "new:5 ")
}

// C-21, M-10
func TestInspect(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	w.wait(time.Hour)
	w.set.Words, w.set.Max = []string{"thing"}, 1004
	all := rows(10)
	all[0].Title = "another"
	inspect := func(rs ...listing.Row) *Verdict {
		return w.do(&Look{Page: 1, Full: true, Last: true, Inspect: true, Read: &listing.Page{Rows: rs}})
	}
	// 1 has another word, 2 is not listed, 6 to 10 cost too much.
	w.expect("inspected", inspect(all[0], all[2], all[3], all[4], all[5], all[6], row(20, 1)), "")
	var left []Key
	for _, r := range w.s.Live() {
		left = append(left, r.Key)
	}
	if slices.Sort(left); !slices.Equal(left, []Key{3, 4, 5, 20}) {
		t.Errorf("left %v", left)
	}
	if _, ok := w.s.Get(1); ok {
		t.Error("a removed result is shown")
	}
	if r := w.s.results[1]; r.Status != removed || r.Price != -1 {
		t.Errorf("%+v", r)
	}
	for _, thing := range Things(w.s, w.cs, nil) {
		if thing.Key() == 1 || thing.Key() == 2 || thing.Title == "" {
			t.Errorf("%+v", thing)
		}
	}
	w.wait(time.Hour)
	w.expect("still not followed", w.look(all...), "back:2 ")
	w.wait(time.Hour)
	w.set.Max = 0
	w.expect("back", w.look(rows(10)...), "back:10 back:9 back:8 back:7 back:6 back:1 ")
}

// The first pages of such a crawl remove what they show, and what has a price outside, listed or not.
func TestInspectPageByPage(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	all := rows(10)
	all[8] = sold(all[8])
	w.look(all...)
	w.wait(time.Hour)
	w.set.Without, w.set.Max = []string{"another"}, 1007
	all[0].Title = "another"
	w.do(&Look{Page: 1, Full: true, Inspect: true,
		Read: &listing.Page{Rows: all[:3], Next: "https://shop.example/?page=2"}})
	var left []Key
	for _, r := range w.s.Live() {
		left = append(left, r.Key)
	}
	if slices.Sort(left); !slices.Equal(left, []Key{2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("left %v", left)
	}
}

// Key makes the key of a thing distinct from that of its embedded result in tests.
func (t *Thing) Key() Key { return t.Result.Key }

func TestRekey(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r *listing.Row){
		"other ids, the same links":   func(r *listing.Row) { r.Title += "!" },
		"other links, the same title": func(r *listing.Row) { r.Link += "?session=1" },
	} {
		w := newWatcher(t)
		w.look(rows(10)...)
		before, _ := w.s.Get(4)
		all := rows(10)
		for i := range all {
			all[i].Key += 1000
			change(&all[i])
		}
		all[0].Price = &listing.Price{Amount: 500, Currency: "JPY"}
		w.wait(time.Hour)
		w.expect(name, w.look(append(all, row(50, 1))...), "new:50 dropped:1001 ")
		after, _ := w.s.Get(1004)
		if len(w.s.Live()) != 11 || after.Seq != before.Seq || after.FirstSeen != before.FirstSeen || w.status(4) != 0 {
			t.Errorf("%s: %d results, %+v", name, len(w.s.Live()), after)
		}
		things := Things(w.s, w.cs, nil)
		if len(things) != 11 {
			t.Errorf("%s: %d things", name, len(things))
		}
		for _, x := range things {
			if x.Result.Key == 1001 && len(x.Prices) != 2 {
				t.Errorf("%s: prices %v", name, x.Prices)
			}
		}
	}
}

func TestRelistingsAreNoRekeying(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	all := rows(10)
	for i := range all[:5] {
		all[i].Key += 1000
		all[i].Link += "0"
	}
	w.wait(time.Hour)
	w.expect("half of the page", w.look(all...), "new:1005 new:1004 new:1003 new:1002 new:1001 ")
}

func TestRekeyOfOneTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		prices [4]int64
		want   int // results after
	}{
		{"told apart by their prices", [4]int64{1, 2, 3, 4}, 4},
		{"not told apart", [4]int64{5, 5, 5, 5}, 8},
		{"too few told apart", [4]int64{1, 2, 5, 5}, 8},
	} {
		w := newWatcher(t)
		page := func(offset int) (all []listing.Row) {
			for i, p := range tt.prices {
				r := row(offset+i+1, p)
				r.Title = "card"
				all = append(all, r)
			}
			return all
		}
		w.look(page(0)...)
		w.wait(time.Hour)
		if w.look(page(1000)...); len(w.s.Live()) != tt.want {
			t.Errorf("%s: %d results", tt.name, len(w.s.Live()))
		}
	}
	// Of a page with many new things, few are listed again.
	w := newWatcher(t)
	w.look(rows(7)...)
	w.wait(time.Hour)
	page := append(rows(4), row(20, 1), row(21, 1), row(22, 1))
	for _, r := range rows(7)[4:] {
		r.Key += 1000
		page = append(page, r)
	}
	w.expect("many new things", w.look(page...), "new:1007 new:1006 new:1005 new:22 new:21 new:20 ")
	// Two things that are listed again under new addresses are no page that makes its keys anew.
	w = newWatcher(t)
	w.look(rows(2)...)
	w.wait(time.Hour)
	all := rows(2)
	for i := range all {
		all[i].Key += 1000
	}
	w.expect("two rows", w.look(all...), "new:1002 new:1001 ")
}

// M-4
func TestDuplicateKeys(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	all := append(rows(4), row(1, 5000), row(1, 900), row(1, -1))
	w.look(all...)
	w.wait(time.Hour)
	slices.Reverse(all)
	w.expect("in another order", w.look(all...), "")
	if r, _ := w.s.Get(1); len(w.s.Live()) != 4 || r.Price != 900 {
		t.Errorf("%d results, %+v", len(w.s.Live()), r)
	}
	w.wait(time.Hour)
	v := w.do(&Look{Page: 2, Full: true, Last: true, Seen: keys(4),
		Read: &listing.Page{Rows: []listing.Row{row(1, 7000), row(9, 1)}}})
	w.expect("again on the next page", v, "new:9 ")
}

func TestRoom(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	var seen []Key
	for p := range 5 {
		var page []listing.Row
		for i := range 450 {
			page = append(page, row(p*450+i+1, 100))
		}
		v := w.do(&Look{Page: p + 1, Full: true, Last: p == 4, Seen: seen,
			Read: &listing.Page{Rows: page, Next: "https://shop.example/n"}})
		seen = v.Seen
		w.wait(5 * time.Second)
	}
	if n := len(w.s.Live()); n != maxLive {
		t.Fatalf("%d results", n)
	}
	w.wait(time.Hour)
	if v := w.do(&Look{Page: 1, Read: &listing.Page{Rows: []listing.Row{row(5000, 1), row(2, 100)}}}); v.Problem ==
		"" || len(w.s.Live()) != maxLive || w.status(1) != OnSale {
		t.Error("a suspect page makes room")
	}
	w.wait(time.Hour)
	page := []listing.Row{row(5001, 1), row(5000, 1)}
	for i := range 200 {
		page = append(page, row(i+1, 100))
	}
	w.expect("page 1 makes room", w.do(&Look{Page: 1, Read: &listing.Page{Rows: page}}), "new:5000 new:5001 ")
	live := 0
	for _, r := range w.s.Live() {
		if r.isLive() {
			live++
		}
	}
	if live != maxLive || w.status(200) != OnSale || w.status(201) != Gone || w.status(203) != OnSale {
		t.Errorf("%d live", live)
	}
	w.s.FoldTo(schedule.TickOf(w.now), w.seq)
	if b := w.s.Encode(); len(b) > 100_000 {
		t.Errorf("a full base has %d bytes", len(b))
	}
}

func TestClockSetBack(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	w.look(rows(10)...)
	w.s.FoldTo(schedule.TickOf(w.now), w.seq)
	w.wait(-48 * time.Hour)
	all := rows(10)
	for i := range 5 {
		w.wait(time.Hour)
		all[0] = row(1, int64(900-20*i))
		w.expect("dropped", w.look(all...), "dropped:1 ")
		if r, _ := w.s.Get(1); r.Price != int64(900-20*i) {
			t.Errorf("price %d", r.Price)
		}
	}
	s, err := DecodeState(NewState().Encode())
	if err != nil {
		t.Fatal(err)
	}
	s.Apply(w.cs...)
	if r, _ := s.Get(1); r.Price != 820 {
		t.Errorf("price %d", r.Price)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	t.Parallel()
	w := newWatcher(t)
	long := make([]byte, 3000)
	for i := range long {
		long[i] = 'a'
	}
	var page []listing.Row
	for i := range 500 {
		r := row(i+1, 1)
		r.Title, r.Link, r.Image = r.Title+"é"+string(long), r.Link+string(long[:1500]), string(long)
		page = append(page, r)
	}
	w.look(row(1000, 1))
	w.wait(time.Hour)
	v := Compare(w.s, w.set, &Look{Page: 1, Full: true, Last: true, Read: &listing.Page{Rows: page}, At: w.now})
	if n := len(v.Changes.entries); n < 60 || n > 80 {
		t.Errorf("%d results of long texts in a group", n)
	}
	if e := v.Events[0]; len(e.Text.Title) > maxTitle || e.Text.Image != "" {
		t.Errorf("%+v", e.Text)
	}
}
