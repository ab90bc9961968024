package reader

import "time"

// Limits that more than one package applies.
const (
	// MaxURL is the longest address that is stored of a feed, a site, a result or a webhook, in bytes.
	MaxURL = 2000
	// MaxLink is the longest address that is read in a document, or requested, in bytes.
	MaxLink = 4096

	// The minutes between two polls that a subscriber may ask for, and those of one who asks for none (C-4). Publishers
	// expect at least 60 minutes between conditional requests.
	MinInterval     = 30
	MaxInterval     = 720
	IntervalStep    = 30
	DefaultInterval = 60

	// LongestPace is the longest Crawl-delay that is only a pace between requests; a longer one is the least time
	// between two crawls as well.
	LongestPace = time.Minute
)
