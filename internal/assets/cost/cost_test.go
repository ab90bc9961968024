package cost_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// The table is whole: every price in every region, with where it comes from, and no allowance without a price.
func TestPriceTableIsComplete(t *testing.T) {
	t.Parallel()
	table := cost.Embedded()
	regions := table.Regions()
	for _, must := range []string{"us-east-1", "ap-northeast-1"} {
		if !slices.Contains(regions, must) {
			t.Errorf("no prices for %s", must)
		}
	}
	for _, p := range table.Prices {
		for _, r := range regions {
			if _, err := table.Price(p.ID, r); err != nil {
				t.Error(err)
			}
		}
		if !strings.HasPrefix(p.Source, "https://aws.amazon.com/") {
			t.Errorf("%s in %s is to be checked at %s", p.ID, p.Region, p.Source)
		}
	}
	for _, f := range table.Free {
		if _, err := table.Price(f.ID, "us-east-1"); err != nil || f.Amount <= 0 || f.Source == "" {
			t.Errorf("%+v: %v", f, err)
		}
	}
	if _, err := table.Price("dynamodb.writes", "mars"); err == nil ||
		!strings.Contains(err.Error(), "ap-northeast-1") {
		t.Errorf("a region without prices: %v", err)
	}
}

// plain is a table with round prices.
func plain(t *testing.T) *cost.Table {
	t.Helper()
	table := *cost.Embedded()
	table.Prices = slices.Clone(table.Prices)
	for i := range table.Prices {
		table.Prices[i].USD = 1
	}
	return &table
}

func line(t *testing.T, b *cost.Bill, service, what string) cost.Line {
	t.Helper()
	for _, l := range b.Lines {
		if l.Service == service && l.What == what {
			return l
		}
	}
	t.Fatalf("no line %s, %s", service, what)
	return cost.Line{}
}

// Known consumption, worked out by hand.
func TestBillOfAKnownDay(t *testing.T) {
	t.Parallel()
	o := cost.Options{Feeds: 1, Users: 1, Tick: 15 * time.Minute, Interval: time.Hour}
	d := &cost.Day{
		Ticks: 96, Crawl: cost.Units{Reads: 1e6, Writes: 2e6}, BlobPuts: 1000, BlobBytes: 1e9, Messages: 100_000,
		QueueSends: 50_000, Requests: 100_000, LogBytes: 1e9,
		API: cost.Function{Invocations: 100_000, Seconds: 400_000},
	}
	b, err := plain(t).Month(o, d, "us-east-1", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		service, what               string
		quantity, usd, always, year float64
	}{
		{"S3", "puts of changed bodies", 30, 30, 30, 28},
		{"S3", "storage", 30, 30, 30, 25},
		// 5 pollers, a receive each 20 seconds; a message is received and deleted. One allowance for both lines.
		{"SQS", "the event source's own polling", 0.648, 0.648, 0, 0},
		{"SQS", "messages", 7.5, 7.5, 7.5 - (1 - 0.648), 7.5 - (1 - 0.648)},
		{"Lambda", "requests", 3, 3, 2, 2},
		{"Lambda", "time", 400_000 * 30 / 2, 6e6, 6e6 - 400_000, 6e6 - 400_000},
		{"API Gateway", "requests", 3, 3, 3, 2},
		{"Scheduler", "ticks", 0.00288, 0.00288, 0, 0},
		{"CloudWatch", "logs taken in", 30, 30, 25, 25},
	} {
		l := line(t, b, c.service, c.what)
		if !near(l.Quantity, c.quantity) || !near(l.USD, c.usd) || !near(l.Always, c.always) || !near(l.Year, c.year) {
			t.Errorf("%s, %s: %+v, want %+v", c.service, c.what, l, c)
		}
	}
	// By request 60 + 30 dollars at these prices, by the hour thousands.
	if w, c := line(t, b, "DynamoDB", "writes, on demand"), line(t, b, "DynamoDB", "write capacity"); w.USD != 60 ||
		c.USD != 0 || c.Always != 0 {
		t.Errorf("%+v %+v", w, c)
	}
	var sum cost.Sums
	for _, l := range b.Lines {
		sum.USD += l.USD
		sum.Always += l.Always
		sum.Year += l.Year
	}
	if !near(sum.USD, b.Total.USD) || !near(sum.Always, b.Total.Always) || !near(sum.Year, b.Total.Year) ||
		sum.Always > sum.USD || sum.Year > sum.Always {
		t.Errorf("the lines make %+v, the total is %+v", sum, b.Total)
	}
}

// Small installations pay for their table by the hour, which is free, as long as peaks fit; storage grows until as
// much goes as comes.
func TestWaysToPay(t *testing.T) {
	t.Parallel()
	o := cost.Options{Feeds: 100, Users: 1, Tick: 15 * time.Minute, Interval: time.Hour}
	table := cost.Embedded()
	small := &cost.Day{Ticks: 96, Crawl: cost.Units{Reads: 2000, Writes: 500}, PeakWriteRate: 200, BlobBytes: 2e6,
		DeltaBytes: 1e5}
	b, err := table.Month(o, small, "ap-northeast-1", false)
	if err != nil {
		t.Fatal(err)
	}
	if w, c := line(t, b, "DynamoDB", "writes, on demand"), line(t, b, "DynamoDB", "write capacity"); w.Always != 0 ||
		w.USD == 0 || c.Always != 0 || c.Quantity != 25*730 {
		t.Errorf("%+v %+v", w, c)
	}
	later, err := table.Month(o, small, "ap-northeast-1", true)
	if err != nil {
		t.Fatal(err)
	}
	if a, z := line(t, b, "S3", "storage"),
		line(t, later, "S3", "storage"); !near(z.Quantity, a.Quantity*cost.RawDays/30) {
		t.Errorf("storage %v, in the long run %v", a.Quantity, z.Quantity)
	}
	big := *small
	big.PeakWriteRate = 39_000 // more than the burst of 25 units bears
	if b, err = table.Month(o, &big, "us-east-1", false); err != nil {
		t.Fatal(err)
	}
	if c := line(t, b, "DynamoDB", "write capacity"); c.Quantity != 100*730 {
		t.Errorf("capacity for 39,000 units in a quarter of an hour: %v unit-hours", c.Quantity)
	}
	alarms := o
	alarms.Alarms = true
	if b, err = table.Month(alarms, small, "us-east-1", false); err != nil {
		t.Fatal(err)
	}
	if l := line(t, b, "CloudWatch", "alarms"); !near(l.USD, 1) || l.Always != 0 {
		t.Errorf("%+v", l)
	}
}

// The naive design writes three units for every poll and sixty for every body, and pays by request.
func TestNaiveBill(t *testing.T) {
	t.Parallel()
	o := cost.Options{Feeds: 100, Users: 1, Tick: 15 * time.Minute, Interval: time.Hour}
	d := &cost.Day{Ticks: 96, Changed: 150, NewItems: 300}
	r, err := cost.Embedded().Report(o, d, "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	want := 9600*3 + (0.25*9600+0.75*150)*60 + 300*2.0
	if !near(r.NaiveWrites, want) {
		t.Errorf("%.0f write units a day, want %.0f", r.NaiveWrites, want)
	}
	if r.Naive.Total.Always < 10*r.Month.Total.Always {
		t.Errorf("naive %.2f, ours %.2f", r.Naive.Total.Always, r.Month.Total.Always)
	}
}

// What a simulated day consumes is projected to about the bill that the simulation makes.
func TestProjectionOfObservedDays(t *testing.T) {
	t.Parallel()
	table := cost.Embedded()
	o := cost.Observed{ // four days of the usual simulation
		Days: 4, Feeds: 100, Users: 1, Runs: 224, Polled: 4267, Answered: 1469, NotModified: 2781,
		Changed: 429, Failed: 17,
		Bytes: 1469 * 18810, NewItems: 1162, Reads: 3765, Writes: 1890, BlobPuts: 429, Seconds: 285,
	}
	d := table.Project(o)
	if !near(d.Polls, 1066.75) || !near(d.CrawlWriteUnits(), 472.5) || math.Abs(d.BlobBytes-2.017e6) > 1e4 {
		t.Errorf("%+v", d)
	}
	b, err := table.Month(cost.Options{Feeds: 100, Users: 1}, d, "us-east-1", false)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(b.Total.USD/0.3448-1) > 0.1 || math.Abs(b.Total.Always/0.0239-1) > 0.1 {
		t.Errorf("projected %.4f and %.4f USD, simulated 0.3448 and 0.0239", b.Total.USD, b.Total.Always)
	}
	for _, l := range b.Lines {
		if p, err := table.Price(l.ID, "us-east-1"); err != nil || p.Unit != l.Unit {
			t.Errorf("%+v has no price: %v", l, err)
		}
	}
	if none := table.Project(cost.Observed{}); none.Polls != 0 || none.Reader.Writes != 0 {
		t.Errorf("%+v", none)
	}
}
