package transfer

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

var errBomb = errors.New("bomb")

// expansion bounds how many bytes may be unpacked from how few.
type expansion struct {
	from     *bytesRead
	unpacked io.Reader
	out      int64
	free     int64
}

// Read implements io.Reader.
func (e *expansion) Read(p []byte) (int, error) {
	n, err := e.unpacked.Read(p)
	if e.out += int64(n); e.out > e.free+maxExpand*e.from.n {
		return n, errBomb
	}
	return n, err
}

// bytesRead counts what is read.
type bytesRead struct {
	r io.Reader
	n int64
}

// Read implements io.Reader.
func (c *bytesRead) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// archiveReader reads an archive once and trusts nothing in it: names, sizes, order, kinds and hashes are checked as
// they come. Whatever is wrong is Invalid.
type archiveReader struct {
	packed   *bufio.Reader
	unpacked io.Reader
	tar      *tar.Reader
	sum      hash.Hash
	manifest manifest
	end      archiveEnd
	files    int64
	ended    bool
	newer    error // the first row that this version cannot take over
}

// newArchiveReader begins to read an archive. See maxExpand for free.
func newArchiveReader(r io.Reader, free int64) (*archiveReader, error) {
	in := &bytesRead{r: r}
	packed := bufio.NewReader(in)
	gz, err := gzip.NewReader(packed)
	if err != nil {
		return nil,
			fault.Newf(fault.Invalid, "not_an_archive",
				"The file is not a backup of this program: it is not compressed with gzip.")
	}
	gz.Multistream(false)
	unpacked := &expansion{from: in, unpacked: gz, free: free}
	return &archiveReader{packed: packed, unpacked: unpacked, tar: tar.NewReader(unpacked), sum: sha256.New()}, nil
}

// members lists what the archive has, in its order. After it, without an error, manifest and end are known.
func (a *archiveReader) members(ctx context.Context) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		for !a.ended {
			list, err := a.next()
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(member{}, readFault(ctx, err))
				return
			}
			for _, m := range list {
				if !yield(m, nil) {
					return
				}
			}
		}
		if err := a.nothingAfter(); err != nil {
			yield(member{}, readFault(ctx, err))
		}
	}
}

// nothingAfter reads to the end of the compressed stream, where its checksum is, and refuses trailing bytes.
func (a *archiveReader) nothingAfter() error {
	_, err := a.tar.Next()
	if err == nil {
		return damaged("something follows its end")
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(a.unpacked, maxChunk))
	if err != nil {
		return err
	}
	if _, err := a.packed.ReadByte(); n == maxChunk || !errors.Is(err, io.EOF) {
		return damaged("something follows its end")
	}
	return nil
}

// readFault returns the error for a person of a failure to read.
func readFault(ctx context.Context, err error) error {
	var fe *fault.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fault.New(fault.Cancelled, "cancelled", "transfer: read archive", err)
	case errors.Is(err, errBomb):
		return fault.Newf(fault.TooLarge, "archive_bomb",
			"The archive unpacks to far more than a backup does. Nothing was restored from it.")
	case errors.As(err, &fe):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it ends too early; perhaps it was not copied whole")
	}
	d := damaged("its bytes are not those that were written")
	if errors.As(d, &fe) {
		fe.Cause = err
	}
	return d
}

// next reads an entry, and returns the members in it.
func (a *archiveReader) next() ([]member, error) {
	h, err := a.tar.Next()
	if err != nil {
		return nil, err
	}
	isSparse := func(k string) bool { return strings.HasPrefix(k, "GNU.") }
	if h.Typeflag != tar.TypeReg || len(h.Name) > len(blobsDir)+blob.MaxKey ||
		slices.ContainsFunc(slices.Collect(maps.Keys(h.PAXRecords)), isSparse) {
		return nil, damaged(fmt.Sprintf("%.80q is no plain file", h.Name))
	}
	key, isBlob := strings.CutPrefix(h.Name, blobsDir)
	switch {
	case a.files == 0:
		return nil, a.readManifest(h)
	case h.Name == endName:
		return nil, a.readEnd(h)
	case isBlob:
		return a.readBlob(h, key)
	case strings.HasPrefix(h.Name, rowsDir):
		return a.readRows(h)
	}
	return nil, damaged(fmt.Sprintf("it holds a file %.80q, which no backup has", h.Name))
}

// body reads an entry of at most limit bytes.
func (a *archiveReader) body(h *tar.Header, limit int64) ([]byte, error) {
	if h.Size < 0 || h.Size > limit {
		return nil, damaged(fmt.Sprintf("the file %.80q has %d bytes; %d are the most", h.Name, h.Size, limit))
	}
	// Memory is allocated as the bytes arrive, not as the header promises.
	var b bytes.Buffer
	if _, err := io.CopyN(&b, a.tar, h.Size); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (a *archiveReader) took(h *tar.Header, body []byte) {
	a.files++
	sumFile(a.sum, h.Name, h.PAXRecords[metaRecord], body)
}

func (a *archiveReader) readManifest(h *tar.Header) error {
	notOurs := fault.Newf(fault.Invalid, "not_an_archive", "The file is not a backup of this program.")
	if h.Name != manifestName {
		return notOurs
	}
	b, err := a.body(h, maxManifest)
	if err != nil {
		return err
	}
	if json.Unmarshal(b, &a.manifest) != nil || a.manifest.Format != archiveFormat {
		return notOurs
	}
	if a.manifest.Version != archiveVersion {
		return fault.Newf(fault.Invalid, "archive_version",
			"The archive has the format %d; this version of the program reads %d. Use the version that wrote it "+
				"(%.40s).",
			a.manifest.Version, archiveVersion, a.manifest.Program)
	}
	if a.manifest.Home == "" {
		return damaged("it does not say whose it is")
	}
	a.took(h, b)
	return nil
}

func (a *archiveReader) readEnd(h *tar.Header) error {
	b, err := a.body(h, maxEnd)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, &a.end); err != nil {
		return damaged("its end cannot be read")
	}
	if a.end.Files != a.files || a.end.SHA256 != hex.EncodeToString(a.sum.Sum(nil)) {
		return damaged("its contents are not those that its end lists")
	}
	a.ended = true
	return a.newer
}

func (a *archiveReader) readBlob(h *tar.Header, key string) ([]member, error) {
	m := newBlob(key)
	if m.how == stays || !blob.ValidKey(key) {
		return nil, damaged(fmt.Sprintf("it holds a file %.80q, which no backup has", h.Name))
	}
	var meta archiveMeta
	if text := h.PAXRecords[metaRecord]; text != "" {
		if err := json.Unmarshal([]byte(text), &meta); err != nil {
			return nil, damaged(fmt.Sprintf("the metadata of %.80q cannot be read", h.Name))
		}
	}
	b, err := a.body(h, blob.MaxSize)
	if err != nil {
		return nil, err
	}
	a.took(h, b)
	m.fill(b, blob.Meta{ContentType: meta.Type, ContentEncoding: meta.Encoding, User: meta.User})
	return []member{m}, nil
}

func (a *archiveReader) readRows(h *tar.Header) (list []member, err error) {
	b, err := a.body(h, maxChunk)
	if err != nil {
		return nil, err
	}
	a.took(h, b)
	for text := range bytes.Lines(b) {
		var l archiveLine
		if json.Unmarshal(text, &l) != nil || l.Row == nil {
			return nil, damaged("a line of its rows cannot be read")
		}
		r, err := table.ParseJSON(l.Row)
		if err != nil {
			return nil, damaged("a row in it is not one: " + err.Error())
		}
		m, err := newRow(r)
		switch {
		case err != nil:
			// A flipped bit makes such rows too: reported only when the archive proves to be undamaged.
			a.newer = cmp.Or(a.newer, err)
		case m.how == stays && strings.HasPrefix(m.kind, unknownPrefix):
			a.newer = cmp.Or[error](a.newer, fault.Newf(fault.Conflict, "unknown_row",
				"The row %.60q %.60q is of a kind that this version of the program does not know. Use the version "+
					"that wrote it.", r.Key.PK, r.Key.SK))
		case m.how == stays:
			return nil, damaged(fmt.Sprintf("it holds a row of kind %s, which no backup has", m.kind))
		default:
			list = append(list, m)
		}
	}
	return list, nil
}
