// Package blob stores byte strings under slash-separated keys: raw feed bodies, images, exports. Bucket implements the
// limits of keys, sizes and metadata, cursors and error kinds once; a Driver (s3blob, fileblob) only moves bytes. Both
// drivers pass the suite of blobtest.
//
// A blob is written whole and atomically, never appended to or changed in part: a reader sees the old or the new one.
// An acknowledged Put survives a crash of the machine.
//
// Errors are *fault.Error: NotFound "blob_not_found"; Invalid "bad_key", "bad_meta", "bad_cursor", "bad_range";
// TooLarge "blob_too_large", "metadata_too_large"; RateLimited; Unavailable, with "storage_full" when the disk is
// full; Cancelled; Internal "blob_corrupt" when the stored bytes are damaged.
package blob

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Meta is the metadata of a blob. Reads set Size and Modified, writes ignore them.
type Meta struct {
	ContentType     string // printable ASCII, may be empty
	ContentEncoding string // such as "gzip", may be empty; bodies are never decoded
	// keys [a-z0-9-], any UTF-8 values; at most MaxUserMeta bytes when percent-encoded
	User     map[string]string
	Size     int64     // bytes of the body
	Modified time.Time // time of the put, UTC, precise to the second or better
}

// Object is one entry of a listing.
type Object struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Driver is a storage provider. Bucket has validated keys and metadata; user metadata is printable ASCII. A driver
// classifies its errors into fault kinds and is safe for concurrent use.
type Driver interface {
	// Put stores a blob. With ifAbsent it does not replace an existing blob and returns created false.
	Put(ctx context.Context, key string, body []byte, m Meta, ifAbsent bool) (created bool, err error)
	// Get reads a blob. A body of more than max bytes is TooLarge and is not read.
	Get(ctx context.Context, key string, max int64) ([]byte, Meta, error)
	// GetRange reads n bytes from an offset on: fewer where the blob ends earlier, none from its end on.
	GetRange(ctx context.Context, key string, offset, n int64) ([]byte, error)
	Stat(ctx context.Context, key string) (Meta, error)
	// Delete removes a blob; an absent one is no error.
	Delete(ctx context.Context, key string) error
	// List returns up to limit blobs whose key has the prefix and is greater than after, in byte order of the keys;
	// more reports whether others may follow.
	List(ctx context.Context, prefix, after string, limit int) (page []Object, more bool, err error)
	// Gap returns the number of unneeded bytes that cost as much to read as one more request.
	Gap() int
}

// MaxSize bounds the bytes of a blob.
const MaxSize = 32 << 20

// MaxList bounds a page of List (S3's own bound).
const MaxList = 1000

// Bucket is a set of blobs. It is safe for concurrent use.
type Bucket struct {
	d     Driver
	meter Meter
}

// New makes a Bucket over a driver.
func New(d Driver) *Bucket { return &Bucket{d: d} }

// Gap returns the number of unneeded bytes that cost as much to read as one more request.
func (b *Bucket) Gap() int { return b.d.Gap() }

// Put stores body under key, replacing an existing blob. The slice is not retained.
func (b *Bucket) Put(ctx context.Context, key string, body []byte, m Meta) error {
	_, err := b.put(ctx, "blob: put", key, body, m, false)
	return err
}

// PutIfAbsent stores body unless the key exists, which is no error but created false: for keys that are hashes of their
// content. Of several concurrent calls exactly one creates the blob.
func (b *Bucket) PutIfAbsent(ctx context.Context, key string, body []byte, m Meta) (created bool, err error) {
	return b.put(ctx, "blob: put if absent", key, body, m, true)
}

func (b *Bucket) put(ctx context.Context, op, key string, body []byte, m Meta, ifAbsent bool) (bool, error) {
	if err := check(ctx, op, key); err != nil {
		return false, err
	}
	if len(body) > MaxSize {
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

// Get reads a blob.
func (b *Bucket) Get(ctx context.Context, key string) ([]byte, Meta, error) {
	const op = "blob: get"
	if err := check(ctx, op, key); err != nil {
		return nil, Meta{}, err
	}
	body, m, err := b.d.Get(ctx, key, MaxSize)
	b.meter.gets.Add(1)
	b.meter.bytesGot.Add(int64(len(body)))
	if err != nil {
		return nil, Meta{}, settle(ctx, op, err)
	}
	return body, decodeMeta(m), nil
}

// GetRange reads n bytes from an offset on, at least one: fewer where the blob ends earlier, none from its end on. The
// bytes are not checked against the checksum of the whole: what is read in parts has its own.
func (b *Bucket) GetRange(ctx context.Context, key string, offset, n int64) ([]byte, error) {
	const op = "blob: get range"
	if err := check(ctx, op, key); err != nil {
		return nil, err
	}
	if offset < 0 || offset > MaxSize || n <= 0 || n > MaxSize {
		return nil, fault.New(fault.Invalid, "bad_range", op, nil)
	}
	body, err := b.d.GetRange(ctx, key, offset, n)
	b.meter.gets.Add(1)
	b.meter.bytesGot.Add(int64(len(body)))
	if err != nil {
		return nil, settle(ctx, op, err)
	}
	return body, nil
}

// Stat returns a blob's metadata.
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

// DeleteAll removes all blobs whose keys begin with a prefix. It can be repeated.
func (b *Bucket) DeleteAll(ctx context.Context, prefix string) error {
	for {
		page, next, err := b.List(ctx, prefix, "", 0)
		if err != nil {
			return err
		}
		for _, o := range page {
			if err := b.Delete(ctx, o.Key); err != nil {
				return err
			}
		}
		if next == "" {
			return nil
		}
	}
}

// Delete removes a blob; an absent one is no error.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	const op = "blob: delete"
	if err := check(ctx, op, key); err != nil {
		return err
	}
	b.meter.deletes.Add(1)
	return settle(ctx, op, b.d.Delete(ctx, key))
}

// List returns one page of the blobs whose keys begin with prefix (which need not end at a slash; "" means all), in
// byte order. A limit of 0, or above MaxList, means MaxList. The cursor of the first page is ""; next is "" at the end.
// Blobs put or deleted meanwhile may or may not be listed; all others are listed exactly once.
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

// CursorAfter returns the cursor with which List continues after a key.
func CursorAfter(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

func check(ctx context.Context, op, key string) error {
	if !goodKey(key) {
		return fault.New(fault.Invalid, "bad_key", op, nil)
	}
	return settle(ctx, op, ctx.Err())
}

// settle adds op to a driver's error. When ctx has ended, the error is Cancelled, whatever the driver returned.
func settle(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fault.New(fault.Cancelled, "cancelled", op, err)
	}
	return fault.New(fault.KindOf(err), fault.CodeOf(err), op, err)
}
