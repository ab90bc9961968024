// Package cost computes a month's bill from the consumption of a day: an editable price table, the free allowances, the
// lines of the bill, and for comparison the bill of a naive design. Package simulate measures a day with the real
// packages; this one only computes.
package cost

import "time"

// Options describe the installation whose day is simulated.
type Options struct {
	Feeds    int           `json:"feeds"`
	Users    int           `json:"users"`
	Views    int           `json:"views"` // pages that a user opens in a day
	Tick     time.Duration `json:"-"`     // how often the schedule fires
	Interval time.Duration `json:"-"`     // that the subscribers set
	Alarms   bool          `json:"-"`     // the template's alarms, which need an address to write to
	News     float64       `json:"-"`     // factor on how much publishers write; 0 means 1
	Seed     uint64        `json:"-"`     // of the simulation
	Exact    bool          `json:"-"`     // every feed, instead of one part of the hosts multiplied
	Counts   bool          `json:"counts"`
	OnDemand bool          `json:"-"`       // the table is paid for by request
	Watches  int           `json:"watches"` // busy ones, which are not simulated but added (Day.AddWatches)
	// extent of the search: off, titles or bodies; "" is titles, the template's default
	Search string `json:"-"`
}

// Units are table units and the requests that used them.
type Units struct {
	Reads         float64 `json:"reads"`
	Writes        float64 `json:"writes"`
	ReadRequests  float64 `json:"readRequests"`
	WriteRequests float64 `json:"writeRequests"`
}

// Plus adds units.
func (u Units) Plus(o Units) Units {
	return Units{u.Reads + o.Reads, u.Writes + o.Writes, u.ReadRequests + o.ReadRequests, u.WriteRequests +
		o.WriteRequests}
}

// Times multiplies units.
func (u Units) Times(f float64) Units {
	return Units{u.Reads * f, u.Writes * f, u.ReadRequests * f, u.WriteRequests * f}
}

// Function is the work of one Lambda function.
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

// Day is the consumption of one day: means of the simulated days, for all feeds and users.
type Day struct {
	Ticks       float64 `json:"ticks"`
	Parts       float64 `json:"parts"`
	Polls       float64 `json:"polls"`
	NotModified float64 `json:"notModified"`
	Changed     float64 `json:"changed"` // polls with new items
	Failed      float64 `json:"failed"`
	NewItems    float64 `json:"newItems"`
	Published   float64 `json:"published"` // items by publishers

	Plan   Units `json:"plan"`   // the orchestrator
	Crawl  Units `json:"crawl"`  // the crawler
	Reader Units `json:"reader"` // the API

	CrawlWrites map[string]float64 `json:"crawlWrites"` // by kind of row

	BlobPuts  float64 `json:"blobPuts"`
	BlobGets  float64 `json:"blobGets"`
	BlobBytes float64 `json:"blobBytes"` // newly stored

	// The index of searches, which is not part of the above but for gets.
	Searches   float64 `json:"searches"`
	SearchGets float64 `json:"searchGets"` // of the API
	IndexGets  float64 `json:"indexGets"`  // of jobs
	IndexPuts  float64 `json:"indexPuts"`
	IndexBytes float64 `json:"indexBytes"` // for the items of a day

	// The provider of bookmark counts: calls, and the URLs in them.
	CountCalls float64 `json:"countCalls"`
	CountURLs  float64 `json:"countUrls"`

	QueueSends float64 `json:"queueSends"` // requests by the program
	Messages   float64 `json:"messages"`   // received and deleted by the event source

	Orchestrator Function `json:"orchestrator"`
	Crawler      Function `json:"crawler"`
	API          Function `json:"api"`

	Views        float64 `json:"views"`
	Requests     float64 `json:"requests"`     // of the API
	CopyRequests float64 `json:"copyRequests"` // of them for the offline copy of a device
	FirstVisit   float64 `json:"firstVisit"`   // requests of a device's first visit, not part of the day
	Unchanged    float64 `json:"unchanged"`
	ItemsOpened  float64 `json:"itemsOpened"`
	AnswerBytes  float64 `json:"answerBytes"`
	PageRequests float64 `json:"pageRequests"` // for the page's files
	PageBytes    float64 `json:"pageBytes"`

	LogBytes  float64 `json:"logBytes"`
	LogEvents float64 `json:"logEvents"`

	// Stored rows: permanent ones, and the daily addition of rows that expire.
	RowBytes      float64 `json:"rowBytes"`
	DeltaBytes    float64 `json:"deltaBytes"`
	RunBytes      float64 `json:"runBytes"`
	HotReads      Hot     `json:"hotReads"`
	HotWrites     Hot     `json:"hotWrites"`
	LargestBytes  float64 `json:"largestPartitionBytes"`
	LargestName   string  `json:"largestPartition"`
	PeakWriteRate float64 `json:"peakWriteRate"` // of the whole table, units in the busiest quarter of an hour
}

// Hot is the highest load of one partition within a second.
type Hot struct {
	Partition string  `json:"partition"`
	Units     float64 `json:"units"`
}

// CrawlWriteUnits returns the write units of the crawl.
func (d *Day) CrawlWriteUnits() float64 { return d.Crawl.Writes + d.Plan.Writes }

// ReadingWriteUnits adds those of readers.
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
