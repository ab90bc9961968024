package crawl

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/content/listing"
	"github.com/ruri-reader/ruri/internal/crawl/pages"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// storeTimeout bounds the storing of one poll.
const storeTimeout = pages.StoreTimeout

// poll makes one feed's conditional request and commits what was observed. idle is as for fetch.Request. timedOut
// reports whether the host did not answer in time.
func (r *run) poll(ctx context.Context, f *store.FeedRow, idle func(func() error) error) (o store.FeedOutcome,
	timedOut bool) {
	o = outcome(f, "")
	began := r.c.clock.Now()
	defer func() {
		if p := recover(); p != nil {
			// A feed that our code fails at must not end the run of the others.
			r.c.o.Log.Error("a poll panicked", "feed_id", o.Feed, "panic", p, "stack", string(debug.Stack()))
			r.settle(context.WithoutCancel(ctx), f, r.failure(nil, reader.CodeUnknown), &o)
		}
		o.Millis = r.c.clock.Now().Sub(began).Milliseconds()
	}()
	ask := fetch.Request{
		URL: f.URL, ETag: f.ETag, LastModified: f.LastModified, Subscribers: int(f.Subs), KeepPart: true, Idle: idle,
	}
	var v *pages.Visit
	if f.IsWatch() {
		if v = r.visit(ctx, f, &o); v == nil {
			return o, false
		}
		ask = v.Request(f)
	}
	ask.IsChallenge = listing.IsChallenge
	resp, err := r.c.fetch.Do(ctx, ask)
	o.Fetch = max(r.c.clock.Now().Sub(began), 1) // zero means that there was no request
	// The publisher's answer is stored even when the run is cancelled meanwhile, so that it is not requested again.
	asked := ctx
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	switch {
	case err == nil:
		defer resp.Release()
		r.answered(ctx, f, v, resp, &o)
	case asked.Err() != nil:
		r.cutShort(ctx, f, &o)
	default:
		obs := r.unreachable(err)
		timedOut = obs.code == reader.CodeTimeout
		r.settle(ctx, f, obs, &o)
	}
	return o, timedOut
}

// cutShort handles a feed whose request was cancelled with the run. The publisher may have seen it, so the next poll is
// as after a lost run.
func (r *run) cutShort(ctx context.Context, f *store.FeedRow, o *store.FeedOutcome) {
	o.Outcome = string(reader.OutcomeLost)
	if r.keepsTurns() {
		return
	}
	now := schedule.TickOf(r.c.clock.Now())
	if err := r.c.retryLost(ctx, f, max(r.tick, 0), now); err != nil {
		r.c.o.Log.Error("a poll that was cut short could not be noted", "feed_id", o.Feed, "error", err)
	}
}

// answered commits what an HTTP response says, and moves the feed where it has been redirected to for days. v is nil
// but for a watch.
func (r *run) answered(ctx context.Context, f *store.FeedRow, v *pages.Visit, resp *fetch.Response,
	o *store.FeedOutcome) {
	o.Status, o.Bytes = resp.Status, resp.WireBytes
	copy(o.Faults[:], resp.Faults)
	obs := r.observe(ctx, f, v, resp)
	r.settle(ctx, f, obs, o)
	if obs.kind == failed {
		r.noteHostWait(f, resp)
		return
	}
	if obs.page != nil {
		r.pages.GoOn(f, obs.page)
		return
	}
	r.followMove(ctx, f, resp, o)
}

// settle commits an observation, and does what follows from the outcome.
func (r *run) settle(ctx context.Context, f *store.FeedRow, obs *observation, o *store.FeedOutcome) {
	done, err := r.c.commit(ctx, f, obs)
	r.noteCommit(f, &done, err)
	o.Outcome, o.Err, o.New = string(done.outcome), obs.code, done.added
	if err != nil {
		r.storageFailed(err, o)
		if done.news {
			r.blameStore(ctx, f, o.Err)
		}
		return
	}
	if done.renamed > 0 {
		r.c.o.Log.Info("a feed has given its items new ids", "feed_id", uint32(f.ID()), "items", done.renamed,
			"new", done.added)
	}
}

// storageFailed records that our own storage failed. Nothing was stored, and the next poll uses the old validators.
func (r *run) storageFailed(err error, o *store.FeedOutcome) {
	o.Outcome, o.Err = string(reader.OutcomeFailed), storageCode(err)
	r.c.o.Log.Error("a poll could not be stored", "feed_id", o.Feed, "error", err)
}

// blameStore tries to note in the feed's row that news could not be stored, so that its readers see why nothing comes.
// Schedule and error count stay, because they are about the publisher's failures.
func (r *run) blameStore(ctx context.Context, f *store.FeedRow, code string) {
	if f.ErrCode == code {
		return
	}
	next := *f
	next.Status, next.ErrCode = string(reader.StatusError), code
	if next.ErrSince == 0 {
		next.ErrSince = r.c.clock.Now().Unix()
	}
	if _, err := r.c.store.Feeds.Change(ctx, f, &next); err != nil {
		r.c.o.Log.Error("a feed's state could not be stored", "feed_id", uint32(f.ID()), "error", err)
	}
}

const (
	// A feed takes a new address after movedPolls polls in a row that were redirected permanently to it, for at least
	// movedGrace: mistakes in configurations are usually corrected within days.
	movedPolls = 5
	movedGrace = 3 * 24 * time.Hour
)

// followMove moves a feed whose permanent redirect was seen often and for long enough.
func (r *run) followMove(ctx context.Context, f *store.FeedRow, resp *fetch.Response, o *store.FeedOutcome) {
	if r.c.o.Mover == nil || f.MovedTo == "" || resp.PermanentURL != f.MovedTo {
		return
	}
	if f.MovedPolls+1 < movedPolls || r.c.clock.Now().Sub(time.Unix(f.MovedSince, 0)) < movedGrace {
		return
	}
	if err := r.c.o.Mover.MoveFeed(ctx, f, f.MovedTo); err != nil {
		r.storageFailed(err, o)
	}
}

// unreachable is the observation of a request that got no response.
func (r *run) unreachable(err error) *observation {
	code := reader.CodeNetworkUnreachable
	if fe, ok := errors.AsType[*fetch.Error](err); ok {
		code = fetchCode(fe.Code)
	}
	return r.failure(nil, code)
}
