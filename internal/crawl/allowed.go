package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// NextAllowed returns from when a user may refresh a feed: a few minutes after the last poll, and after the Retry-After
// of feed and host. A feed never polled may be at once.
func (c *Crawler) NextAllowed(ctx context.Context, f *store.FeedRow, part int) (time.Time, error) {
	p, err := c.past(ctx, part)
	if err != nil {
		return time.Time{}, err
	}
	return p.refreshAt(ctx, f)
}

// past finds out when the feeds of a part were last polled. A poll without news writes nothing, so it follows from the
// lease, which has the last claimed tick, and from the rows of runs.
type past struct {
	c     *Crawler
	part  int
	lease store.LeaseRow
	asked store.PolledFeeds // by the runs that the lease names; nil until needed
	spent map[schedule.Tick]time.Time
}

func (c *Crawler) past(ctx context.Context, part int) (*past, error) {
	lease, err := c.store.Leases.Get(ctx, part)
	return &past{c: c, part: part, lease: lease, spent: map[schedule.Tick]time.Time{}}, err
}

// refreshAt returns from when a user may refresh the feed. It counts from the claim of an off-turn poll, whose request
// usually follows at once.
func (p *past) refreshAt(ctx context.Context, f *store.FeedRow) (time.Time, error) {
	last, err := p.last(ctx, f, 0)
	return schedule.RefreshAt(last, p.notBefore(f)), err
}

// notBefore returns until when the feed or its host asked not to be polled.
func (p *past) notBefore(f *store.FeedRow) time.Time {
	at := time.Unix(f.NotBefore, 0).UTC()
	if until := waitUntil(p.lease.HostWaits(), f, p.c.clock.Now()); until.After(at) {
		return until
	}
	return at
}

// next returns from when the feed may be polled, given the least time after the last poll.
func (p *past) next(ctx context.Context, f *store.FeedRow, gap time.Duration) (time.Time, error) {
	notBefore := p.notBefore(f)
	last, err := p.last(ctx, f, schedule.Deadline)
	if err != nil {
		return time.Time{}, err
	}
	if last.IsZero() || last.Add(gap).Before(notBefore) {
		return notBefore, nil
	}
	return last.Add(gap), nil
}

// last returns by when the feed's last poll had ended; zero for a feed never polled. slack is how long after its claim
// the request of an off-turn poll may have been sent.
func (p *past) last(ctx context.Context, f *store.FeedRow, slack time.Duration) (last time.Time, err error) {
	if f.Fresh() {
		return last, nil
	}
	if p.asked == nil {
		if p.asked, err = p.c.store.Runs.Asked(ctx, p.part, p.lease.Asked); err != nil {
			return last, err
		}
	}
	if f.Polled > 0 {
		last = time.Unix(f.Polled, 0).UTC().Add(slack)
	}
	if at := p.asked[f.ID()]; at.After(last) {
		last = at
	}
	if all := allSpent(p.lease.AllAt); all.After(last) {
		last = all
	}
	// A clock that was set back must not hide a poll: the lease has the latest tick.
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

// end returns when the polls of a tick ended, zero when it was not claimed. A run of the last claimed tick without a
// row has died or is still running: the latest possible end counts.
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
