package watching_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

// shown is the page of a thing as a person sees it, with the day on which it was sold.
func shown(x *thing) string {
	if x.sold {
		return `<h1>` + x.title +
			`</h1><span class=price>¥900</span><p class=state>売り切れ</p><dl><dt>終了日時</dt><dd>2026年11月20日 21:05</dd></dl>`
	}
	return `<h1>` + x.title + `</h1><span class=price>¥900</span><button>カートに入れる</button>`
}

// detailsOf lists the pages of single things that were requested.
func (s *shop) detailsOf() (paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.asked {
		if strings.HasPrefix(path, "/item/") {
			paths = append(paths, path)
		}
	}
	return paths
}

// M-11, M-12, M-14
func TestDatesOfSalesOfAnOrdinaryPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.shop.set(func(s *shop) { s.detail = shown; s.things[2].sold = true })
	set := w.settings("/search")
	set.Details = true
	try := watching.Try{Settings: set}
	n := 0
	try.Count = func() error { n++; return nil }
	p, err := w.Preview(t.Context(), w.user, try)
	w.must(err)
	if p.CanReadDetails == nil || !*p.CanReadDetails || n != 2 ||
		!slices.Equal(w.shop.detailsOf(), []string{"/item/3"}) {
		t.Errorf("%v, %d requests, %q", p.CanReadDetails, n, w.shop.detailsOf())
	}
	if p.Need != (watching.Use{Hour: 10, Day: 143}) { // 5 and 43 without
		t.Errorf("it needs %+v", p.Need)
	}
	// What was tried is kept: the watch is made, and tried again, without a request.
	try.Preview = p.ID
	again, err := w.Preview(t.Context(), w.user, try)
	w.must(err)
	if again.CanReadDetails == nil || !*again.CanReadDetails || n != 2 {
		t.Errorf("%v, %d requests", again.CanReadDetails, n)
	}
	x, _, err := w.Add(t.Context(), w.user, watching.Wish{Settings: set, Interval: 60, Accepted: true})
	w.must(err)
	if len(w.shop.detailsOf()) != 1 {
		t.Errorf("%q", w.shop.detailsOf())
	}
	for range 3 {
		w.run()
	}
	sold := func(title string) *watching.Found {
		t.Helper()
		p, err := w.Results(t.Context(), w.user, w.get(w.user, x.ID()), watching.Query{Status: watch.Sold})
		w.must(err)
		for i := range p.Results {
			if p.Results[i].Title == title {
				return &p.Results[i]
			}
		}
		t.Fatalf("%q is not sold: %+v", title, p.Results)
		return nil
	}
	evening := time.Date(2026, 11, 20, 21, 5, 0, 0, time.UTC).Unix()
	if r := sold("Camera C with a lens"); r.Source != watch.FromDetail || r.Since != evening {
		t.Errorf("the one sold before: source %d since %v", r.Source, time.Unix(r.Since, 0).UTC())
	}
	// One that vanishes from the list is looked for on its own page.
	w.shop.set(func(s *shop) { s.things[0].sold, s.things[0].isOff = true, true })
	w.look(x)
	for range 3 {
		w.run()
	}
	if r := sold("Camera A with a lens"); r.Source != watch.FromDetail || r.Since != evening {
		t.Errorf("the one sold now: source %d since %v", r.Source, time.Unix(r.Since, 0).UTC())
	}
}

// Where the pages of single results tell nothing, exact dates of sales are not offered. M-14
func TestNoDatesOfSales(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		detail func(x *thing) string
		robots string
	}{
		"nothing of price or status": {func(x *thing) string { return "<h1>" + x.title + "</h1><p>About it.</p>" }, ""},
		"sold without a day": {func(x *thing) string {
			return "<h1>" + x.title + "</h1><p>SOLD</p><p>¥900</p>"
		}, ""},
		"robots.txt": {shown, "User-agent: *\nDisallow: /item/\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.shop.set(func(s *shop) { s.detail, s.robots = c.detail, c.robots; s.things[1].sold = true })
			set := w.settings("/search")
			set.Details = true
			p, err := w.Preview(t.Context(), w.user, watching.Try{Settings: set})
			w.must(err)
			if p.CanReadDetails == nil || *p.CanReadDetails {
				t.Errorf("%+v", p.CanReadDetails)
			}
			if _, _, err := w.Add(t.Context(), w.user,
				watching.Wish{Settings: set, Interval: 60, Accepted: true}); fault.CodeOf(err) != "no_details" {
				t.Error(err)
			}
			set.Details = false
			x := w.add(w.user, set)
			set.Details = true
			if _, err := w.Change(t.Context(), w.user, x.ID(), watching.Change{Settings: &set}); fault.CodeOf(err) !=
				"no_details" {
				t.Error(err)
			}
		})
	}
}

// What only a crawl notes of a watch is not taken from a request.
func TestSettingsThatNobodyChooses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := w.settings("/search")
	set.Relaid, set.Found = true, 1
	if x := w.add(w.user, set); x.Settings.Relaid || x.Settings.Found != 0 {
		t.Errorf("%+v", x.Settings)
	}
}

// When a watch was last looked at is known at once to the process that looked.
func TestWhenAWatchWasLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.add(w.user, w.settings("/search"))
	for range 2 {
		f, err := w.store.Feeds.Get(t.Context(), x.ID(), true)
		w.must(err)
		_, err = w.store.Checks.Last(t.Context(), f, 0) // which is cached
		w.must(err)
		w.look(x)
		f, err = w.store.Feeds.Get(t.Context(), x.ID(), true)
		w.must(err)
		at, err := w.store.Checks.Last(t.Context(), f, 0)
		if w.must(err); !at.Equal(w.clock.Now()) {
			t.Errorf("looked at %v, known is %v", w.clock.Now(), at)
		}
	}
	f, err := w.store.Feeds.Get(t.Context(), x.ID(), true)
	w.must(err)
	w.clock.Add(6 * time.Second)
	_, err = w.store.Checks.Last(t.Context(), f, 0)
	w.must(err)
	w.clock.Add(time.Second)
	w.must(w.store.Leases.MarkAll(t.Context(), 0, w.clock.Now()))
	if at, err := w.store.Checks.Last(t.Context(), f, 0); err != nil || !at.Equal(w.clock.Now()) {
		t.Errorf("crawled at %v, known is %v, %v", w.clock.Now(), at, err)
	}
}
