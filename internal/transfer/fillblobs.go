package transfer

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/storage/blob"
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
	var changes atomic.Int64
	work, wctx := errgroup.WithContext(ctx)
	work.SetLimit(blobWorkers)
	err = f.src.blobs(wctx, func(o object) error {
		n++
		size += o.size
		f.o.Progress(Progress{Stage: stage, Done: n, Total: max(n, f.nBlobs), Bytes: size})
		was, there := have[blobID(o.key)]
		delete(have, blobID(o.key))
		work.Go(func() error {
			changed, err := f.blob(wctx, o, there && was == o.size, readOnly)
			if changed {
				changes.Add(1)
			}
			return err
		})
		return wctx.Err()
	})
	// When a worker failed, the source was only told to stop.
	if failed := work.Wait(); failed != nil {
		err = failed
	}
	differed = changes.Load()
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

// blobWorkers is how many blobs are on their way at once: a round trip to S3 takes tens of milliseconds, a sync of a
// disk some. Each holds one body in memory.
const blobWorkers = 8

// known is what was read of a source's blob in this run. Raw bodies are named by their content and never change.
type known struct {
	full [32]byte
	size int64
}

// blob makes one blob equal, and says whether it was not. Several run at once.
func (f *filler) blob(ctx context.Context, o object, there, readOnly bool) (changed bool, err error) {
	f.mu.Lock()
	k, was := f.read[blobID(o.key)]
	f.mu.Unlock()
	if was && there && o.kind == rawKind && k.size == o.size {
		if same, err := f.proves(ctx, o.key, digest(k.full[:16])); err != nil || same {
			f.note(o, k, true)
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
	k = known{full, int64(len(body))}
	same := false
	if there {
		if same, err = f.proves(ctx, o.key, d); err != nil {
			return false, err
		}
	}
	f.note(o, k, same)
	if same || readOnly {
		return !same, nil
	}
	return true, f.to.Blobs.Put(ctx, o.key, body, plainMeta(meta))
}

// note takes down what a blob of the source is, and whether the target has the same.
func (f *filler) note(o object, k known, same bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read[blobID(o.key)] = k
	f.from.add(o.kind, k.full, k.size)
	if !same {
		f.report.Written++
		return
	}
	f.at.add(o.kind, k.full, k.size)
	if f.report.Passes == 1 {
		f.report.Kept++
	}
}

// proves reads the target's blob, once in a run while it is the same, and compares it.
func (f *filler) proves(ctx context.Context, key string, d digest) (bool, error) {
	f.mu.Lock()
	seen := f.proven[blobID(key)] == d
	f.mu.Unlock()
	if seen {
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
	f.mu.Lock()
	f.proven[blobID(key)] = d
	f.mu.Unlock()
	return true, nil
}
