package takeout

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A zip ends with a list of its files. A part of an archive therefore needs to know what the parts before have: their
// cursor says it, and packer goes through the same files once more without their contents.

// place is the place at which an export continues.
type place struct {
	at    uint64 // when it began, in Unix seconds
	step  uint64
	after uint64 // the last feed or item that was written
	label uint64 // of the items
	lines uint64 // of the next watch that were written
	split uint64 // 1 when a kind of file has several
	files []packed
}

// packed is a file that was written.
type packed struct{ kind, crc, size, plain uint64 }

// Bounds of a cursor: it comes from a client.
const (
	maxCursor = 16 << 10
	maxFile   = 16 << 20
)

// kinds of files; a cursor has their places in this list.
var kinds = []string{preferencesFile, treeFile, opmlFile, subscriptionsFile, watchesFile, rulesFile, searchesFile,
	itemsFile, aboutFile}

// String encodes the cursor.
func (p *place) String() string {
	var b []byte
	for _, n := range []uint64{p.at, p.step, p.after, p.label, p.lines, p.split} {
		b = binary.AppendUvarint(b, n)
	}
	for _, f := range p.files {
		for _, n := range []uint64{f.kind, f.crc, f.size, f.plain} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parsePlace(cursor string) (p place, err error) {
	bad := fault.New(fault.Invalid, "bad_cursor", "takeout: export", nil)
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(cursor) > maxCursor {
		return p, bad
	}
	var list []uint64
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return p, bad
		}
		list, b = append(list, n), b[size:]
	}
	if len(list) < 6 || len(list)%4 != 2 {
		return p, bad
	}
	p = place{at: list[0], step: list[1], after: list[2], label: list[3], lines: list[4], split: list[5]}
	for f := range slices.Chunk(list[6:], 4) {
		if f[0] >= uint64(len(kinds)) || f[1] > 1<<32-1 || f[2] > maxFile || f[3] > 1<<32-1 {
			return p, bad
		}
		p.files = append(p.files, packed{f[0], f[1], f[2], f[3]})
	}
	return p, nil
}

// packer writes the files of one part of a zip.
type packer struct {
	to   *partWriter
	zip  *zip.Writer
	at   *place
	body bytes.Buffer // of the file in the making
}

// partWriter passes on what belongs to the part.
type partWriter struct {
	to   io.Writer
	isOn bool
	n    int
}

// Write implements io.Writer.
func (w *partWriter) Write(p []byte) (int, error) {
	if !w.isOn {
		return len(p), nil
	}
	w.n += len(p)
	return w.to.Write(p)
}

func newPacker(to io.Writer, at *place) (*packer, error) {
	p := &packer{to: &partWriter{to: to}, at: at}
	p.zip = zip.NewWriter(p.to)
	blank := make([]byte, 32<<10)
	for n, f := range at.files {
		w, err := p.create(n, f)
		for left := f.size; err == nil && left > 0; left -= min(left, uint64(len(blank))) {
			_, err = w.Write(blank[:min(left, uint64(len(blank)))])
		}
		if err != nil {
			return nil, err
		}
	}
	err := p.zip.Flush()
	p.to.isOn = true
	return p, err
}

// create begins the nth file.
func (p *packer) create(n int, f packed) (io.Writer, error) {
	nth := 1
	for _, before := range p.at.files[:n] {
		if before.kind == f.kind {
			nth++
		}
	}
	h := &zip.FileHeader{Name: nameOf(kinds[f.kind], nth), Method: zip.Deflate, CRC32: uint32(f.crc),
		CompressedSize64: f.size, UncompressedSize64: f.plain}
	h.SetModTime(time.Unix(int64(p.at.at), 0).UTC()) //nolint:staticcheck // the time of CreateRaw
	return p.zip.CreateRaw(h)
}

// file adds a file.
func (p *packer) file(kind string, write func(io.Writer) error) error {
	p.body.Reset()
	deflated, err := flate.NewWriter(&p.body, flate.DefaultCompression)
	if err != nil {
		return err
	}
	sum, plain := crc32.NewIEEE(), counter(0)
	if err := write(io.MultiWriter(deflated, sum, &plain)); err != nil {
		return err
	}
	if err := deflated.Close(); err != nil {
		return err
	}
	f := packed{uint64(slices.Index(kinds, kind)), uint64(sum.Sum32()), uint64(p.body.Len()), uint64(plain)}
	w, err := p.create(len(p.at.files), f)
	if err == nil {
		_, err = w.Write(p.body.Bytes())
	}
	p.at.files = append(p.at.files, f)
	p.body.Reset()
	return err
}

type counter uint64

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// len is the size of the part in bytes.
func (p *packer) len() int { return p.to.n + p.body.Len() }

// pause ends a part that others follow.
func (p *packer) pause() error { return p.zip.Flush() }

// close ends the last part.
func (p *packer) close() error { return p.zip.Close() }
