// Package blob keeps whole byte strings under slash-separated keys: raw feed bodies, images, exports. Bucket is
// the portable type: limits of keys, sizes and metadata, cursors and error kinds live here once; a Driver below
// (s3blob, fileblob) only moves bytes. Both drivers pass the suite of blobtest.
//
// A blob is written whole and atomically, never appended to or changed in part: a reader sees the old or the new
// one. What Put has acknowledged survives a crash of the machine.
//
// Errors are *fault.Error: NotFound "blob_not_found"; Invalid "bad_key", "bad_meta", "bad_range", "bad_cursor";
// TooLarge "blob_too_large", "metadata_too_large"; RateLimited; Unavailable, with "storage_full" when the disk is
// full; Cancelled; Internal "blob_corrupt" when stored bytes are not those once put.
package blob

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Meta travels with a blob. Size and Modified are set by reads and ignored by writes.
type Meta struct {
	ContentType     string            // printable ASCII, may be empty
	ContentEncoding string            // "gzip" and the like, may be empty; never acted on: bytes come back as put
	User            map[string]string // keys [a-z0-9-], any UTF-8 values; at most MaxUserMeta bytes when percent-encoded
	Size            int64             // bytes of the body
	Modified        time.Time         // when it was put, UTC, to the second at least
}

// Object is one line of a listing.
type Object struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Range selects part of a body: Len bytes from Off, or all from Off when Len is 0. A Len past the end is cut; an
// Off at or past the end is Invalid "bad_range", but for the zero Range, which always means the whole body.
type Range struct{ Off, Len int64 }

// Driver is what a storage offers. Keys, metadata and ranges that reach it are already checked, user metadata is
// printable ASCII. It classifies its errors into fault kinds and is safe for concurrent use.
type Driver interface {
	// Put stores the body as a whole. With ifAbsent it leaves an existing blob alone and reports created false.
	Put(ctx context.Context, key string, body []byte, m Meta, ifAbsent bool) (created bool, err error)
	// Get reads a range; more than max bytes of answer is fault.TooLarge, before they are read.
	Get(ctx context.Context, key string, r Range, max int64) ([]byte, Meta, error)
	Stat(ctx context.Context, key string) (Meta, error)
	// Delete removes a blob; removing what is absent succeeds.
	Delete(ctx context.Context, key string) error
	// List gives up to limit blobs whose key has the prefix and is greater than after, in byte order of the keys;
	// more tells whether others may follow.
	List(ctx context.Context, prefix, after string, limit int) (page []Object, more bool, err error)
}

// DefaultMaxSize bounds a blob unless MaxSize says otherwise.
const DefaultMaxSize = 32 << 20

// MaxList bounds a page of List (S3's own bound).
const MaxList = 1000

// Bucket is a set of blobs. It is safe for concurrent use.
type Bucket struct {
	d       Driver
	maxSize int64
	meter   Meter
}

// Option changes a Bucket's defaults.
type Option func(*Bucket)

// MaxSize bounds the bytes of a body that are written or read at once.
func MaxSize(n int64) Option { return func(b *Bucket) { b.maxSize = n } }

// New makes a Bucket over a driver.
func New(d Driver, opts ...Option) *Bucket {
	b := &Bucket{d: d, maxSize: DefaultMaxSize}
	for _, o := range opts {
		o(b)
	}
	return b
}

// Put stores body under key, replacing what is there. The slice is not kept.
func (b *Bucket) Put(ctx context.Context, key string, body []byte, m Meta) error {
	_, err := b.put(ctx, "blob: put", key, body, m, false)
	return err
}

// PutIfAbsent stores body unless the key is taken, which is a success with created false: meant for keys that
// name their content. Of several callers at once exactly one creates.
func (b *Bucket) PutIfAbsent(ctx context.Context, key string, body []byte, m Meta) (created bool, err error) {
	return b.put(ctx, "blob: put if absent", key, body, m, true)
}

func (b *Bucket) put(ctx context.Context, op, key string, body []byte, m Meta, ifAbsent bool) (bool, error) {
	if err := check(ctx, op, key); err != nil {
		return false, err
	}
	if int64(len(body)) > b.maxSize {
		return false, fault.New(fault.TooLarge, "blob_too_large", op, nil)
	}
	m, err := encodeMeta(op, m)
	if err != nil {
		return false, err
	}
	created, err := b.d.Put(ctx, key, body, m, ifAbsent)
	b.meter.put(len(body), created && err == nil)
	return created, settle(ctx, op, err)
}

// Get reads a blob or a part of it; Meta.Size is always that of the whole body.
func (b *Bucket) Get(ctx context.Context, key string, r Range) ([]byte, Meta, error) {
	const op = "blob: get"
	if err := check(ctx, op, key); err != nil {
		return nil, Meta{}, err
	}
	if r.Off < 0 || r.Len < 0 {
		return nil, Meta{}, fault.New(fault.Invalid, "bad_range", op, nil)
	}
	body, m, err := b.d.Get(ctx, key, r, b.maxSize)
	b.meter.gets.Add(1)
	b.meter.bytesGot.Add(int64(len(body)))
	if err != nil {
		return nil, Meta{}, settle(ctx, op, err)
	}
	return body, decodeMeta(m), nil
}

// Stat gives a blob's metadata.
func (b *Bucket) Stat(ctx context.Context, key string) (Meta, error) {
	const op = "blob: stat"
	if err := check(ctx, op, key); err != nil {
		return Meta{}, err
	}
	m, err := b.d.Stat(ctx, key)
	b.meter.stats.Add(1)
	if err != nil {
		return Meta{}, settle(ctx, op, err)
	}
	return decodeMeta(m), nil
}

// Delete removes a blob; deleting what is absent succeeds.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	const op = "blob: delete"
	if err := check(ctx, op, key); err != nil {
		return err
	}
	b.meter.deletes.Add(1)
	return settle(ctx, op, b.d.Delete(ctx, key))
}

// List gives one page of the blobs whose keys begin with prefix (which need not end at a slash; "" means all), in
// byte order. A limit of 0, or above MaxList, means MaxList. The cursor of the first page is ""; next is "" at the
// end. Blobs put or deleted meanwhile may or may not be seen, all others appear exactly once.
func (b *Bucket) List(ctx context.Context, prefix, cursor string, limit int) (page []Object, next string, err error) {
	const op = "blob: list"
	if err := ctx.Err(); err != nil {
		return nil, "", settle(ctx, op, err)
	}
	if !goodPrefix(prefix) {
		return nil, "", fault.New(fault.Invalid, "bad_key", op, nil)
	}
	after, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || (cursor != "" && !goodKey(string(after))) {
		return nil, "", fault.New(fault.Invalid, "bad_cursor", op, err)
	}
	if limit <= 0 || limit > MaxList {
		limit = MaxList
	}
	b.meter.lists.Add(1)
	page, more, err := b.d.List(ctx, prefix, string(after), limit)
	if err != nil {
		return nil, "", settle(ctx, op, err)
	}
	if more && len(page) > 0 {
		next = CursorAfter(page[len(page)-1].Key)
	}
	return page, next, nil
}

// CursorAfter makes a cursor of List from the key that it is to go on behind.
func CursorAfter(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

func check(ctx context.Context, op, key string) error {
	if !goodKey(key) {
		return fault.New(fault.Invalid, "bad_key", op, nil)
	}
	return settle(ctx, op, ctx.Err())
}

// settle gives an error its kind: what ended because the caller went away is Cancelled, whatever a driver made of
// it.
func settle(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	return fault.New(fault.KindOf(err), fault.CodeOf(err), op, err)
}
