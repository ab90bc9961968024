package schedule

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
)

// The simulation drives the arithmetic alone: no store, no network, but real delays. It keeps two
// clocks: the true one, by which a publisher counts, and the machine's, by which we do.

// simFeed is one feed, what we store of it, and what its publisher does and has seen.
type simFeed struct {
	id reader.FeedID

	// Stored by us.
	row       Inputs // hints, wishes, changes
	plan      Plan
	polled    time.Time
	notBefore time.Time
	errors    int
	owed      Tick // the next turn as of the last change of the plan

	// The publisher's side, in true time.
	changeEvery time.Duration
	nextChange  time.Time
	maxAge      time.Duration
	vary        bool
	ttl         time.Duration
	failRate    float64
	asked       time.Duration
	requests    int
	answered    bool
	lastRequest time.Time
	freshUntil  time.Time
	waitUntil   time.Time
}

type sim struct {
	t     *testing.T
	rng   *rand.Rand
	now   time.Time     // true
	ahead time.Duration // the machine's clock, less the true one

	feeds []*simFeed
	lease Tick
	busy  time.Time
	lost  Tick // a claimed tick whose run died, NoTick: none
	requests, refreshes, refused, deferred, lostRuns, writes,
	unchanged, late, dropped, failures, intruded int
	bad int
}

func (s *sim) clock() time.Time { return s.now.Add(s.ahead) }

func (s *sim) fault(f *simFeed, format string, args ...any) {
	s.t.Helper()
	if s.bad++; s.bad <= 10 {
		s.t.Errorf("%v feed %d: "+format, append([]any{s.now.Format(time.DateTime), f.id}, args...)...)
	}
}

func newSimFeed(rng *rand.Rand, i int, start time.Time) *simFeed {
	f := &simFeed{id: reader.FeedID(i + 1), asked: DefaultInterval, failRate: 0.01}
	f.row = Inputs{Feed: f.id, HasValidators: true}
	f.changeEvery = time.Duration(2+rng.IntN(24*40)) * time.Hour
	f.nextChange = start.Add(time.Duration(rng.Int64N(int64(f.changeEvery))))
	switch i % 10 {
	case 1:
		f.row.Asked, f.row.Explicit, f.asked = 30*time.Minute, true, 30*time.Minute
	case 2:
		f.maxAge = time.Duration(rng.IntN(10)) * time.Hour
	case 3:
		f.maxAge, f.vary = 6*time.Hour, true
	case 4:
		f.row.HasValidators = false
		f.row.Large = rng.IntN(2) == 0
	case 5:
		f.ttl = time.Duration(rng.IntN(600)) * time.Minute
	case 6:
		f.row.SkipHours = 0b11111111 << rng.IntN(16)
		f.row.SkipDays = uint8(rng.IntN(4)) << rng.IntN(5)
	case 7:
		f.failRate = 0.3
	case 8:
		f.row.Fickle = rng.IntN(2) == 0
		f.row.Hub = rng.IntN(2) == 0
		f.row.Asked, f.row.Explicit, f.asked = 3*time.Hour, true, 3*time.Hour
	}
	return f
}

// request is one GET as the publisher sees it.
func (s *sim) request(f *simFeed, at time.Time, asked bool) (outcome reader.Outcome, status int, maxAge,
	retryAfter time.Duration) {
	s.requests++
	need := f.asked
	if f.requests > 1 && (!f.row.HasValidators || f.row.Fickle && !f.row.Explicit) { // from turn to turn
		if need = max(need, 2*time.Hour-TickLength); f.row.Large {
			need = 6*time.Hour - TickLength
		}
	}
	switch gap := at.Sub(f.lastRequest); {
	case f.requests == 0:
	case asked:
		if gap < RefreshGap-Deadline { // counted from the claim, whose request follows within a Deadline
			s.fault(f, "polled on request after %v", gap)
		}
	case gap < need:
		s.fault(f, "polled after %v, less than its interval of %v", gap, need)
	}
	if !asked && at.Before(f.freshUntil) {
		s.fault(f, "polled %v before its answer was stale", f.freshUntil.Sub(at))
	}
	if at.Before(f.waitUntil) {
		s.fault(f, "polled %v inside a Retry-After", f.waitUntil.Sub(at))
	}
	f.requests++
	f.lastRequest = at
	if s.rng.Float64() < f.failRate {
		if s.rng.IntN(3) == 0 {
			retryAfter = time.Duration(s.rng.IntN(100)) * time.Hour
			f.waitUntil = at.Add(retryAfter)
			return reader.OutcomeFailed, 429, 0, retryAfter
		}
		return reader.OutcomeFailed, 500, 0, 0
	}
	f.answered, maxAge = true, f.maxAge
	if f.vary {
		maxAge = time.Duration(s.rng.Int64N(int64(f.maxAge)))
	}
	f.freshUntil = at.Add(max(maxAge, f.ttl))
	if at.Before(f.nextChange) {
		return reader.OutcomeUnchanged, 304, maxAge, 0
	}
	f.nextChange = at.Add(time.Duration(s.rng.Int64N(2 * int64(f.changeEvery))))
	return reader.OutcomeChanged, 200, maxAge, 0
}

// poll makes a request within the deadline and stores what Decide says, and only that.
func (s *sim) poll(f *simFeed, t Tick, first, asked bool) {
	at := s.now.Add(time.Duration(s.rng.Int64N(int64(Deadline))))
	outcome, status, maxAge, retryAfter := s.request(f, at, asked)
	in := f.row
	in.Now, in.Plan, in.First = at.Add(s.ahead), f.plan, first
	in.Status, in.RetryAfter = status, retryAfter
	switch outcome {
	case reader.OutcomeFailed:
		s.failures++
		f.errors++
		in.Errors, in.Code = f.errors, reader.HTTPCode(status, false)
	case reader.OutcomeChanged:
		in.MaxAge, in.TTL, in.LastChange, in.Writing = maxAge, f.ttl, in.Now, true
		in.Changes = append(in.Changes[max(0, len(in.Changes)-7):len(in.Changes):len(in.Changes)], in.Now.Unix())
	default:
		s.unchanged++
		in.MaxAge, in.TTL, in.Writing = maxAge, f.ttl, f.errors > 0
	}
	d := Decide(in)
	if outcome == reader.OutcomeFailed {
		f.notBefore = d.NotBefore
	} else {
		f.errors = 0
	}
	if d.Plan == f.plan && !in.Writing {
		f.owed = f.plan.NextTurn(max(t, s.lease))
		return
	}
	if outcome == reader.OutcomeUnchanged {
		s.writes++
	}
	if outcome != reader.OutcomeFailed {
		f.row.MaxAge, f.row.TTL, f.row.LastChange, f.row.Changes = in.MaxAge, in.TTL, in.LastChange, in.Changes
	}
	if d.First != f.plan.First {
		f.polled = in.Now
	}
	f.plan = d.Plan
	f.owed = f.plan.NextTurn(max(t, s.lease))
}

// offTurn claims a feed and polls it.
func (s *sim) offTurn(f *simFeed, first, asked bool) {
	t := ClaimTick(s.clock())
	f.polled = s.clock()
	f.plan = f.plan.Claim(s.clock())
	f.owed = f.plan.NextTurn(max(t, s.lease))
	s.poll(f, t, first, asked)
}

// run is a message of a tick reaching the worker.
func (s *sim) run(t Tick) (again bool) {
	now := s.clock()
	if !t.MayStart(now) || t <= s.lease {
		s.dropped++
		return false
	}
	if now.Before(s.busy) {
		return true
	}
	from := s.lease
	s.lease, s.busy = t, now.Add(Deadline)
	if s.lost != NoTick {
		s.recover(t)
	}
	dies := s.rng.IntN(200) == 0
	for _, f := range s.feeds {
		if f.requests == 0 {
			continue
		}
		onTurn := f.plan.HasTurn(t)
		late := !onTurn && f.plan.LastTurn(t-1) > from && !f.plan.Skip.At(t)
		if late != (!onTurn && f.plan.TurnsIn(from, t-1) > 0 && !f.plan.Skip.At(t)) {
			s.fault(f, "LastTurn and TurnsIn disagree at %d", t)
		}
		if (f.owed <= t) != (onTurn || late) && !f.plan.Skip.At(t) {
			s.fault(f, "owed a turn at %d, at %d has one: %v %v (%+v)", f.owed, t, onTurn, late, f.plan)
		}
		s.turn(f, t, onTurn, late, dies)
	}
	if dies {
		s.lost = t
		s.lostRuns++
	}
	return false
}

func (s *sim) turn(f *simFeed, t Tick, onTurn, late, dies bool) {
	switch {
	case !onTurn && !late:
		if f.owed <= t {
			f.owed = f.plan.NextTurn(max(t, s.lease))
		}
	case dies:
		// Some requests went out, nothing was stored. Answers are plain: what nobody wrote down
		// nobody can obey.
		if s.rng.IntN(2) == 0 && onTurn {
			rate, every, fresh := f.failRate, f.nextChange, f.freshUntil
			f.failRate, f.nextChange = 0, s.now.Add(time.Hour*9999)
			s.request(f, s.now.Add(time.Duration(s.rng.Int64N(int64(Deadline)))), false)
			f.failRate, f.nextChange, f.freshUntil = rate, every, fresh
		}
		if late {
			f.plan = f.plan.Claim(s.clock())
			f.polled = s.clock()
		}
		f.owed = f.plan.NextTurn(max(t, s.lease))
	case s.rng.IntN(300) == 0:
		s.deferred++
		f.plan = f.plan.Defer(t + 1)
		f.owed = f.plan.NextTurn(max(t, s.lease))
	case late:
		s.late++
		s.offTurn(f, false, false)
	default:
		if f.plan.Skip.At(t) {
			s.intruded++ // allowed only when the plan would have no other turn for a week
		}
		s.poll(f, t, false, false)
	}
}

func (s *sim) recover(t Tick) {
	for _, f := range s.feeds {
		if f.requests > 0 && f.plan.HasTurn(s.lost) {
			if next, differs := f.plan.AfterLost(s.lost, t, Gap(f.row)); differs {
				f.plan, f.polled = next, s.lost.Spent()
				f.owed = f.plan.NextTurn(t - 1)
			}
		}
	}
	s.lost = NoTick
}

// refresh is a person asking for a poll.
func (s *sim) refresh(f *simFeed) {
	now := s.clock()
	if f.requests == 0 || now.Before(s.busy) {
		return
	}
	last := f.polled
	if turn := f.plan.LastTurn(max(TickOf(now), s.lease)); turn != NoTick && turn.Spent().After(last) {
		last = turn.Spent()
	}
	if now.Before(RefreshAt(last, f.notBefore)) {
		s.refused++
		return
	}
	s.refreshes++
	s.offTurn(f, false, true)
}

//
func TestNinetyDays(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		simulate(t, 1, 200, 20)
		return
	}
	simulate(t, 1, 1000, 90)
	for seed := uint64(2); seed <= 6; seed++ {
		simulate(t, seed, 150, 90)
	}
}

func simulate(t *testing.T, seed uint64, feeds, days int) {
	t.Helper()
	start := reader.Epoch.Add(40 * 24 * time.Hour)
	s := &sim{t: t, rng: rand.New(rand.NewPCG(90, seed)), now: start, ahead: 11 * time.Hour,
		lease: NoTick, lost: NoTick}
	for i := range feeds {
		s.feeds = append(s.feeds, newSimFeed(s.rng, i, start))
	}
	type message struct {
		tick Tick
		at   time.Time
	}
	var pending []message
	var down time.Time
	for minute := range days * 24 * 60 {
		s.now = start.Add(time.Duration(minute) * time.Minute)
		if minute%(24*60) == 777 && s.rng.IntN(4) == 0 && s.ahead > 0 {
			s.ahead -= time.Duration(s.rng.IntN(180)) * time.Minute // the clock is put right
		}
		if minute > 24*60 && s.rng.IntN(8*24*60) == 0 { // asleep or down for up to two days
			down = s.now.Add(time.Duration(s.rng.IntN(48*60)) * time.Minute)
		}
		if s.now.Before(down) {
			pending = nil
			continue
		}
		if now := s.clock(); now.Equal(TickOf(now).Start()) {
			delay := time.Duration(s.rng.ExpFloat64() * float64(40*time.Second))
			if s.rng.IntN(50) == 0 {
				delay = time.Duration(s.rng.IntN(25)) * time.Minute
			}
			pending = append(pending, message{TickOf(now), s.now.Add(delay)})
			if s.rng.IntN(20) == 0 { // delivered twice
				pending = append(pending, message{TickOf(now), s.now.Add(delay + time.Minute)})
			}
		}
		var later []message
		for _, m := range pending {
			if m.at.After(s.now) {
				later = append(later, m)
			} else if s.run(m.tick) {
				later = append(later, message{m.tick, s.now.Add(30 * time.Second)})
			}
		}
		pending = later
		for range 1 + feeds/300 {
			s.refresh(s.feeds[s.rng.IntN(feeds)])
		}
		if minute < 24*60 { // all feeds are added on the first day
			for i := minute * feeds / (24 * 60); i < (minute+1)*feeds/(24*60); i++ {
				f := s.feeds[i]
				f.plan = Plan{First: TickOf(s.clock()) + 4, Period: PeriodFor(DefaultInterval),
					Skip: Skip{f.row.SkipHours, f.row.SkipDays}}
				s.offTurn(f, true, false)
			}
		}
	}
	for _, f := range s.feeds {
		if idle := s.now.Sub(f.lastRequest); idle > 14*24*time.Hour {
			s.fault(f, "not polled for %v: %+v", idle, f.plan)
		}
	}
	if s.intruded > 1 {
		t.Errorf("%d polls in skipped hours", s.intruded)
	}
	t.Logf("%d requests (%d late, %d failed, %d unchanged), %d writes on unchanged polls, %d refreshes of %d, %d "+
		"deferred, %d runs lost, %d messages dropped",
		s.requests, s.late, s.failures, s.unchanged, s.writes, s.refreshes, s.refreshes+s.refused, s.deferred,
		s.lostRuns, s.dropped)
	if s.late == 0 || s.refreshes == 0 || s.refused == 0 || s.deferred == 0 || s.lostRuns == 0 || s.dropped == 0 {
		t.Error("the simulation left out what it is for")
	}
}

// Feeds of every pace, whose publishers hint at nothing and never fail, are polled at least every twelve hours from
// their first crawl on, whatever the wheel is at, and never more often than their interval allows.
// G-27
func TestHalfAYearWithoutALongWait(t *testing.T) {
	t.Parallel()
	feeds, days := 300, 180
	if testing.Short() {
		feeds, days = 60, 60
	}
	rng := rand.New(rand.NewPCG(27, 12))
	longest, polls, asked := Tick(0), 0, 0
	for i := range feeds {
		row := Inputs{Feed: reader.FeedID(i + 1), HasValidators: i%3 > 0, Large: i%2 == 0, Fickle: i%7 == 0}
		every := time.Duration(1+rng.IntN(24*60)) * time.Hour
		begin := TickOf(reader.Epoch.Add(100 * day))
		end := begin + Tick(days)*TicksPerDay
		news := begin.Start()
		var p Plan
		for now := begin; now < end; {
			in := row
			in.Now, in.Plan, in.First = now.Start().Add(time.Minute), p, now == begin
			if !in.Now.Before(news) {
				in.Writing, in.LastChange = true, in.Now
				in.Changes = append(in.Changes[max(0, len(in.Changes)-7):len(in.Changes):len(in.Changes)],
					in.Now.Unix())
				news = in.Now.Add(time.Duration(rng.Int64N(2 * int64(every))))
			}
			d := Decide(in)
			if d.Plan != in.Plan || in.Writing {
				p, row.Changes, row.LastChange = d.Plan, in.Changes, in.LastChange
			}
			gap, _ := in.promised()
			next := p.NextTurn(now)
			if next-now < Tick(PeriodFor(gap)) {
				t.Fatalf("feed %d: %d ticks after a poll, its gap is %v", i, next-now, gap)
			}
			if rng.IntN(50) == 0 && next > now+2 { // somebody asks in between: the next turn counts from there
				at := now + 1 + Tick(rng.IntN(int(next-now-1)))
				p = p.Claim(at.Start())
				longest, now = max(longest, at-now), at
				next = p.NextTurn(now)
				asked++
			}
			longest, now = max(longest, next-now), next
			polls++
		}
	}
	t.Logf("%d polls of %d feeds in %d days, %d asked for; the longest wait is %v", polls, feeds, days, asked,
		time.Duration(longest)*TickLength)
	if wait := time.Duration(longest) * TickLength; wait != 12*time.Hour {
		t.Errorf("the longest wait is %v", wait)
	}
}
