package simulate_test

import (
	"math"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/testkit/simulate"
)

// days are those that were simulated already: several tests look at the same.
var days sync.Map

// day simulates the day of some options, once.
func day(t *testing.T, o cost.Options) *cost.Day {
	t.Helper()
	once, _ := days.LoadOrStore(o, sync.OnceValue(func() *cost.Day { return again(t, o) }))
	return once.(func() *cost.Day)()
}

// again simulates the day even if that was done before.
func again(t *testing.T, o cost.Options) *cost.Day {
	t.Helper()
	d, err := simulate.Run(t.Context(), o, cost.Embedded().Model)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func usual(feeds int) cost.Options {
	return cost.Options{Feeds: feeds, Users: 1, Views: 20, Tick: 15 * time.Minute, Interval: time.Hour, Seed: 1}
}

// The budget: what a hundred feeds and their reader may cost. A change that makes the reader dearer fails here.
//
func TestBudgetOfAHundredFeeds(t *testing.T) {
	t.Parallel()
	o := usual(100)
	d := day(t, o)
	prices := cost.Embedded()
	bill, err := prices.Month(o, d, "us-east-1", false)
	if err != nil {
		t.Fatal(err)
	}
	later, err := prices.Month(o, d, "us-east-1", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("a day: %.0f polls, %.0f with news, %.0f items; write units: crawl %.0f (%v), with a reader %.0f; read "+
		"units %.0f",
		d.Polls, d.Changed, d.NewItems, d.CrawlWriteUnits(), d.CrawlWrites, d.ReadingWriteUnits(),
		d.Plan.Reads+d.Crawl.Reads+d.Reader.Reads)
	t.Logf("a month: %.4f USD within the always-free allowances (%.4f in the long run), %.4f without any (%.4f)",
		bill.Total.Always, later.Total.Always, bill.Total.USD, later.Total.USD)
	for _, c := range []struct {
		what        string
		got, atMost float64
	}{
		{"write units a day for the crawl", d.CrawlWriteUnits(), 515},
		{"write units a day with a reader at work", d.ReadingWriteUnits(), 699},
		{"USD a month within the always-free allowances", bill.Total.Always, 0.030},
		{"USD a month without any", bill.Total.USD, 0.37},
		{"the same in the long run, always-free", later.Total.Always, 0.034},
		{"the same in the long run, without any", later.Total.USD, 0.37},
		{"requests a day for the offline copy", d.CopyRequests, 60},
		// page, Today and list; two lists and four batches for the copy
		{"requests of a first visit", d.FirstVisit, 3 + 6},
		{"writes of the orchestrator", d.Plan.Writes, 0},
		{"units a day for leases", d.CrawlWrites["lease"], 97}, // the daily clean-up takes one too
		{"units a day for runs", d.CrawlWrites["run"], 96},
		{"puts for each changed body", d.BlobPuts / d.Changed, 1.02},
		{"puts a night for the index", d.IndexPuts, 1.1},
		{"units a day for the index", d.CrawlWrites["search"], 3},
		// a cold one: internal/search TestRequestsOfASearch
		{"gets of a search, on average", d.SearchGets / d.Searches, 12},
	} {
		if c.got > c.atMost {
			t.Errorf("%s: %.4f, at most %.4f are allowed", c.what, c.got, c.atMost)
		}
	}
	// The simulation is alive, or a budget means nothing.
	if d.Polls < 500 || d.Changed < 50 || d.NewItems < 150 || d.NotModified < d.Polls/2 || d.ItemsOpened != 10 ||
		d.Failed == 0 ||
		d.CopyRequests < 30 || d.Searches != 5 || d.SearchGets == 0 || d.IndexPuts < 0.9 || d.FirstVisit < 6 {
		t.Errorf("not a day like real ones: %+v", d)
	}
	if lost := math.Abs(d.NewItems/d.Published - 1); lost > 0.1 {
		t.Errorf("publishers wrote %.0f items a day, %.0f arrived", d.Published, d.NewItems)
	}
}

// TestCountsOfAHundredFeeds: what bookmark counts add to the budget, and that they add nothing while they are off.
func TestCountsOfAHundredFeeds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("six days, every one with a hundred calls")
	}
	o := usual(100)
	o.Counts = true
	d := day(t, o)
	bill, err := cost.Embedded().Month(o, d, "us-east-1", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.0f URLs in %.0f calls; write units: crawl %.0f (%v), with a reader %.0f; reads %.0f; %.4f USD",
		d.CountURLs, d.CountCalls,
		d.CrawlWriteUnits(), d.CrawlWrites, d.ReadingWriteUnits(), d.Plan.Reads+d.Crawl.Reads+d.Reader.Reads,
		bill.Total.Always)
	for _, c := range []struct {
		what        string
		got, atMost float64
	}{
		{"write units a day for the crawl", d.CrawlWriteUnits(), 560},
		{"write units a day with a reader at work", d.ReadingWriteUnits(), 630},
		{"write units a day for cycles", d.CrawlWrites["cycle"], 60},
		{"calls a day", d.CountCalls, 150},
		{"read units a day", d.Plan.Reads + d.Crawl.Reads + d.Reader.Reads, 7000},
		{"USD a month within the always-free allowances", bill.Total.Always, 0.030},
	} {
		if c.got > c.atMost {
			t.Errorf("%s: %.4f, at most %.4f are allowed", c.what, c.got, c.atMost)
		}
	}
	if d.CountURLs < 2000 || d.CountCalls < 40 || d.CrawlWrites["cycle"] < 40 {
		t.Errorf("not a day like real ones: %.0f URLs, %.0f calls, %.0f units", d.CountURLs, d.CountCalls,
			d.CrawlWrites["cycle"])
	}
	o.Counts, o.Views = false, 0
	if off := day(t, o); off.CountCalls > 0 || off.CrawlWrites["cycle"] > 0 || off.Plan.Reads > 1600 {
		t.Errorf("while counts are off: %.0f calls, %.0f units, %.0f units read by ticks", off.CountCalls,
			off.CrawlWrites["cycle"], off.Plan.Reads)
	}
}

// TestCrawlOfAHundredFeeds: the crawl alone, and what a reader does makes no difference to it. A single simulation is
// dearer or cheaper by a tenth, as its publishers write; the bound is on the mean of several. R-59
func TestCrawlOfAHundredFeeds(t *testing.T) {
	t.Parallel()
	seeds, sum := 6, 0.0
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		o := usual(100)
		o.Seed, o.Views = uint64(seed)+1, 0
		alone := day(t, o)
		sum += alone.CrawlWriteUnits()
		if seed > 0 {
			continue
		}
		o.Views = 3
		if read := day(t, o); !reflect.DeepEqual(read.CrawlWrites, alone.CrawlWrites) || read.Polls != alone.Polls {
			t.Errorf("a reader changes what is polled and written: %v and %v", read.CrawlWrites, alone.CrawlWrites)
		}
	}
	if mean := sum / float64(seeds); mean > 515 || mean < 300 {
		t.Errorf("the crawl of 100 feeds writes %.0f units a day, at most 515 are allowed", mean)
	}
}

// The same seed is the same day, to the byte: figures in documents can be compared. With a hundred feeds, whose list is
// made by several goroutines.
func TestSimulationFollowsItsSeed(t *testing.T) {
	t.Parallel()
	a, b := day(t, usual(15)), again(t, usual(15))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("two days of one seed:\n%+v\n%+v", a, b)
	}
	o := usual(15)
	o.Seed = 2
	if c := day(t, o); reflect.DeepEqual(a, c) {
		t.Error("another seed is the same day")
	}
}

// Growth is linear to 200,000 feeds, and no partition gets hot or full. Up to 2,000 feeds each one is simulated;
// above, one part of the hosts, for parts do not know each other. Whether that is so is tried with two whole parts:
// by feed they must cost what one part of a hundred does.
//
func TestGrowthIsLinear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thousands of feeds")
	}
	small := usual(2_010)
	small.Exact = true
	two, d := day(t, small), day(t, usual(200_000))
	t.Logf("200,000 feeds in %.0f parts: %.0f write units and %.0f read units a day, hottest reads %v, hottest "+
		"writes %v, largest partition %s of %.1f MB",
		d.Parts, d.CrawlWriteUnits(), d.Plan.Reads+d.Crawl.Reads, d.HotReads, d.HotWrites, d.LargestName,
		d.LargestBytes/1e6)
	for _, f := range []struct {
		what      string
		got, like float64
		tolerance float64
	}{
		{"polls", d.Polls, two.Polls, 0.05},
		{"changed bodies", d.Changed, two.Changed, 0.15},
		{"write units of feeds and items", d.CrawlWrites["feed"] + d.CrawlWrites["delta"], two.CrawlWrites["feed"] +
			two.CrawlWrites["delta"], 0.15},
		{"read units of the plan", d.Plan.Reads, two.Plan.Reads, 0.1},
		{"blob puts", d.BlobPuts, two.BlobPuts, 0.15},
		{"processor and network of crawlers", d.Crawler.Seconds - 0.2*d.Crawler.Invocations,
			two.Crawler.Seconds - 0.2*two.Crawler.Invocations, 0.2},
	} {
		if want := f.like / 2_010 * 200_000; math.Abs(f.got/want-1) > f.tolerance {
			t.Errorf("200,000 feeds: %s are %.0f, by what 2,010 cost they would be %.0f", f.what, f.got, want)
		}
	}
	// What each part costs, however many feeds it has, in ticks in which one of them is due.
	if perPart := d.CrawlWrites["lease"] / d.Parts; perPart < 80 || perPart > 98 {
		t.Errorf("%.1f units a day for the lease of a part", perPart)
	}
	if d.HotReads.Units > cost.PartitionReads || d.HotWrites.Units > cost.PartitionWrites ||
		d.LargestBytes > cost.PartitionBytes {
		t.Errorf("a partition is over its limits: %v %v %s %.0f", d.HotReads, d.HotWrites, d.LargestName,
			d.LargestBytes)
	}
}

// Whole texts cost what reading raw bodies once does; without searches there is no index, and nothing to pay for one.
//
func TestCostOfSearches(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("two more days of a hundred feeds")
	}
	prices := cost.Embedded()
	total := func(mode string) (*cost.Day, float64) {
		o := usual(100)
		o.Search = mode
		d := day(t, o)
		later, err := prices.Month(o, d, "us-east-1", true)
		if err != nil {
			t.Fatal(err)
		}
		return d, later.Total.Always
	}
	off, none := total("off")
	titles, usual := total("") // the default, which other tests look at
	bodies, most := total("bodies")
	t.Logf("USD a month in the long run: off %.4f, titles %.4f, bodies %.4f; gets of a search: %.1f, %.1f; bytes of "+
		"an item %.0f, %.0f", none, usual, most,
		titles.SearchGets/titles.Searches, bodies.SearchGets/bodies.Searches, titles.IndexBytes/titles.NewItems,
		bodies.IndexBytes/bodies.NewItems)
	if off.IndexPuts+off.IndexGets+off.IndexBytes+off.CrawlWrites["search"]+off.Searches > 0 {
		t.Errorf("searches that are off cost: %+v", off)
	}
	if usual-none > 0.0020 || most-none > 0.0085 {
		t.Errorf("titles cost %.4f USD a month, bodies %.4f", usual-none, most-none)
	}
	if bodies.SearchGets/bodies.Searches > 12 || bodies.IndexPuts > 1.1 || bodies.IndexGets > bodies.Changed+10 {
		t.Errorf("with bodies: %.1f gets of a search, %.2f puts a night, %.0f gets for %.0f changed bodies",
			bodies.SearchGets/bodies.Searches, bodies.IndexPuts, bodies.IndexGets, bodies.Changed)
	}
}
