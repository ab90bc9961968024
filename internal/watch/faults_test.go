package watch_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/testkit/shop"
	"github.com/ruri-reader/ruri/internal/watch"
)

// faults of pages, and the problem that each must be.
var faults = []struct {
	name  string
	fault shop.Fault
	from  int // page
	want  string
}{
	{"an empty page", shop.EmptyPage, 1, listing.ProblemEmpty},
	{"an empty second page", shop.EmptyPage, 2, listing.ProblemEmpty},
	{"a fifth of a page", shop.HalfPage, 1, watch.ProblemChanged},
	{"a changed class", shop.ChangedClass, 1, listing.ProblemEmpty},
	{"a captcha", shop.Captcha, 1, listing.ProblemChallenge},
	{"a captcha behind page 1", shop.Captcha, 2, listing.ProblemChallenge},
	{"another encoding", shop.ShiftJIS, 1, ""},
	{"pages that shift", shop.Shifting, 1, ""},
	{"each row twice", shop.Duplicates, 1, ""},
	{"dollars", shop.Dollars, 1, watch.ProblemChanged},
	{"prices of another class", shop.NoPrices, 1, watch.ProblemChanged},
	{"other ids", shop.OtherKeys, 1, ""},
}

// results returns what a watch knows, without what a missing result has more.
func (s *sim) results() (all []string) {
	st, cs := s.load()
	for _, t := range watch.Things(st, cs, s.histories()) {
		all = append(all, fmt.Sprint(t.Title, t.Status, t.Price, t.Prices, t.FirstSeen, t.SoldAt, t.Seq))
	}
	slices.Sort(all)
	return all
}

// In a shop where nothing happens, a fault changes nothing, whatever it is, and each has its own code.
func TestFaultsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSim(t, shop.Options{Seed: 1, Things: 60, PerPage: 20}, watch.Settings{})
			crawl := func(hours int) (problem string) {
				t.Helper()
				s.clock.Add(time.Duration(hours) * time.Hour)
				s.full = true
				return s.crawl()
			}
			if problem := crawl(0); problem != "" {
				t.Fatal(problem)
			}
			before := s.results()
			s.shop.Break(tt.fault, tt.from)
			for i := range 5 {
				if problem := crawl(11); problem != tt.want {
					t.Fatalf("problem %q, want %q", problem, tt.want)
				}
				st, _ := s.load()
				if code, n := st.Problem(); (n >= 3) != (tt.want != "" && i >= 2) || n >= 3 && code != tt.want {
					t.Fatalf("problem %q after %d looks, %d suspects", code, i+1, n)
				}
				if len(s.events) > 0 {
					t.Fatalf("events %v", s.events)
				}
			}
			s.same("results", s.results(), before)
			s.shop.Repair()
			if problem := crawl(11); problem != "" || len(s.events) > 0 {
				t.Fatalf("problem %q, events %v", problem, s.events)
			}
			s.same("results", s.results(), before)
			if code, n := s.state().Problem(); n > 0 {
				t.Errorf("problem %q, %d suspects", code, n)
			}
		})
	}
}

func (s *sim) state() *watch.State {
	st, _ := s.load()
	return st
}

// Faults that come and go in a busy shop: no event comes twice (commit checks that), nothing is gone or sold that is
// not, and two days after the last one the watch knows exactly what is on sale.
func TestFaultsInABusyShop(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := newSim(t, shop.Usual(seed+10), watch.Settings{Detail: shop.Detail(), Details: true})
			looks, wasBroken := 0, false
			s.days(8, func() {
				if looks++; looks%4 == 0 && looks < 100 {
					s.shop.Repair()
					if !wasBroken && looks > 1 {
						f := faults[s.rng.IntN(len(faults)-1)] // not other ids, which only make sense for whole crawls
						s.shop.Break(f.fault, f.from)
					}
					wasBroken = !wasBroken
				}
				s.crawl()
				s.checkSubset()
			})
			s.shop.Repair()
			s.days(2, func() { s.crawl() })
			s.full = true
			s.clock.Add(time.Hour)
			s.crawl()
			var got, want []string
			st, cs := s.load()
			for _, x := range watch.Things(st, cs, s.histories()) {
				if x.IsListed() {
					got = append(got, fmt.Sprint(x.ID, x.Price))
				}
			}
			for _, x := range s.shop.Things() {
				if x.Status() == shop.OnSale {
					want = append(want, fmt.Sprint(x.ID, x.Price()))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			s.same("on sale", got, want)
		})
	}
}

// checkSubset checks that all that a watch says happened, though it may not know yet what happened last.
func (s *sim) checkSubset() {
	s.t.Helper()
	truth := s.truth.things()
	st, cs := s.load()
	for _, x := range watch.Things(st, cs, s.histories()) {
		t, ok := truth[x.ID]
		if !ok {
			s.t.Errorf("no such thing: %+v", x)
			continue
		}
		has := func(status shop.Status) bool {
			return slices.ContainsFunc(t.Turns, func(turn shop.Turn) bool { return turn.Status == status })
		}
		if x.Status == watch.Sold && !has(shop.Sold) || x.Status == watch.Gone && !has(shop.Gone) && !has(shop.Sold) {
			s.t.Errorf("%s has status %d, in truth %v", x.ID, x.Status, t.Turns)
		}
		for _, p := range x.Prices {
			if !slices.ContainsFunc(t.Prices, func(q shop.Price) bool {
				return q.Amount == p.Amount && q.At.Unix() <= p.At
			}) {
				s.t.Errorf("%s never cost %d, but %v", x.ID, p.Amount, t.Prices)
			}
		}
	}
}

// A clock that is set back loses nothing and announces nothing twice.
func TestClockSetBackInABusyShop(t *testing.T) {
	t.Parallel()
	s := newSim(t, shop.Usual(20), watch.Settings{})
	s.days(2, func() { s.crawl() })
	tick := schedule.TickOf(s.clock.Now())
	s.clock.Set(s.clock.Now().Add(-20 * time.Hour))
	before := len(s.results())
	s.days(2, func() { s.crawl() })
	if schedule.TickOf(s.clock.Now()) <= tick || len(s.results()) < before {
		t.Errorf("%d results, %d before", len(s.results()), before)
	}
	s.full = true
	s.clock.Add(time.Hour)
	s.crawl()
	for _, x := range s.shop.Things() {
		r, ok := s.state().Get(s.truth.keys[x.ID])
		if x.Status() == shop.OnSale && (!ok || !r.IsListed() || r.Price != x.Price()) {
			t.Errorf("%s: %+v, in truth %d", x.ID, r, x.Price())
		}
	}
}
