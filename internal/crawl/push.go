package crawl

import (
	"context"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// kindPush names pushes in the log; they have no run row.
const kindPush = "push"

// A hub has pushGrace to push an item.
const pushGrace = time.Hour

// Pushed commits what a hub has pushed, like a poll. fault.Invalid means that the body is not a feed.
func (c *Crawler) Pushed(ctx context.Context, id reader.FeedID, body []byte,
	contentType string) (store.FeedOutcome, error) {
	ctx, r := c.newRun(ctx, kindPush, schedule.TickOf(c.clock.Now()))
	f, err := c.store.Feeds.Get(ctx, id, true)
	if fault.Is(err, fault.NotFound) {
		return store.FeedOutcome{Feed: uint32(id), Outcome: string(reader.OutcomeSkipped)}, nil
	}
	if err != nil {
		return store.FeedOutcome{}, err
	}
	o := outcome(f, reader.OutcomeUnchanged)
	if !f.Live() || len(f.Hash) == 0 { // the first crawl must come first: it has the older items
		o.Outcome = string(reader.OutcomeSkipped)
		return o, nil
	}
	o.Bytes = int64(len(body))
	base := reader.WithoutUser(f.URL) // as a poll has it
	scan, text, err := extract.ScanText(body, contentType, base, c.scanOptions(f))
	if err != nil {
		return o, fault.New(fault.Invalid, "push_is_no_feed", "crawl: push", err)
	}
	resp := &fetch.Response{Status: 200, Body: body, ContentType: contentType, FinalURL: base}
	obs := r.observation(resp)
	obs.kind = pushed
	r.addBody(obs, f, scan, text)
	done, err := c.commit(ctx, f, obs)
	if err != nil {
		return o, err
	}
	o.New, o.Outcome = done.added, string(done.outcome)
	r.note(o)
	return o, nil
}

// missedPush reports whether a poll found an item that the feed's hub should have pushed.
func missedPush(f *store.FeedRow, scan *extract.Feed, now time.Time) bool {
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

// knowsTooMuch reports whether a row knows far more items than its body lists, because pushes do not show which have
// left.
func knowsTooMuch(f *store.FeedRow, l *itemList) bool {
	return f.PushUntil > 0 && store.Known(f.Known).Len() > 2*(len(l.all)+store.KnownLeft)
}
