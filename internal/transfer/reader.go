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
	"maps"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// visitor is told of an archive's members in their order.
type visitor struct {
	row  func(kind string, f fate, r table.Row) error
	gone func(id) error
	blob func(kind, key string, body []byte, m blob.Meta) error
}

// expansion bounds how much may come out of how little.
type expansion struct {
	in   *counter
	out  int64
	free int64
	r    io.Reader
}

type counter struct {
	n int64
	r io.Reader
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

var errBomb = errors.New("bomb")

func (e *expansion) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.out += int64(n); e.out > e.free+maxExpand*e.in.n {
		return n, errBomb
	}
	return n, err
}

// readArchive goes through an archive and trusts nothing in it: names, sizes, order, kinds and hashes are checked
// as they come. Whatever is wrong is Invalid. free bytes may come out of however few.
func readArchive(ctx context.Context, r io.Reader, free int64, v visitor) (m manifest, end archiveEnd, err error) {
	in := &counter{r: r}
	buffered := bufio.NewReader(in)
	gz, err := gzip.NewReader(buffered)
	if err != nil {
		return m, end, fault.Newf(fault.Invalid, "not_an_archive", "The file is not a backup of this program: it is not compressed with gzip.")
	}
	gz.Multistream(false)
	bounded := &expansion{in: in, free: free, r: gz}
	a := &archiveReader{tar: tar.NewReader(bounded), sum: sha256.New(), v: v}
	for err == nil && !a.ended {
		if err = ctx.Err(); err == nil {
			err = a.next()
		}
	}
	if err == nil {
		err = nothingAfter(a.tar, bounded, buffered)
	}
	return a.manifest, a.end, readFault(ctx, err)
}

// nothingAfter reads to the end of the compressed stream, whose checksum stands there.
func nothingAfter(t *tar.Reader, unpacked io.Reader, packed *bufio.Reader) error {
	if _, err := t.Next(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = damaged("something follows its end")
		}
		return err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(unpacked, maxChunk))
	if err != nil {
		return err
	}
	if n == maxChunk {
		return damaged("something follows its end")
	}
	if _, err := packed.ReadByte(); !errors.Is(err, io.EOF) {
		return damaged("something follows its end")
	}
	return nil
}

// readFault gives every failure of reading its sentence.
func readFault(ctx context.Context, err error) error {
	var fe *fault.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fault.New(fault.Cancelled, "cancelled", "transfer: read archive", err)
	case errors.Is(err, errBomb):
		return fault.Newf(fault.TooLarge, "archive_bomb", "The archive unpacks to far more than a backup does. Nothing was restored from it.")
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

type archiveReader struct {
	tar      *tar.Reader
	sum      hash.Hash
	v        visitor
	manifest manifest
	end      archiveEnd
	files    int64
	ended    bool
	doubt    error // about the first row of a kind that this version does not know
}

func (a *archiveReader) next() error {
	h, err := a.tar.Next()
	if err != nil {
		return err
	}
	if h.Typeflag != tar.TypeReg || len(h.Name) > len(blobsDir)+blob.MaxKey {
		return damaged(fmt.Sprintf("%.80q is no plain file", h.Name))
	}
	for k := range h.PAXRecords {
		if strings.HasPrefix(k, "GNU.") {
			return damaged(fmt.Sprintf("%.80q is no plain file", h.Name))
		}
	}
	key, isBlob := strings.CutPrefix(h.Name, blobsDir)
	switch {
	case a.files == 0:
		return a.readManifest(h)
	case h.Name == endName:
		return a.readEnd(h)
	case isBlob:
		return a.readBlob(h, key)
	case strings.HasPrefix(h.Name, rowsDir):
		return a.readRows(h)
	}
	return damaged(fmt.Sprintf("it holds a file %.80q, which no backup has", h.Name))
}

// body reads an entry within its bound.
func (a *archiveReader) body(h *tar.Header, limit int64) ([]byte, error) {
	if h.Size < 0 || h.Size > limit {
		return nil, damaged(fmt.Sprintf("the file %.80q has %d bytes; %d are the most", h.Name, h.Size, limit))
	}
	// What is promised is not made room for before it comes.
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
	alien := fault.Newf(fault.Invalid, "not_an_archive", "The file is not a backup of this program.")
	if h.Name != manifestName {
		return alien
	}
	b, err := a.body(h, maxManifest)
	if err != nil {
		return err
	}
	if json.Unmarshal(b, &a.manifest) != nil || a.manifest.Format != archiveFormat {
		return alien
	}
	if a.manifest.Version != archiveVersion {
		return fault.Newf(fault.Invalid, "archive_version",
			"The archive has the format %d; this version of the program reads %d. Use the version that wrote it (%.40s).",
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
		return damaged("its contents are not those that its end tells of")
	}
	a.ended = true
	return a.doubt
}

func (a *archiveReader) readBlob(h *tar.Header, key string) error {
	kind, f, err := judgeBlob(key)
	if err != nil || f != moves || !blob.ValidKey(key) {
		return damaged(fmt.Sprintf("it holds a file %.80q, which no backup has", h.Name))
	}
	var m archiveMeta
	if text := h.PAXRecords[metaRecord]; text != "" {
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return damaged(fmt.Sprintf("the metadata of %.80q cannot be read", h.Name))
		}
	}
	b, err := a.body(h, blob.DefaultMaxSize)
	if err != nil {
		return err
	}
	a.took(h, b)
	return a.v.blob(kind, key, b, blob.Meta{ContentType: m.Type, ContentEncoding: m.Encoding, User: m.User})
}

func (a *archiveReader) readRows(h *tar.Header) error {
	b, err := a.body(h, maxChunk)
	if err != nil {
		return err
	}
	a.took(h, b)
	for len(b) > 0 {
		text, rest, _ := bytes.Cut(b, []byte{'\n'})
		b = rest
		if err := a.readLine(text); err != nil {
			return err
		}
	}
	return nil
}

func (a *archiveReader) readLine(text []byte) error {
	var l archiveLine
	if err := json.Unmarshal(text, &l); err != nil || (l.Row == nil) == (l.Gone == nil) {
		return damaged("a line of its rows cannot be read")
	}
	if l.Gone != nil {
		return a.v.gone(*l.Gone)
	}
	r, err := table.ParseJSON(l.Row)
	if err != nil {
		return damaged("a row in it is not one: " + err.Error())
	}
	kind, f, err := judge(r)
	if err != nil {
		// A bit that was turned makes strange kinds too: said only when the archive proves to be whole.
		a.doubt = cmp.Or(a.doubt, err)
		return nil
	}
	if f == stays {
		return damaged(fmt.Sprintf("it holds a row of kind %s, which no backup has", kind))
	}
	return a.v.row(kind, f, r)
}

// checkKinds compares the counts and hashes that the end tells of with those of the members that are left.
func checkKinds(said []Line, are Sums) error {
	lines := are.Lines()
	if slices.Equal(said, lines) {
		return nil
	}
	by := map[string]Line{}
	for _, l := range lines {
		by[l.Kind] = l
	}
	for _, l := range said {
		if by[l.Kind] != l {
			return damaged(fmt.Sprintf("it should hold %d of kind %s and holds %d, or others", l.Count, l.Kind, by[l.Kind].Count))
		}
		delete(by, l.Kind)
	}
	return damaged("it holds kinds that its end does not tell of: " + strings.Join(slices.Sorted(maps.Keys(by)), ", "))
}
