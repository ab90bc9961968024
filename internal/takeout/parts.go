package takeout

import (
	"context"
	"io"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// PartSize is the size of each part of an uploaded archive but the last. MaxArchive bounds all parts of one.
const (
	PartSize   = 4 << 20
	MaxArchive = 1 << 30
)

// partsOf returns in how many parts so many bytes are.
func partsOf(size int64) int { return int((size + PartSize - 1) / PartSize) }

// uploaded is an archive that is stored in parts. The part that was read last stays in memory: a zip is read in small
// pieces, nearly all of them one after the other.
type uploaded struct {
	ctx   context.Context //nolint:containedctx // io.ReaderAt takes no context
	blobs *blob.Bucket
	user  reader.UserID
	id    string
	size  int64
	n     int
	part  []byte
}

// ReadAt implements io.ReaderAt.
func (r *uploaded) ReadAt(p []byte, off int64) (done int, err error) {
	for done < len(p) {
		at := off + int64(done)
		if at >= r.size {
			return done, io.EOF
		}
		n := int(at / PartSize)
		if r.part == nil || r.n != n {
			if r.part, err = r.load(n); err != nil {
				return done, err
			}
			r.n = n
		}
		done += copy(p[done:], r.part[at%PartSize:])
	}
	return done, nil
}

func (r *uploaded) load(n int) ([]byte, error) {
	b, _, err := r.blobs.Get(r.ctx, store.ImportPartKey(r.user, r.id, n))
	if err == nil && int64(len(b)) != sizeOf(n, r.size) || fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "import_file_gone", "takeout: import", err)
	}
	return b, err
}

// sizeOf returns how many bytes part n of an archive has.
func sizeOf(n int, size int64) int64 { return min(PartSize, size-int64(n)*PartSize) }
