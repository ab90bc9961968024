package tidy

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

// afterFeed begins the cursor of a tidying that is through with the blobs: behind every key of one.
const afterFeed = "~feed/"

func feedAfter(after string) (reader.FeedID, bool) {
	number, ok := strings.CutPrefix(after, afterFeed)
	n, _ := strconv.ParseUint(number, 10, 32)
	return reader.FeedID(n), ok
}

// errLater ends a walk over the feeds for which another message goes on.
var errLater = errors.New("tidy: time ran out")

// allFeeds visits the feeds that it is the turn of, in order of number, and gives false when time ran out.
func (r *run) allFeeds(ctx context.Context) (bool, error) {
	after, _ := feedAfter(r.job.After)
	visited := 0
	err := r.store.Feeds.Each(ctx, func(f *store.FeedRow) error {
		if f.ID() <= after {
			return nil
		}
		if visited > 0 && r.late() { // each message gets on by one at least
			return errLater
		}
		err := r.visit(ctx, f)
		if err == nil {
			after = f.ID()
			visited++
		}
		return err
	})
	if err == nil || errors.Is(err, errLater) {
		if sendErr := r.sendHubs(ctx); sendErr != nil {
			return false, sendErr
		}
	}
	if errors.Is(err, errLater) {
		rest := job.Job{Kind: job.Tidy, Tick: r.job.Tick, After: afterFeed + after.String()}
		return false, r.queue.Send(ctx, [][]byte{rest.Encode()}, 0)
	}
	return err == nil, err
}

// hubsAtOnce is how many hubs one message asks: each may take as long as a request does.
const hubsAtOnce = 5

// sendHubs sends the hubs' messages. They may be sent twice: a hub that was just asked is not asked again.
func (r *run) sendHubs(ctx context.Context) error {
	var bodies [][]byte
	for feeds := range slices.Chunk(r.hubs, hubsAtOnce) {
		bodies = append(bodies, job.Job{Kind: job.Hub, Feeds: feeds}.Encode())
	}
	r.hubs = nil
	if len(bodies) == 0 {
		return nil
	}
	return r.queue.Send(ctx, bodies, 0)
}

// visit does what a feed needs today. A feed's own day of the week is arithmetic over its number; days on which
// nothing was tidied are made up for.
func (r *run) visit(ctx context.Context, f *store.FeedRow) error {
	const week = 7
	if f.Gone == 0 && r.o.HubDue != nil && r.o.HubDue(f) {
		r.hubs = append(r.hubs, f.ID())
	}
	missed := r.today0 - r.from
	turn := missed >= week || (r.today0-int32(f.ID()%week)+week)%week < missed || r.from == 0
	switch {
	case f.Gone > 0 || f.Subs == 0 && r.forsaken(f):
		return r.collect(ctx, f.ID())
	case f.Subs == 0 && f.Alone == 0:
		_, err := r.store.Feeds.Update(ctx, f.ID(), store.Patch{"alone": r.started.Unix()},
			table.IfEqual("subs", int32(0)), table.IfEqual("alone", int64(0)), table.IfEqual("gone", int64(0)))
		return unlessConflict(err)
	case f.Subs == 0 || !turn && !r.whole:
		return nil
	}
	if err := r.abandoned(ctx, f); err != nil {
		return err
	}
	return r.keep(ctx, f)
}

// forsaken tells whether nobody has subscribed for long enough: to a feed whose address holds a password since any time.
func (r *run) forsaken(f *store.FeedRow) bool {
	return f.Alone > 0 && (reader.IsPrivateURL(f.URL) || !r.started.Before(time.Unix(f.Alone, 0).AddDate(0, 0, r.o.Forsaken)))
}

// unlessConflict takes a lost race for done: whoever won it left what the next visit judges.
func unlessConflict(err error) error {
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// abandoned takes away the mirrors of subscriptions that do not exist, or whose user does not: adding or leaving died
// half way, a day ago or longer, and the feed would be polled for nobody. What the feed's row counts is put right where
// it differs.
func (r *run) abandoned(ctx context.Context, f *store.FeedRow) error {
	id := f.ID()
	subs, err := r.store.Subscriptions.Subscribers(ctx, id)
	if err != nil {
		return err
	}
	removed := false
	for _, sub := range subs {
		if !time.Unix(sub.At, 0).Before(r.started.Add(-passing)) {
			continue
		}
		_, err := r.store.Subscriptions.Get(ctx, sub.User, id)
		if err == nil {
			err = r.userOf(ctx, sub.User, id)
		}
		if !fault.Is(err, fault.NotFound) {
			if err != nil {
				return err
			}
			continue
		}
		// Only as it was seen: who subscribes at this moment puts it anew.
		if err := r.store.Subscriptions.RemoveAbandoned(ctx, id, sub); err != nil {
			return err
		}
		removed = true
	}
	if !removed && int(f.Subs) == len(subs) {
		return nil
	}
	return r.o.Recount(ctx, id)
}

// userOf is NotFound when the user of a subscription is not there, and takes the subscription away then: an import
// died at the moment at which its user was removed.
func (r *run) userOf(ctx context.Context, u reader.UserID, f reader.FeedID) error {
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
