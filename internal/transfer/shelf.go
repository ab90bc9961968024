package transfer

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
)

// Shelf is where the backups of many days lie: Folder or InBucket. Days are named by their date.
type Shelf interface {
	// put writes an archive, unless a complete one is there, and returns its hash and size.
	put(ctx context.Context, date string, write func(io.Writer) error) (sum string, bytes int64, err error)
	// open reads an archive; fs.ErrNotExist: there is none.
	open(ctx context.Context, date string) (io.ReadCloser, error)
	remove(ctx context.Context, date string) error
	// days lists the complete archives, and removes what a crash left of others. inChain reports which the chain has.
	days(ctx context.Context, inChain func(date string) bool) ([]time.Time, error)
	// chain returns the text of the chain, empty at first; setChain replaces it by one with another line.
	chain(ctx context.Context) ([]byte, error)
	setChain(ctx context.Context, text []byte) error
}

// Folder is a folder of the operator's. An archive gets its name when it is complete.
type Folder string

func (f Folder) file(name string) string { return filepath.Join(string(f), name) }

func (f Folder) put(_ context.Context, date string, write func(io.Writer) error) (string, int64, error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return "", 0, err
	}
	name := f.file(date + ArchiveEnd)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if err := WriteWhole(name, write); err != nil {
			return "", 0, err
		}
	}
	r, err := os.Open(name) //nolint:gosec // a file of the operator's folder
	if err != nil {
		return "", 0, err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	return hex.EncodeToString(sum.Sum(nil)), n, err
}

// WriteWhole writes a file that appears under its name when it is complete.
func WriteWhole(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".part-*")
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func (f Folder) open(_ context.Context, date string) (io.ReadCloser, error) {
	return os.Open(f.file(filepath.Base(date) + ArchiveEnd))
}

func (f Folder) remove(_ context.Context, date string) error {
	return os.Remove(f.file(date + ArchiveEnd))
}

func (f Folder) days(context.Context, func(string) bool) (days []time.Time, err error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		date, isArchive := strings.CutSuffix(e.Name(), ArchiveEnd)
		if day, err := time.Parse(time.DateOnly, date); isArchive && err == nil {
			days = append(days, day)
		} else if strings.Contains(e.Name(), ArchiveEnd+".part-") {
			if err := os.Remove(f.file(e.Name())); err != nil {
				return nil, err
			}
		}
	}
	return days, nil
}

func (f Folder) chain(context.Context) ([]byte, error) {
	text, err := os.ReadFile(f.file(chainName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

func (f Folder) setChain(_ context.Context, text []byte) error {
	return WriteWhole(f.file(chainName), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// partBytes is the size of the parts of an archive in a bucket: one is in memory at a time, and a blob has a bound.
const partBytes = 16 << 20

// InBucket is a bucket, of S3 or a service like it, under a prefix. An archive is in numbered parts, which one after
// another are the file; it is complete when the chain has it.
func InBucket(b *blob.Bucket, prefix string) Shelf {
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	return &bucket{b, prefix, partBytes}
}

type bucket struct {
	blobs  *blob.Bucket
	prefix string
	most   int // bytes of a part
}

func (b *bucket) partsOf(date string) string { return b.prefix + date + ArchiveEnd + "/" }

func (b *bucket) part(date string, n int) string { return fmt.Sprintf("%s%05d", b.partsOf(date), n) }

func (b *bucket) put(ctx context.Context, date string, write func(io.Writer) error) (string, int64, error) {
	if err := b.remove(ctx, date); err != nil { // an unfinished one may have had more parts
		return "", 0, err
	}
	w := &parts{ctx: ctx, to: b, date: date}
	sum, whole := sha256.New(), bufio.NewWriterSize(w, b.most)
	err := write(io.MultiWriter(whole, sum))
	if err == nil {
		err = whole.Flush()
	}
	return hex.EncodeToString(sum.Sum(nil)), w.bytes, err
}

// parts writes an archive's parts: each call of Write makes one, or more where its bytes exceed the size of a part.
type parts struct {
	//nolint:containedctx // an io.Writer
	ctx   context.Context
	to    *bucket
	date  string
	n     int
	bytes int64
}

// Write implements io.Writer.
func (p *parts) Write(b []byte) (written int, err error) {
	for part := range slices.Chunk(b, p.to.most) {
		p.n++
		meta := blob.Meta{ContentType: "application/gzip"}
		if err := p.to.blobs.Put(p.ctx, p.to.part(p.date, p.n), part, meta); err != nil {
			return written, err
		}
		written += len(part)
		p.bytes += int64(len(part))
	}
	return written, nil
}

func (b *bucket) open(ctx context.Context, date string) (io.ReadCloser, error) {
	page, _, err := b.blobs.List(ctx, b.partsOf(date), "", 1)
	if err == nil && len(page) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return io.NopCloser(&partsReader{ctx: ctx, from: b, date: date}), nil
}

// partsReader reads an archive's parts one after another.
type partsReader struct {
	//nolint:containedctx // an io.Reader
	ctx  context.Context
	from *bucket
	date string
	n    int
	left []byte
}

// Read implements io.Reader.
func (r *partsReader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		r.n++
		part, _, err := r.from.blobs.Get(r.ctx, r.from.part(r.date, r.n))
		if fault.Is(err, fault.NotFound) {
			return 0, io.EOF // the hash tells a missing part
		}
		if err != nil {
			return 0, err
		}
		r.left = part
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

func (b *bucket) remove(ctx context.Context, date string) error {
	return b.blobs.DeleteAll(ctx, b.partsOf(date))
}

func (b *bucket) days(ctx context.Context, inChain func(string) bool) (days []time.Time, err error) {
	for cursor := ""; ; {
		page, next, err := b.blobs.List(ctx, b.prefix, cursor, 0)
		if err != nil {
			return nil, err
		}
		for _, o := range page {
			date, rest, _ := strings.Cut(strings.TrimPrefix(o.Key, b.prefix), ArchiveEnd+"/")
			day, err := time.Parse(time.DateOnly, date)
			if err != nil || rest == "" || slices.Contains(days, day) {
				continue
			}
			if inChain(date) {
				days = append(days, day)
			} else if err := b.remove(ctx, date); err != nil {
				return nil, err
			}
		}
		if next == "" {
			return days, nil
		}
		cursor = next
	}
}

func (b *bucket) chain(ctx context.Context) ([]byte, error) {
	text, _, err := b.blobs.Get(ctx, b.prefix+chainName)
	return text, fault.Ignore(err, fault.NotFound)
}

func (b *bucket) setChain(ctx context.Context, text []byte) error {
	return b.blobs.Put(ctx, b.prefix+chainName, text, blob.Meta{ContentType: "application/jsonl"})
}
