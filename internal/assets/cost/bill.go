package cost

import (
	"math"
	"slices"
)

// Line is one line of a month's bill.
type Line struct {
	Service  string  `json:"service"`
	What     string  `json:"what"`
	Quantity float64 `json:"quantity"` // of Unit, in a month
	Unit     string  `json:"unit"`
	Sums
	Free bool   `json:"free"`  // the permanent allowance covers it all
	ID   string `json:"price"` // of its price
}

// Sums are a cost in the three columns of a bill.
type Sums struct {
	USD    float64 `json:"usd"`       // without free allowances
	Always float64 `json:"alwaysUSD"` // with the permanent allowances
	Year   float64 `json:"yearUSD"`   // with those of an account's first year too
}

func (s *Sums) columns() [3]*float64 { return [3]*float64{&s.USD, &s.Always, &s.Year} }

func (s *Sums) add(o Sums) { s.USD, s.Always, s.Year = s.USD+o.USD, s.Always+o.Always, s.Year+o.Year }

// Bill is a month.
type Bill struct {
	Lines []Line `json:"lines"`
	Total Sums   `json:"total"`
}

// amount is the consumption of a month, in the price's unit.
type amount struct {
	service, what, id string
	quantity          float64
}

const (
	// newestSegment is the size to which the newest segment of the index grows, on AWS, in bytes.
	newestSegment = 8e6

	monthDays  = 30
	monthHours = 730
	million    = 1e6
	gigabyte   = 1e9
)

// Month returns the bill of a month of such days. Storage is that of an installation's first month at its end or, with
// longRun, when as much expires as is added.
func (t *Table) Month(o Options, d *Day, region string, longRun bool) (*Bill, error) {
	return t.bill(t.amounts(o, d, longRun), t.demand(o, d), region)
}

// ToDate returns the bill of a month of which so many days have passed, with the allowances of all of it.
func (t *Table) ToDate(o Options, d *Day, region string, days float64) (*Bill, error) {
	list, need, part := t.amounts(o, d, false), t.demand(o, d), days/monthDays
	for i := range list {
		list[i].quantity *= part
	}
	need.reads, need.writes = need.reads*part, need.writes*part
	need.readCap, need.writeCap = need.readCap*part, need.writeCap*part
	return t.bill(list, need, region)
}

// UsualFeed is the day of a feed with so many polls and new items, with figures of `ruri cost`, which a test of the
// command checks. Costs that do not depend on the number of feeds, such as ticks and runs, are not in it.
func UsualFeed(polls, items float64) *Day {
	const (
		pollReads, pollSeconds = 1.1, 0.075
		newsItems              = 2.7 // of an answer with new ones
		newsWrites, newsBytes  = 3.4, 2800
	)
	news := min(polls, items/newsItems)
	return &Day{
		Polls: polls, Changed: news, NewItems: items,
		Plan:     Units{Reads: dayTicks * planRowReads},
		Crawl:    Units{Reads: pollReads * polls, Writes: newsWrites * news},
		Crawler:  Function{Seconds: pollSeconds * polls},
		BlobPuts: news, BlobBytes: newsBytes * news, IndexBytes: indexBytes * items,
		LogEvents: news, LogBytes: logLineBytes * news, RowBytes: feedRowBytes, DeltaBytes: itemBytes * items,
	}
}

// Feed returns what a feed with such a day adds to a month's bill, on demand and without allowances.
func (t *Table) Feed(d *Day, region string) (float64, error) {
	o := Options{OnDemand: true}
	with, err := t.Month(o, d, region, false)
	if err != nil {
		return 0, err
	}
	without, err := t.Month(o, &Day{}, region, false)
	if err != nil {
		return 0, err
	}
	return with.Total.USD - without.Total.USD, nil
}

// Counts reports whether the line is shown: unused services are not, nor is the way of paying for the table that no
// column uses.
func (l Line) Counts() bool {
	return l.Quantity > 0 && (l.Service != "DynamoDB" || l.USD > 0 || l.Free)
}

// Allowance returns how much of a price's unit is always free, and how much more is in an account's first year.
func (t *Table) Allowance(id string) (always, firstYear float64) {
	for _, f := range t.Free {
		switch {
		case f.ID == id && f.Kind == Always:
			always += f.Amount
		case f.ID == id:
			firstYear += f.Amount
		}
	}
	return always, firstYear
}

// demand is the load of the table: DynamoDB can be paid for by request or by the hour, and each column of the bill has
// the cheaper way.
type demand struct {
	reads, writes     float64 // units of a month
	readCap, writeCap float64 // capacity for the peaks
	onDemandOnly      bool
}

// Burst capacity is that of 300 unused seconds (developer guide, "Burst capacity"). A tick's reads come at once;
// its writes within the 90 seconds of a run.
const (
	burstSeconds = 300
	runSeconds   = 90
	freeCapacity = 25
)

func (t *Table) demand(o Options, d *Day) demand {
	all := d.Plan.Plus(d.Crawl).Plus(d.Reader)
	perTick := 0.0
	if d.Ticks > 0 {
		perTick = d.Plan.Reads / d.Ticks
	}
	return demand{
		reads: all.Reads * monthDays, writes: all.Writes * monthDays,
		readCap: max(freeCapacity, math.Ceil(perTick/burstSeconds), math.Ceil(1.5*all.Reads/86400)),
		writeCap: max(freeCapacity, math.Ceil(d.PeakWriteRate/(burstSeconds+runSeconds)),
			math.Ceil(1.5*all.Writes/86400)),
		onDemandOnly: o.OnDemand,
	}
}

func (t *Table) amounts(o Options, d *Day, longRun bool) []amount {
	m := t.Model
	rawDays, deltaDays := float64(monthDays), float64(monthDays)
	if longRun {
		rawDays, deltaDays = RawDays, DeltaDays
	}
	// The newest segment is written again each night, and kept for a day as a dropped one and another as an old
	// version.
	index := d.IndexBytes * deltaDays
	index += 2 * min(index, newestSegment/2)
	idle := m.Pollers * 86400 / m.LongPollSeconds
	gigabyteSeconds := (d.Orchestrator.Seconds*m.OrchestratorMB + d.Crawler.Seconds*m.CrawlerMB +
		d.API.Seconds*m.APIMB) / 1024
	invocations := d.Orchestrator.Invocations + d.Crawler.Invocations + d.API.Invocations
	logs := d.LogBytes + d.LogEvents*m.LogEventBytes
	list := []amount{
		{"DynamoDB", "storage", "dynamodb.storage",
			(d.RowBytes + d.DeltaBytes*deltaDays + d.RunBytes*RunDays) / gigabyte},
		{"S3", "puts of changed bodies", "s3.puts", d.BlobPuts * monthDays / 1000},
		{"S3", "puts of the index of searches", "s3.puts", d.IndexPuts * monthDays / 1000},
		{"S3", "gets", "s3.gets", (d.BlobGets + d.PageRequests) * monthDays / 1000},
		{"S3", "storage", "s3.storage", d.BlobBytes * rawDays / gigabyte},
		{"S3", "storage of the index", "s3.storage", index / gigabyte},
		{"SQS", "the event source's own polling", "sqs.requests", idle * monthDays / million},
		{"SQS", "messages", "sqs.requests", (d.QueueSends + 2*d.Messages) * monthDays / million},
		{"Lambda", "requests", "lambda.requests", invocations * monthDays / million},
		{"Lambda", "time", "lambda.arm64", gigabyteSeconds * monthDays},
		{"Scheduler", "ticks", "scheduler.invocations", d.Ticks * monthDays / million},
		{"API Gateway", "requests", "api.requests", d.Requests * monthDays / million},
		{"CloudFront", "requests", "cloudfront.requests", (d.Requests + d.PageRequests) * monthDays / 10000},
		{"CloudFront", "to the browser", "cloudfront.transfer", (d.AnswerBytes + d.PageBytes) * monthDays / gigabyte},
		{"CloudFront", "functions", "cloudfront.functions", (d.Requests + d.PageRequests) * monthDays / million},
		{"Transfer", "to publishers", "transfer.out", d.Polls * m.PollBytes * monthDays / gigabyte},
		{"CloudWatch", "logs taken in", "logs.ingest", logs * monthDays / gigabyte},
		{"CloudWatch", "logs kept 14 days", "logs.storage", logs * 14 / gigabyte},
	}
	alarms, metrics := 0.0, 0.0
	if o.Alarms {
		alarms, metrics = 10, 2 // nine alarms of the template read ten metrics, two of them its own
	}
	return append(list,
		amount{"CloudWatch", "alarms", "cloudwatch.alarms", alarms},
		amount{"CloudWatch", "metrics of our own", "cloudwatch.metrics", metrics},
		amount{"SSM", "secrets", "ssm.parameters", 2},
	)
}

// bill prices amounts. Amounts of one price share its allowance, in order.
func (t *Table) bill(list []amount, need demand, region string) (*Bill, error) {
	lines, err := t.lines(slices.Concat([]amount{
		{"DynamoDB", "writes, on demand", "dynamodb.writes", need.writes / million},
		{"DynamoDB", "reads, on demand", "dynamodb.reads", need.reads / million},
		{"DynamoDB", "write capacity", "dynamodb.wcu", need.writeCap * monthHours},
		{"DynamoDB", "read capacity", "dynamodb.rcu", need.readCap * monthHours},
	}, list), region)
	if err != nil {
		return nil, err
	}
	choose(lines[:2], lines[2:4], need.onDemandOnly)
	b := &Bill{Lines: lines}
	for _, l := range lines {
		b.Total.add(l.Sums)
	}
	return b, nil
}

// choose keeps in each column the cheaper way to pay for the table, and zeroes the other one.
func choose(onDemand, provisioned []Line, onDemandOnly bool) {
	var a, b Sums
	for i := range onDemand {
		a.add(onDemand[i].Sums)
		b.add(provisioned[i].Sums)
	}
	for c, price := range a.columns() {
		out := provisioned
		if *b.columns()[c] < *price && !onDemandOnly {
			out = onDemand
		}
		for i := range out {
			*out[i].columns()[c] = 0
		}
	}
}

func (t *Table) lines(list []amount, region string) ([]Line, error) {
	used := map[string]float64{} // by price
	lines := make([]Line, 0, len(list))
	for _, a := range list {
		p, err := t.Price(a.id, region)
		if err != nil {
			return nil, err
		}
		l := Line{Service: a.service, What: a.what, Quantity: a.quantity, Unit: p.Unit, ID: a.id}
		always, firstYear := t.Allowance(a.id)
		beyond := func(allowance float64) float64 { return max(0, a.quantity-max(0, allowance-used[a.id])) * p.USD }
		l.USD, l.Always, l.Year = a.quantity*p.USD, beyond(always), beyond(always+firstYear)
		l.Free = l.Always == 0
		used[a.id] += a.quantity
		lines = append(lines, l)
	}
	return lines, nil
}
