package api

import (
	"net/http"
	"slices"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/crawl/budget"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

type costJSON struct {
	Region    string         `json:"region"`
	Regions   []string       `json:"regions"`
	BasisDays int            `json:"basisDays"`
	Lines     []costLineJSON `json:"lines"`
	Total     cost.Sums      `json:"total"`
	Limit     *limitJSON     `json:"limit"` // null without one
}

// limitJSON is the owner's monthly limit, and this month so far.
type limitJSON struct {
	Limit  float64 `json:"limitUSD"`
	Spent  float64 `json:"spentUSD"`
	Factor int32   `json:"intervalFactor"`
	Ends   moment  `json:"endsAt"`
}

type costLineJSON struct {
	Service   string  `json:"service"`
	What      string  `json:"what"`
	Price     string  `json:"price"`
	Quantity  float64 `json:"quantity"`
	Unit      string  `json:"unit"`
	UnitUSD   float64 `json:"unitUSD"`
	AlwaysOff float64 `json:"alwaysFree"`
	YearOff   float64 `json:"firstYearFree"`
	cost.Sums
	Seen   string `json:"seen"`
	Source string `json:"source"`
}

// basisDays is the number of days from which a month is projected.
const basisDays = 7

// cost projects a month's bill on AWS from the crawler's statistics of whole days: without today, and without the first
// day.
func (s *Server) cost(r *request) error {
	ctx := r.Context()
	prices := cost.Embedded()
	out := costJSON{Region: r.URL.Query().Get("region"), Regions: prices.Regions(), Lines: []costLineJSON{}}
	if out.Region == "" {
		out.Region = cost.UsualRegion
	}
	if !slices.Contains(out.Regions, out.Region) {
		return fault.Coded(fault.Invalid, "bad_region").At("region")
	}
	feeds, err := s.Store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	if s.Budget.Limit > 0 {
		st, err := s.Budget.Status(ctx)
		if err != nil {
			return err
		}
		out.Limit = &limitJSON{st.Limit, st.Spent, st.Slow, momentOf(st.Ends)}
	}
	seen, err := s.observed(r)
	if err != nil {
		return err
	}
	seen.Feeds, seen.Users = feeds, 1
	if out.BasisDays = int(seen.Days); out.BasisDays == 0 {
		return r.json(http.StatusOK, out)
	}
	o := cost.Options{Feeds: feeds, Users: seen.Users, OnDemand: s.Budget.OnDemand}
	bill, err := prices.Month(o, prices.Project(seen), out.Region, false)
	if err != nil {
		return err
	}
	out.Total = bill.Total
	for _, l := range bill.Lines {
		if !l.Counts() {
			continue
		}
		p, err := prices.Price(l.ID, out.Region)
		if err != nil {
			return err
		}
		line := costLineJSON{
			Service: l.Service, What: l.What, Price: l.ID, Quantity: l.Quantity, Unit: l.Unit, UnitUSD: p.USD,
			Sums: cost.Sums{USD: l.USD, Always: l.Always, Year: l.Year}, Seen: p.Date, Source: p.Source,
		}
		line.AlwaysOff, line.YearOff = prices.Allowance(l.ID)
		out.Lines = append(out.Lines, line)
	}
	return r.json(http.StatusOK, out)
}

func (s *Server) observed(r *request) (o cost.Observed, err error) {
	days, err := s.Store.Runs.Days(r.Context(), basisDays+2)
	if err != nil {
		return o, err
	}
	begun := days[0].Runs > 0
	for _, d := range days[1 : len(days)-1] {
		if d.Runs == 0 {
			continue // no crawler ran
		}
		if !begun {
			begun = true
			continue
		}
		o.Days++
		budget.Add(&o, d)
	}
	return o, nil
}

// seesCosts reports whether the user is to see what feeds cost: the owner, where anything does.
func (s *Server) seesCosts(r *request) (bool, error) {
	if !s.Billed && s.Budget.Limit <= 0 {
		return false, nil
	}
	return s.isOwner(r)
}

// feedCost returns the USD that a feed adds to a month's bill, by its period and its pace.
func (s *Server) feedCost(period int32, weekly float64) (*float64, error) {
	polls := float64(schedule.TicksPerDay) / float64(max(period, 1))
	usd, err := cost.Embedded().Feed(cost.UsualFeed(polls, weekly/7), s.Budget.Region)
	return &usd, err
}

// costOf is feedCost of a feed that is there; nil for those who do not see costs.
func (s *Server) costOf(r *request, f *store.FeedRow) (*float64, error) {
	sees, err := s.seesCosts(r)
	if err != nil || !sees || f.IsStopped() {
		return nil, err
	}
	weekly, _ := f.Weekly(s.Clock.Now())
	return s.feedCost(f.Period, weekly)
}

// forecast is feedCost of a feed that nobody here reads yet.
func (s *Server) forecast(r *request, o *subscribe.Offer) (*float64, error) {
	slow, err := s.Budget.Slow(r.Context())
	if err != nil || o.Weekly < 0 || o.Feed != 0 {
		return nil, err
	}
	period, _ := schedule.Pace(schedule.Inputs{Now: s.Clock.Now(), HasValidators: true, LastChange: o.LastItem,
		Slow: slow})
	return s.feedCost(period, o.Weekly)
}
