package cost

// UsualRegion is the template's default region.
const UsualRegion = "us-east-1"

// Observed are the sums of the crawler's runs over whole days.
type Observed struct {
	Days   float64
	Feeds  int
	Users  int // who read each day
	Runs   float64
	Polled float64
	// Answered are polls with a body, Bytes their sizes.
	Answered, NotModified, Changed, Failed float64
	Bytes                                  float64
	NewItems                               float64
	Reads, Writes                          float64 // table units of the runs
	BlobPuts                               float64
	Seconds                                float64 // that runs took
}

// UsualReader is the day of one reader: twenty views, ten items of a hundred feeds, and the offline copy. The cost of
// reading is not stored (docs/run/monitoring.md), so a month is projected with these figures of `ruri cost`, which a
// test of the command checks.
var UsualReader = Day{
	Reader:   Units{Reads: 2134, Writes: 43, ReadRequests: 2159, WriteRequests: 52},
	BlobGets: 181, API: Function{Invocations: 177, ColdStarts: 15, Seconds: 27},
	Views: 20, Requests: 177, ItemsOpened: 10, AnswerBytes: 2.49e6, PageRequests: 16, PageBytes: 32e3, LogEvents: 177,
	PeakWriteRate: 36,
}

// Sizes from the same simulation, in bytes.
const (
	dayTicks      = 96
	feedRowBytes  = 1400
	itemBytes     = 235
	runRowBytes   = 250
	indexBytes    = 300 // of an item, in the index of searches
	logLineBytes  = 230
	planRowReads  = 0.135 // read units of the planner for each feed at a tick
	planTickReads = 2
)

// Project returns an average day: the crawl as observed, with usual readers.
func (t *Table) Project(o Observed) *Day {
	d := &Day{Ticks: dayTicks}
	if o.Days <= 0 {
		return d
	}
	per := func(v float64) float64 { return v / o.Days }
	runs := per(o.Runs)
	d.Polls, d.NotModified, d.Changed, d.Failed = per(o.Polled), per(o.NotModified), per(o.Changed), per(o.Failed)
	d.NewItems = per(o.NewItems)
	d.Crawl = Units{Reads: per(o.Reads), Writes: per(o.Writes)}
	d.Plan = Units{Reads: dayTicks * (planTickReads + planRowReads*float64(o.Feeds)), ReadRequests: 4 * dayTicks}
	d.BlobPuts = per(o.BlobPuts)
	if o.Answered > 0 {
		d.BlobBytes = d.BlobPuts * o.Bytes / o.Answered
	}
	d.QueueSends, d.Messages = dayTicks, runs
	d.IndexPuts, d.IndexBytes = 1, indexBytes*d.NewItems
	m := t.Model
	d.Orchestrator = Function{Invocations: dayTicks, ColdStarts: dayTicks,
		Seconds: dayTicks * (m.Start().Seconds() + 4*m.TableMillis/1000)}
	d.Crawler = Function{Invocations: runs, ColdStarts: runs, Seconds: per(o.Seconds) + runs*m.Start().Seconds()}
	d.LogEvents = 2*dayTicks + 2*runs + d.Changed + d.Failed
	d.RowBytes = feedRowBytes * float64(o.Feeds)
	d.DeltaBytes, d.RunBytes = itemBytes*d.NewItems, runRowBytes*runs

	u, n := UsualReader, float64(o.Users)
	d.Reader = u.Reader.Times(n)
	d.BlobGets, d.API = u.BlobGets*n, u.API.Times(n)
	d.Views, d.Requests, d.ItemsOpened = u.Views*n, u.Requests*n, u.ItemsOpened*n
	d.AnswerBytes, d.PageRequests, d.PageBytes = u.AnswerBytes*n, u.PageRequests*n, u.PageBytes*n
	d.LogEvents += u.LogEvents * n
	d.LogBytes = logLineBytes * d.LogEvents
	d.PeakWriteRate = u.PeakWriteRate * n
	return d
}
