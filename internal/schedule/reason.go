package schedule

import (
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// The codes of the reasons for the time of a feed's next poll. Public and stable; those up to ReasonBudget explain a
// period and are stored with it.
const (
	ReasonDefault      = "default"
	ReasonAsked        = "asked"
	ReasonQuiet        = "quiet"
	ReasonMaxAge       = "max_age"
	ReasonTTL          = "ttl"
	ReasonFickle       = "fickle"
	ReasonNoValidators = "no_validators"
	ReasonHub          = "hub"
	ReasonSuspect      = "suspect"
	ReasonBudget       = "budget"

	ReasonProbe         = "probe"
	ReasonSkip          = "skip"
	ReasonBackOff       = "back_off"
	ReasonRetryAfter    = "retry_after"
	ReasonWaiting       = "waiting"
	ReasonStopped       = "stopped"
	ReasonPaused        = "paused"
	ReasonNoSubscribers = "no_subscribers"
)

// periodReasons are those that explain a period.
var periodReasons = []string{
	ReasonDefault, ReasonAsked, ReasonQuiet, ReasonMaxAge, ReasonTTL, ReasonFickle, ReasonNoValidators,
	ReasonHub, ReasonSuspect, ReasonBudget,
}

// Situation is the part of a feed row that Explain needs.
type Situation struct {
	Plan        Plan
	Why         string // stored with the period
	Status      reader.FeedStatus
	Errors      int // failures in a row
	NotBefore   time.Time
	Subscribers int
	Paused      bool
	Now         time.Time
}

// Checking is a feed's schedule as users see it.
type Checking struct {
	Interval time.Duration // while the feed has no errors
	Why      string        // the code of the rule that set it
	Next     time.Time     // start of the next check's tick; zero: no check will come
	NextWhy  string        // the code of the reason for its time
}

// Explain returns the interval and the next check, each with its reason. The turn of the current tick counts as taken.
func Explain(s Situation) Checking {
	why := s.Why
	if !slices.Contains(periodReasons, why) {
		why = ReasonDefault // also for a code of a later version
	}
	c := Checking{Interval: IntervalIn(int32(s.Plan.period()), why), Why: why}
	switch {
	case s.Status == reader.StatusStopped && s.Plan.Probes.IsZero():
		c.NextWhy = ReasonStopped
		return c
	case s.Subscribers < 1:
		c.NextWhy = ReasonNoSubscribers
		return c
	case s.Paused:
		c.NextWhy = ReasonPaused
		return c
	}
	now := TickOf(s.Now)
	next := s.Plan.NextTurn(max(now, CeilTick(s.NotBefore)-1))
	if next == NoTick {
		c.NextWhy = ReasonStopped
		return c
	}
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
