package crawl

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// MaxItems is how many items of a body are kept: the newest.
const MaxItems = 200

// poll makes one feed's conditional request and stores what came of it. idle is as for fetch.Request.
func (r *run) poll(ctx context.Context, k task, idle func(func() error) error) (o store.FeedOutcome, timedOut bool) {
	f := k.row
	o = outcome(f, "")
	began := r.c.clock.Now()
	defer func() {
		if p := recover(); p != nil {
			// One feed that our code cannot take must not end the run of all others.
			r.c.o.Log.Error("a poll panicked", "feed_id", o.Feed, "panic", p, "stack", string(debug.Stack()))
			r.fail(context.WithoutCancel(ctx), k, nil, reader.CodeUnknown, "", &o)
		}
		o.Millis = r.c.clock.Now().Sub(began).Milliseconds()
	}()
	resp, err := r.c.fetch.Do(ctx, fetch.Request{
		URL: f.URL, ETag: f.ETag, LastModified: f.LastModified, Subscribers: int(f.Subs), KeepPart: true, Idle: idle,
	})
	o.Fetch = max(r.c.clock.Now().Sub(began), 1) // zero says that nobody was asked
	// What the publisher sent is kept even when our own end has come meanwhile: to ask again would be
	// impolite, and the first time it would be a second whole answer.
	asked := ctx
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	switch {
	case err == nil:
		defer resp.Release()
		r.answered(ctx, k, resp, &o)
	case asked.Err() != nil:
		r.cutShort(ctx, k, &o)
	default:
		timedOut = r.unreachable(ctx, k, err, &o)
	}
	return o, timedOut
}

// storeTimeout bounds the storing of one poll.
const storeTimeout = 15 * time.Second

// unreachable handles a request that gave no response.
func (r *run) unreachable(ctx context.Context, k task, err error, o *store.FeedOutcome) (timedOut bool) {
	code, detail := reader.CodeNetworkUnreachable, ""
	var fe *fetch.Error
	if errors.As(err, &fe) {
		code, detail = fetchCode(fe.Code), fe.Message
	}
	r.fail(ctx, k, nil, code, detail, o)
	return code == reader.CodeTimeout
}

// cutShort leaves a feed whose request was cut off by our own end. The publisher may have seen it, so it
// is no earlier visited again than after any poll; what would wait long gets a turn as after a lost run.
func (r *run) cutShort(ctx context.Context, k task, o *store.FeedOutcome) {
	o.Outcome = string(reader.OutcomeLost)
	if r.keepsTurns() {
		return
	}
	now := schedule.TickOf(r.c.clock.Now())
	if err := r.c.retryLost(ctx, k.row, max(r.tick, 0), now); err != nil {
		r.c.o.Log.Error("a poll that was cut short could not be noted", "feed_id", o.Feed, "error", err)
	}
}

// answered handles any HTTP response.
func (r *run) answered(ctx context.Context, k task, resp *fetch.Response, o *store.FeedOutcome) {
	o.Status, o.Bytes = resp.Status, resp.WireBytes
	copy(o.Faults[:], resp.Faults)
	switch {
	case resp.NotModified && k.row.HasValidators():
		o.Outcome = string(reader.OutcomeNotModified)
		r.store(ctx, k.row, r.settled(k, resp, notModifiedPair(k.row, resp)), o)
		r.moved(ctx, k.row, resp, o)
	case resp.Status == 200:
		r.body(ctx, k, resp, o)
		r.moved(ctx, k.row, resp, o)
	default:
		r.heed(k.row, resp)
		r.fail(ctx, k, resp, reader.HTTPCode(resp.Status), "", o)
	}
}

// body handles a 200: equal bytes, equal content, news, or a part of the feed.
func (r *run) body(ctx context.Context, k task, resp *fetch.Response, o *store.FeedOutcome) {
	f := k.row
	hash := bodyHash(resp.Body)
	if !resp.Truncated && len(f.Hash) > 0 && string(hash) == string(f.Hash) {
		r.same(ctx, k, resp, o)
		return
	}
	scan, err := extract.Scan(resp.Body, resp.ContentType, resp.FinalURL, scanOptions(f))
	if err != nil {
		var xe *extract.Error
		code, detail := reader.CodeBadXML, ""
		if errors.As(err, &xe) {
			code, detail = bodyCode(xe.Code), xe.Message
		}
		if resp.Truncated { // too little arrived to tell anything else
			code, detail = reader.CodeTruncatedBody, ""
		}
		r.fail(ctx, k, resp, code, detail, o)
		return
	}
	if brokeOff(resp, scan) {
		r.truncated(ctx, k, resp, scan, o)
		return
	}
	l, news := r.listing(k, resp, scan, hash)
	if !news {
		if crowded(f, l) {
			o.Outcome = string(reader.OutcomeUnchanged)
			p := r.settled(k, resp, pairOf(resp))
			remember(p, f, l.all, dayOf(r.c.clock.Now()), true)
			r.store(ctx, f, p, o)
			return
		}
		r.same(ctx, k, resp, o)
		return
	}
	r.commit(ctx, f, l, o)
}

// commit stores the news of a listing, and lets those know who wait for them.
func (r *run) commit(ctx context.Context, f *store.FeedRow, l *listing, o *store.FeedOutcome) {
	c := committer{store: r.c.store, clock: r.c.clock, keep: r.c.o.Keep}
	done, err := c.commit(ctx, f, l)
	if err != nil {
		r.storageFailed(err, o)
		r.blameStore(ctx, f, o.Err)
		return
	}
	o.Outcome, o.New = string(reader.OutcomeChanged), done.added
	if done.renamed > 0 {
		r.c.o.Log.Info("a feed has given its items new ids", "feed_id", uint32(f.ID()), "items", done.renamed, "new", done.added)
	}
	if done.wrote {
		r.wantIcon(done.row)
	} else {
		// Another crawler had committed all of it.
		o.Outcome = string(reader.OutcomeUnchanged)
	}
	if r.c.o.News != nil && done.added > 0 {
		r.c.o.News(ctx, done.row)
	}
}

// same handles a 200 over equal content: nothing is written but a changed pair of validators, and what
// the schedule may want.
func (r *run) same(ctx context.Context, k task, resp *fetch.Response, o *store.FeedOutcome) {
	o.Outcome = string(reader.OutcomeUnchanged)
	r.store(ctx, k.row, r.settled(k, resp, pairOf(resp)), o)
}

// store writes a patch if there is one. A lost race is no harm: somebody committed news meanwhile, and
// a validator pair that is not kept costs one full answer that compares to nothing.
func (r *run) store(ctx context.Context, f *store.FeedRow, p store.Patch, o *store.FeedOutcome) {
	if len(p) == 0 {
		return
	}
	_, err := r.c.store.Feeds.Update(ctx, f.ID(), p, seqIs(f))
	if err != nil && !fault.Is(err, fault.Conflict) {
		r.storageFailed(err, o)
	}
}

// storageFailed records that our own stores failed: the publisher is not to blame, nothing was kept,
// and the next poll asks with the old validators.
func (r *run) storageFailed(err error, o *store.FeedOutcome) {
	o.Outcome, o.Err = string(reader.OutcomeFailed), storageCode(err)
	r.c.o.Log.Error("a poll could not be stored", "feed_id", o.Feed, "error", err)
}

// blameStore says in the feed's row that news could not be stored, if that much can be: its readers see
// why nothing comes. Schedule and count of errors stay: both are for the publisher's failures.
func (r *run) blameStore(ctx context.Context, f *store.FeedRow, code string) {
	if f.ErrCode == code {
		return
	}
	p := store.Patch{"status": string(reader.StatusError), "err": code, "errText": ""}
	if f.ErrSince == 0 {
		p["errSince"] = r.c.clock.Now().Unix()
	}
	if _, err := r.c.store.Feeds.Update(ctx, f.ID(), p); err != nil {
		r.c.o.Log.Error("a feed's state could not be stored", "feed_id", uint32(f.ID()), "error", err)
	}
}

// bodyHash tells equal bodies; it is no defence, so it may be fast.
func bodyHash(body []byte) []byte {
	var b [8]byte
	h := xxhash.Sum64(body)
	for i := range b {
		b[i] = byte(h >> (56 - 8*i))
	}
	return b[:]
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
