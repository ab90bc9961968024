package fileblob

import (
	"context"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"

	"github.com/ruri-reader/ruri/internal/blob"
	"github.com/ruri-reader/ruri/internal/fault"
)

const firstRead = 1024 // covers nearly every header

// Get implements blob.Driver. A whole body is checked against its sum; a range is not.
func (s *Store) Get(_ context.Context, key string, r blob.Range, limit int64) ([]byte, blob.Meta, error) {
	const op = "fileblob: get"
	f, err := s.root.Open(key + mark)
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	defer f.Close()
	fx, m, err := readHeader(f)
	if err != nil {
		return nil, blob.Meta{}, classify(op, err)
	}
	whole := r == blob.Range{}
	if !whole && r.Off >= fx.size {
		return nil, blob.Meta{}, fault.New(fault.Invalid, "bad_range", op, nil)
	}
	n := fx.size - r.Off
	if r.Len > 0 {
		n = min(n, r.Len)
	}
	if n > limit {
		return nil, blob.Meta{}, fault.New(fault.TooLarge, "blob_too_large", op, nil)
	}
	// A damaged length must not make us ask for memory that no file backs.
	if info, err := f.Stat(); err != nil || info.Size() != fixedBytes+int64(fx.metaLen)+fx.size {
		return nil, blob.Meta{}, classify(op, errors.Join(err, corrupt("length differs")))
	}
	body := make([]byte, n)
	if _, err := f.ReadAt(body, fixedBytes+int64(fx.metaLen)+r.Off); err != nil && n > 0 {
		return nil, blob.Meta{}, classify(op, err)
	}
	if whole && crc32.Checksum(body, castagnoli) != fx.bodyCRC {
		return nil, blob.Meta{}, corrupt("body damaged")
	}
	return body, m, nil
}

// Stat implements blob.Driver.
func (s *Store) Stat(_ context.Context, key string) (blob.Meta, error) {
	const op = "fileblob: stat"
	f, err := s.root.Open(key + mark)
	if err != nil {
		return blob.Meta{}, classify(op, err)
	}
	defer f.Close()
	_, m, err := readHeader(f)
	return m, classify(op, err)
}

func readHeader(f *os.File) (fixed, blob.Meta, error) {
	buf := make([]byte, firstRead)
	n, err := f.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return fixed{}, blob.Meta{}, err
	}
	fx, err := decodeFixed(buf[:n])
	if err != nil {
		return fixed{}, blob.Meta{}, err
	}
	if need := fixedBytes + fx.metaLen; need > firstRead {
		buf = make([]byte, need)
		if n, err = f.ReadAt(buf, 0); err != nil && !errors.Is(err, io.EOF) {
			return fixed{}, blob.Meta{}, err
		}
	}
	m, err := decodeMeta(fx, buf[:n])
	return fx, m, err
}

// List implements blob.Driver.
func (s *Store) List(ctx context.Context, prefix, after string, limit int) ([]blob.Object, bool, error) {
	l := &lister{s: s, ctx: ctx, prefix: prefix, after: after, limit: limit}
	start := ""
	if i := strings.LastIndexByte(prefix, '/'); i >= 0 {
		start = prefix[:i+1]
	}
	err := l.walk(start)
	if errors.Is(err, errEnough) {
		return l.page, true, nil
	}
	return l.page, false, classify("fileblob: list", err)
}

var errEnough = errors.New("page full") // sentinel

type lister struct {
	s             *Store
	ctx           context.Context // of the one call that this lister serves
	prefix, after string
	limit         int
	page          []blob.Object
}

// walk visits the folder of the keys that begin with dir ("" or ending in a slash). Names sort as the keys do
// when a folder counts with its slash: "a-b" comes before "a/b", and that before "ab".
func (l *lister) walk(dir string) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	names, err := l.names(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		full := dir + name
		switch {
		case strings.HasSuffix(full, "/"):
			inPrefix := strings.HasPrefix(full, l.prefix) || strings.HasPrefix(l.prefix, full)
			if !inPrefix || full < l.after && !strings.HasPrefix(l.after, full) {
				continue
			}
			err = l.walk(full)
		case strings.HasPrefix(full, l.prefix) && full > l.after:
			err = l.add(full)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) names(dir string) ([]string, error) {
	f, err := l.s.root.Open(path.Join(".", dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // never there, or deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		switch name, isBlob := strings.CutSuffix(e.Name(), mark); {
		case e.IsDir() && !strings.Contains(name, mark):
			names = append(names, name+"/")
		case isBlob && e.Type().IsRegular():
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names, nil
}

// add puts one blob on the page. A damaged one is listed with what its file tells, so that it can be found and
// deleted.
func (l *lister) add(key string) error {
	f, err := l.s.root.Open(key + mark)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if len(l.page) == l.limit {
		return errEnough
	}
	var buf [fixedBytes]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	fx, err := decodeFixed(buf[:n])
	if err != nil {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		fx.size, fx.modified = info.Size(), info.ModTime().UTC()
	}
	l.page = append(l.page, blob.Object{Key: key, Size: fx.size, Modified: fx.modified})
	return nil
}
