package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// kindPush names commits of pushes in the log; they have no run row, for no publisher was asked.
const kindPush = "push"

// pushGrace is how long news may be on their way from a hub.
const pushGrace = time.Hour

// Pushed commits what a hub has pushed, by the commit of every poll. A push may list its new items alone, so it says
// nothing about what the feed lists, about the channel, or about validators: those are the polls' to tell. fault.Invalid
// says that the body is no feed.
func (c *Crawler) Pushed(ctx context.Context, id reader.FeedID, body []byte, contentType string) (store.FeedOutcome, error) {
	r := c.newRun(ctx, kindPush, schedule.TickOf(c.clock.Now()))
	ctx = table.WithMeter(ctx, r.meter)
	f, err := c.store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) {
		return store.FeedOutcome{Feed: uint32(id), Outcome: string(reader.OutcomeSkipped)}, nil
	}
	if err != nil {
		return store.FeedOutcome{}, err
	}
	o := outcome(f, reader.OutcomeUnchanged)
	if !f.Live() || len(f.Hash) == 0 { // the first crawl shall bring the archive
		o.Outcome = string(reader.OutcomeSkipped)
		return o, nil
	}
	o.Bytes = int64(len(body))
	base := reader.WithoutUser(f.URL) // as a poll has it
	scan, err := extract.Scan(body, contentType, base, scanOptions(f))
	if err != nil {
		return o, fault.New(fault.Invalid, "push_is_no_feed", "crawl: push", err)
	}
	k := task{row: f, offTurn: true}
	resp := &fetch.Response{Status: 200, Body: body, ContentType: contentType, FinalURL: base}
	l, _ := r.listing(k, resp, scan, f.Hash)
	if len(l.order) == 0 {
		r.note(o)
		return o, nil // pushed before, or polled
	}
	l.partial, l.putRaw = true, r.rawPutter(f, resp, c.clock.Now())
	l.final = func(row *store.FeedRow, _ uint32, added int) store.Patch {
		p := store.Patch{}
		if added > 0 {
			now := c.clock.Now()
			p["changed"], p["changes"] = now.Unix(), changedNow(row, now)
			p["fickle"] = int32(0) // other validators are no surprise now
		}
		return p
	}
	cm := committer{store: c.store, clock: c.clock, keep: c.o.Keep}
	done, err := cm.commit(ctx, f, l)
	if err != nil {
		return o, err
	}
	if o.New = done.added; done.wrote {
		o.Outcome = string(reader.OutcomeChanged)
	}
	r.note(o)
	return o, nil
}

// unpushed tells that a poll found news which the feed's hub had the time to push, and did not.
func unpushed(f *store.FeedRow, scan *extract.Feed, now time.Time) bool {
	if f.PushUntil <= now.Unix() || len(f.Hash) == 0 {
		return false
	}
	known := store.Known(f.Known)
	for i := range scan.Items {
		it := &scan.Items[i]
		if _, ok := known.Content(it.Identity); !ok && it.Published.Before(now.Add(-pushGrace)) {
			return true
		}
	}
	return false
}

// crowded tells that a row knows far more than its body lists, for what was pushed did not say what left.
func crowded(f *store.FeedRow, l *listing) bool {
	return f.PushUntil > 0 && store.Known(f.Known).Len() > 2*(len(l.all)+store.KnownLeft)
}
