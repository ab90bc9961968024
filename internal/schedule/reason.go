package schedule

import (
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
	ReasonDefault:      "The usual interval; you can choose another.",
	ReasonAsked:        "A subscriber chose this interval.",
	ReasonQuiet:        "The feed is rarely updated. When it changes more often, it is checked more often.",
	ReasonMaxAge:       "The server says for how long its answer stays fresh.",
	ReasonTTL:          "The feed itself asks for this interval.",
	ReasonFickle:       "The server marks every answer as changed, so each check downloads the whole feed.",
	ReasonNoValidators: "The feed does not say when it changes, so each check downloads all of it.",
	ReasonHub:          "The publisher sends new items here at once; the daily check only makes sure.",

	ReasonProbe:         "The feed was stopped; for a week it is tried once a day whether it is back.",
	ReasonSpread:        "The feed was just added; its second check is spread so that many feeds do not come at once.",
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
	Probed      bool // stopped, and tried once a day
	Errors      int  // failures in a row
	NotBefore   time.Time
	Subscribers int
	Now         time.Time
}

// Checking is what people are told of a feed's schedule.
type Checking struct {
	Interval time.Duration // in force while the feed is sound
	Why      string        // the code of the rule that set it
	Next     time.Time     // when the next check's tick begins; zero: no check will come
	NextWhy  string        // the code of why it comes then
}

// Explain gives the interval in force with its reason, and the next check with its: the one place that
// the lists, the settings of a feed, the API and the command line are told by. The present tick's turn
// counts as taken.
func Explain(s Situation) Checking {
	why := ReasonOf(s.Why).Code
	c := Checking{Interval: IntervalIn(int32(s.Plan.period()), why), Why: why}
	switch {
	case s.Status == reader.StatusStopped && !s.Probed:
		c.NextWhy = ReasonStopped
		return c
	case s.Subscribers < 1:
		c.NextWhy = ReasonNoSubscribers
		return c
	}
	now := TickOf(s.Now)
	next := s.Plan.NextTurn(max(now, CeilTick(s.NotBefore)-1))
	c.Next, c.NextWhy = next.Start(), why
	switch {
	case s.NotBefore.After(s.Now):
		c.NextWhy = ReasonRetryAfter
	case s.Status == reader.StatusStopped:
		c.NextWhy = ReasonProbe
	case s.Errors > 0 && next == s.Plan.First:
		c.NextWhy = ReasonBackOff
	case s.Status == reader.StatusWaiting:
		c.NextWhy = ReasonWaiting
	case s.Plan.Skip.At(s.Plan.regular(now)):
		c.NextWhy = ReasonSkip
	}
	return c
}
