package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// The number of parts changes as feeds are added. A run of the number before may still be under way then, and has hosts
// that are in another part now, so that the lease of the part does not keep two runs from one host. Until a part has
// claimed a tick under the present number, its runs wait for those of the other parts.

// awaitOthers returns ErrBusy while another part is held by a run that splits the hosts into another number of parts.
// was is the number under which the caller's part claimed its last tick.
func (c *Crawler) awaitOthers(ctx context.Context, part, was, parts int, now time.Time) error {
	for p := range max(was, parts) {
		if p == part {
			continue
		}
		lease, err := c.store.Leases.Get(ctx, p)
		if err != nil {
			return err
		}
		if lease.IsOf(parts) || lease.Until <= now.UnixMilli() {
			continue
		}
		isOver, err := c.isOver(ctx, p, lease)
		if err != nil {
			return err
		}
		if !isOver {
			return ErrBusy
		}
	}
	return nil
}

// isOver reports whether the run that a part's lease is of has written its row, and ended.
func (c *Crawler) isOver(ctx context.Context, part int, lease store.LeaseRow) (bool, error) {
	run, err := c.store.Runs.Get(ctx, schedule.Tick(lease.Tick), part)
	if err != nil {
		return false, fault.Ignore(err, fault.NotFound)
	}
	// else it is held by somebody else since
	return c.until(time.UnixMilli(run.Started)).UnixMilli() == lease.Until, nil
}

// sendOn sends the feeds of an off-turn message, whose hosts are in other parts by now, to those.
func (r *run) sendOn(ctx context.Context, kind string, moved map[reader.FeedID]string, parts int) error {
	if len(moved) == 0 || r.c.o.Queue == nil {
		return nil
	}
	return job.Send(ctx, r.c.o.Queue, 0, job.Group(kind, parts, moved)...)
}
