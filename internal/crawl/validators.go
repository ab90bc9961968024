package crawl

import (
	"github.com/ruri-reader/ruri/internal/fetch"
	"github.com/ruri-reader/ruri/internal/store"
	"github.com/ruri-reader/ruri/internal/table"
)

// pair is ETag and Last-Modified, byte for byte as the publisher sent them; kept and replaced together
// (F1), also when one of them vanished.
type pair struct{ etag, lastModified string }

func pairOf(resp *fetch.Response) pair { return pair{resp.ETag, resp.LastModified} }

// notModifiedPair is the pair after a 304: header by header, what the 304 carries replaces what was
// kept (RFC 9111, 4.3.4), and what it leaves out stays.
func notModifiedPair(f *store.FeedRow, resp *fetch.Response) pair {
	p := pair{f.ETag, f.LastModified}
	if resp.ETag != "" {
		p.etag = resp.ETag
	}
	if resp.LastModified != "" {
		p.lastModified = resp.LastModified
	}
	return p
}

// fickleAfter changes of the pair over equal content, in a row, make a feed fickle: its pair waits for
// the next real change, since storing it at every poll would cost 19 writes a day.
const fickleAfter = 3

// keepPair adds a changed pair to the patch of a poll that found equal content.
func (r *run) keepPair(f *store.FeedRow, p store.Patch, now pair) {
	if now == (pair{f.ETag, f.LastModified}) {
		return
	}
	if f.Fickle >= fickleAfter {
		return
	}
	p["etag"], p["lastmod"], p["fickle"] = now.etag, now.lastModified, f.Fickle+1
}

func seqIs(f *store.FeedRow) table.Cond { return table.IfEqual("seq", f.Seq) }
