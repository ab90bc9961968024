package crawl

import (
	"context"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// brokeOff tells that a feed did not arrive whole. A document that ends early counts where the end of the connection
// was the only sign of its end; where its length was announced and all of it came, it is what the publisher has, and
// its validators are true.
func brokeOff(resp *fetch.Response, scan *extract.Feed) bool {
	return resp.Truncated || resp.OpenEnded && scan.Truncated
}

// truncated keeps the items of a feed that broke off, and says so in its row. Nothing else of the answer is believed:
// with its validators the next answer could be a 304 and the rest would never come, and what is missing has not left
// the feed. The hash stays as well, so that the first body that is whole counts as the first crawl.
func (r *run) truncated(ctx context.Context, k task, resp *fetch.Response, scan *extract.Feed, o *store.FeedOutcome) {
	offered := pairOf(resp)
	resp.ETag, resp.LastModified = "", ""
	l, news := r.listing(k, resp, scan, nil)
	l.partial = true
	l.final = func(row *store.FeedRow, seq uint32, added int) store.Patch {
		return r.truncatedPatch(task{row: row, offTurn: k.offTurn}, resp, scan, offered, seq, added)
	}
	if news {
		r.commit(ctx, k.row, l, o)
	} else {
		r.store(ctx, k.row, l.final(k.row, k.row.Seq, 0), o)
	}
	if o.Outcome != string(reader.OutcomeFailed) {
		o.Outcome, o.Err = string(reader.OutcomeTruncated), reader.CodeTruncated
	}
}

// truncatedPatch is what a feed that broke off means for its row. The publisher is there and the feed is polled at its
// usual pace, so failures are not counted; that something is wrong is said all the same.
func (r *run) truncatedPatch(k task, resp *fetch.Response, scan *extract.Feed, offered pair, seq uint32, added int) store.Patch {
	f, now := k.row, r.c.clock.Now()
	p := r.succeeded(k, resp)
	if f.Status == string(reader.StatusError) && f.ErrCode == reader.CodeTruncated && f.Errors == 0 {
		for _, same := range [...]string{"status", "errors", "parseErrs", "err", "errText", "errSince"} {
			delete(p, same)
		}
	} else {
		p["status"], p["err"], p["errText"] = string(reader.StatusError), reader.CodeTruncated, ""
		p["errSince"] = now.Unix()
	}
	next := *f
	first := len(f.Hash) == 0
	if added > 0 {
		next.Changed, next.Changes = now.Unix(), changedNow(f, now)
		if first {
			next.Changes = published(scan, now)
		}
		p["changed"], p["changes"] = next.Changed, next.Changes
	}
	if first && f.FirstSeq == 0 && added > 0 { // there is no better knowledge of the channel yet
		p["title"], p["about"], p["site"] = cut(orOld(scan.Title, f.Title), maxTitle), cut(scan.Description, maxSnippet), link(scan.Link)
		p["firstSeq"] = seq
	}
	if !f.HasValidators() {
		// The pace is that of a feed with what the server has offered: it is there for the next answer again.
		next.ETag, next.LastModified = offered.etag, offered.lastModified
	}
	r.interval(k, &next, p)
	return p
}
