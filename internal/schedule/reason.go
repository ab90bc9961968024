package schedule

import (
	"fmt"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// The codes of why the next poll of a feed is when it is. Public and stable; those up to ReasonHub
// explain a period and are stored with it.
const (
	ReasonDefault      = "default"
	ReasonAsked        = "asked"
	ReasonQuiet        = "quiet"
	ReasonMaxAge       = "max_age"
	ReasonTTL          = "ttl"
	ReasonFickle       = "fickle"
	ReasonNoValidators = "no_validators"
	ReasonHub          = "hub"

	ReasonProbe         = "probe"
	ReasonSpread        = "spread"
	ReasonSkip          = "skip"
	ReasonDeferred      = "deferred"
	ReasonBackOff       = "back_off"
	ReasonRetryAfter    = "retry_after"
	ReasonWaiting       = "waiting"
	ReasonStopped       = "stopped"
	ReasonNoSubscribers = "no_subscribers"
)

// Reason says to a person why a feed's next poll is when it is.
type Reason struct {
	Code    string
	Message string
	At      time.Time // when the next poll's tick begins; zero: no poll will come
}

var reasons = map[string]string{
	ReasonDefault:      "Feeds are checked about once an hour unless somebody asks for another interval.",
	ReasonAsked:        "A subscriber chose this interval.",
	ReasonQuiet:        "The feed changes seldom, so it is checked less often; when it changes again, more often.",
	ReasonMaxAge:       "The server says for how long its answer stays fresh.",
	ReasonTTL:          "The feed itself says how often it wants to be fetched.",
	ReasonFickle:       "The server calls every answer new although nothing changed, so it is asked less often.",
	ReasonNoValidators: "The server cannot say whether anything is new without sending everything, so it is asked once a day.",
	ReasonHub:          "The publisher sends news here at once; the daily check only makes sure.",

	ReasonProbe:         "The feed was stopped; for a week it is tried once a day whether it is back.",
	ReasonSpread:        "The feed was just added; the second check is spread so that many feeds do not come at once.",
	ReasonSkip:          "The feed asks not to be fetched at certain hours or days.",
	ReasonDeferred:      "The host was too slow this time; the feed is checked a few minutes later.",
	ReasonBackOff:       "The last check failed; the wait grows with each failure, up to twelve hours.",
	ReasonRetryAfter:    "The server asked to wait until then.",
	ReasonWaiting:       "The feed was just added and is fetched as soon as possible.",
	ReasonStopped:       "The feed was stopped and is not checked until it is resumed.",
	ReasonNoSubscribers: "Nobody subscribes to the feed, so it is not checked.",
}

// ReasonOf gives the sentence of a code, without a time; an unknown code is explained as the default.
func ReasonOf(code string) Reason {
	if m, ok := reasons[code]; ok {
		return Reason{Code: code, Message: m}
	}
	return Reason{Code: ReasonDefault, Message: reasons[ReasonDefault]}
}

// Situation is what Explain needs of a feed row.
type Situation struct {
	Plan        Plan
	Why         string // stored with the period
	Status      reader.FeedStatus
	Errors      int // failures in a row
	NotBefore   time.Time
	Subscribers int
	Now         time.Time
}

// Explain says when a feed's next poll is and why. A turn of the present tick counts as next only while
// it may still begin.
func Explain(s Situation) Reason {
	code, next := Cause(s)
	r := ReasonOf(code)
	if code == ReasonStopped || code == ReasonNoSubscribers {
		return r
	}
	if code == s.Why {
		r.Message += fmt.Sprintf(" Checks are at least %s apart.", span(IntervalOf(s.Plan.Period)))
	}
	r.At = next.Start()
	return r
}

// Cause gives the code of what decides a feed's next poll at this moment, and the turn: what is stored with the period
// says why it is that long, which is not all.
func Cause(s Situation) (code string, next Tick) {
	switch {
	case s.Status == reader.StatusStopped && s.Why != ReasonProbe:
		return ReasonStopped, 0
	case s.Subscribers < 1:
		return ReasonNoSubscribers, 0
	}
	now := TickOf(s.Now)
	from := now
	if now.MayStart(s.Now) {
		from--
	}
	next = s.Plan.NextTurn(max(from, CeilTick(s.NotBefore)-1))
	switch {
	case s.NotBefore.After(s.Now):
		return ReasonRetryAfter, next
	case s.Status == reader.StatusStopped:
		return ReasonProbe, next
	case s.Errors > 0 && next == s.Plan.First:
		return ReasonBackOff, next
	case s.Status == reader.StatusWaiting:
		return ReasonWaiting, next
	case s.Plan.Skip.At(s.Plan.regular(from)):
		return ReasonSkip, next
	}
	return s.Why, next
}

// span writes a duration of whole minutes for a person.
func span(d time.Duration) string {
	h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case h == 0:
		return fmt.Sprintf("%d minutes", m)
	case m != 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case h == 1:
		return "an hour"
	}
	return fmt.Sprintf("%d hours", h)
}
