package crawl

import (
	"cmp"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// pair is ETag and Last-Modified, byte for byte as the publisher sent them; kept and replaced together
// (F1), also when one of them vanished.
type pair struct{ etag, lastModified string }

func pairOf(resp *fetch.Response) pair {
	return pair{storable(resp.ETag), storable(resp.LastModified)}
}

// storable leaves out a validator that is no UTF-8, which the table's text cannot hold: never altered,
// only ever absent.
func storable(v string) string {
	if !utf8.ValidString(v) {
		return ""
	}
	return v
}

// notModifiedPair is the pair after a 304: header by header, what the 304 carries replaces what was
// kept (RFC 9111, 4.3.4), and what it leaves out stays.
func notModifiedPair(f *store.FeedRow, resp *fetch.Response) pair {
	p := pair{f.ETag, f.LastModified}
	now := pairOf(resp)
	return pair{cmp.Or(now.etag, p.etag), cmp.Or(now.lastModified, p.lastModified)}
}

// fickleAfter changes of the pair over equal content, in a row, make a feed fickle: its pair waits for
// the next real change, since storing it at every poll would cost 19 writes a day.
const fickleAfter = 3

// keepPair adds a changed pair to the patch of a poll that found equal content, and to the row. A 304
// shows that the kept pair does serve.
func (r *run) keepPair(next *store.FeedRow, p store.Patch, now pair, notModified bool) {
	switch same := now == (pair{next.ETag, next.LastModified}); {
	case same && next.Fickle > 0 && (notModified || next.Fickle < fickleAfter):
		next.Fickle = 0
	case same || next.Fickle >= fickleAfter:
		return
	default:
		next.ETag, next.LastModified = now.etag, now.lastModified
		p["etag"], p["lastmod"] = next.ETag, next.LastModified
		if now == (pair{}) {
			return // taken away, which says nothing of the next one
		}
		next.Fickle++
	}
	p["fickle"] = next.Fickle
}

func seqIs(f *store.FeedRow) table.Cond { return table.IfEqual("seq", f.Seq) }
