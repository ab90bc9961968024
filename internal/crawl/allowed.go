package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// NextAllowed is from when a feed may be polled on request: a few minutes after the last poll, and never
// inside a Retry-After, its own or its host's. A feed never polled may be at once.
func (c *Crawler) NextAllowed(ctx context.Context, f *store.FeedRow, part int) (time.Time, error) {
	p, err := c.past(ctx, part)
	if err != nil {
		return time.Time{}, err
	}
	return p.refreshAt(ctx, f)
}

// gap is the least time between two scheduled polls of a feed. Slowing down for quiet feeds is only our own
// habit, and not in it.
func (c *Crawler) gap(f *store.FeedRow) time.Duration {
	return schedule.Gap((&run{c: c}).inputs(task{row: f}, f))
}

// past knows when the feeds of a part were polled last, although a turn writes nothing: from the lease,
// which names the last tick that was claimed, and from the rows that runs leave.
type past struct {
	c     *Crawler
	part  int
	lease store.LeaseRow
	asked store.PolledFeeds
	spent map[schedule.Tick]time.Time
}

func (c *Crawler) past(ctx context.Context, part int) (*past, error) {
	lease, err := c.store.Leases.Get(ctx, part)
	if err != nil {
		return nil, err
	}
	asked, err := c.store.Runs.Asked(ctx, part, lease.Asked)
	return &past{c: c, part: part, lease: lease, asked: asked, spent: map[schedule.Tick]time.Time{}}, err
}

// refreshAt is the instant from which a person may have the feed polled again. It counts from the claim of a poll
// off turn, whose request follows at once as a rule.
func (p *past) refreshAt(ctx context.Context, f *store.FeedRow) (time.Time, error) {
	var last time.Time
	if !f.Fresh() {
		var err error
		if last, err = p.last(ctx, f, 0); err != nil {
			return time.Time{}, err
		}
	}
	return schedule.RefreshAt(last, p.notBefore(f)), nil
}

// notBefore is until when the feed or its host asked to be left alone.
func (p *past) notBefore(f *store.FeedRow) time.Time {
	at := time.Unix(f.NotBefore, 0).UTC()
	if until := quietUntil(p.lease.QuietHosts(), f, p.c.clock.Now()); until.After(at) {
		return until
	}
	return at
}

// next is the instant from which the feed may be polled, given the least time after the last poll.
func (p *past) next(ctx context.Context, f *store.FeedRow, gap time.Duration) (time.Time, error) {
	notBefore := p.notBefore(f)
	if f.Fresh() {
		return notBefore, nil
	}
	last, err := p.last(ctx, f, schedule.Deadline)
	if err != nil {
		return time.Time{}, err
	}
	if last.IsZero() || last.Add(gap).Before(notBefore) {
		return notBefore, nil
	}
	return last.Add(gap), nil
}

// last is when the feed's last poll was over at the latest; zero when there was none. slack is how long after its
// claim the request of a poll off turn may have gone out: within a run's time.
func (p *past) last(ctx context.Context, f *store.FeedRow, slack time.Duration) (time.Time, error) {
	var last time.Time
	if f.Polled > 0 {
		last = time.Unix(f.Polled, 0).UTC().Add(slack)
	}
	if at := p.asked[f.ID()]; at.After(last) {
		last = at
	}
	if all := allSpent(p.lease.AllAt); all.After(last) {
		last = all
	}
	// A clock that was set back must not hide a poll: the lease knows better how far time was.
	turn := f.Turns().LastTurn(max(schedule.TickOf(p.c.clock.Now()), schedule.Tick(p.lease.Tick)))
	if turn != schedule.NoTick && turn <= schedule.Tick(p.lease.Tick) && !turn.Spent().Before(last) {
		end, err := p.end(ctx, turn)
		if err != nil {
			return time.Time{}, err
		}
		if end.After(last) {
			last = end
		}
	}
	return last, nil
}

// end is when the polls of a turn were over, zero when nobody took it. A run of the last claimed tick
// that left no row died, or is still at work: its polls count at their latest.
func (p *past) end(ctx context.Context, turn schedule.Tick) (time.Time, error) {
	if at, ok := p.spent[turn]; ok {
		return at, nil
	}
	var at time.Time
	row, err := p.c.store.Runs.Get(ctx, turn, p.part)
	switch {
	case fault.Is(err, fault.NotFound):
		if turn == schedule.Tick(p.lease.Tick) {
			at = turn.Spent()
		}
	case err != nil:
		return at, err
	case row.State == store.RunLost:
		at = turn.Spent()
	default:
		at = time.UnixMilli(row.Started + row.Millis).UTC()
	}
	p.spent[turn] = at
	return at, nil
}
