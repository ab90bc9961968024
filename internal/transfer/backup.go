package transfer

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Backup writes all of a home as one archive. w is written to from beginning to end.
func Backup(ctx context.Context, from Place, w io.Writer, o Options) (Report, error) {
	o = o.withDefaults()
	home, err := homeOf(ctx, from, o.Clock)
	if err != nil {
		return Report{}, err
	}
	a := newArchiver(w)
	err = a.json(manifestName, manifest{
		Format: archiveFormat, Version: archiveVersion, Home: home, From: from.Name, Made: o.Clock.Now(), Program: o.Version,
	})
	if err != nil {
		return Report{}, err
	}
	b := &backup{o: o, src: live{from}, a: a, written: map[id]entry{}, read: map[id]known{}}
	if b.nRows, b.nBlobs, err = b.src.count(ctx); err != nil {
		return b.report, err
	}
	for {
		b.report.Passes++
		changed, err := b.pass(ctx)
		switch {
		case err != nil:
			return b.report, err
		case changed == 0:
			b.report.Sums = b.sums
			return b.report, a.finish(b.sums.Lines())
		case b.report.Passes >= o.Passes:
			return b.report, fault.Newf(fault.Conflict, "source_changes",
				"The home changed in each of %d passes, so the backup is not whole and no use. Stop its server (in the cloud: "+
					"deploy with ScheduleState=DISABLED) and make it again.", b.report.Passes)
		}
	}
}

// entry is what the archive has of a key: the content last written, and the pass that last saw it there.
type entry struct {
	d    digest
	pass int
}

type backup struct {
	o       Options
	src     live
	a       *archiver
	written map[id]entry
	read    map[id]known
	sums    Sums
	report  Report
	stage   string
	changed int64 // in this pass
	nRows   int64
	nBlobs  int64
}

// pass writes what differs from what the archive has, and says in how much it did.
func (b *backup) pass(ctx context.Context) (changed int64, err error) {
	b.sums, b.changed, b.stage = Sums{}, 0, "writing"
	if b.report.Passes > 1 {
		b.stage = "comparing"
	}
	if err := b.passRows(ctx); err != nil {
		return b.changed, err
	}
	if err := b.passBlobs(ctx); err != nil {
		return b.changed, err
	}
	for key, e := range b.written {
		if e.pass != b.report.Passes {
			b.changed++
			delete(b.written, key)
			if err := b.a.gone(key); err != nil {
				return b.changed, err
			}
		}
	}
	return b.changed, b.a.flush()
}

// news takes down that a key is there with this content, and tells whether the archive has not got it.
func (b *backup) news(key id, d digest) bool {
	e, there := b.written[key]
	b.written[key] = entry{d, b.report.Passes}
	if there && e.d == d {
		return false
	}
	b.changed++
	b.report.Written++
	return true
}

func (b *backup) passRows(ctx context.Context) error {
	var n, size int64
	err := b.src.rows(ctx, b.report.Passes > 1, func(kind string, _ fate, r table.Row) error {
		d, full, err := rowDigest(r)
		if err != nil {
			return err
		}
		n++
		size += int64(r.Size())
		b.o.Progress(Progress{Stage: b.stage + " rows", Done: n, Total: b.nRows, Bytes: size})
		b.sums.add(kind, full, int64(r.Size()))
		if !b.news(rowID(r.Key), d) {
			return nil
		}
		return b.a.row(r)
	})
	b.nRows = n
	return err
}

func (b *backup) passBlobs(ctx context.Context) error {
	var n, size int64
	ahead := make([]fetched, 0, blobWorkers)
	write := func() error {
		defer func() { ahead = ahead[:0] }()
		if err := fetch(ctx, ahead); err != nil {
			return err
		}
		for _, got := range ahead {
			n++
			size += int64(len(got.body))
			b.o.Progress(Progress{Stage: b.stage + " files", Done: n, Total: max(n, b.nBlobs), Bytes: size})
			if err := b.blob(got); err != nil {
				return err
			}
		}
		return nil
	}
	err := b.src.blobs(ctx, func(o object) error {
		if k, ok := b.read[blobID(o.key)]; ok && o.kind == rawKind && k.size == o.size {
			b.written[blobID(o.key)] = entry{digest(k.full[:16]), b.report.Passes}
			b.sums.add(o.kind, k.full, k.size)
			n++
			return nil
		}
		if ahead = append(ahead, fetched{object: o}); len(ahead) < blobWorkers {
			return nil
		}
		return write()
	})
	if err == nil {
		err = write()
	}
	b.nBlobs = n
	return err
}

// blob writes one blob if the archive has not got it.
func (b *backup) blob(got fetched) error {
	if got.gone { // deleted since it was listed: the next pass sees it gone
		b.changed++
		return nil
	}
	d, full := blobDigest(got.key, got.body, got.meta)
	b.sums.add(got.kind, full, int64(len(got.body)))
	b.read[blobID(got.key)] = known{full, int64(len(got.body))}
	if !b.news(blobID(got.key), d) {
		return nil
	}
	return b.a.blob(got.key, got.body, got.meta)
}

// fetched is a blob on its way into the archive.
type fetched struct {
	object
	body []byte
	meta blob.Meta
	gone bool
}

// fetch reads several blobs at once; the archive takes them in their order.
func fetch(ctx context.Context, all []fetched) error {
	work, wctx := errgroup.WithContext(ctx)
	for i := range all {
		work.Go(func() (err error) {
			all[i].body, all[i].meta, err = all[i].open(wctx)
			if all[i].gone = gone(err); all[i].gone {
				return nil
			}
			return err
		})
	}
	return work.Wait()
}

// archiver writes the entries of an archive.
type archiver struct {
	gz    *gzip.Writer
	tar   *tar.Writer
	chunk bytes.Buffer
	rows  int
	files int64
	sum   hash.Hash // over names, metadata and contents so far
}

func newArchiver(w io.Writer) *archiver {
	gz, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is a valid one; bodies are compressed already
	return &archiver{gz: gz, tar: tar.NewWriter(gz), sum: sha256.New()}
}

func (a *archiver) file(name string, body []byte, meta string) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(body)), Format: tar.FormatPAX}
	if meta != "" {
		h.PAXRecords = map[string]string{metaRecord: meta}
	}
	if err := a.tar.WriteHeader(h); err != nil {
		return err
	}
	if _, err := a.tar.Write(body); err != nil {
		return err
	}
	a.files++
	sumFile(a.sum, name, meta, body)
	return nil
}

// sumFile adds an entry to the archive's hash.
func sumFile(h hash.Hash, name, meta string, body []byte) {
	fmt.Fprintf(h, "%d %d %d\n", len(name), len(meta), len(body))
	_, _ = io.WriteString(h, name+meta) // a hash never fails
	_, _ = h.Write(body)
}

func (a *archiver) json(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return a.file(name, append(b, '\n'), "")
}

func (a *archiver) row(r table.Row) error {
	b, err := r.JSON()
	if err != nil {
		return err
	}
	return a.line(archiveLine{Row: b})
}

func (a *archiver) gone(key id) error { return a.line(archiveLine{Gone: &key}) }

func (a *archiver) line(l archiveLine) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	a.chunk.Write(b)
	a.chunk.WriteByte('\n')
	if a.chunk.Len() < chunkBytes {
		return nil
	}
	return a.flush()
}

func (a *archiver) flush() error {
	if a.chunk.Len() == 0 {
		return nil
	}
	a.rows++
	err := a.file(fmt.Sprintf("%s%08d.jsonl", rowsDir, a.rows), a.chunk.Bytes(), "")
	a.chunk.Reset()
	return err
}

func (a *archiver) blob(key string, body []byte, m blob.Meta) error {
	m = plainMeta(m)
	meta := ""
	if m.ContentType != "" || m.ContentEncoding != "" || len(m.User) > 0 {
		b, err := json.Marshal(archiveMeta{m.ContentType, m.ContentEncoding, m.User})
		if err != nil {
			return err
		}
		meta = string(b)
	}
	// Marks of what is gone must stay behind what they take away, and before what comes again.
	if err := a.flush(); err != nil {
		return err
	}
	return a.file(blobsDir+key, body, meta)
}

func (a *archiver) finish(kinds []Line) error {
	if err := a.flush(); err != nil {
		return err
	}
	if err := a.json(endName, archiveEnd{Kinds: kinds, Files: a.files, SHA256: hex.EncodeToString(a.sum.Sum(nil))}); err != nil {
		return err
	}
	if err := a.tar.Close(); err != nil {
		return err
	}
	return a.gz.Close()
}

func hexOf(b []byte) []byte { return hex.AppendEncode(nil, b) }

func fromHex(out, text []byte) bool {
	if len(text) != hex.EncodedLen(len(out)) {
		return false
	}
	_, err := hex.Decode(out, text)
	return err == nil
}
