// Package shop is a shop for tests: it lists things over pages, changes as its clock runs, and knows itself what really
// happened, so that what a watch says can be compared with it. It counts how politely it is crawled, and has faults on
// demand.
//
// Equal seeds and equal times of requests give equal pages.
package shop

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/listing"
)

// Status of a thing as it really is.
type Status uint8

// The statuses.
const (
	OnSale Status = iota + 1
	Sold
	Gone
)

// Thing is one thing with all that happened to it. Its times are whole seconds.
type Thing struct {
	ID, Title, Image, Seller string
	IsShop                   bool
	Prices                   []Price // oldest first
	Turns                    []Turn  // oldest first; the first is when it was listed
	LeftAt                   time.Time

	rank   int64         // its place in the list: the highest comes first
	stays  time.Duration // how long the list shows it when it is sold
	before int64         // the price that is crossed out
}

// Price is an amount in yen, -1 = none, and since when it was asked.
type Price struct {
	At     time.Time
	Amount int64
}

// Turn is a status, and since when the thing had it.
type Turn struct {
	At     time.Time
	Status Status
}

// Status returns the status now.
func (t *Thing) Status() Status { return t.Turns[len(t.Turns)-1].Status }

// Since returns since when it has its status.
func (t *Thing) Since() time.Time { return t.Turns[len(t.Turns)-1].At }

// Price returns what is asked now.
func (t *Thing) Price() int64 { return t.Prices[len(t.Prices)-1].Amount }

// isListed reports whether the list shows it.
func (t *Thing) isListed(now time.Time) bool {
	return t.Status() == OnSale || t.Status() == Sold && now.Sub(t.Since()) < t.stays
}

// Options of a shop. Rates are events a day.
type Options struct {
	Seed    uint64
	Things  int // at the beginning
	PerPage int
	// Delay is the Crawl-delay of robots.txt, in seconds; 0 = none.
	Delay                                                               int
	Arrivals, PriceChanges, Sales, Removals, Returns, Relistings, Bumps float64
}

// Usual are the options of a small busy shop.
func Usual(seed uint64) Options {
	return Options{Seed: seed, Things: 60, PerPage: 20, Arrivals: 7, PriceChanges: 5, Sales: 4, Removals: 1.5,
		Returns: 0.7, Relistings: 0.5, Bumps: 4}
}

// Shop is an http.Handler.
type Shop struct {
	opt   Options
	clock clock.Clock

	mu     sync.Mutex
	rng    *rand.Rand
	upTo   time.Time
	next   int64
	things []*Thing
	coming []event       // within the last step that was planned, in order
	faults map[Fault]int // from which page on
	shifts int
	visits []Visit
}

// step is how finely time passes; at most one event of a kind happens in one.
const step = 5 * time.Minute

// New opens a shop.
func New(c clock.Clock, opt Options) *Shop {
	s := &Shop{opt: opt, clock: c, rng: rand.New(rand.NewPCG(opt.Seed, 0)), upTo: c.Now().Truncate(time.Second),
		faults: map[Fault]int{}}
	for range opt.Things {
		s.arrive(s.upTo, "")
	}
	return s
}

// Things returns what really happened until now.
func (s *Shop) Things() []Thing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	all := make([]Thing, 0, len(s.things))
	for _, t := range s.things {
		x := *t
		x.Prices, x.Turns = slices.Clone(t.Prices), slices.Clone(t.Turns)
		all = append(all, x)
	}
	return all
}

// pass lets the time pass until now.
func (s *Shop) pass() {
	now := s.clock.Now()
	for ; !s.upTo.After(now); s.upTo = s.upTo.Add(step) {
		s.happen(s.upTo)
		s.plan(s.upTo)
	}
	s.happen(now)
	for _, t := range s.things {
		if t.LeftAt.IsZero() && !t.isListed(now) {
			t.LeftAt = t.Since()
			if t.Status() == Sold {
				t.LeftAt = t.LeftAt.Add(t.stays)
			}
		}
	}
}

// event is something that happens to the shop.
type event struct {
	at time.Time
	do func(at time.Time)
}

// happen lets happen what comes until a time.
func (s *Shop) happen(until time.Time) {
	for len(s.coming) > 0 && !s.coming[0].at.After(until) {
		e := s.coming[0]
		s.coming = s.coming[1:]
		e.do(e.at)
	}
}

// plan decides what happens in a step.
func (s *Shop) plan(from time.Time) {
	at := from
	for _, e := range []struct {
		rate float64
		of   func(*Thing) bool // which things it can happen to; nil: to none in particular
		do   func(at time.Time, t *Thing)
	}{
		{s.opt.Arrivals, nil, func(at time.Time, _ *Thing) { s.arrive(at, "") }},
		{s.opt.PriceChanges, isOnSale, s.reprice},
		{s.opt.Sales, isOnSale, func(at time.Time, t *Thing) { s.turn(at, t, Sold) }},
		{s.opt.Removals, isOnSale, func(at time.Time, t *Thing) { s.turn(at, t, Gone) }},
		{s.opt.Returns, func(t *Thing) bool {
			return !isOnSale(t) && from.Sub(t.Since()) < 20*24*time.Hour
		}, s.giveBack},
		{s.opt.Relistings, isOnSale, func(at time.Time, t *Thing) {
			s.turn(at, t, Gone)
			s.arrive(at, t.Title)
		}},
		{s.opt.Bumps, isOnSale, func(_ time.Time, t *Thing) { s.bump(t) }},
	} {
		at = at.Add(time.Duration(1+s.rng.IntN(30)) * time.Second)
		if s.rng.Float64() >= e.rate*step.Hours()/24 {
			continue
		}
		s.coming = append(s.coming, event{at, func(at time.Time) {
			if e.of == nil {
				e.do(at, nil)
			} else if t := s.pick(e.of); t != nil {
				e.do(at, t)
			}
		}})
	}
}

func isOnSale(t *Thing) bool { return t.Status() == OnSale }

func (s *Shop) pick(of func(*Thing) bool) *Thing {
	var fit []*Thing
	for _, t := range s.things {
		if of(t) {
			fit = append(fit, t)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[s.rng.IntN(len(fit))]
}

func (s *Shop) arrive(at time.Time, title string) {
	s.next++
	n := s.next
	price := int64(20+s.rng.IntN(400)) * 100
	if s.rng.IntN(25) == 0 {
		price = -1
	}
	t := &Thing{ID: fmt.Sprintf("m%05d", n), Title: cmp.Or(title, fmt.Sprintf("カメラ %c-%d 中古", 'A'+rune(n%26), 100+n)),
		Image:  fmt.Sprintf("/img/%d.jpg", n),
		Seller: fmt.Sprintf("seller%d", s.rng.IntN(20)), IsShop: s.rng.IntN(3) == 0, Prices: []Price{{at, price}},
		Turns: []Turn{{at, OnSale}},
		stays: time.Duration(12+s.rng.IntN(72)) * time.Hour}
	s.bump(t)
	s.things = append(s.things, t)
}

func (s *Shop) bump(t *Thing) {
	s.next++
	t.rank = s.next
}

func (s *Shop) turn(at time.Time, t *Thing, to Status) {
	t.Turns = append(t.Turns, Turn{at, to})
}

func (s *Shop) giveBack(at time.Time, t *Thing) {
	s.turn(at, t, OnSale)
	t.LeftAt = time.Time{}
	s.bump(t)
}

// reprice lowers a price, or raises it; sometimes there is none any more.
func (s *Shop) reprice(at time.Time, t *Thing) {
	old, price := t.Price(), int64(-1)
	switch n := s.rng.IntN(20); {
	case old < 0:
		price = int64(20+s.rng.IntN(400)) * 100
	case n == 0:
		// Nothing is asked any more.
	case n < 6:
		price = old + int64(1+s.rng.IntN(20))*100
	default:
		price = max(old-int64(1+s.rng.IntN(20))*100, 100)
	}
	if price == old {
		return
	}
	t.before = max(old, 0)
	t.Prices = append(t.Prices, Price{at, price})
}

// listed returns what the list shows, in its order.
func (s *Shop) listed() []*Thing {
	var list []*Thing
	for _, t := range s.things {
		if t.isListed(s.clock.Now()) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b *Thing) int { return cmp.Compare(b.rank, a.rank) })
	return list
}

// Page returns the ids of what a page of the list shows now.
func (s *Shop) Page(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass()
	rows, _ := s.pageOf(n)
	var ids []string
	for _, t := range rows {
		ids = append(ids, t.ID)
	}
	return ids
}

func (s *Shop) pageOf(n int) (rows []*Thing, hasNext bool) {
	all := s.listed()
	from := min(max(n-1, 0)*s.opt.PerPage, len(all))
	to := min(from+s.opt.PerPage, len(all))
	return all[from:to], to < len(all)
}

// Layout reads the shop's list, and Detail the page of a thing.
func Layout() *listing.Layout {
	return &listing.Layout{
		Rows: listing.Rows{Selector: "li.item"}, Next: "a.next", Empty: ".no-results", Pages: listing.MaxPages,
		Fields: map[string]listing.Field{
			"id": {At: "a", Attr: "href", Match: `/item/(\w+)`}, "title": {At: "h3"}, "link": {At: "a", Attr: "href"},
			"price": {At: ".price"},
			"image": {At: "img", Attr: "src"}, "status": {At: ".badge", Map: map[string]string{"SOLD": "sold"},
				Else: "onSale"},
			"seller": {At: ".by"}, "sellerType": {At: ".by", Attr: "data-type", Map: map[string]string{"shop": "shop"},
				Else: "person"},
		},
	}
}

// Detail reads the page of a thing.
func Detail() *listing.DetailLayout {
	d := &listing.DetailLayout{
		Price: listing.Field{At: ".price"}, Status: listing.Field{At: ".state", Map: map[string]string{"SOLD": "sold"},
			Else: "onSale"},
		SoldAt: listing.Field{At: ".sold time", Attr: "datetime"},
	}
	d.Gone.Text = "この商品は削除されました"
	return d
}
