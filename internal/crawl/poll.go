package crawl

import (
	"context"
	"errors"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/ruri-reader/ruri/internal/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/store"
)

// MaxItems is how many items of a body are kept: the newest.
const MaxItems = 200

// poll makes one feed's conditional request and stores what came of it.
func (r *run) poll(ctx context.Context, k task) (o store.FeedOutcome, timedOut bool) {
	f := k.row
	o.Feed = uint32(f.ID())
	began := r.c.clock.Now()
	resp, err := r.c.fetch.Do(ctx, fetch.Request{
		URL: f.URL, ETag: f.ETag, LastModified: f.LastModified, Subscribers: int(f.Subs),
	})
	if err != nil {
		timedOut = r.unreachable(ctx, k, err, &o)
	} else {
		r.answered(ctx, k, resp, &o)
		resp.Release()
	}
	o.Millis = r.c.clock.Now().Sub(began).Milliseconds()
	return o, timedOut
}

// unreachable handles a request that gave no response.
func (r *run) unreachable(ctx context.Context, k task, err error, o *store.FeedOutcome) (timedOut bool) {
	if ctx.Err() != nil {
		// Our own end, not the host's fault: the feed is deferred like those not reached.
		r.giveBack(ctx, k, o)
		return false
	}
	code, detail := "network_unreachable", ""
	var fe *fetch.Error
	if errors.As(err, &fe) {
		code, detail = fe.Code, fe.Message
	}
	r.fail(ctx, k, nil, code, detail, o)
	return code == "timeout"
}

// giveBack defers a feed whose poll was cut short by our own end.
func (r *run) giveBack(ctx context.Context, k task, o *store.FeedOutcome) {
	o.Outcome = string(reader.OutcomeDeferred)
	if r.kind == store.RunAll {
		return
	}
	r.store(ctx, k.row, store.Patch{"first": int32(r.tick + 1)}, o)
}

// answered handles any HTTP response.
func (r *run) answered(ctx context.Context, k task, resp *fetch.Response, o *store.FeedOutcome) {
	o.Status, o.Bytes = resp.Status, resp.WireBytes
	switch {
	case resp.NotModified && k.row.HasValidators():
		o.Outcome = string(reader.OutcomeNotModified)
		p := r.settled(k, resp)
		r.keepPair(k.row, p, notModifiedPair(k.row, resp))
		r.store(ctx, k.row, p, o)
		r.moved(ctx, k.row, resp, o)
	case resp.Status == 200:
		r.body(ctx, k, resp, o)
		r.moved(ctx, k.row, resp, o)
	default:
		r.fail(ctx, k, resp, reader.HTTPCode(resp.Status), "", o)
	}
}

// body handles a 200: equal bytes, equal content, or news.
func (r *run) body(ctx context.Context, k task, resp *fetch.Response, o *store.FeedOutcome) {
	f := k.row
	hash := bodyHash(resp.Body)
	if len(f.Hash) > 0 && string(hash) == string(f.Hash) {
		r.same(ctx, k, resp, o)
		return
	}
	known := store.Known(f.Known)
	scan, err := extract.Scan(resp.Body, resp.ContentType, resp.FinalURL, extract.Options{
		Known: known.Content, MaxItems: MaxItems,
	})
	if err != nil {
		var xe *extract.Error
		code, detail := "bad_xml", err.Error()
		if errors.As(err, &xe) {
			code, detail = xe.Code, xe.Message
		}
		r.fail(ctx, k, resp, code, detail, o)
		return
	}
	l, news := r.listing(k, resp, scan, hash)
	if !news {
		r.same(ctx, k, resp, o)
		return
	}
	c := committer{store: r.c.store, clock: r.c.clock}
	done, err := c.commit(ctx, f, l)
	if err != nil {
		r.storageFailed(err, o)
		return
	}
	o.Outcome, o.New = string(reader.OutcomeChanged), done.added
	if !done.wrote {
		// Another crawler had committed all of it.
		o.Outcome = string(reader.OutcomeUnchanged)
	}
}

// same handles a 200 over equal content: nothing is written but a changed pair of validators, and what
// the schedule may want.
func (r *run) same(ctx context.Context, k task, resp *fetch.Response, o *store.FeedOutcome) {
	o.Outcome = string(reader.OutcomeUnchanged)
	p := r.settled(k, resp)
	r.keepPair(k.row, p, pairOf(resp))
	r.store(ctx, k.row, p, o)
}

// store writes a patch if there is one. A lost race is no harm: somebody committed news meanwhile, and
// a validator pair that is not kept costs one full answer that compares to nothing.
func (r *run) store(ctx context.Context, f *store.FeedRow, p store.Patch, o *store.FeedOutcome) {
	if len(p) == 0 {
		return
	}
	_, err := r.c.store.Feeds.Update(context.WithoutCancel(ctx), f.ID(), p, seqIs(f))
	if err != nil && !fault.Is(err, fault.Conflict) {
		r.storageFailed(err, o)
	}
}

// storageFailed records that our own stores failed: the publisher is not to blame, nothing was kept,
// and the next poll asks with the old validators.
func (r *run) storageFailed(err error, o *store.FeedOutcome) {
	o.Outcome, o.Err = string(reader.OutcomeFailed), fault.CodeOf(err)
	r.c.o.Log.Error("a poll could not be stored", "feed_id", o.Feed, "error", err)
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
