package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/watch"
	"github.com/ruri-reader/ruri/internal/watching"
)

type previewJSON struct {
	ID         *string           `json:"previewId"`
	URL        string            `json:"url"`
	Title      string            `json:"title"`
	Problem    *watchProblemJSON `json:"problem"`
	Candidates []waysJSON        `json:"candidates"`
	Robots     robotsJSON        `json:"robots"`
	Terms      *string           `json:"terms"`
	Warnings   []reasonJSON      `json:"warnings"`
	Host       hostJSON          `json:"host"`
	CanDetails *bool             `json:"canReadDetails"`
}

type robotsJSON struct {
	IsAllowed  bool `json:"allowed"`
	CrawlDelay int  `json:"crawlDelay"` // seconds
}

// hostJSON is the number of requests that the watches of a host send.
type hostJSON struct {
	Host string      `json:"host"`
	Hour hostUseJSON `json:"hour"`
	Day  hostUseJSON `json:"day"`
}

type hostUseJSON struct {
	Used   int `json:"used"`
	Needed int `json:"needed"`
	Limit  int `json:"limit"`
}

// waysJSON is a way in which a page can be read.
type waysJSON struct {
	Source  string                  `json:"source"`
	Adapter *string                 `json:"adapter"`
	Score   float64                 `json:"score"`
	Layout  listing.Layout          `json:"layout"`
	Rows    []rowJSON               `json:"rows"`
	Found   int                     `json:"rowsFound"`
	Fitting int                     `json:"rowsFitting"`
	NextURL *string                 `json:"nextUrl"`
	Choices map[string][]choiceJSON `json:"choices"`
}

type choiceJSON struct {
	Field   listing.Field `json:"field"`
	Samples []string      `json:"samples"`
}

type rowJSON struct {
	ExternalID string   `json:"externalId"`
	Name       string   `json:"name"`
	URL        string   `json:"url"`
	ImageURL   *string  `json:"imageUrl"`
	Price      *int64   `json:"price"`
	IsFrom     bool     `json:"isFrom"`
	Currency   string   `json:"currency"`
	PriceText  string   `json:"priceText"`
	Date       moment   `json:"date"`
	Status     *string  `json:"status"`
	Seller     string   `json:"seller"`
	SellerType *string  `json:"sellerType"`
	IsFitting  bool     `json:"isFitting"`
	Warnings   []string `json:"warnings"`
}

const (
	// sampleRows is the number of rows shown of a candidate, triedRows of a layout that is tried.
	sampleRows = 10
	triedRows  = 100
)

// previewWatch shows what a page lists. Only those that need a request count against the limit.
func (s *Server) previewWatch(r *request, in struct {
	URL       string          `json:"url"`
	Adapter   string          `json:"adapter"`
	Query     listing.Query   `json:"query"`
	Layout    *listing.Layout `json:"layout"`
	PreviewID string          `json:"previewId"`
	Filter    struct {
		Words   []string `json:"words"`
		Without []string `json:"without"`
		Min     int64    `json:"min"`
		Max     int64    `json:"max"`
		Details bool     `json:"details"`
	} `json:"settings"`
	Interval int32 `json:"interval"`
}) error {
	r.w.host = fetch.HostOf(in.URL)
	set := watch.Settings{
		URL: in.URL, Adapter: in.Adapter, Query: in.Query, Layout: in.Layout,
		Words: in.Filter.Words, Without: in.Filter.Without, Min: in.Filter.Min, Max: in.Filter.Max,
		Details: in.Filter.Details,
	}
	p, err := s.Watching.Preview(r.Context(), r.user, watching.Try{
		Settings: set, Interval: in.Interval, Preview: in.PreviewID, Count: func() error {
			return s.limits.previews.take(string(r.user))
		},
	})
	if err != nil {
		return err
	}
	lang := r.language()
	out := previewJSON{
		ID: orNull(p.ID), URL: p.URL, Title: p.Title, Problem: watchProblem(lang, p.Problem, 0), Terms: orNull(p.Terms),
		Robots: robotsJSON{p.Allowed, int(p.Delay / time.Second)},
		Host: hostJSON{
			p.Host, hostUseJSON{p.Used.Hour, p.Need.Hour, watching.HostLimit.Hour},
			hostUseJSON{p.Used.Day, p.Need.Day, watching.HostLimit.Day},
		},
		CanDetails: p.CanReadDetails,
		Warnings: mapped(p.Warnings, func(code string) reasonJSON {
			return reasonJSON{code, texts.Previews[code].In(lang)}
		}),
	}
	rows := sampleRows
	if in.Layout != nil {
		rows = triedRows
	}
	out.Candidates = mapped(p.Candidates, func(c watching.Candidate) waysJSON { return way(&c, &set, rows) })
	return r.json(http.StatusOK, out)
}

func way(c *watching.Candidate, set *watch.Settings, most int) waysJSON {
	out := waysJSON{
		Source: c.Source, Adapter: orNull(c.Adapter), Score: c.Score, Layout: c.Layout, Found: len(c.Page.Rows),
		Fitting: c.Fitting,
		NextURL: orNull(c.Page.Next), Choices: make(map[string][]choiceJSON, len(c.Choices)),
	}
	for field, list := range c.Choices {
		out.Choices[field] = mapped(list, func(x listing.Choice) choiceJSON {
			return choiceJSON{x.Field, notNil(x.Samples)}
		})
	}
	out.Rows = mapped(c.Page.Rows[:min(len(c.Page.Rows), most)], func(row listing.Row) rowJSON {
		return previewRow(&row, set)
	})
	return out
}

func previewRow(x *listing.Row, set *watch.Settings) rowJSON {
	out := rowJSON{
		ExternalID: x.ID, Name: x.Title, URL: x.Link, ImageURL: orNull(x.Image), PriceText: x.PriceText,
		Date:   momentOf(x.Date),
		Seller: x.Seller, SellerType: orNull(sellerTypes[x.SellerType]), IsFitting: set.Fits(x), Warnings: []string{},
	}
	switch x.Status {
	case listing.OnSale:
		out.Status = orNull(statuses[watch.OnSale])
	case listing.Sold:
		out.Status = orNull(statuses[watch.Sold])
	}
	if p := x.Price; p != nil {
		out.Price, out.IsFrom, out.Currency = &p.Amount, p.IsFrom, p.Currency
	}
	if x.Title == "" {
		out.Warnings = append(out.Warnings, "no_title")
	}
	if x.Link == "" {
		out.Warnings = append(out.Warnings, "no_link")
	}
	if x.Price == nil && x.PriceText != "" {
		out.Warnings = append(out.Warnings, "no_price")
	}
	return out
}
