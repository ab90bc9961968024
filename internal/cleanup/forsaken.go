package tidy

import (
	"context"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// The removal of a feed that nobody has subscribed to for a week (C-12, R-129). Each step may be the last one; the
// feed's row is there until all else is gone, so the next night goes on.
//
//	1 the row is marked `gone`, IF it counts no subscriber: from here on nobody can become one (subscribe/gone.go)
//	2 the URL row, IF it still leads to the feed: who adds the address again has made it lead to a new one
//	3 what lies beside the feed: each delta's bodies, then the delta; hub; mirrors of subscriptions
//	4 the row itself
//
// Stars and labels are their owners' own (snapshots), and stay.

// dropRows is how many deltas go with one message: deletions cost as much as writes.
const dropRows = 300

// Collect works through a message about feeds that their last subscriber has left. Whoever has come back meanwhile keeps
// theirs; what does not fit in one message goes on with another.
func (s *Service) Collect(ctx context.Context, j job.Job) error {
	r := &run{Service: s, started: s.clock.Now(), job: j, users: map[reader.UserID]bool{}}
	for i, id := range j.Feeds {
		if err := r.collect(ctx, id); err != nil {
			return err
		}
		if r.dropped >= dropRows || r.late() {
			rest := job.Job{Kind: job.Collect, Feeds: j.Feeds[i:]}
			return s.queue.Send(ctx, [][]byte{rest.Encode()}, 0)
		}
	}
	return nil
}

// collect removes a feed, or as much of it as a night takes.
func (r *run) collect(ctx context.Context, id reader.FeedID) error {
	f, err := r.store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if f.Gone == 0 {
		// Who died on the way of coming is counted, or cleared away.
		if err := r.abandoned(ctx, f); err != nil {
			return err
		}
		if f, err = r.store.Feeds.Get(ctx, id, true); err != nil {
			return err
		}
		// Somebody may have come, and left again, since the listing.
		if f.Subs > 0 || !r.forsaken(f) {
			return nil
		}
		f, err = r.store.Feeds.Update(ctx, id, store.Patch{"gone": r.started.Unix()},
			table.IfEqual("subs", int32(0)), table.IfEqual("alone", f.Alone), table.IfEqual("gone", int64(0)))
		if err != nil {
			return unlessConflict(err)
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
	if err := r.store.Feeds.DropBeside(ctx, id); err != nil {
		return err
	}
	if err := r.store.Feeds.Remove(ctx, id, f.Gone); err != nil {
		return err
	}
	r.report.Removed++
	r.log.Info("feed removed", "feed_id", uint32(id))
	return nil
}

// dropDeltas removes a feed's deltas, and before each the bodies that it names. It gives false when the night's
// share is used up.
func (r *run) dropDeltas(ctx context.Context, f *store.FeedRow) (bool, error) {
	dropped := map[string]bool{}
	var firsts []reader.Seq
	done := true
	err := r.store.Items.Ascend(ctx, f.ID(), 0, true, func(d *store.DeltaRow) (bool, error) {
		if r.dropped+len(firsts) >= dropRows || r.late() {
			done = false
			return false, nil
		}
		raws := append([]string{d.Raw}, d.Loose...)
		hs, err := d.Headers()
		if err != nil && !fault.Is(err, fault.Internal) { // a spoilt row goes as well
			return false, err
		}
		for _, h := range hs {
			raws = append(raws, h.Raw)
		}
		for _, raw := range raws {
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
