package cost

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed prices.json
var embedded []byte

// Table is the editable data behind a bill: prices, free allowances, and durations.
type Table struct {
	About  string  `json:"about"`
	Prices []Price `json:"prices"`
	Free   []Free  `json:"free"`
	Model  Model   `json:"model"`
}

// Price is one price in one region, with the day it was looked up and its page.
type Price struct {
	ID     string  `json:"id"`
	Region string  `json:"region"`
	Unit   string  `json:"unit"`
	USD    float64 `json:"usd"`
	Date   string  `json:"date"`
	Source string  `json:"source"`
	Note   string  `json:"note,omitempty"`
}

// Kinds of allowances: permanent ones, and those of an account's first year.
const (
	Always  = "always"
	OneYear = "12 months"
)

// Free is an amount of a price's unit that is free each month.
type Free struct {
	ID     string  `json:"id"`
	Amount float64 `json:"amount"`
	Kind   string  `json:"kind"`
	Source string  `json:"source"`
	Note   string  `json:"note,omitempty"`
}

// Model has the durations that make up the billed time of functions, which a simulation with a virtual clock cannot
// measure. The milliseconds are those of a function of 256 MB in the region of its stores, mostly spent waiting. The
// memory of each function is the template's default.
type Model struct {
	OrchestratorMB float64 `json:"orchestratorMB"`
	CrawlerMB      float64 `json:"crawlerMB"`
	APIMB          float64 `json:"apiMB"`
	Parallel       int     `json:"parallel"` // hosts that a crawler polls at once

	StartMillis   float64 `json:"startMillis"` // billed time of a cold start
	TableMillis   float64 `json:"tableMillis"`
	QueueMillis   float64 `json:"queueMillis"`
	BlobPutMillis float64 `json:"blobPutMillis"`
	BlobGetMillis float64 `json:"blobGetMillis"`
	PollMillis    float64 `json:"pollMillis"`  // processor: TLS and one exchange
	StoreMillis   float64 `json:"storeMillis"` // processor: parsing and compressing a changed body
	RequestMillis float64 `json:"requestMillis"`
	ParseMillis   float64 `json:"parseMillis"`   // a feed parsed for its bodies
	PlanRowMicros float64 `json:"planRowMicros"` // a feed row read by the planner

	Pollers         float64 `json:"pollers"`         // of one event source with a maximum concurrency
	LongPollSeconds float64 `json:"longPollSeconds"` // of each receive that finds nothing
	LogEventBytes   float64 `json:"logEventBytes"`   // added to each line by CloudWatch Logs
	// a response for a file of the page, which the browser mostly has cached
	FileBytes float64 `json:"fileBytes"`
	PollBytes float64 `json:"pollBytes"` // sent to a publisher: a request with its handshake
}

func millis(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// Start is the billed time of a cold start.
func (m Model) Start() time.Duration { return millis(m.StartMillis) }

// TableTime is the time of requests to the table, one after the other.
func (m Model) TableTime(n int64) time.Duration { return millis(float64(n) * m.TableMillis) }

// QueueTime is the time of sends.
func (m Model) QueueTime(n int64) time.Duration { return millis(float64(n) * m.QueueMillis) }

// BlobPutTime is the time of puts.
func (m Model) BlobPutTime(n int64) time.Duration { return millis(float64(n) * m.BlobPutMillis) }

// PollTime is the processor time of polls, some of which had new items.
func (m Model) PollTime(polls int, news int64) time.Duration {
	return millis(float64(polls)*m.PollMillis + float64(news)*m.StoreMillis)
}

// RequestTime is the time of one API request.
func (m Model) RequestTime(tableRequests, blobs, parses int64) time.Duration {
	return millis(m.RequestMillis+float64(blobs)*m.BlobGetMillis+float64(parses)*m.ParseMillis) +
		m.TableTime(tableRequests)
}

// builtIn is decoded once: every process asks for it.
var builtIn = sync.OnceValue(func() *Table {
	t, err := Parse(embedded)
	if err != nil {
		panic(err) // tested
	}
	return t
})

// Embedded returns the built-in table, which its callers share.
func Embedded() *Table { return builtIn() }

// EmbeddedJSON returns the built-in table as JSON, to be edited.
func EmbeddedJSON() []byte { return bytes.Clone(embedded) }

// Parse decodes a price table and checks that a bill can be computed with it.
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
	if t.Model.Parallel <= 0 || min(t.Model.OrchestratorMB, t.Model.CrawlerMB, t.Model.APIMB) <= 0 ||
		t.Model.LongPollSeconds <= 0 {
		return nil,
			fmt.Errorf("the model needs orchestratorMB, crawlerMB, apiMB, parallel and longPollSeconds above zero")
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

// Price returns a price.
func (t *Table) Price(id, region string) (Price, error) {
	for _, p := range t.Prices {
		if p.ID == id && p.Region == region {
			return p, nil
		}
	}
	return Price{}, fmt.Errorf("the price table has no %s in %s; its regions are %s", id, region,
		strings.Join(t.Regions(), ", "))
}
