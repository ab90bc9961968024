package cost

import (
	"math"
)

// Line is one line of a month's bill.
type Line struct {
	Service  string  `json:"service"`
	What     string  `json:"what"`
	Quantity float64 `json:"quantity"` // of Unit, in a month
	Unit     string  `json:"unit"`
	USD      float64 `json:"usd"`       // without any allowance
	Always   float64 `json:"alwaysUSD"` // within those that never end
	Year     float64 `json:"yearUSD"`   // within those of an account's first year too
	Free     bool    `json:"free"`      // whether the allowance that never ends covers it all
	ID       string  `json:"price"`     // of its price
}

// Sums are the three totals.
type Sums struct {
	USD    float64 `json:"usd"`
	Always float64 `json:"alwaysUSD"`
	Year   float64 `json:"yearUSD"`
}

// Bill is a month.
type Bill struct {
	Lines []Line `json:"lines"`
	Total Sums   `json:"total"`
}

// amount is how much of something a month takes, in the price's unit.
type amount struct {
	service, what, id string
	quantity          float64
}

const (
	monthDays  = 30
	monthHours = 730
	million    = 1e6
	gigabyte   = 1e9
)

// Month makes the bill of a month of such days. Storage is that of the month's end when everything began at
// its start; with longRun, that of when as much goes as comes.
func (t *Table) Month(o Options, d *Day, region string, longRun bool) (*Bill, error) {
	return t.bill(t.amounts(o, d, longRun), t.demand(d), region)
}

// Counts tells whether the line says anything: a service that is not used has none, nor has the way of paying for
// the table that no column takes.
func (l Line) Counts() bool {
	return l.Quantity > 0 && (l.Service != "DynamoDB" || l.USD > 0 || l.Free)
}

// Allowance is how much of a price's unit never costs anything, and how much more an account's first year has free.
func (t *Table) Allowance(id string) (always, firstYear float64) {
	return t.allowance(id, Always), t.allowance(id, OneYear)
}

// demand is what the table is asked for: DynamoDB can be paid for by request or by the hour, and each column of
// the bill takes what is cheaper.
type demand struct {
	reads, writes     float64 // units of a month
	readCap, writeCap float64 // capacity that bears the peaks
	onDemandOnly      bool
}

// Burst capacity is that of 300 unused seconds (developer guide, "Burst capacity"). A tick's reads come at once;
// its writes within the 90 seconds of a run.
const (
	burstSeconds = 300
	runSeconds   = 90
	freeCapacity = 25
)

func (t *Table) demand(d *Day) demand {
	all := d.Plan.Plus(d.Crawl).Plus(d.Reader).Plus(d.Fills)
	perTick := 0.0
	if d.Ticks > 0 {
		perTick = d.Plan.Reads / d.Ticks
	}
	return demand{
		reads: all.Reads * monthDays, writes: all.Writes * monthDays,
		readCap:  max(freeCapacity, math.Ceil(perTick/burstSeconds), math.Ceil(1.5*all.Reads/86400)),
		writeCap: max(freeCapacity, math.Ceil(d.PeakWriteRate/(burstSeconds+runSeconds)), math.Ceil(1.5*all.Writes/86400)),
	}
}

func (t *Table) amounts(o Options, d *Day, longRun bool) []amount {
	m := t.Model
	rawDays, deltaDays := float64(monthDays), float64(monthDays)
	if longRun {
		rawDays, deltaDays = RawDays, DeltaDays
	}
	idle := m.Pollers * 86400 / m.LongPollSeconds
	gigabyteSeconds := (d.Orchestrator.Seconds*m.OrchestratorMB + d.Crawler.Seconds*m.CrawlerMB + d.API.Seconds*m.APIMB) / 1024
	invocations := d.Orchestrator.Invocations + d.Crawler.Invocations + d.API.Invocations
	logs := d.LogBytes + d.LogEvents*m.LogEventBytes
	list := []amount{
		{"DynamoDB", "storage", "dynamodb.storage", (d.RowBytes + d.DeltaBytes*deltaDays + d.RunBytes*RunDays) / gigabyte},
		{"S3", "puts of changed bodies", "s3.puts", d.BlobPuts * monthDays / 1000},
		{"S3", "gets", "s3.gets", (d.BlobGets + d.PageRequests) * monthDays / 1000},
		{"S3", "storage", "s3.storage", d.BlobBytes * rawDays / gigabyte},
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
	b := &Bill{}
	byRequest := []amount{
		{"DynamoDB", "writes, on demand", "dynamodb.writes", need.writes / million},
		{"DynamoDB", "reads, on demand", "dynamodb.reads", need.reads / million},
	}
	byHour := []amount{
		{"DynamoDB", "write capacity", "dynamodb.wcu", need.writeCap * monthHours},
		{"DynamoDB", "read capacity", "dynamodb.rcu", need.readCap * monthHours},
	}
	od, err := t.lines(byRequest, region)
	if err != nil {
		return nil, err
	}
	pr, err := t.lines(byHour, region)
	if err != nil {
		return nil, err
	}
	choose(od, pr, need.onDemandOnly)
	rest, err := t.lines(list, region)
	if err != nil {
		return nil, err
	}
	b.Lines = append(append(od, pr...), rest...)
	for _, l := range b.Lines {
		b.Total.USD += l.USD
		b.Total.Always += l.Always
		b.Total.Year += l.Year
	}
	return b, nil
}

// choose leaves in each column the cheaper way to pay for the table, and takes the other one out.
func choose(od, pr []Line, onDemandOnly bool) {
	column := func(f func(*Line) *float64) {
		a, b := 0.0, 0.0
		for i := range od {
			a += *f(&od[i])
		}
		for i := range pr {
			b += *f(&pr[i])
		}
		out := pr
		if b < a && !onDemandOnly {
			out = od
		}
		for i := range out {
			*f(&out[i]) = 0
		}
	}
	column(func(l *Line) *float64 { return &l.USD })
	column(func(l *Line) *float64 { return &l.Always })
	column(func(l *Line) *float64 { return &l.Year })
}

func (t *Table) lines(list []amount, region string) ([]Line, error) {
	always, year := map[string]float64{}, map[string]float64{}
	lines := make([]Line, 0, len(list))
	for _, a := range list {
		p, err := t.Price(a.id, region)
		if err != nil {
			return nil, err
		}
		l := Line{Service: a.service, What: a.what, Quantity: a.quantity, Unit: p.Unit, USD: a.quantity * p.USD, ID: a.id}
		used := always[a.id]
		always[a.id] += a.quantity
		free := max(0, t.allowance(a.id, Always)-used)
		l.Always = max(0, a.quantity-free) * p.USD
		free = max(0, t.allowance(a.id, Always)+t.allowance(a.id, OneYear)-year[a.id])
		year[a.id] += a.quantity
		l.Year = max(0, a.quantity-free) * p.USD
		l.Free = l.Always == 0
		lines = append(lines, l)
	}
	return lines, nil
}
