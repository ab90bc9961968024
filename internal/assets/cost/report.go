package cost

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Report is the output of `ruri cost`: a day, its month, and the naive design's month.
type Report struct {
	Options
	TickMinutes     float64 `json:"tickMinutes"`
	IntervalMinutes float64 `json:"intervalMinutes"`
	Region          string  `json:"region"`
	Day             *Day    `json:"day"`
	Month           *Bill   `json:"month"`
	LongRun         Sums    `json:"longRun"` // when as much storage is freed as is used
	Naive           *Bill   `json:"naive"`
	NaiveWrites     float64 `json:"naiveWriteUnits"` // a day
	PricesFrom      string  `json:"pricesFrom"`
	PricesTo        string  `json:"pricesTo"`
}

// Report returns all bills of a day.
func (t *Table) Report(o Options, d *Day, region string) (*Report, error) {
	r := &Report{Options: o, TickMinutes: o.Tick.Minutes(), IntervalMinutes: o.Interval.Minutes(),
		Region: region, Day: d}
	var err error
	if r.Month, err = t.Month(o, d, region, false); err != nil {
		return nil, err
	}
	later, err := t.Month(o, d, region, true)
	if err != nil {
		return nil, err
	}
	r.LongRun = later.Total
	if r.Naive, err = t.Naive(o, d, region); err != nil {
		return nil, err
	}
	for _, l := range r.Naive.Lines {
		if l.Service == "DynamoDB" && strings.HasPrefix(l.What, "writes") {
			r.NaiveWrites = l.Quantity * million / monthDays
		}
	}
	for _, p := range t.Prices {
		if p.Region != region {
			continue
		}
		if r.PricesFrom == "" || p.Date < r.PricesFrom {
			r.PricesFrom = p.Date
		}
		r.PricesTo = max(r.PricesTo, p.Date)
	}
	return r, nil
}

// Write prints the report as aligned text.
func (r *Report) Write(w io.Writer) error {
	d := r.Day
	p := &printer{w: w}
	p.line("%s, %s with %s a day each; a tick every %s, a feed at most every %s",
		plural(r.Feeds, "feed"), plural(r.Users, "reader"), plural(r.Options.Views, "view"), short(r.Tick),
		short(r.Interval))
	p.line("")
	p.line("A DAY, SIMULATED")
	p.line("  polls                    %12s   %s not modified, %s with news, %s failed", group(d.Polls),
		group(d.NotModified), group(d.Changed), group(d.Failed))
	p.line("  new items                %12s", group(d.NewItems))
	p.line("  table write units        %12s   crawl %s, readers %s",
		group(d.ReadingWriteUnits()), group(d.CrawlWriteUnits()), group(d.Reader.Writes))
	p.line("  table read units         %12s   plan %s, crawl %s, readers %s",
		group(d.Plan.Reads+d.Crawl.Reads+d.Reader.Reads), group(d.Plan.Reads), group(d.Crawl.Reads),
		group(d.Reader.Reads))
	p.line("  raw bodies put           %12s   %s, read %s", group(d.BlobPuts), size(d.BlobBytes), group(d.BlobGets))
	p.line("  searches                 %12s   %s segments or parts of them read; index: %s put, %s read, %s more",
		group(d.Searches), group(d.SearchGets), group(d.IndexPuts), group(d.IndexGets), size(d.IndexBytes))
	if r.Watches > 0 {
		n := float64(r.Watches)
		p.line("  watches                  %12s   looked at %s times; %s write units and %s read units of the above",
			group(n), group(n*WatchLooks), group(n*WatchWrites), group(n*WatchReads))
	}
	if r.Counts {
		p.line("  bookmark counts          %12s   URLs in %s calls; %s write units for their cycles",
			group(d.CountURLs), group(d.CountCalls), group(d.CrawlWrites["cycle"]))
	}
	p.line("  requests of the API      %12s   for %s views and %s items opened; %s for the offline copy (a first "+
		"visit takes %s)",
		group(d.Requests), group(d.Views), group(d.ItemsOpened), group(d.CopyRequests), group(d.FirstVisit))
	p.line("  Lambda seconds           %12s   in %s invocations, %s of them cold",
		group(d.Orchestrator.Seconds+d.Crawler.Seconds+d.API.Seconds),
		group(d.Orchestrator.Invocations+d.Crawler.Invocations+d.API.Invocations),
		group(d.Orchestrator.ColdStarts+d.Crawler.ColdStarts+d.API.ColdStarts))
	p.line("  logs                     %12s", size(d.LogBytes))
	p.line("  busiest partition        %12s   reads and %s writes within a second (limits %s and %s)",
		group(d.HotReads.Units), group(d.HotWrites.Units), group(PartitionReads), group(PartitionWrites))
	p.line("")
	p.line("A MONTH IN %s, USD%*s%12s%12s%12s", strings.ToUpper(r.Region), 65-len(r.Region), "", "no free",
		"always", "first")
	p.line("%-12s %-32s %14s %-24s%12s%12s%12s", "", "", "", "", "tier", "free", "12 months")
	p.bill(r.Month)
	p.line("%-85s%12s%12s%12s", "total", dollars(r.Month.Total.USD), dollars(r.Month.Total.Always),
		dollars(r.Month.Total.Year))
	p.line("%-85s%12s%12s%12s", "total in the long run (bodies kept 200 days, items 180)",
		dollars(r.LongRun.USD), dollars(r.LongRun.Always), dollars(r.LongRun.Year))
	p.line("%-85s%12s%12s%12s", fmt.Sprintf("the naive design (%s write units a day)", group(r.NaiveWrites)),
		dollars(r.Naive.Total.USD), dollars(r.Naive.Total.Always), dollars(r.Naive.Total.Year))
	p.line("")
	p.line("Prices were seen between %s and %s; --print-prices prints them to be edited, --prices FILE reads them.",
		r.PricesFrom, r.PricesTo)
	return p.err
}

type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
}

func (p *printer) bill(b *Bill) {
	for _, l := range b.Lines {
		if l.Counts() {
			p.line("%-12s %-32s %14s %-24s%12s%12s%12s", l.Service, l.What, amountOf(l.Quantity), l.Unit,
				dollars(l.USD), dollars(l.Always), dollars(l.Year))
		}
	}
}

// dollars formats with four digits; zero is a dash.
func dollars(v float64) string {
	switch {
	case v == 0:
		return "-"
	case v >= 100:
		return group(v)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

func amountOf(v float64) string {
	switch {
	case v >= 1000:
		return group(v)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 4, 64)
}

// group rounds, and separates thousands with commas.
func group(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		if s[i-1] == '-' {
			break
		}
		s = s[:i] + "," + s[i:]
	}
	return s
}

func size(bytes float64) string {
	switch {
	case bytes >= 1e9:
		return strconv.FormatFloat(bytes/1e9, 'f', 1, 64) + " GB"
	case bytes >= 1e6:
		return strconv.FormatFloat(bytes/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(bytes/1e3, 'f', 0, 64) + " KB"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return group(float64(n)) + " " + word + "s"
}

// short formats a duration: 15 min, 2 h.
func short(d time.Duration) string {
	if d%time.Hour == 0 && d > time.Hour {
		return strconv.Itoa(int(d/time.Hour)) + " h"
	}
	return strconv.Itoa(int(d/time.Minute)) + " min"
}
