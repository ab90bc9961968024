package cost

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed prices.json
var embedded []byte

// Table is the editable data behind a bill: what things cost, what of them is free, and how long things take.
type Table struct {
	About  string  `json:"about"`
	Prices []Price `json:"prices"`
	Free   []Free  `json:"free"`
	Model  Model   `json:"model"`
}

// Price is one price in one region, with the day it was seen and the page to check it at.
type Price struct {
	ID     string  `json:"id"`
	Region string  `json:"region"`
	Unit   string  `json:"unit"`
	USD    float64 `json:"usd"`
	Date   string  `json:"date"`
	Source string  `json:"source"`
	Note   string  `json:"note,omitempty"`
}

// Kinds of allowances: those that never end, and those of an account's first year.
const (
	Always  = "always"
	OneYear = "12 months"
)

// Free is what of a price's unit costs nothing each month.
type Free struct {
	ID     string  `json:"id"`
	Amount float64 `json:"amount"`
	Kind   string  `json:"kind"`
	Source string  `json:"source"`
	Note   string  `json:"note,omitempty"`
}

// Model says how long things take in Lambda, for billed time: the one part of a bill that a virtual clock cannot
// measure. The milliseconds are those of a function of 256 MB in the same region as its stores, most of them waiting.
// The memory of each function is the template's default.
type Model struct {
	OrchestratorMB float64 `json:"orchestratorMB"`
	CrawlerMB      float64 `json:"crawlerMB"`
	APIMB          float64 `json:"apiMB"`
	Parallel       int     `json:"parallel"` // hosts that a crawler polls at once

	StartMillis   float64 `json:"startMillis"` // of a cold start, billed
	TableMillis   float64 `json:"tableMillis"`
	QueueMillis   float64 `json:"queueMillis"`
	BlobPutMillis float64 `json:"blobPutMillis"`
	BlobGetMillis float64 `json:"blobGetMillis"`
	PollMillis    float64 `json:"pollMillis"`  // processor: TLS and one exchange
	StoreMillis   float64 `json:"storeMillis"` // processor: reading and packing a changed body
	RequestMillis float64 `json:"requestMillis"`
	ParseMillis   float64 `json:"parseMillis"`   // a feed parsed for its bodies
	PlanRowMicros float64 `json:"planRowMicros"` // a feed row looked at by the planner

	Pollers         float64 `json:"pollers"`         // of one event source with a maximum concurrency
	LongPollSeconds float64 `json:"longPollSeconds"` // of each receive that finds nothing
	LogEventBytes   float64 `json:"logEventBytes"`   // what CloudWatch Logs adds to each line
	FileBytes       float64 `json:"fileBytes"`       // of a file of the page that the browser mostly has
	PollBytes       float64 `json:"pollBytes"`       // sent to a publisher: a request with its handshake
}

func millis(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// Start is the billed time of a cold start.
func (m Model) Start() time.Duration { return millis(m.StartMillis) }

// TableTime is that of requests to the table, one after the other.
func (m Model) TableTime(n int64) time.Duration { return millis(float64(n) * m.TableMillis) }

// QueueTime is that of sends.
func (m Model) QueueTime(n int64) time.Duration { return millis(float64(n) * m.QueueMillis) }

// BlobPutTime is that of puts.
func (m Model) BlobPutTime(n int64) time.Duration { return millis(float64(n) * m.BlobPutMillis) }

// PollTime is the processor's share of polls, some of which had news.
func (m Model) PollTime(polls int, news int64) time.Duration {
	return millis(float64(polls)*m.PollMillis + float64(news)*m.StoreMillis)
}

// RequestTime is that of one API request.
func (m Model) RequestTime(tableRequests, blobs int64, parsed bool) time.Duration {
	d := millis(m.RequestMillis + float64(blobs)*m.BlobGetMillis)
	if parsed {
		d += millis(m.ParseMillis)
	}
	return d + m.TableTime(tableRequests)
}

// Embedded gives the table that the program carries.
func Embedded() *Table {
	t, err := Parse(embedded)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
}

// EmbeddedJSON is that table as it is written, to be edited.
func EmbeddedJSON() []byte { return bytes.Clone(embedded) }

// Parse reads a table of prices and checks that a bill can be made with it.
func Parse(b []byte) (*Table, error) {
	var t Table
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, fmt.Errorf("the price table cannot be read: %w", err)
	}
	seen := map[string]bool{}
	for _, p := range t.Prices {
		key := p.ID + " in " + p.Region
		switch {
		case p.ID == "" || p.Region == "" || p.Unit == "" || p.Date == "" || !strings.HasPrefix(p.Source, "https://"):
			return nil, fmt.Errorf("the price %s lacks its region, unit, date or source", key)
		case p.USD < 0:
			return nil, fmt.Errorf("the price %s is negative", key)
		case seen[key]:
			return nil, fmt.Errorf("the price %s is there twice", key)
		}
		seen[key] = true
	}
	for _, f := range t.Free {
		if f.Kind != Always && f.Kind != OneYear {
			return nil, fmt.Errorf("the allowance of %s is of the unknown kind %q", f.ID, f.Kind)
		}
	}
	if t.Model.Parallel <= 0 || min(t.Model.OrchestratorMB, t.Model.CrawlerMB, t.Model.APIMB) <= 0 || t.Model.LongPollSeconds <= 0 {
		return nil, fmt.Errorf("the model needs orchestratorMB, crawlerMB, apiMB, parallel and longPollSeconds above zero")
	}
	return &t, nil
}

// Regions lists the regions that have prices.
func (t *Table) Regions() (all []string) {
	for _, p := range t.Prices {
		if !slices.Contains(all, p.Region) {
			all = append(all, p.Region)
		}
	}
	return all
}

// Price finds a price.
func (t *Table) Price(id, region string) (Price, error) {
	for _, p := range t.Prices {
		if p.ID == id && p.Region == region {
			return p, nil
		}
	}
	return Price{}, fmt.Errorf("the price table has no %s in %s; its regions are %s", id, region, strings.Join(t.Regions(), ", "))
}

// allowance is how much of a price's unit is free, by kind.
func (t *Table) allowance(id, kind string) (sum float64) {
	for _, f := range t.Free {
		if f.ID == id && f.Kind == kind {
			sum += f.Amount
		}
	}
	return sum
}
