package cost

// The daily consumption of a busy watch of three pages: 17 changes, looked at hourly, with the pages of single results.
// A test of package crawl measures it over a month and fails above these figures.
const (
	WatchLooks    = 19.2
	WatchRequests = 27.0
	WatchWrites   = 25.0
	WatchReads    = 330.0
	watchLogBytes = 6_000
)

// AddWatches adds busy watches. A request of a watch takes as long as a poll of a feed.
func (d *Day) AddWatches(n int) {
	w := float64(n)
	further := w * (WatchRequests - WatchLooks) // each in a message of its own
	seconds := w * WatchRequests * d.Crawler.Seconds / max(d.Polls, 1)
	d.Polls += w * WatchLooks
	d.Crawl = d.Crawl.Plus(Units{Reads: w * WatchReads, Writes: w * WatchWrites, ReadRequests: w * WatchReads / 2,
		WriteRequests: w * WatchWrites})
	d.QueueSends += further
	d.Messages += further
	d.Crawler = d.Crawler.Plus(Function{Invocations: further, Seconds: seconds})
	d.LogBytes += w * watchLogBytes
}
