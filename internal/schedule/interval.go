package schedule

import (
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

const (
	// MinAsked is the least that a subscriber may ask for (C-4).
	MinAsked = 30 * time.Minute
	// MaxAsked is the most.
	MaxAsked = 12 * time.Hour
	// AskedStep is what a wish is rounded up to.
	AskedStep = 30 * time.Minute

	// MaxHint bounds what a publisher's hint can lengthen. RFC 9111, 1.2.2 allows a year, which is what
	// servers set for all their files at once; a feed would be dead by mistake.
	MaxHint = 7 * 24 * time.Hour

	// LargeBody is the size, in bytes as they are read, above which a feed without validators is polled
	// less often: each poll is a whole answer.
	LargeBody = 256 << 10
	// wholeEvery is for feeds whose every answer is a whole one, wholeLargeEvery for those of them above
	// LargeBody: from turn to turn (decision 0303).
	wholeEvery      = 2 * time.Hour
	wholeLargeEvery = 6 * time.Hour

	// hubInterval is for feeds whose hub pushes (WebSub 1.0): polls only make sure.
	hubInterval = 24 * time.Hour

	// shortHolds is how long after its last change a feed keeps a chosen interval under an hour; longer
	// ones are kept always.
	shortHolds = 30 * 24 * time.Hour
)

// Inputs is what the schedule needs to know of a feed and of the poll that just ended. Most of it is
// the feed row as it is to be stored; the zero value of a hint means that there is none.
type Inputs struct {
	Feed reader.FeedID
	Now  time.Time

	// The poll: its tick (zero: that of Now), how it ended, and whether the row is written in any case.
	Plan    Plan // as stored when the poll began, or as claimed off turn; zero: none yet
	Tick    Tick
	Outcome reader.Outcome
	Writing bool
	First   bool // a first crawl: the second turn is spread

	// What subscribers ask: the smallest interval, zero for the default, and whether one of them
	// chose it.
	Asked    time.Duration
	Explicit bool

	// What the publisher says. MaxAge is Cache-Control's; TTL, SkipHours and SkipDays are RSS 2.0's.
	MaxAge     time.Duration
	RetryAfter time.Duration
	TTL        time.Duration
	SkipHours  uint32
	SkipDays   uint8

	HasValidators bool // the next request can be conditional
	Fickle        bool // its validators change over equal content, so each answer is a whole one
	Large         bool // its body is above LargeBody
	Hub           bool // a verified hub pushes its news

	// When the feed changed: the last time, and earlier ones in Unix seconds, in any order. For a first
	// crawl the publication times of its items will do.
	LastChange time.Time
	Changes    []int64

	// Failures: the HTTP status or 0, and how many in a row there were, this one included.
	Status int
	Code   string
	Errors int
}

// rung is a step of the ladder: a feed whose pace is at least so long is polled once in so much time.
type rung struct{ pace, every time.Duration }

// ladder slows down for feeds that change seldom (FRB023). No rung exceeds a twenty-fourth of the pace,
// so news of a feed are at most about four per cent of its own pace late; its four steps are the only
// writes of a feed that falls silent for ever. It is a habit of ours that nobody was promised a gap by,
// so a rung is the time from turn to turn: nothing waits longer than 12 hours because of it.
var ladder = [...]rung{
	{12 * 24 * time.Hour, 12 * time.Hour},
	{8 * 24 * time.Hour, 8 * time.Hour},
	{4 * 24 * time.Hour, 4 * time.Hour},
	{2 * 24 * time.Hour, 2 * time.Hour},
}

// promised is the least time between two scheduled polls that somebody asked for, and the code of the rule that set
// it: the subscribers, lengthened by the publisher's hints.
func (in Inputs) promised() (time.Duration, string) {
	gap, why := in.asked()
	longer := func(d time.Duration, code string) {
		if d > gap {
			gap, why = d, code
		}
	}
	if in.whole() && gap < DefaultInterval {
		longer(DefaultInterval, in.whyWhole())
	}
	// RFC 9111, 4.2.1, FRB022: an answer that is still fresh need not be asked for again.
	longer(min(in.MaxAge, MaxHint), ReasonMaxAge)
	// RSS 2.0, ttl: "how long a channel can be cached before refreshing from the source" (FRB024).
	// sy:updatePeriod is not looked at: WordPress always says hourly.
	longer(min(in.TTL, MaxHint), ReasonTTL)
	return gap, why
}

// whole reports that no answer can be a short one, so each poll costs the publisher a whole body.
func (in Inputs) whole() bool { return !in.HasValidators || in.Fickle }

func (in Inputs) whyWhole() string {
	if in.HasValidators {
		return ReasonFickle
	}
	return ReasonNoValidators
}

// wholeEvery is how often a feed is polled whose every answer is a whole one; zero for others, and where a subscriber
// chose an interval, which is obeyed.
func (in Inputs) wholeEvery() time.Duration {
	switch {
	case !in.whole() || in.Explicit && in.Asked > 0:
		return 0
	case in.Large:
		return wholeLargeEvery
	}
	return wholeEvery
}

// Gap is the least time between a poll that may have taken place and one that makes up for it.
func Gap(in Inputs) time.Duration {
	gap, _ := in.promised()
	return max(gap, in.wholeEvery())
}

// Pace is the period of a feed, in ticks, and the code of the rule that set it. What was promised is kept as the least
// time between two requests; what is a habit of ours alone (whole answers, quiet feeds) is the time from turn to turn.
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
	return period, why
}

// fromTurnToTurn tells the rules whose interval is the time from turn to turn.
func fromTurnToTurn(why string) bool {
	return why == ReasonQuiet || why == ReasonNoValidators || why == ReasonFickle
}

// IntervalIn gives the interval that a period stands for, which is what people are told: the least time between two
// polls, or the time from turn to turn.
func IntervalIn(period int32, why string) time.Duration {
	if every := time.Duration(period) * TickLength; fromTurnToTurn(why) && every >= 2*time.Hour {
		return every.Truncate(time.Hour)
	}
	return IntervalOf(period)
}

// asked is what the subscribers ask: never under an hour unless one of them chose it.
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
	if in.Explicit && (in.Asked >= DefaultInterval || pace < shortHolds) {
		return 0 // a choice is obeyed
	}
	for _, r := range ladder {
		if pace >= r.pace {
			return r.every
		}
	}
	return 0
}

// pace is how long changes lie apart: the time since the last one, or the mean of the last eight if
// that is longer. Zero when nothing is known. Times in the future do not count.
func (in Inputs) pace() time.Duration {
	const count = 8
	var newest [count]int64 // descending; the few changes make insertion the simplest
	n, now := 0, in.Now.Unix()
	add := func(at int64) {
		if at <= 0 || at > now {
			return
		}
		i := n
		if n == count {
			if i--; newest[i] >= at {
				return
			}
		} else {
			n++
		}
		for ; i > 0 && newest[i-1] < at; i-- {
			newest[i] = newest[i-1]
		}
		newest[i] = at
	}
	for _, at := range in.Changes {
		add(at)
	}
	if !in.LastChange.IsZero() {
		if last := in.LastChange.Unix(); n == 0 || newest[0] < last {
			add(last)
		}
	}
	if n == 0 {
		return 0
	}
	pace := now - newest[0]
	if n > 1 {
		pace = max(pace, (newest[0]-newest[n-1])/int64(n-1))
	}
	return time.Duration(pace) * time.Second
}
