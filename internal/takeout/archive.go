package takeout

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/fault"
)

// The bounds of an archive: a few bytes of a zip can stand for gigabytes, and a short line for a long list. They are
// counted while it is read; what the archive claims about itself is not trusted.
const (
	// maxDirectory is how much of the file is read before its first entry. Eight entries take less than 1 KB, after up
	// to 64 KB of comment.
	maxDirectory = 256 << 10
	maxValue     = 4 << 20 // bytes of a file that is one value
	maxLine      = 8 << 20 // bytes of a line: a body of 1 MB, escaped, or what is read of a feed of 400,000 items
	// The elements of one value, or of a line: "{}," may take hundreds of bytes in memory.
	maxElements     = 100_000
	maxLineElements = 500_000
	// maxRows bounds the lines that are read at a time of all files together, empty ones included.
	maxRows = 200_000
	// One byte of archive may unpack to maxExpand, beyond freeExpand, and never to more than maxPlain in all.
	maxExpand  = 200
	freeExpand = 4 << 20
	maxPlain   = 4 << 30
	// Texts of at least largeText bytes are decoded when their turn comes.
	largeText = 64 << 10
)

// archive reads the files of an untrusted zip.
type archive struct {
	files map[string]*zip.File
	left  int64 // bytes that may still be unpacked
	most  int64 // bytes that all files may unpack to
	rows  int

	// from is the place at which reading lines begins; the files before it are passed over. isEnough reports whether
	// the rest is for later, after so many lines; nil: never.
	from     position
	isEnough func(lines int) bool
	lines    int
	rest     position
	passed   int64 // bytes of the files with lines that are done
}

// position is a place in an archive: a file, and how many of its lines are done.
type position struct {
	file string
	row  int
}

// errEnough ends reading when the rest is for later.
var errEnough = errors.New("takeout: the rest is for later")

func openArchive(from io.ReaderAt, size int64) (*archive, error) {
	// The directory is read whole before anything can be asked of it.
	bounded := &directory{from: from, left: maxDirectory}
	z, err := zip.NewReader(bounded, size)
	if known, ok := errors.AsType[*fault.Error](err); ok { // of the storage that it is read from
		return nil, known
	}
	if err != nil {
		return nil, notArchive()
	}
	bounded.left = math.MaxInt64
	a := &archive{files: map[string]*zip.File{}, most: min(freeExpand+maxExpand*size, maxPlain)}
	a.left = a.most
	for _, f := range z.File {
		if a.files[f.Name] != nil {
			return nil, notArchive()
		}
		a.files[f.Name] = f
	}
	return a, nil
}

// directory limits how many bytes are read.
type directory struct {
	from io.ReaderAt
	left int64
}

// ReadAt implements io.ReaderAt.
func (d *directory) ReadAt(p []byte, off int64) (int, error) {
	if d.left -= int64(len(p)); d.left < 0 {
		return 0, errors.New("the directory is too large")
	}
	return d.from.ReadAt(p, off)
}

func tooLarge(name string) error {
	return fault.Coded(fault.TooLarge, "takeout_too_large", name)
}

// entry counts what is unpacked of one file, and ends with the context.
type entry struct {
	ctx  context.Context //nolint:containedctx // io.Reader takes no context
	a    *archive
	name string
	from io.ReadCloser
	n    int64
}

func (a *archive) open(ctx context.Context, name string) (*entry, error) {
	f := a.files[name]
	if f == nil {
		return nil, broken(name, nil)
	}
	r, err := f.Open()
	if err != nil {
		return nil, broken(name, err)
	}
	return &entry{ctx: ctx, a: a, name: name, from: r}, nil
}

// Read implements io.Reader.
func (e *entry) Read(p []byte) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := e.from.Read(p)
	e.n += int64(n)
	if e.a.left -= int64(n); e.a.left < 0 {
		return 0, tooLarge(e.name)
	}
	return n, err
}

// value reads a file that is one JSON value.
func (a *archive) value(ctx context.Context, name string, into any) error {
	e, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer e.from.Close()
	b, err := io.ReadAll(io.LimitReader(e, maxValue+1))
	if err == nil && len(b) > maxValue {
		err = tooLarge(name)
	}
	if err != nil {
		return e.broken(err)
	}
	return e.decode(b, maxElements, into)
}

// series returns the names of the files of a kind: an export in parts has more than one ("items.jsonl",
// "items-2.jsonl"). The first may be absent.
func (a *archive) series(name string) []string {
	names := []string{name}
	for n := 2; a.files[nameOf(name, n)] != nil; n++ {
		names = append(names, nameOf(name, n))
	}
	return names
}

// claimed is the size that the files with lines claim to have, in bytes; reading more of one is an error.
func (a *archive) claimed() (sum int64) {
	for _, kind := range lineFiles {
		for _, name := range a.series(kind) {
			sum += a.size(name)
		}
	}
	return sum
}

func (a *archive) size(name string) int64 {
	if f := a.files[name]; f != nil {
		return int64(min(f.UncompressedSize64, 1<<40))
	}
	return 0
}

func (a *archive) kilobytes(n int64) int { return int(n>>10) + 1 }

// checkSizes refuses an archive that says that it unpacks to far too much.
func (a *archive) checkSizes() error {
	left := a.most
	for _, kind := range lineFiles {
		for _, name := range a.series(kind) {
			if left -= a.size(name); left < 0 {
				return tooLarge(name)
			}
		}
	}
	return nil
}

// isShort reports whether there is so little that it is imported at once.
func (a *archive) isShort(ctx context.Context) (bool, error) {
	if a.claimed() > maxImmediateBytes {
		return false, nil
	}
	n := 0
	for _, kind := range lineFiles {
		for _, name := range a.series(kind) {
			if a.files[name] == nil {
				continue
			}
			e, err := a.open(ctx, name)
			if err != nil {
				return false, err
			}
			b, err := io.ReadAll(e)
			e.from.Close()
			if err != nil {
				return false, e.broken(err)
			}
			n += bytes.Count(b, []byte("\n"))
		}
	}
	return n <= maxImmediate, nil
}

// isBehind reports whether everything before the files with lines of a kind is done.
func (a *archive) isBehind() bool { return a.from.file != "" }

// lines calls for each value of the files of a kind with one on each line.
func lines[T any](ctx context.Context, a *archive, kind string, each func(*T) error) error {
	for _, name := range a.series(kind) {
		if a.from.file == "" || a.from.file == name {
			if err := linesOf(ctx, a, name, each); err != nil {
				return err
			}
			a.from = position{}
		}
		a.passed += a.size(name)
	}
	return nil
}

func linesOf[T any](ctx context.Context, a *archive, name string, each func(*T) error) error {
	e, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer e.from.Close()
	s := bufio.NewScanner(e)
	s.Buffer(nil, maxLine)
	for row := 0; s.Scan(); row++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if row < a.from.row {
			continue
		}
		if a.isEnough != nil && a.isEnough(a.lines) {
			a.rest = position{name, row}
			a.passed += e.n
			return errEnough
		}
		a.lines++
		if a.rows++; a.rows > maxRows {
			return tooLarge(name)
		}
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		v := new(T)
		if err := e.decode(s.Bytes(), maxLineElements, v); err != nil {
			return err
		}
		if err := each(v); err != nil {
			return err
		}
	}
	return e.broken(s.Err())
}

func (e *entry) decode(b []byte, limit int, into any) error {
	if elements(b) > limit {
		return tooLarge(e.name)
	}
	if len(b) >= largeText {
		leave, err := page.Turn(e.ctx)
		if err != nil {
			return err
		}
		defer leave()
	}
	return e.broken(json.Unmarshal(b, into))
}

// broken wraps an error of reading the file; cancellation and faults stay as they are.
func (e *entry) broken(err error) error {
	var known *fault.Error
	switch {
	case err == nil || e.ctx.Err() != nil || errors.As(err, &known):
		return err
	case errors.Is(err, bufio.ErrTooLong):
		return tooLarge(e.name)
	}
	return broken(e.name, err)
}

// elements counts the elements of all lists and objects of a JSON text, without decoding it.
func elements(b []byte) int {
	n, inText := 0, false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			inText = !inText
		case inText && b[i] == '\\':
			i++
		case !inText && (b[i] == ',' || b[i] == '[' || b[i] == '{'):
			n++
		}
	}
	return n
}
