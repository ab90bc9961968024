package flow_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// ledger is what the publisher of one feed holds against us. Times are kept by the true clock and by the
// machine's: where the machine's clock leapt forward nobody could have known better.
type ledger struct {
	need                      time.Duration // between any two requests
	hint                      time.Duration // the same, once its first answer was stored
	last, fresh, wait, uncond moment
	scheduled                 moment // the last request that nobody asked for
	wasLate                   bool   // that was a turn of an earlier tick, whose run was lost
	polls                     int
	lastAsked                 bool // the last request was asked for
	unwritten                 bool // and its process died before it was written down
	answered                  bool
	served                    int  // unconditional requests that got a whole answer with validators
	excused                   bool // the last unconditional request was a first crawl's whose process died
	upAt                      time.Duration
	skips                     bool
}

// moment is an instant on both clocks; the zero value never was.
type moment struct{ true_, machine time.Time }

func (m moment) add(d time.Duration) moment { return moment{m.true_.Add(d), m.machine.Add(d)} }

// until is how long before m both clocks are at now; not positive when one of them has reached it.
func (m moment) until(now moment) time.Duration {
	if m.true_.IsZero() {
		return 0
	}
	return min(m.true_.Sub(now.true_), m.machine.Sub(now.machine))
}

// months runs an environment for a long time with all kinds of failures.
type months struct {
	t        *testing.T
	w        *flow.Env
	rng      *rand.Rand
	books    map[*flow.Site]*ledger
	quiet    map[string]moment // until when a host asked to be left alone, with all its feeds
	down     time.Time
	up       time.Duration   // how long the installation has been up
	depth    int             // of things happening meanwhile
	override bool            // the owner crawls everything
	asked    bool            // a person asked for what is polled now
	running  bool            // a message is being worked through
	overdue  []reader.FeedID // the feeds in it whose turn was in an earlier tick
	late     []event
	lastTick schedule.Tick
	bad      int
	n        counts
}

type event struct{ at, fired time.Time }

// mostDelayed is how many minutes the start of a tick may be late.
const mostDelayed = 25

type counts struct {
	requests, uncond, notModified, runs, stale, duplicate, busy, deferred, caught, refreshes, refused, requested, lists,
	killed, redelivered, alls, failed, changed, items, cut int
}

func (m *months) fault(s *flow.Site, format string, args ...any) {
	if m.bad++; m.bad <= 10 {
		m.t.Errorf("%v %s: "+format, append([]any{m.w.Now().Format(time.DateTime), s.URL}, args...)...)
	}
}

func (m *months) now() moment { return moment{m.w.Now(), m.w.Clock.Now()} }

// check judges a request.
func (m *months) check(s *flow.Site, v flow.Visit) {
	now, b := m.now(), m.books[s]
	m.n.requests++
	// What a person asked for is judged apart: it may come between turns, five minutes after any poll, counted from
	// its claim, and reloads what is still fresh. Turns keep their distance from one another.
	switch {
	case m.override:
	case m.asked:
		m.n.requested++
		if left := b.last.add(schedule.RefreshGap - schedule.Deadline).until(now); left > 0 && !b.unwritten {
			m.fault(s, "polled on request %v too early", left)
		}
	default:
		need := b.need
		// What follows from the feed itself is kept from turn to turn: the turn after a late one is on time again.
		if b.answered && !b.excused && (!s.NoValidators || b.polls > 1 && !b.wasLate) {
			need = max(need, b.hint)
		}
		if left := b.scheduled.add(need).until(now); !b.scheduled.true_.IsZero() && left > 0 {
			m.fault(s, "polled %v too early, %v is its interval", left, need)
		}
	}
	if left := b.fresh.until(now); left > 0 && !m.asked {
		m.fault(s, "polled %v before its answer was stale", left)
	}
	if left := b.wait.until(now); left > 0 {
		m.fault(s, "polled %v inside a Retry-After", left)
	}
	if v.Unconditional {
		m.n.uncond++
		if b.served > 0 && !b.excused {
			m.fault(s, "a second unconditional request")
		}
		b.uncond = now
	}
	b.last, b.upAt, b.lastAsked, b.unwritten = now, m.up, m.asked, false
	if !m.asked {
		b.scheduled = now
		b.wasLate = slices.ContainsFunc(m.overdue, func(id reader.FeedID) bool { return m.w.Feed(id).URL == s.URL })
		b.polls++
	}
}

// seen notes what the publisher answered.
func (m *months) seen(s *flow.Site, v flow.Visit, maxAge, retryAfter time.Duration) {
	b, now := m.books[s], m.now()
	switch v.Status {
	case 200:
		b.answered, b.excused = true, false
		if v.Unconditional && !s.NoValidators {
			b.served++
		}
		b.fresh = b.last.add(maxAge)
	case 304:
		m.n.notModified++
		b.answered = true
		b.fresh = b.last.add(maxAge)
	case 0:
	default:
		if retryAfter > 0 {
			b.wait = now.add(retryAfter)
			if host := fetch.HostOf(s.URL); b.wait.until(m.quiet[host]) > 0 {
				m.quiet[host] = b.wait
			}
		}
	}
	// What dies before the answer is stored has to ask again as if for the first time.
	if v.Unconditional && m.w.Main().Dead() {
		b.excused = true
	}
}

// site makes the publisher of feed i.
func (m *months) site(i, hosts int) *flow.Site {
	s := m.w.Web.Site(fmt.Sprintf("https://host%d.example/feed%d", i%hosts, i), 3+m.rng.IntN(8))
	s.Light = true
	s.Latency = time.Duration(20+m.rng.IntN(150)) * time.Millisecond
	b := &ledger{need: time.Hour}
	m.books[s] = b
	flaky := 0.005
	switch i % 12 {
	case 1:
		s.MaxAge = time.Duration(m.rng.IntN(36*60)) * time.Minute
	case 2:
		s.NoValidators, b.hint = true, 2*time.Hour-(mostDelayed+1)*time.Minute // from turn to turn
	case 3:
		ttl := m.rng.IntN(600)
		s.Head = fmt.Sprintf("<ttl>%d</ttl>", ttl)
		b.hint = time.Duration(ttl) * time.Minute
	case 4:
		from := m.rng.IntN(14)
		for h := range 9 {
			s.Head += fmt.Sprintf("<hour>%d</hour>", from+h)
		}
		s.Head = "<skipHours>" + s.Head + "</skipHours><skipDays><day>Sunday</day></skipDays>"
		b.skips = true
	case 5:
		flaky = 0.3
	case 6:
		s.Fickle = true
	}
	if host := i % hosts; host%20 == 7 {
		s.Latency = time.Duration(1+m.rng.IntN(9)) * time.Second
	}
	s.Answer = m.answer(s, i%hosts%20 == 8, flaky)
	return s
}

// answer is how a publisher fails now and then; a host that is out does so for hours, with all its feeds.
func (m *months) answer(s *flow.Site, out bool, flaky float64) func(flow.Visit) (int, time.Duration, error) {
	return func(flow.Visit) (int, time.Duration, error) {
		if out && m.w.Now().Hour()/6 == m.w.Now().Day()%4 {
			m.w.Advance(10*time.Second - s.Latency)
			return 0, 0, flow.Timeout()
		}
		if m.rng.Float64() >= flaky {
			return 200, 0, nil
		}
		switch m.rng.IntN(6) {
		case 0:
			return 429, time.Duration(m.rng.IntN(60)) * time.Hour, nil
		case 1:
			return 503, time.Duration(m.rng.IntN(300)) * time.Minute, nil
		case 2:
			return 503, 0, nil
		case 3:
			return 0, 0, &fetch.Error{Code: fetch.CodeConnectionReset}
		}
		return 500, 0, nil
	}
}

// news lets feeds change, and their addresses with them.
func (m *months) news(sites []*flow.Site, every []time.Duration, next []time.Time) {
	for i, s := range sites {
		if m.w.Now().Before(next[i]) {
			continue
		}
		next[i] = m.w.Now().Add(time.Duration(m.rng.Int64N(int64(2 * every[i]))))
		s.Publish(m.w.Now(), 1+m.rng.IntN(3))
	}
}

// meanwhile is what happens while a request is under way.
func (m *months) meanwhile() {
	if m.depth > 0 || m.override || m.rng.IntN(400) != 0 {
		return
	}
	m.depth++
	defer func() { m.depth-- }()
	switch m.rng.IntN(4) {
	case 0:
		m.w.Main().Kill()
		m.n.killed++
	case 1:
		m.refresh()
	default:
		m.deliver()
	}
}

// deliver hands out what is visible.
func (m *months) deliver() {
	for {
		msg, ok := m.w.Queue.Take()
		if !ok {
			return
		}
		if msg.Receives > 5 {
			continue // a dead letter
		}
		m.n.runs++
		p, was, overdue := m.w.Main(), m.asked, m.overdue
		m.running, m.asked, m.overdue = true, false, msg.Job.Late
		r, err := m.w.Run(msg.Job)
		m.running, m.asked, m.overdue = false, was, overdue
		m.count(r)
		switch {
		case p.Dead():
			m.afterDeath(p)
			m.w.Queue.Again(msg, m.w.Now().Add(12*time.Minute))
		case errors.Is(err, crawl.ErrBusy):
			m.n.busy++
			m.w.Queue.Again(msg, m.w.Now().Add(crawl.BusyRetry))
		case err != nil:
			m.t.Errorf("run %+v: %v", msg.Job, err)
		case m.rng.IntN(40) == 0: // acknowledged, and it comes again all the same
			m.n.redelivered++
			m.w.Queue.Again(msg, m.w.Now().Add(time.Duration(m.rng.IntN(1200))*time.Second))
		}
		if m.depth > 0 {
			return
		}
	}
}

// restart starts the program anew; it may die at any step of its next run.
func (m *months) restart() {
	m.w.Restart()
	p := m.w.Main()
	p.Before(func() {
		if m.running && m.rng.IntN(20_000) == 0 {
			m.n.killed++
			p.Kill()
		}
	})
}

// afterDeath starts the program again, unless something that happened meanwhile has.
func (m *months) afterDeath(p *flow.Process) {
	m.bury()
	if m.w.Main() == p {
		m.restart()
	}
}

// bury excuses what the dead process had been told and may not have stored: first crawls, hints, and polls on request.
func (m *months) bury() {
	for _, b := range m.books {
		if !b.uncond.true_.IsZero() && m.w.Now().Sub(b.uncond.true_) < 3*time.Minute {
			b.excused = true
		}
		if !b.last.true_.IsZero() && m.w.Now().Sub(b.last.true_) < 3*time.Minute {
			b.wait, b.fresh, b.unwritten = moment{}, moment{}, b.lastAsked
		}
	}
}

func (m *months) count(r crawl.Report) {
	switch r.Dropped {
	case "stale":
		m.n.stale++
	case "duplicate":
		m.n.duplicate++
	}
	m.n.deferred += r.Deferred
	m.n.failed += r.Failed
	m.n.changed += r.Changed
	m.n.items += r.NewItems
	m.n.cut += r.Lost
}

func (m *months) refresh() {
	n := len(m.books)
	if c, _ := m.w.Store().Feeds.Count(bg); c < n {
		n = c
	}
	if n == 0 {
		return
	}
	p := m.w.Main()
	was := m.asked
	m.asked = true
	r, at, err := m.w.Refresh(reader.FeedID(1 + m.rng.IntN(n)))
	m.asked = was
	switch {
	case errors.Is(err, crawl.ErrBusy):
		m.n.busy++
	case p.Dead():
		m.afterDeath(p)
	case err != nil:
		m.t.Errorf("refresh: %v", err)
	case !at.IsZero():
		m.n.refused++
	default:
		m.n.refreshes += r.Polled
		m.count(r)
	}
}

// refreshList is a person who has the feeds of a list polled; its messages may come twice.
func (m *months) refreshList() {
	n, _ := m.w.Store().Feeds.Count(bg)
	if n = min(n, len(m.books)); n == 0 {
		return
	}
	urls := map[reader.FeedID]string{}
	for range 40 {
		f := m.w.Feed(reader.FeedID(1 + m.rng.IntN(n)))
		urls[f.ID()] = f.URL
	}
	name := store.RefreshName(m.w.Clock.Now(), m.rng.Uint32())
	for _, j := range job.Group(job.Refresh, m.w.Parts, urls) {
		j.List = name
		for range 1 + m.rng.IntN(2) {
			p := m.w.Main()
			m.asked = true
			r, err := m.w.Run(j)
			m.asked = false
			switch {
			case errors.Is(err, crawl.ErrBusy):
				m.n.busy++
			case p.Dead():
				m.afterDeath(p)
			case err != nil:
				m.t.Errorf("refresh of a list: %v", err)
			default:
				m.n.lists += r.Polled
				m.count(r)
			}
		}
	}
}

// everything is the owner's override.
func (m *months) everything() {
	m.override = true
	r, err := m.w.Main().Crawler.All(bg, m.w.Parts)
	m.override = false
	if errors.Is(err, crawl.ErrBusy) {
		return
	}
	if err != nil {
		m.t.Errorf("crawl of everything: %v", err)
	}
	m.n.alls++
	m.count(r)
}

// clockwork fires ticks by the machine's clock, late, twice, and late again.
func (m *months) clockwork() {
	if tick := m.w.Tick(); tick != m.lastTick {
		m.lastTick = tick
		delay := time.Duration(m.rng.ExpFloat64() * float64(20*time.Second))
		if m.rng.IntN(60) == 0 {
			delay = time.Duration(m.rng.IntN(mostDelayed)) * time.Minute
		}
		m.late = append(m.late, event{m.w.Now().Add(delay), tick.Start()})
		if m.rng.IntN(20) == 0 {
			m.late = append(m.late, event{m.w.Now().Add(delay + time.Minute), tick.Start()})
		}
	}
	rest := m.late[:0]
	for _, e := range m.late {
		if e.at.After(m.w.Now()) {
			rest = append(rest, e)
			continue
		}
		for _, j := range m.w.Plan(e.fired) {
			m.n.caught += len(j.Late)
		}
	}
	m.late = rest
}

// minute is what may happen in any of them.
func (m *months) minute() {
	m.w.Advance(m.w.Now().Truncate(time.Minute).Add(time.Minute).Sub(m.w.Now()))
	switch m.rng.IntN(8 * 24 * 60) {
	case 0: // down or asleep for up to two days
		m.down = m.w.Now().Add(time.Duration(m.rng.IntN(48*60)) * time.Minute)
	case 1: // the clock is put right, or leaps
		d := time.Duration(m.rng.IntN(181)-120) * time.Minute
		m.w.Jump(d)
	case 2:
		m.everything()
	}
	if m.w.Now().Before(m.down) {
		m.late = nil
		if !m.w.Now().Add(time.Minute).Before(m.down) {
			m.restart()
		}
		return
	}
	m.up += time.Minute
	m.clockwork()
	m.deliver()
	if m.rng.IntN(4) == 0 {
		m.refresh()
	}
	if m.rng.IntN(180) == 0 {
		m.refreshList()
	}
}

// alive looks whether a feed was forgotten.
func (m *months) alive() {
	err := m.w.Store().Feeds.Each(bg, func(f *store.FeedRow) error {
		s := m.w.Web.Of(f.URL)
		if !f.Live() || s == nil {
			return nil
		}
		b := m.books[s]
		if b == nil {
			return nil
		}
		// Three days; and where a run died, a period may have to pass twice.
		bound := 3*24*time.Hour + 2*schedule.IntervalOf(f.Period)
		if b.skips {
			bound = 8 * 24 * time.Hour
		}
		for _, until := range []moment{b.fresh, b.wait, m.quiet[fetch.HostOf(f.URL)]} {
			last := b.last.true_
			if last.IsZero() { // its host asked to be left alone before its first poll
				last = m.w.Now().Add(b.upAt - m.up)
			}
			bound += max(0, until.true_.Sub(last))
		}
		if idle := m.up - b.upAt; idle > bound {
			m.fault(s, "forgotten: not polled in %v of being up (%+v)", idle, f.Turns())
		}
		return nil
	})
	if err != nil {
		m.t.Error(err)
	}
}

func TestNinetyDays(t *testing.T) {
	t.Parallel()
	feeds, days := 200, 90
	if testing.Short() {
		feeds, days = 100, 20
	}
	seed := uint64(90)
	if n, err := strconv.ParseUint(os.Getenv("RURI_SEED"), 10, 64); err == nil {
		seed = n
	}
	w := flow.New(t, seed, 3)
	w.Blobs.Light = true
	w.Jump(5 * time.Hour)
	m := &months{t: t, w: w, rng: w.Rand, books: map[*flow.Site]*ledger{}, quiet: map[string]moment{},
		lastTick: w.Tick()}
	w.Web.Check, w.Web.Seen, w.Web.Meanwhile = m.check, m.seen, m.meanwhile
	w.Queue.Delay = func() time.Duration {
		if m.rng.IntN(50) == 0 {
			return time.Duration(m.rng.IntN(25)) * time.Minute
		}
		return time.Duration(m.rng.ExpFloat64() * float64(5*time.Second))
	}
	m.restart()
	sites, every, next := m.publishers(feeds)
	end := w.Now().Add(time.Duration(days) * 24 * time.Hour)
	added, hour := 0, 0
	for day := 0; w.Now().Before(end); {
		m.minute()
		if added < feeds && !w.Now().Before(m.down) {
			added = m.join(sites, added)
		}
		if h := int(w.Now().Sub(flow.Start) / time.Hour); h != hour {
			hour = h
			m.news(sites, every, next)
		}
		if d := int(w.Now().Sub(flow.Start) / (24 * time.Hour)); d != day {
			day = d
			m.alive()
			m.move(sites, day)
		}
	}
	m.verdict()
}

// publishers adds the publishers, each with its own pace.
func (m *months) publishers(feeds int) (sites []*flow.Site, every []time.Duration, next []time.Time) {
	for i := range feeds {
		sites = append(sites, m.site(i, max(1, feeds/4)))
		every = append(every, time.Duration(2+m.rng.IntN(24*40))*time.Hour)
		next = append(next, m.w.Now().Add(time.Duration(m.rng.Int64N(int64(every[i])))))
	}
	return sites, every, next
}

// join subscribes to the next feeds, one by discovery or many by OPML.
func (m *months) join(sites []*flow.Site, from int) int {
	to := min(len(sites), from+1)
	if m.rng.IntN(20) == 0 {
		to = min(len(sites), from+100)
		var doc opml.Document
		for _, s := range sites[from:to] {
			// Numbered beforehand: an import works on several at once, in any order.
			_, err := m.w.Store().Feeds.Ensure(bg, s.URL, func(reader.FeedID) store.FeedRow {
				return store.FeedRow{First: int32(m.w.Tick() + 4), Period: 5, Asked: 60,
					Status: string(reader.StatusWaiting)}
			})
			if err != nil {
				m.t.Error(err)
			}
			doc.Feeds = append(doc.Feeds, opml.Feed{XMLURL: s.URL})
		}
		if _, err := m.w.Main().Subscribe.Import(bg, flow.User, doc); err != nil {
			m.t.Errorf("import: %v", err)
		}
		return to
	}
	if from%3 != 0 {
		return from
	}
	options := subscribe.Options{}
	if from%5 == 0 {
		options.Interval = 30
	}
	p := m.w.Main()
	_, _, err := p.Subscribe.Add(bg, flow.User, sites[from].URL, options)
	switch {
	case p.Dead():
		m.afterDeath(p)
		return from
	case err != nil:
		// The publisher failed, or the part was busy. What it saw was no first crawl: nobody subscribed.
		*m.books[sites[from]] = ledger{need: m.books[sites[from]].need, hint: m.books[sites[from]].hint,
			skips: m.books[sites[from]].skips}
		return from
	}
	if options.Interval > 0 {
		m.books[sites[from]].need = 30 * time.Minute
	}
	return to
}

// move lets some feeds take another address on a day, some that of another feed, and some go for good.
func (m *months) move(sites []*flow.Site, day int) {
	if day%3 != 2 {
		return
	}
	i := m.rng.IntN(len(sites) / 2)
	s, other := sites[i], sites[len(sites)/2+m.rng.IntN(len(sites)/2)]
	if s.Permanent != "" || other.Permanent != "" || s.NoValidators || other.NoValidators {
		return
	}
	switch day % 4 {
	case 0:
		s.Answer = func(flow.Visit) (int, time.Duration, error) { return 410, 0, nil }
	case 1:
		// The other feed's body under this address: the publisher has one feed, and named it twice.
		other.MaxAge, other.Answer = 0, nil
		s.Permanent = other.URL
		m.books[s].hint = 0 // its own ttl is not said any more
	default:
		to := m.w.Web.Site(s.URL+"/moved", 1)
		url := to.URL
		*to = *s
		to.URL = url
		m.books[to] = m.books[s]
		s.Permanent = url
	}
}

func (m *months) verdict() {
	t, n := m.t, m.n
	if m.w.Web.WorstOverlap() != 1 {
		t.Errorf("%d requests at once to one host", m.w.Web.WorstOverlap())
	}
	lost, merged, moved, stopped := 0, 0, 0, 0
	err := m.w.Store().Feeds.Each(bg, func(f *store.FeedRow) error {
		switch {
		case f.MergedInto > 0 && f.Subs > 0:
			t.Errorf("feed %d: a merge stays half done", f.ID())
		case f.MergedInto > 0:
			merged++
		case f.Status == string(reader.StatusStopped):
			stopped++
		}
		if s := m.w.Web.Of(f.URL); s != nil && len(f.URL) > 6 && f.URL[len(f.URL)-6:] == "/moved" {
			moved++
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	err = m.w.Store().Runs.Descend(bg, m.w.Clock.Now(), "", func(r *store.RunRow) (bool, error) {
		if r.State == store.RunLost {
			lost++
		}
		return true, nil
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d scheduled requests, %d asked for (%d by lists)", n.requests-n.requested, n.requested, n.lists)
	t.Logf("%d requests (%d unconditional, %d answered 304, %d failed), %d changes, %d items, %d runs of messages: "+
		"%d duplicates, %d stale, %d busy, "+
		"%d redelivered; %d processes killed, %d lost runs still listed; %d late turns, %d deferred, %d refreshes, "+
		"%d refused, %d crawls of everything; "+
		"%d feeds moved, %d merged, %d stopped", n.requests, n.uncond, n.notModified, n.failed, n.changed, n.items,
		n.runs, n.duplicate, n.stale, n.busy,
		n.redelivered, n.killed, lost, n.caught, n.deferred, n.refreshes, n.refused, n.alls, moved, merged, stopped)
	for what, count := range map[string]int{
		"duplicates": n.duplicate, "stale messages": n.stale, "busy parts": n.busy, "redeliveries": n.redelivered,
		"deaths":    n.killed,
		"catch-ups": n.caught, "deferrals": n.deferred, "refreshes": n.refreshes, "refusals": n.refused,
		"polls of refreshed lists": n.lists, "failures": n.failed, "moves": moved,
	} {
		if count == 0 && !testing.Short() {
			t.Errorf("the simulation left out what it is for: no %s", what)
		}
	}
}
