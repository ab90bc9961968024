package cleanup

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// afterFeed is the prefix of the cursor of a cleanup that has checked all blobs. It sorts after every key.
const afterFeed = "~feed/"

func feedAfter(after string) (reader.FeedID, bool) {
	number, ok := strings.CutPrefix(after, afterFeed)
	n, _ := strconv.ParseUint(number, 10, 32)
	return reader.FeedID(n), ok
}

// errOverBudget ends a walk over the feeds that another message continues.
var errOverBudget = errors.New("cleanup: over budget")

// allFeeds visits the feeds that are due, in order of their numbers. It returns false when the time ran out.
func (r *run) allFeeds(ctx context.Context) (bool, error) {
	after, _ := feedAfter(r.job.After)
	visited := 0
	err := r.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.ID() <= after {
			return nil
		}
		if visited > 0 && r.isOverBudget() { // each message visits one at least
			return errOverBudget
		}
		err := r.visit(ctx, f)
		if err == nil {
			after = f.ID()
			visited++
		}
		return err
	})
	if err == nil || errors.Is(err, errOverBudget) {
		if sendErr := r.sendHubs(ctx); sendErr != nil {
			return false, sendErr
		}
	}
	if errors.Is(err, errOverBudget) {
		rest := job.Job{Kind: job.Cleanup, Tick: r.job.Tick, After: afterFeed + after.String()}
		return false, job.Send(ctx, r.queue, 0, rest)
	}
	return err == nil, err
}

// hubsAtOnce limits the hubs that one message asks: each may take as long as a request does.
const hubsAtOnce = 5

// sendHubs sends the messages for hubs. They may be sent twice: a hub that was just asked is not asked again.
func (r *run) sendHubs(ctx context.Context) error {
	var jobs []job.Job
	for feeds := range slices.Chunk(r.hubs, hubsAtOnce) {
		jobs = append(jobs, job.Job{Kind: job.Hub, Feeds: feeds})
	}
	r.hubs = nil
	return job.Send(ctx, r.queue, 0, jobs...)
}

// visit does what a feed needs today. A feed's day of the week follows from its number; days without a cleanup are made
// up for.
func (r *run) visit(ctx context.Context, f *store.FeedRow) error {
	if f.Damaged {
		return nil // its subscribers see that it is damaged; its rows stay
	}
	const week = 7
	if f.RemovingSince == 0 && r.o.HubDue != nil && r.o.HubDue(f) {
		r.hubs = append(r.hubs, f.ID())
	}
	missed := r.until - r.from
	turn := missed >= week || (r.until-int32(f.ID()%week)+week)%week < missed || r.from == 0
	switch {
	case f.RemovingSince > 0 || f.Subs == 0 && r.isRemovable(f):
		return r.removeFeed(ctx, f.ID())
	case f.Subs == 0 && f.UnsubscribedSince == 0:
		next := *f
		next.UnsubscribedSince = r.started.Unix()
		_, err := r.store.Feeds.Change(ctx, f, &next, store.SameSubs, store.SameUnsubscribedSince,
			store.SameRemovingSince)
		return fault.Ignore(err, fault.Conflict)
	case f.Subs == 0 || !turn && !r.isFullPass:
		return nil
	}
	if err := r.repairSubscribers(ctx, f); err != nil {
		return err
	}
	if f.IsWatch() {
		if err := r.o.FoldWatch(ctx, f); err != nil {
			r.log.Warn("old changes of a watch were not folded", "feed_id", uint32(f.ID()), "error", err)
		}
	}
	return r.applyRetention(ctx, f)
}

// isRemovable reports whether a feed has had no subscribers for long enough; a feed whose address contains a password
// is removed at once.
func (r *run) isRemovable(f *store.FeedRow) bool {
	return f.UnsubscribedSince > 0 &&
		(reader.IsPrivateURL(f.URL) ||
			!r.started.Before(time.Unix(f.UnsubscribedSince, 0).AddDate(0, 0, r.o.Unsubscribed)))
}

// repairSubscribers removes the subscribers of a feed whose subscription or user does not exist, because subscribing or
// unsubscribing was interrupted a day ago or longer. It corrects the counts of the feed's row.
func (r *run) repairSubscribers(ctx context.Context, f *store.FeedRow) error {
	id := f.ID()
	subs, err := r.store.Subscriptions.Subscribers(ctx, id)
	if err != nil {
		return err
	}
	removed := false
	for _, sub := range subs {
		if !time.Unix(sub.At, 0).Before(r.started.Add(-transitTime)) {
			continue
		}
		err := r.store.Subscriptions.Check(ctx, sub.User, id)
		if err == nil {
			err = r.requireUser(ctx, sub.User, id)
		}
		switch {
		case err == nil, store.IsDamaged(err):
			continue
		case !fault.Is(err, fault.NotFound):
			return err
		}
		// On condition that the row is unchanged: the user may be subscribing.
		if err := r.store.Subscriptions.RemoveAbandoned(ctx, id, sub); err != nil {
			return err
		}
		removed = true
	}
	hooked := slices.ContainsFunc(subs, store.Subscriber.IsHooked)
	if !removed && int(f.Subs) == len(subs) && f.Hooked == hooked {
		return nil
	}
	return r.o.Recount(ctx, id)
}

// requireUser returns NotFound when the user of a subscription does not exist, after removing the subscription: an
// import was interrupted when its user was removed.
func (r *run) requireUser(ctx context.Context, u reader.UserID, f reader.FeedID) error {
	if r.users[u] {
		return nil
	}
	_, err := r.store.Accounts.Get(ctx, u, table.Consistent())
	switch {
	case err == nil:
		r.users[u] = true
	case fault.Is(err, fault.NotFound):
		if err := r.store.Subscriptions.Remove(ctx, u, f); err != nil {
			return err
		}
	}
	return err
}
