package schedule

import (
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// A subscriber may choose an interval from MinAsked to MaxAsked, in steps of AskedStep (C-4).
const (
	MinAsked  = reader.MinInterval * time.Minute
	MaxAsked  = reader.MaxInterval * time.Minute
	AskedStep = reader.IntervalStep * time.Minute
)

const (
	// MaxHint bounds a publisher's hint. RFC 9111, 1.2.2 allows a year, which some servers set for all their files.
	MaxHint = 7 * 24 * time.Hour

	// LargeBody is the size in bytes above which a feed without validators is polled less often.
	LargeBody = 256 << 10
	// wholeEvery is for feeds whose every answer is a whole body, wholeLargeEvery for those of them above LargeBody:
	// from turn to turn (decision 0303).
	wholeEvery      = 2 * time.Hour
	wholeLargeEvery = 6 * time.Hour

	// hubInterval is for feeds whose hub pushes (WebSub 1.0): polls are a precaution.
	hubInterval = 24 * time.Hour

	// suspectFactor slows down a watch whose page cannot be read, until a person has looked at it.
	suspectFactor = 4

	// A feed keeps a chosen interval under an hour for shortHolds after its last change; longer ones are always kept.
	shortHolds = 30 * 24 * time.Hour
)

// Inputs are the inputs of the schedule: the feed row as it is to be stored, and the poll that just ended. The zero
// value of a hint means that there is none.
type Inputs struct {
	Feed reader.FeedID
	Now  time.Time

	Plan    Plan // as stored when the poll began, or as claimed off turn; zero: none yet
	Writing bool // the row is written in any case
	First   bool // a first crawl: the second turn is spread

	// Slow multiplies the period while the bill of the month comes near its limit; 0 is 1. Why is stored with Plan.
	Slow int32
	Why  string

	// The smallest interval of the subscribers, zero for the default, and whether one of them chose it.
	Asked    time.Duration
	Explicit bool

	// The publisher's hints. MaxAge is Cache-Control's; TTL, SkipHours and SkipDays are RSS 2.0's.
	MaxAge     time.Duration
	RetryAfter time.Duration
	TTL        time.Duration
	SkipHours  uint32
	SkipDays   uint8

	HasValidators bool // the next request can be conditional
	Fickle        bool // its validators change over equal content, so each answer is a whole body
	Large         bool // its body is above LargeBody
	Hub           bool // a verified hub pushes its news
	// Watch means that the owner of a watch asked for looks at a page: neither missing validators nor rare changes slow
	// it down. With Suspect it could not be read lately.
	Watch, Suspect bool

	// When the feed changed: the last time, and earlier ones in Unix seconds, in any order. On a first crawl these are
	// the publication times of its items.
	LastChange time.Time
	Changes    []int64

	// Code is that of a failure, empty for an answer. Status is the HTTP status or 0, Errors how many failures in a row
	// there were, this one included.
	Code   string
	Status int
	Errors int
}

// rung is a step of the ladder: a feed with at least this pace is polled so often.
type rung struct{ pace, every time.Duration }

// ladder slows down for rarely updated feeds. No rung exceeds a twenty-fourth of the pace, so news are at most about
// four per cent of the feed's pace late. A feed that never changes again is written four times. A rung is the time from
// turn to turn, not a promised gap, so nothing waits longer than 12 hours because of it.
var ladder = [...]rung{
	{12 * 24 * time.Hour, 12 * time.Hour},
	{8 * 24 * time.Hour, 8 * time.Hour},
	{4 * 24 * time.Hour, 4 * time.Hour},
	{2 * 24 * time.Hour, 2 * time.Hour},
}

// promised returns the least time between two scheduled polls, as chosen by the subscribers and lengthened by the
// publisher's hints, with the code of the rule that set it.
func (in Inputs) promised() (time.Duration, string) {
	gap, why := in.asked()
	longer := func(d time.Duration, code string) {
		if d > gap {
			gap, why = d, code
		}
	}
	if in.Suspect {
		longer(suspectFactor*gap, ReasonSuspect)
	}
	if in.whole() && gap < DefaultInterval {
		longer(DefaultInterval, in.whyWhole())
	}
	// RFC 9111, 4.2.1: a fresh answer is not requested again.
	longer(min(in.MaxAge, MaxHint), ReasonMaxAge)
	// RSS 2.0, ttl: "how long a channel can be cached before refreshing from the source". sy:updatePeriod is ignored,
	// because WordPress always says hourly.
	longer(min(in.TTL, MaxHint), ReasonTTL)
	return gap, why
}

// whole reports whether no answer can be a 304, so each poll costs the publisher a whole body.
func (in Inputs) whole() bool { return !in.Watch && (!in.HasValidators || in.Fickle) }

func (in Inputs) whyWhole() string {
	if in.HasValidators {
		return ReasonFickle
	}
	return ReasonNoValidators
}

// wholeEvery returns how often a feed is polled whose every answer is a whole body; zero for others, and where a
// subscriber chose an interval.
func (in Inputs) wholeEvery() time.Duration {
	switch {
	case !in.whole() || in.Explicit && in.Asked > 0:
		return 0
	case in.Large:
		return wholeLargeEvery
	}
	return wholeEvery
}

// Gap returns the least time between a poll that may have taken place and one that makes up for it.
func Gap(in Inputs) time.Duration {
	gap, _ := in.promised()
	return max(gap, in.wholeEvery())
}

// Pace returns a feed's period, in ticks, and the code of the rule that set it. Intervals that were promised are the
// least time between two requests; those of our own choice (whole bodies, rarely updated feeds) are the time from turn
// to turn.
func Pace(in Inputs) (period int32, why string) {
	gap, why := in.promised()
	period = PeriodFor(gap)
	if own := int32(in.wholeEvery() / TickLength); own > period {
		period, why = own, in.whyWhole()
	}
	if quiet := int32(in.ladder() / TickLength); quiet > period {
		period, why = quiet, ReasonQuiet
	}
	if hub := PeriodFor(hubInterval); in.Hub && hub > period {
		period, why = hub, ReasonHub
	}
	if in.Slow > 1 {
		period, why = period*in.Slow, ReasonBudget
	}
	return period, why
}

// fromTurnToTurn reports whether a rule's interval is the time from turn to turn.
func fromTurnToTurn(why string) bool {
	return why == ReasonQuiet || why == ReasonNoValidators || why == ReasonFickle || why == ReasonBudget
}

// IntervalIn returns the interval that users see for a period: the least time between two polls, or the time from turn
// to turn.
func IntervalIn(period int32, why string) time.Duration {
	if every := time.Duration(period) * TickLength; fromTurnToTurn(why) && every >= 2*time.Hour {
		return every.Truncate(time.Hour)
	}
	return IntervalOf(period)
}

// asked returns the subscribers' interval: never under an hour unless one of them chose it.
func (in Inputs) asked() (time.Duration, string) {
	if in.Asked <= 0 {
		return DefaultInterval, ReasonDefault
	}
	d := min(max(in.Asked, MinAsked), MaxAsked)
	if over := d % AskedStep; over > 0 {
		d += AskedStep - over
	}
	if !in.Explicit {
		return max(d, DefaultInterval), ReasonDefault
	}
	return d, ReasonAsked
}

func (in Inputs) ladder() time.Duration {
	pace := in.pace()
	if in.Watch || in.Explicit && (in.Asked >= DefaultInterval || pace < shortHolds) {
		return 0 // a choice is obeyed
	}
	for _, r := range ladder {
		if pace >= r.pace {
			return r.every
		}
	}
	return 0
}

// pace returns the time since the last change, or the mean between the last eight if that is longer. Zero when nothing
// is known. Times in the future do not count.
func (in Inputs) pace() time.Duration {
	const most = 8
	now := in.Now.Unix()
	var room [2 * most]int64
	changes := slices.DeleteFunc(append(room[:0], in.Changes...), func(at int64) bool { return at <= 0 || at > now })
	slices.Sort(changes)
	if last := in.LastChange.Unix(); last > 0 && last <= now && (len(changes) == 0 || changes[len(changes)-1] < last) {
		changes = append(changes, last)
	}
	changes = changes[max(0, len(changes)-most):]
	n := len(changes)
	if n == 0 {
		return 0
	}
	pace := now - changes[n-1]
	if n > 1 {
		pace = max(pace, (changes[n-1]-changes[0])/int64(n-1))
	}
	return time.Duration(pace) * time.Second
}
