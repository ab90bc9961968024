package job

import (
	"encoding/json"

	"github.com/ruri-reader/ruri/internal/reader"
)

// CountsDue says when a cycle of counts is to begin, and with which feeds.
type CountsDue struct {
	// Arrived is a minute: the cycle asks for feeds with items that arrived after it.
	Arrived reader.Minute
	// From is the number of such feeds that begins the cycle.
	From int
	// Begin is the message, without the feeds.
	Begin Job
}

// NewCounts makes the message that begins a cycle.
func NewCounts(state any, feeds []reader.FeedID) Job {
	b, _ := json.Marshal(state) // numbers and bytes: cannot fail
	return Job{Kind: Counts, State: b, Feeds: feeds}
}
