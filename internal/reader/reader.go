// Package reader is the vocabulary that the rooms share, and the pure rules over it: numbers of feeds
// and items, read state, statuses, outcomes, and what each fault means to a person. It knows no clock,
// no store and no network, and imports the standard library alone.
package reader

// FeedStatus is where a feed stands in its life.
type FeedStatus string

// The statuses of a feed.
const (
	StatusWaiting FeedStatus = "waiting" // the first fetch is not done yet
	StatusActive  FeedStatus = "active"
	StatusError   FeedStatus = "error"   // the last poll failed; it is tried again
	StatusStopped FeedStatus = "stopped" // given up with a reason; resumed by hand
)

// Outcome is how one poll of one feed ended.
type Outcome string

// The outcomes of a poll.
const (
	OutcomeChanged     Outcome = "changed"     // items or channel changed and were stored
	OutcomeUnchanged   Outcome = "unchanged"   // a 200 over equal content
	OutcomeNotModified Outcome = "notModified" // a 304
	OutcomeTruncated   Outcome = "truncated"   // a 200 that broke off: the items that had arrived were kept
	OutcomeFailed      Outcome = "failed"
	OutcomeDeferred    Outcome = "deferred" // no request was made; the next tick does
	OutcomeSkipped     Outcome = "skipped"  // a turn not taken on purpose
	OutcomeLost        Outcome = "lost"     // the run died: nobody knows
)

// Succeeded reports that the publisher answered as a feed should.
func (o Outcome) Succeeded() bool {
	return o == OutcomeChanged || o == OutcomeUnchanged || o == OutcomeNotModified
}

// Polled reports that a request was made.
func (o Outcome) Polled() bool { return o.Succeeded() || o == OutcomeTruncated || o == OutcomeFailed }
