package schedule

import "time"

// RefreshGap is how soon after a poll a person may ask for the next one. A publisher's max-age does not
// bind it: RFC 9111, 5.2.1.4 lets a client reload. Its Retry-After does.
const RefreshGap = 5 * time.Minute

// RefreshAt gives the instant from which a feed may be polled on request, given its last poll and the
// publisher's Retry-After (zero: none). A feed never polled may be at once.
func RefreshAt(polled, notBefore time.Time) time.Time {
	if polled.IsZero() || polled.Add(RefreshGap).Before(notBefore) {
		return notBefore
	}
	return polled.Add(RefreshGap)
}
