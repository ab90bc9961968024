package api

import (
	"net/http"
	"slices"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/fault"
)

type costJSON struct {
	Region    string         `json:"region"`
	Regions   []string       `json:"regions"`
	BasisDays int            `json:"basisDays"`
	Lines     []costLineJSON `json:"lines"`
	Total     cost.Sums      `json:"total"`
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

// basisDays is the number of days from which a month is projected, usualRegion the template's default region.
const (
	basisDays   = 7
	usualRegion = "us-east-1"
)

// cost projects a month's bill on AWS from the crawler's statistics of whole days: without today, and without the first
// day.
func (s *Server) cost(r *request) error {
	ctx := r.Context()
	prices := cost.Embedded()
	out := costJSON{Region: r.URL.Query().Get("region"), Regions: prices.Regions(), Lines: []costLineJSON{}}
	if out.Region == "" {
		out.Region = usualRegion
	}
	if !slices.Contains(out.Regions, out.Region) {
		return fault.Coded(fault.Invalid, "bad_region").At("region")
	}
	feeds, err := s.Store.Feeds.Count(ctx)
	if err != nil {
		return err
	}
	seen, err := s.observed(r)
	if err != nil {
		return err
	}
	seen.Feeds, seen.Users = feeds, 1
	if out.BasisDays = int(seen.Days); out.BasisDays == 0 {
		return r.json(http.StatusOK, out)
	}
	bill, err := prices.Month(cost.Options{Feeds: feeds, Users: seen.Users}, prices.Project(seen), out.Region, false)
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
		o.Runs += float64(d.Runs)
		o.Polled += float64(d.Polled)
		o.NotModified += float64(d.NotModified)
		o.Changed += float64(d.Changed)
		o.Failed += float64(d.Failed)
		o.Answered += float64(d.Changed + d.Unchanged)
		o.Bytes += float64(d.Bytes)
		o.NewItems += float64(d.NewItems)
		o.Reads += d.TableReads
		o.Writes += d.TableWrites
		o.BlobPuts += float64(d.BlobPuts)
		o.Seconds += float64(d.Millis) / 1000
	}
	return o, nil
}
