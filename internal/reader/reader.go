// Package reader is the vocabulary that domain packages share, and the pure rules over it: numbers of feeds and items,
// read state, statuses, outcomes, and the texts of feed errors. It knows no clock, no store and no network.
package reader

// FeedStatus is the state of a feed.
type FeedStatus string

// The statuses of a feed.
const (
	StatusWaiting FeedStatus = "waiting" // the first fetch is not done yet
	StatusActive  FeedStatus = "active"
	StatusError   FeedStatus = "error"   // the last poll failed; it is tried again
	StatusStopped FeedStatus = "stopped" // given up with a reason; resumed by hand
)

// Outcome is the result of one poll of one feed.
type Outcome string

// The outcomes of a poll.
const (
	OutcomeChanged     Outcome = "changed"     // items or channel changed and were stored
	OutcomeUnchanged   Outcome = "unchanged"   // a 200 over equal content
	OutcomeNotModified Outcome = "notModified" // a 304
	OutcomeTruncated   Outcome = "truncated"   // a 200 that broke off: the items that had arrived were kept
	OutcomeFailed      Outcome = "failed"
	OutcomeDeferred    Outcome = "deferred" // no request was made; the next tick does
	OutcomeSkipped     Outcome = "skipped"  // left out on purpose
	OutcomeLost        Outcome = "lost"     // the run died; the outcome is unknown
)

// Succeeded reports whether the publisher responded with a feed or with a 304.
func (o Outcome) Succeeded() bool {
	return o == OutcomeChanged || o == OutcomeUnchanged || o == OutcomeNotModified
}

// Polled reports whether a request was made.
func (o Outcome) Polled() bool { return o.Succeeded() || o == OutcomeTruncated || o == OutcomeFailed }
