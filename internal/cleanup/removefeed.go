package cleanup

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A feed without subscribers for a week (C-12, R-129) is removed in steps. Each may be the last one before a crash; the
// feed's row stays until everything else is removed, so that the next night continues.
//
//	1 the row takes RemovingSince, IF it counts no subscriber: from then on it takes none (subscribe/removed_feed.go)
//	2 the URL row is removed, IF it still names the feed: it names another one after the address was added again
//	3 the rows of the feed: each delta's bodies, then the delta; hub; subscribers; of a watch its last
//	  unreadable page, results and history
//	4 the row itself
//
// Stars and labels are copies that belong to their users, and stay.

// dropRows limits the deltas that one message removes: deletions cost as much as writes.
const dropRows = 300

// Collect handles a message about feeds without subscribers. Feeds that have subscribers again stay; another message
// continues with the rest.
func (s *Service) Collect(ctx context.Context, j job.Job) error {
	r := s.newRun(j)
	for i, id := range j.Feeds {
		if err := r.removeFeed(ctx, id); err != nil {
			return err
		}
		if r.dropped >= dropRows || r.isOverBudget() {
			rest := job.Job{Kind: job.Collect, Feeds: j.Feeds[i:]}
			return job.Send(ctx, s.queue, 0, rest)
		}
	}
	return nil
}

// removeFeed removes a feed, or as much of it as one message may.
func (r *run) removeFeed(ctx context.Context, id reader.FeedID) error {
	f, err := r.store.Feeds.Get(ctx, id, true)
	if err != nil {
		return fault.Ignore(err, fault.NotFound)
	}
	if f.RemovingSince == 0 {
		if err := r.repairSubscribers(ctx, f); err != nil {
			return err
		}
		if f, err = r.store.Feeds.Get(ctx, id, true); err != nil {
			return err
		}
		// A user may have subscribed, and left again, since the listing.
		if f.Subs > 0 || !r.isRemovable(f) {
			return nil
		}
		next := *f
		next.RemovingSince = r.started.Unix()
		f, err = r.store.Feeds.Change(ctx, f, &next, store.SameSubs, store.SameUnsubscribedSince,
			store.SameRemovingSince)
		if err != nil {
			return fault.Ignore(err, fault.Conflict) // the next visit sees what the winner wrote
		}
	}
	if err := r.store.Feeds.DropURL(ctx, f.URL, id); err != nil {
		return err
	}
	done, err := r.dropDeltas(ctx, f)
	if err != nil || !done {
		return err
	}
	if f.Raw != "" {
		if err := r.dropRaw(ctx, id, f.Raw); err != nil {
			return err
		}
	}
	if f.IsWatch() {
		if err := r.blobs.Delete(ctx, store.PageKey(id)); err != nil {
			return err
		}
	}
	if err := r.store.Feeds.DropBeside(ctx, id); err != nil {
		return err
	}
	if err := r.store.Feeds.Remove(ctx, id, f.RemovingSince); err != nil {
		return err
	}
	r.report.Removed++
	r.log.Info("feed removed", "feed_id", uint32(id))
	return nil
}

// dropDeltas removes a feed's deltas, and before each the bodies that it names. It returns false when the message has
// done its share.
func (r *run) dropDeltas(ctx context.Context, f *store.FeedRow) (bool, error) {
	dropped := map[string]bool{}
	var firsts []reader.Seq
	done := true
	err := r.store.Items.Ascend(ctx, f.ID(), 0, true, func(d *store.DeltaRow) (bool, error) {
		if r.dropped+len(firsts) >= dropRows || r.isOverBudget() {
			done = false
			return false, nil
		}
		raws, err := bodies(d)
		if fault.Ignore(err, fault.Internal) != nil { // unreadable rows are removed as well
			return false, err
		}
		for _, raw := range append(raws, d.Loose...) {
			if raw == "" || dropped[raw] {
				continue
			}
			dropped[raw] = true
			if err := r.dropRaw(ctx, f.ID(), raw); err != nil {
				return false, err
			}
		}
		firsts = append(firsts, d.First())
		return true, nil
	})
	if err != nil {
		return false, err
	}
	r.dropped += len(firsts)
	return done, r.store.Items.Drop(ctx, f.ID(), firsts)
}

// dropRaw removes a raw body, if it is the feed's own: two feeds that had the same address on one day may share one.
func (r *run) dropRaw(ctx context.Context, id reader.FeedID, key string) error {
	owner, err := r.owner(ctx, key)
	if err != nil || owner != id {
		return err
	}
	return r.blobs.Delete(ctx, key)
}
