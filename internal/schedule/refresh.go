package schedule

import "time"

// RefreshGap is the least time between a poll and a refresh by a user. A publisher's max-age does not apply (RFC 9111,
// 5.2.1.4 lets a client reload), its Retry-After does.
const RefreshGap = 5 * time.Minute

// RefreshAt returns from when a user may refresh a feed, given its last poll (zero: none) and the publisher's
// Retry-After (zero: none).
func RefreshAt(polled, notBefore time.Time) time.Time {
	if polled.IsZero() || polled.Add(RefreshGap).Before(notBefore) {
		return notBefore
	}
	return polled.Add(RefreshGap)
}
