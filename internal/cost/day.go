// Package cost turns what a day of the reader consumes into a month's bill: an editable table of prices, the
// free allowances, the lines of the bill, and beside it the bill of the design that one would write first. What
// a day consumes is measured by package simulate with the real rooms; here is arithmetic alone.
package cost

import "time"

// Options say whose day it is.
type Options struct {
	Feeds    int           `json:"feeds"`
	Users    int           `json:"users"`
	Views    int           `json:"views"` // pages opened by a user in a day
	Tick     time.Duration `json:"-"`     // how often the schedule fires
	Interval time.Duration `json:"-"`     // what the subscribers ask
	Alarms   bool          `json:"-"`     // the template's alarms, which need an address to write to
	News     float64       `json:"-"`     // how much more than usual publishers write; 0 means 1
	Seed     uint64        `json:"-"`     // of the simulation
	Exact    bool          `json:"-"`     // every feed, instead of one part of the hosts times their number
}

// Units are table units and the requests they came in.
type Units struct {
	Reads         float64 `json:"reads"`
	Writes        float64 `json:"writes"`
	ReadRequests  float64 `json:"readRequests"`
	WriteRequests float64 `json:"writeRequests"`
}

// Plus adds units.
func (u Units) Plus(o Units) Units {
	return Units{u.Reads + o.Reads, u.Writes + o.Writes, u.ReadRequests + o.ReadRequests, u.WriteRequests + o.WriteRequests}
}

// Times multiplies units.
func (u Units) Times(f float64) Units {
	return Units{u.Reads * f, u.Writes * f, u.ReadRequests * f, u.WriteRequests * f}
}

// Function is what one Lambda function did.
type Function struct {
	Invocations float64 `json:"invocations"`
	ColdStarts  float64 `json:"coldStarts"`
	Seconds     float64 `json:"seconds"` // billed, starts included
}

// Plus adds what a function did.
func (f Function) Plus(o Function) Function {
	return Function{f.Invocations + o.Invocations, f.ColdStarts + o.ColdStarts, f.Seconds + o.Seconds}
}

// Times multiplies what a function did.
func (f Function) Times(n float64) Function {
	return Function{f.Invocations * n, f.ColdStarts * n, f.Seconds * n}
}

// Day is what one day consumes: means of the simulated days, for all feeds and users.
type Day struct {
	Ticks       float64 `json:"ticks"`
	Parts       float64 `json:"parts"`
	Polls       float64 `json:"polls"`
	NotModified float64 `json:"notModified"`
	Changed     float64 `json:"changed"` // polls that brought news
	Failed      float64 `json:"failed"`
	NewItems    float64 `json:"newItems"`
	Published   float64 `json:"published"` // items that publishers wrote

	Plan   Units `json:"plan"`   // the orchestrator
	Crawl  Units `json:"crawl"`  // the crawler
	Reader Units `json:"reader"` // the API, but for
	Fills  Units `json:"fills"`  // writes of the cache of parsed feeds

	CrawlWrites map[string]float64 `json:"crawlWrites"` // by kind of row

	BlobPuts  float64 `json:"blobPuts"`
	BlobGets  float64 `json:"blobGets"`
	BlobBytes float64 `json:"blobBytes"` // stored anew

	QueueSends float64 `json:"queueSends"` // requests that the program makes
	Messages   float64 `json:"messages"`   // which the event source takes and deletes

	Orchestrator Function `json:"orchestrator"`
	Crawler      Function `json:"crawler"`
	API          Function `json:"api"`

	Views        float64 `json:"views"`
	Requests     float64 `json:"requests"`     // of the API
	CopyRequests float64 `json:"copyRequests"` // of them for the copy that a device keeps for times without a network
	FirstVisit   float64 `json:"firstVisit"`   // requests of a device's first visit, which is once and not in a day
	Unchanged    float64 `json:"unchanged"`
	ItemsOpened  float64 `json:"itemsOpened"`
	AnswerBytes  float64 `json:"answerBytes"`
	PageRequests float64 `json:"pageRequests"` // for the page's own files
	PageBytes    float64 `json:"pageBytes"`

	LogBytes  float64 `json:"logBytes"`
	LogEvents float64 `json:"logEvents"`

	// Rows at rest: what there always is, and what a day adds of rows that go by themselves.
	RowBytes      float64 `json:"rowBytes"`
	DeltaBytes    float64 `json:"deltaBytes"`
	RunBytes      float64 `json:"runBytes"`
	HotReads      Hot     `json:"hotReads"`
	HotWrites     Hot     `json:"hotWrites"`
	LargestBytes  float64 `json:"largestPartitionBytes"`
	LargestName   string  `json:"largestPartition"`
	PeakWriteRate float64 `json:"peakWriteRate"` // of the whole table, units in the fullest quarter of an hour
}

// Hot is the most that one partition is asked for within a second.
type Hot struct {
	Partition string  `json:"partition"`
	Units     float64 `json:"units"`
}

// CrawlWriteUnits is the crawl's write units.
func (d *Day) CrawlWriteUnits() float64 { return d.Crawl.Writes + d.Plan.Writes }

// ReadingWriteUnits is that with readers at work, but without the cache's fills.
func (d *Day) ReadingWriteUnits() float64 { return d.CrawlWriteUnits() + d.Reader.Writes }

// Limits of one DynamoDB partition (developer guide, "Partitions and data distribution").
const (
	PartitionReads  = 3000
	PartitionWrites = 1000
	PartitionBytes  = 10e9
)

// DeltaDays and RunDays are how long rows of items and of runs are kept, RawDays how long bodies are.
const (
	DeltaDays = 180
	RunDays   = 30
	RawDays   = 200
)
