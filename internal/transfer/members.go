package transfer

import (
	"context"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// member is a row or a blob that moves.
type member struct {
	id     id
	kind   string
	how    treatment
	digest digest
	size   int64

	row table.Row // unless it is a blob

	key  string // of a blob, else empty
	body []byte
	meta blob.Meta
}

// source lists what moves: all rows, then all blobs. Rows that expire before the cutoff are left out. An error ends the
// list.
type source interface {
	members(ctx context.Context, cutoff int64) iter.Seq2[member, error]
}

// live is an installation as source.
type live struct {
	Installation
	// raws has the raw bodies that were read. They are named by their content and never change, so that a second list
	// has them without body; nil: all are read each time.
	raws map[id]digest
}

func newSource(p Installation) *live { return &live{p, map[id]digest{}} }

func (l *live) members(ctx context.Context, cutoff int64) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for m, err := range rowsOf(ctx, l.Table, cutoff) {
			if !yield(m, err) || err != nil {
				return
			}
		}
		for page, err := range blobsOf(ctx, l.Blobs) {
			if err != nil {
				yield(member{}, err)
				return
			}
			for few := range slices.Chunk(page, blobWorkers) {
				loaded, err := l.load(ctx, few)
				if err != nil {
					yield(member{}, err)
					return
				}
				for _, m := range loaded {
					if !yield(m, nil) {
						return
					}
				}
			}
		}
	}
}

const pageRows = 400 // a page takes at most a second's burst of a small table

// rowsOf lists the rows that move and do not expire before the cutoff.
func rowsOf(ctx context.Context, t *table.Table, cutoff int64) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for after := (table.Key{}); ; {
			page, next, err := t.Scan(ctx, after, pageRows, table.Consistent())
			if err != nil {
				yield(member{}, err)
				return
			}
			for _, r := range page {
				m, err := newRow(r)
				if err == nil && (m.how == stays || expiresBefore(r.TTL(), cutoff)) {
					continue
				}
				if !yield(m, err) || err != nil {
					return
				}
			}
			if next == (table.Key{}) {
				return
			}
			after = next
		}
	}
}

func expiresBefore(ttl, cutoff int64) bool { return ttl > 0 && ttl < cutoff }

// newRow returns a row as member; of one that stays, only that.
func newRow(r table.Row) (m member, err error) {
	m.kind, m.how, err = classifyRow(r)
	if err != nil || m.how == stays {
		return m, err
	}
	if m.kind == "lease" { // not held at the target
		if r, err = r.Without("until"); err != nil {
			return m, err
		}
	}
	m.id, m.row, m.size = rowID(r.Key), r, int64(r.Size())
	m.digest, err = rowDigest(r)
	return m, err
}

// blobsOf lists the blobs that move, page by page, without their contents.
func blobsOf(ctx context.Context, b *blob.Bucket) iter.Seq2[[]member, error] {
	return func(yield func([]member, error) bool) {
		for cursor := ""; ; {
			page, next, err := b.List(ctx, "", cursor, 0)
			var out []member
			for _, o := range page {
				m := newBlob(o.Key)
				if m.size = o.Size; m.how != stays {
					out = append(out, m)
				}
			}
			if !yield(out, err) || err != nil || next == "" {
				return
			}
			cursor = next
		}
	}
}

// newBlob returns a blob as member, without its content.
func newBlob(key string) member {
	kind, how := classifyBlob(key)
	return member{id: blobID(key), kind: kind, how: how, key: key}
}

// fill sets a blob's content.
func (m *member) fill(body []byte, meta blob.Meta) {
	m.body, m.meta, m.size, m.digest = body, meta, int64(len(body)), blobDigest(m.key, body, meta)
}

// blobWorkers is how many blobs are read at once, and how many are written: a round trip to S3 takes tens of
// milliseconds, a sync of a disk some. Each has one body in memory.
const blobWorkers = 8

// load reads a few blobs, and leaves out those deleted since they were listed.
func (l *live) load(ctx context.Context, list []member) ([]member, error) {
	work, wctx := errgroup.WithContext(ctx)
	for i := range list {
		m := &list[i]
		if d, was := l.raws[m.id]; was {
			m.digest = d
			continue
		}
		work.Go(func() error {
			body, meta, err := l.Blobs.Get(wctx, m.key)
			if fault.Is(err, fault.NotFound) {
				m.how = stays
				return nil
			}
			m.fill(body, meta)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(m member) bool { return m.how == stays })
	for _, m := range list {
		if l.raws != nil && m.kind == rawKind {
			l.raws[m.id] = m.digest
		}
	}
	return list, nil
}
