package takeout

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// An archive of up to so many lines, in so many bytes, is imported while its sender waits.
	maxImmediate      = 100
	maxImmediateBytes = 1 << 20
	// One message imports up to so many lines, and begins no further one after some time: a function of the cloud has
	// two minutes.
	chunkLines = 2000
	chunkTime  = 30 * time.Second
	maxChunks  = 2000
	// listed limits the failures of a chunk that are kept one by one: a request answers with those of all chunks.
	listed = 10
)

// Receive takes an uploaded archive. A short one is imported at once, and the result returned. A long one is stored,
// and messages work through it: that import is returned. Anything but an archive is refused.
func (s *Service) Receive(ctx context.Context, u reader.UserID, from io.Reader) (*Imported, *store.Import, error) {
	first, err := io.ReadAll(io.LimitReader(from, PartSize))
	if err != nil {
		return nil, nil, err
	}
	if len(first) < PartSize {
		a, err := s.open(ctx, bytes.NewReader(first), int64(len(first)))
		if err != nil {
			return nil, nil, err
		}
		if isShort, err := a.isShort(ctx); err != nil {
			return nil, nil, err
		} else if isShort {
			done, err := s.Import(ctx, u, bytes.NewReader(first), int64(len(first)))
			return done, nil, err
		}
	}
	id, size := store.ImportID(s.clock.Now(), rand.Uint32()), int64(0)
	part := first
	for n := 0; len(part) > 0 && err == nil; n++ {
		size += int64(len(part))
		if err = s.putPart(ctx, u, id, n, part); err == nil {
			part, err = io.ReadAll(io.LimitReader(from, PartSize))
		}
	}
	var im *store.Import
	if err == nil {
		im, err = s.newImport(ctx, u, id, store.ImportRow{Kind: store.KindArchive, Size: size})
	}
	if err == nil {
		im, err = s.start(ctx, u, im)
	}
	if err != nil {
		err = errors.Join(err, s.blobs.DeleteAll(context.WithoutCancel(ctx), store.ImportBlobKey(u, id)))
	}
	return nil, im, err
}

func (s *Service) putPart(ctx context.Context, u reader.UserID, id string, n int, b []byte) error {
	return s.blobs.Put(ctx, store.ImportPartKey(u, id, n), b, blob.Meta{ContentType: "application/zip"})
}

// Begin begins the upload of an archive of a size, in parts.
func (s *Service) Begin(ctx context.Context, u reader.UserID, size int64) (*store.Import, error) {
	if size <= 0 {
		return nil, notArchive()
	}
	if size > MaxArchive {
		return nil, fault.Coded(fault.TooLarge, "request_too_large", "1 GB")
	}
	return s.newImport(ctx, u, store.ImportID(s.clock.Now(), rand.Uint32()),
		store.ImportRow{Kind: store.KindArchive, Size: size})
}

// newImport writes the row of an import. It takes the place of one of the user's of its kind that has not ended: what
// that has done is done again, without effect.
func (s *Service) newImport(ctx context.Context, u reader.UserID, id string, row store.ImportRow) (*store.Import,
	error) {
	list, err := s.store.Imports.List(ctx, u)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Kind == row.Kind && list[i].Ended == 0 {
			if err := s.feeds.RemoveImport(ctx, u, list[i].ID()); err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
		}
	}
	row.Created = s.clock.Now().Unix()
	if err := s.store.Imports.Put(ctx, u, id, row); err != nil {
		return nil, err
	}
	return s.store.Imports.One(ctx, u, id)
}

// Part stores a part of an archive, counted from 0. The last one starts the import. A part may be sent again.
func (s *Service) Part(ctx context.Context, u reader.UserID, id string, n int, b []byte) (*store.Import, error) {
	im, err := s.store.Imports.One(ctx, u, id)
	switch {
	case err != nil:
		return nil, err
	case im.Kind != store.KindArchive || im.Ended > 0:
		return nil, fault.Coded(fault.NotFound, "import_not_found")
	case n < 0 || n >= partsOf(im.Size) || int64(len(b)) != sizeOf(n, im.Size):
		return nil, fault.Coded(fault.Invalid, "bad_upload")
	case im.Total > 0 && n < partsOf(im.Size)-1: // sent again after the start
		return im, nil
	}
	if err := s.putPart(ctx, u, id, n, b); err != nil {
		return nil, err
	}
	if n < partsOf(im.Size)-1 {
		return im, nil
	}
	return s.start(ctx, u, im)
}

// start looks at a stored archive and sends the first message. One that is refused ends the import.
func (s *Service) start(ctx context.Context, u reader.UserID, im *store.Import) (*store.Import, error) {
	a, err := s.open(ctx, s.uploaded(ctx, u, im), im.Size)
	if err == nil {
		err = a.checkSizes()
	}
	if err != nil {
		return nil, errors.Join(err, s.End(ctx, u, im.ID(), fault.CodeOf(err)))
	}
	if err := s.store.Imports.SetTotal(ctx, u, im.ID(), a.kilobytes(a.claimed())); err != nil {
		return nil, err
	}
	err = job.Send(ctx, s.queue, 0, job.Job{Kind: job.Archive, User: u, List: im.ID()})
	if err != nil {
		return nil, err
	}
	if err := s.checkAccount(ctx, u); err != nil {
		return nil, err
	}
	return s.store.Imports.One(ctx, u, im.ID())
}

func (s *Service) uploaded(ctx context.Context, u reader.UserID, im *store.Import) *uploaded {
	return &uploaded{ctx: ctx, blobs: s.blobs, user: u, id: im.ID(), size: im.Size}
}

// End records the end of an import and removes what it was made from.
func (s *Service) End(ctx context.Context, u reader.UserID, id, failed string) error {
	if err := s.store.Imports.End(ctx, u, id, s.clock.Now(), failed); err != nil {
		return err
	}
	return s.blobs.DeleteAll(ctx, store.ImportBlobKey(u, id))
}

// RunImport imports some lines of an archive, and sends the message for the next ones. A message that comes twice, or
// again after a crash, loses and doubles nothing: what a line brings is there already, and a chunk's result is written
// once.
func (s *Service) RunImport(ctx context.Context, j job.Job) error {
	im, err := s.store.Imports.One(ctx, j.User, j.List)
	if fault.Is(err, fault.NotFound) {
		return nil // the import was removed
	}
	if err != nil || im.Ended > 0 {
		return err
	}
	done, err := s.chunk(ctx, j, im)
	switch {
	case err == nil:
	case fault.CodeOf(err) == "user_not_found":
		return nil // removed meanwhile, with its result
	case isOfArchive(err), fault.CodeOf(err) == "import_file_gone":
		return s.End(ctx, j.User, j.List, fault.CodeOf(err))
	default:
		return err
	}
	if done.File == "" {
		return s.End(ctx, j.User, j.List, "")
	}
	j.Chunk++
	return job.Send(ctx, s.queue, 0, j)
}

// chunk imports the lines of a chunk, unless that was done before, and returns its result.
func (s *Service) chunk(ctx context.Context, j job.Job, im *store.Import) (*store.ImportChunk, error) {
	done, err := s.store.Imports.Chunk(ctx, j.User, j.List, j.Chunk)
	if err != nil || done != nil {
		return done, err
	}
	if j.Chunk < 0 || j.Chunk > 0 && !im.Has(j.Chunk-1) {
		return nil, fault.New(fault.Invalid, "bad_message", "takeout: import", nil)
	}
	if j.Chunk >= maxChunks {
		return nil, tooLarge(itemsFile)
	}
	a, err := s.open(ctx, s.uploaded(ctx, j.User, im), im.Size)
	if err != nil {
		return nil, err
	}
	before := 0
	for _, c := range im.Done[:j.Chunk] {
		a.from = position{c.File, c.Row}
		before += c.N
	}
	began := s.clock.Now()
	a.isEnough = func(lines int) bool { return lines >= chunkLines || s.clock.Now().Sub(began) > chunkTime }
	i := s.importer(j.User, a)
	rest, err := i.run(ctx)
	if err != nil {
		return nil, err
	}
	c, err := i.chunk()
	if err != nil {
		return nil, err
	}
	c.File, c.Row, c.N = rest.file, rest.row, im.Total-before
	if rest.file != "" {
		c.N = max(min(a.kilobytes(a.passed), im.Total)-before, 0)
	}
	if err := s.store.Imports.PutChunk(ctx, j.User, &im.ImportRow, j.Chunk, *c); err != nil {
		return nil, err
	}
	// Of two messages one has written it; both go on from there.
	return s.store.Imports.Chunk(ctx, j.User, j.List, j.Chunk)
}

// chunk is the stored form of a result.
func (i *importer) chunk() (*store.ImportChunk, error) {
	o := &i.out
	c := &store.ImportChunk{
		Made: o.Made, Had: o.Feeds - len(o.Made), Items: o.Items, Waiting: o.Waiting, ItemsWaiting: o.ItemsWaiting,
		Rules: o.Rules,
	}
	err := PackFailures(c, o.Failed)
	c.More += i.more
	return c, err
}

// PackFailures puts failures into a result: some of them one by one, of the others their number.
func PackFailures(c *store.ImportChunk, list []Failure) (err error) {
	var failed []store.ImportFailure
	for _, f := range list[:min(len(list), listed)] {
		failed = append(failed, store.ImportFailure{URL: reader.ShownURL(f.URL), Code: f.Code})
	}
	c.More = len(list) - len(failed)
	c.Failed, err = store.PackFailures(failed)
	return err
}
