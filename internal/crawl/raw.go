package crawl

import (
	"context"
	"crypto/sha256"
	"net/url"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/content/extract"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// rawBody is a body that is stored as a blob if an item needs it: gzipped, under a key with the hash of its content, so
// that storing it twice does no harm. Of a body whose other items are stored already, only an excerpt with the rest is
// stored (decision 0109). No later verdict needs more: the row that the scan was told of knows no more than any later
// one.
type rawBody struct {
	feed   *store.FeedRow
	resp   *fetch.Response
	scan   *extract.Feed
	text   []byte // that scan is of
	now    time.Time
	key    string // set once it is stored
	sum    [sha256.Size]byte
	packed []byte
}

// pack compresses what is to be stored, unless the publisher sent it as gzip, and releases the memory of the body
// before the commit waits for the storage.
func (b *rawBody) pack() {
	if b.packed != nil || b.key != "" {
		return
	}
	body := extract.Excerpt(b.text, b.resp.FinalURL, b.scan)
	isWhole := body == nil
	if isWhole {
		body = b.resp.Body
	}
	b.sum = sha256.Sum256(body)
	if isWhole && b.resp.WireEncoding == "gzip" && b.resp.Wire != nil {
		b.packed = b.resp.Wire
	} else {
		b.packed = blob.Gzip(body)
	}
	b.text = nil
	b.resp.DropBody()
}

// put stores the body once and returns its key. created reports whether a blob was created.
func (b *rawBody) put(ctx context.Context, blobs *blob.Bucket) (key string, created bool, err error) {
	if b.key != "" {
		return b.key, false, nil
	}
	b.pack()
	key = store.RawKey(b.now, b.feed.URL, b.sum[:], "gz")
	created, err = blobs.PutIfAbsent(ctx, key, b.packed, blob.Meta{
		ContentType: blob.ContentType(b.resp.ContentType), ContentEncoding: "gzip",
		User: map[string]string{
			"feedid": strconv.Itoa(int(b.feed.ID())), "fetchedat": b.now.UTC().Format(time.RFC3339),
			"originalurl": publicURL(b.resp.FinalURL), "etag": reader.CutBytes(b.resp.ETag, 200),
			"lastmodified": reader.CutBytes(b.resp.LastModified, 60),
		},
	})
	if err == nil {
		b.key = key
	}
	return key, created, err
}

// publicURL returns an address without password, query and fragment, which may contain secrets.
func publicURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return reader.CutBytes(u.String(), 500)
}
