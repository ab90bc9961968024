package transfer

import (
	"context"

	"github.com/ruri-reader/ruri/internal/blob"
	"github.com/ruri-reader/ruri/internal/fault"
)

// passBlobs is a pass over the blobs. A blob is written whole or not at all, so one of the same size is taken for
// the same while copying; before the end each is read at both sides once and compared.
func (f *filler) passBlobs(ctx context.Context, blind, readOnly bool) (differed int64, err error) {
	have := map[id]int64{}
	if !blind {
		err = eachBlob(ctx, f.to.Blobs, func(_ string, o blob.Object) error {
			have[blobID(o.Key)] = o.Size
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	stage := "comparing files"
	if blind {
		stage = "copying files"
	}
	var n, size int64
	err = f.src.blobs(ctx, func(o object) error {
		n++
		size += o.size
		f.o.Progress(Progress{Stage: stage, Done: n, Total: max(n, f.nBlobs), Bytes: size})
		was, there := have[blobID(o.key)]
		delete(have, blobID(o.key))
		changed, err := f.blob(ctx, o, there && was == o.size, readOnly)
		if changed {
			differed++
		}
		return err
	})
	if err != nil {
		return differed, err
	}
	f.nBlobs = n
	differed += int64(len(have))
	if len(have) > 0 && !readOnly {
		err = eachBlob(ctx, f.to.Blobs, func(_ string, o blob.Object) error {
			if _, yes := have[blobID(o.Key)]; !yes {
				return nil
			}
			return f.to.Blobs.Delete(ctx, o.Key)
		})
	}
	return differed, err
}

// known is what was read of a source's blob in this run. Raw bodies are named by their content and never change.
type known struct {
	full [32]byte
	size int64
}

// blob makes one blob equal, and says whether it was not.
func (f *filler) blob(ctx context.Context, o object, there, readOnly bool) (changed bool, err error) {
	if k, ok := f.read[blobID(o.key)]; ok && there && o.kind == rawKind && k.size == o.size {
		if same, err := f.proves(ctx, o.key, digest(k.full[:16])); err != nil || same {
			f.from.add(o.kind, k.full, k.size)
			f.at.add(o.kind, k.full, k.size)
			return false, err
		}
	}
	body, meta, err := o.open(ctx)
	if gone(err) {
		return true, nil // deleted since it was listed: the next pass sees it gone
	}
	if err != nil {
		return false, err
	}
	d, full := blobDigest(o.key, body, meta)
	f.from.add(o.kind, full, int64(len(body)))
	f.read[blobID(o.key)] = known{full, int64(len(body))}
	if there {
		same, err := f.proves(ctx, o.key, d)
		if err != nil {
			return false, err
		}
		if same {
			if f.report.Passes == 1 {
				f.report.Kept++
			}
			f.at.add(o.kind, full, int64(len(body)))
			return false, nil
		}
	}
	if readOnly {
		return true, nil
	}
	f.report.Written++
	return true, f.to.Blobs.Put(ctx, o.key, body, plainMeta(meta))
}

// proves reads the target's blob, once in a run while it is the same, and compares it.
func (f *filler) proves(ctx context.Context, key string, d digest) (bool, error) {
	if f.proven[blobID(key)] == d {
		return true, nil
	}
	body, meta, err := f.to.Blobs.Get(ctx, key, blob.Range{})
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if have, _ := blobDigest(key, body, meta); have != d {
		return false, nil
	}
	f.proven[blobID(key)] = d
	return true, nil
}
