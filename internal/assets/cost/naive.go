package cost

// The naive design for the same day: every feed is polled at every tick in an invocation of its own; its row and an
// index over the next poll are written each time; all listed items are written again with every body; there is a row
// for each user and item; bodies are parsed for every view and cached whole; a session and a counter are written with
// each request, and a log line for each step.
const (
	naivePollWrites  = 3    // the row, and an index key that changes: one entry deleted, one put
	naiveItemsListed = 30   // items written with every body, whether new or not
	naiveItemWrites  = 2    // of 2 KB
	naiveFanOut      = 2    // a row for each user and item, and its index
	naiveSession     = 2    // writes with each request: session touched, counter raised
	naivePageWrites  = 60   // a page of bodies, cached uncompressed
	naiveNoValidator = 0.25 // of feeds, which answer 200 each time
	naiveSeconds     = 0.8  // of an invocation for one feed
	naiveMemory      = 0.5  // GB, on x86
	naiveLogBytes    = 3500 // for each poll
	naiveViewSeconds = 0.6  // of a view, which parses
)

// Naive returns the bill of that design.
func (t *Table) Naive(o Options, d *Day, region string) (*Bill, error) {
	m := t.Model
	polls := float64(o.Feeds) * 86400 / o.Tick.Seconds()
	bodies := naiveNoValidator*polls + (1-naiveNoValidator)*d.Changed
	readers := 1.0 // of each feed
	if o.Feeds > 0 {
		readers = max(1, float64(o.Users)*min(100, float64(o.Feeds))/float64(o.Feeds))
	}
	writes := polls*naivePollWrites + bodies*naiveItemsListed*naiveItemWrites + d.NewItems*readers*naiveFanOut +
		d.Requests*naiveSession + d.Views*naivePageWrites + d.ItemsOpened*naiveFanOut
	reads := polls/2 + d.Requests*(0.5+0.5+2)
	logs := polls*naiveLogBytes + d.Requests*600
	raw := 0.0
	if d.BlobPuts > 0 {
		raw = d.BlobBytes / d.BlobPuts
	}
	idle := m.Pollers * 86400 / m.LongPollSeconds
	list := []amount{
		{"DynamoDB", "storage", "dynamodb.storage", (d.RowBytes + (d.NewItems*(1+readers)*2000)*DeltaDays) / gigabyte},
		{"S3", "puts of every body", "s3.puts", bodies * monthDays / 1000},
		{"S3", "gets", "s3.gets", d.Views * monthDays / 1000},
		{"S3", "storage", "s3.storage", bodies * raw * monthDays / gigabyte},
		{"SQS", "the event source's own polling", "sqs.requests", idle * monthDays / million},
		{"SQS", "messages", "sqs.requests", polls * (0.1 + 2) * monthDays / million},
		{"Lambda", "requests", "lambda.requests", (polls + d.Ticks + d.Requests) * monthDays / million},
		{"Lambda", "time", "lambda.x86",
			(polls*naiveSeconds*naiveMemory + (d.Views*naiveViewSeconds+d.Requests*0.05)*naiveMemory) * monthDays},
		{"Scheduler", "ticks", "scheduler.invocations", d.Ticks * monthDays / million},
		{"API Gateway", "requests", "api.requests", d.Requests * monthDays / million},
		{"CloudFront", "requests", "cloudfront.requests", (d.Requests + d.PageRequests) * monthDays / 10000},
		{"CloudFront", "to the browser", "cloudfront.transfer", (d.AnswerBytes + d.Views*60e3) * monthDays / gigabyte},
		{"Transfer", "to publishers", "transfer.out", polls * m.PollBytes * monthDays / gigabyte},
		{"CloudWatch", "logs taken in", "logs.ingest", logs * monthDays / gigabyte},
		{"CloudWatch", "logs kept", "logs.storage", logs * monthDays / gigabyte},
	}
	return t.bill(list, demand{reads: reads * monthDays, writes: writes * monthDays, onDemandOnly: true}, region)
}
