package watch_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/shop"
	"github.com/ruri-reader/ruri/internal/watch"
)

// oracle says what a watch must know: what really happened, as far as its looks can have seen it.
type oracle struct {
	s        *sim
	keys     map[string]watch.Key
	seen     map[string]*sighting
	found    map[string]bool // by the full crawl under way
	expected []string        // events of the crawl
	ends     map[string]end  // by day
}

// sighting is what the looks have seen of a thing.
type sighting struct {
	prices     []watch.PricePoint
	lowest     int64
	status     watch.Status
	firstSeen  int64
	soldAt     int64
	isExact    bool // soldAt is the true one
	wasFirst   bool // it was sold when first seen
	lastOnSale int64
	missing    int64
	misses     int
	checked    int64
	sales      []sale
}

type sale struct{ at, price int64 }

// end is the end of a day.
type end struct {
	prices []int64
	onSale int
}

func newOracle(s *sim) *oracle {
	return &oracle{s: s, keys: map[string]watch.Key{}, seen: map[string]*sighting{}, ends: map[string]end{}}
}

func (o *oracle) id(k watch.Key) string {
	for id, key := range o.keys {
		if key == k {
			return id
		}
	}
	return ""
}

func (o *oracle) things() map[string]shop.Thing {
	all := map[string]shop.Thing{}
	for _, t := range o.s.shop.Things() {
		all[t.ID] = t
	}
	return all
}

func (o *oracle) expect(kind watch.EventKind, id string) {
	o.expected = append(o.expected, fmt.Sprintf("%s %s", kind, id))
}

func (x *sighting) price() int64 { return x.prices[len(x.prices)-1].Amount }

// look sees a page.
func (o *oracle) look(l *watch.Look) {
	if l.Page == 1 {
		o.found = map[string]bool{}
	}
	now := o.s.clock.Now().Unix()
	isArchive := len(o.seen) == 0 || l.Page > 1 && len(o.ends) == 0
	things := o.things()
	for _, id := range o.s.shop.Page(l.Page) {
		if o.found[id] {
			continue // it moved on while the pages were read
		}
		o.found[id] = true
		o.sees(things[id], now, isArchive)
	}
	if !l.Full || !l.Last {
		return
	}
	for id, x := range o.seen {
		if o.found[id] || x.status == watch.Gone {
			continue
		}
		o.misses(id, x, now)
	}
}

func (o *oracle) sees(t shop.Thing, now int64, isArchive bool) {
	id := t.ID
	x := o.seen[id]
	isNew := x == nil
	if isNew {
		x = &sighting{lowest: t.Price(), firstSeen: now, prices: []watch.PricePoint{{At: now, Amount: t.Price()}}}
		o.seen[id] = x
	}
	before, was := x.price(), x.status
	x.missing, x.misses, x.checked = 0, 0, 0
	dropped := false
	// A sold thing without a price keeps the last one: pages often leave it out then.
	if t.Price() != before && !(t.Status() == shop.Sold && t.Price() < 0) {
		x.prices = append(x.prices, watch.PricePoint{At: now, Amount: t.Price()})
		dropped = t.Price() >= 0 && x.lowest > 0 && float64(t.Price()) <= 0.99*float64(x.lowest)
		if dropped || x.lowest < 0 {
			x.lowest = t.Price()
		}
	}
	if t.Status() == shop.Sold {
		if was != watch.Sold {
			x.status, x.soldAt, x.isExact, x.wasFirst = watch.Sold, now, false, isNew || was == watch.Gone
			if !x.wasFirst {
				x.sales = append(x.sales, sale{now, x.price()})
			}
			if !isArchive {
				o.expect(watch.SoldOut, id)
			}
		}
		return
	}
	x.status, x.lastOnSale, x.soldAt = watch.OnSale, now, 0
	w := o.s.set.Wanted
	isBelow := func(p int64) bool { return p >= 0 && p <= w }
	switch {
	case isArchive && isNew:
	case isBelow(t.Price()) && (was != watch.OnSale || !isBelow(before)):
		o.expect(watch.Reached, id)
	case isNew:
		o.expect(watch.New, id)
	case was != watch.OnSale:
		o.expect(watch.Back, id)
	case dropped:
		o.expect(watch.Dropped, id)
	case before >= 0 && t.Price() > before:
		o.expect(watch.Risen, id)
	}
}

// misses counts that a full crawl has not found a thing.
func (o *oracle) misses(id string, x *sighting, now int64) {
	if x.missing == 0 {
		x.missing = now
	}
	x.misses++
	wait := int64(24 * 3600)
	if o.s.set.Detail != nil {
		wait *= 8
	}
	if x.status == watch.OnSale && x.misses >= 3 && now-max(x.missing, x.checked) >= wait {
		x.status = watch.Gone
		o.expect(watch.GoneOff, id)
	}
}

// detail sees the page of a thing.
func (o *oracle) detail(id string) {
	t, x, now := o.things()[id], o.seen[id], o.s.clock.Now().Unix()
	if x == nil {
		return // the crawl was not followed
	}
	x.checked = now
	switch t.Status() {
	case shop.Sold:
		if x.status != watch.Sold {
			o.expect(watch.SoldOut, id)
			x.sales = append(x.sales, sale{price: x.price()})
		} else if x.wasFirst {
			x.sales = append(x.sales, sale{price: x.price()})
		}
		x.status, x.soldAt, x.isExact, x.wasFirst = watch.Sold, t.Since().Unix(), true, false
		x.sales[len(x.sales)-1].at = x.soldAt
	case shop.Gone:
		if x.status == watch.OnSale {
			x.status = watch.Gone
			o.expect(watch.GoneOff, id)
		}
	case shop.OnSale:
	}
	if t.Status() == shop.OnSale && x.status == watch.OnSale && t.Price() != x.price() {
		o.s.t.Log("a price changed while its thing was missing")
	}
}

// check compares all that the watch knows after a crawl.
func (o *oracle) check() {
	s := o.s
	st, cs := s.load()
	slices.Sort(s.events)
	slices.Sort(o.expected)
	s.same("events", s.events, o.expected)
	truth := o.things()
	known := map[string]watch.Thing{}
	things := watch.Things(st, cs, s.histories())
	for _, t := range things {
		known[t.ID] = t
	}
	if len(things) != len(o.seen) || len(known) != len(o.seen) {
		s.t.Errorf("%d results of %d things, %d were seen", len(things), len(known), len(o.seen))
	}
	var now end
	for id, x := range o.seen {
		t := known[id]
		s.same(id+" prices", t.Prices, x.prices)
		s.same(id+" status", t.Status, x.status)
		s.same(id+" first seen", t.FirstSeen, x.firstSeen)
		s.same(id+" sold at", t.SoldAt, x.soldAt)
		s.same(id+" title", t.Title, truth[id].Title)
		if x.status == watch.Sold && !x.isExact && !x.wasFirst {
			o.checkSold(truth[id], x)
		}
		if x.status == watch.OnSale {
			s.same(id+" missing", t.Missing, x.missing)
			if x.missing == 0 {
				now.onSale++
				if p := x.price(); p >= 0 {
					now.prices = append(now.prices, p)
				}
			}
		}
	}
	slices.Sort(now.prices)
	o.ends[s.clock.Now().Format(time.DateOnly)] = now
	if r, ok := st.Lowest(); !ok || r.Price != now.prices[0] {
		s.t.Errorf("lowest %d, want %d", r.Price, now.prices[0])
	}
	if s.set.Layout != nil && len(s.shop.Page(2)) == 0 {
		o.checkCheapest(truth, st)
	}
}

// checkSold checks a date that was found between two looks.
func (o *oracle) checkSold(t shop.Thing, x *sighting) {
	for _, turn := range t.Turns {
		if at := turn.At.Unix(); turn.Status == shop.Sold && at > x.lastOnSale && at <= x.soldAt {
			return
		}
	}
	o.s.t.Errorf("%s: sold at %d, last on sale %d, in truth %v", t.ID, x.soldAt, x.lastOnSale, t.Turns)
}

// checkCheapest compares with the shop itself, where a look shows all of it. What has left since the last full crawl
// may still count.
func (o *oracle) checkCheapest(truth map[string]shop.Thing, st *watch.State) {
	lowest := int64(-1)
	for id, t := range truth {
		isLeft := t.Status() == shop.Gone && o.seen[id] != nil && o.seen[id].status == watch.OnSale &&
			o.seen[id].missing == 0
		if p := t.Price(); (t.Status() == shop.OnSale || isLeft) && p >= 0 && (lowest < 0 || p < lowest) &&
			t.Turns[0].At.Before(o.s.clock.Now()) {
			lowest = p
		}
	}
	if r, _ := st.Lowest(); r.Price != lowest {
		o.s.t.Errorf("the cheapest is %d, in truth %d", r.Price, lowest)
	}
}

// checkTrend compares all days.
func (o *oracle) checkTrend(first time.Time, least int) {
	s := o.s
	st, cs := s.load()
	sold := map[string][]int64{}
	for _, x := range o.seen {
		for _, sale := range x.sales {
			d := time.Unix(sale.at, 0).UTC().Format(time.DateOnly)
			sold[d] = append(sold[d], sale.price)
		}
	}
	days := watch.Trend(st, cs, s.histories(), first, s.clock.Now())
	if len(days) < least {
		s.t.Errorf("%d days", len(days))
	}
	for _, d := range days {
		e := o.ends[d.Day]
		want := watch.Day{Day: d.Day, Currency: "JPY", Lowest: at(e.prices, 0), P25: at(e.prices, 25),
			P50: at(e.prices, 50), P75: at(e.prices, 75),
			OnSale: e.onSale, Sold: len(sold[d.Day]), SoldMedian: -1}
		prices := slices.DeleteFunc(sold[d.Day], func(p int64) bool { return p < 0 })
		slices.Sort(prices)
		if len(prices) > 0 {
			want.SoldMedian = at(prices, 50)
		}
		s.same("trend", d, want)
	}
}

// at is the nearest-rank percentile.
func at(sorted []int64, percent int) int64 {
	for i, p := range sorted {
		if (i+1)*100 >= percent*len(sorted) {
			return p
		}
	}
	return -1
}
