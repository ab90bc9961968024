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
)

// Backup writes an installation as one archive. w is written to from beginning to end. After an error what was written
// is useless; an error with the code source_changes says that the source did not stay the same.
func Backup(ctx context.Context, from Installation, w io.Writer, o Options) (Report, error) {
	owner, err := ownerOf(ctx, from, o.Clock)
	if err != nil {
		return Report{}, err
	}
	a := newArchiver(w)
	err = a.json(manifestName, manifest{
		Format: archiveFormat, Version: archiveVersion, Home: owner, From: from.Name, Made: o.Clock.Now(),
		Program: o.Version,
	})
	if err != nil {
		return Report{}, err
	}
	src, limit := newSource(from), cutoff(o.Clock)
	written := counter{o: o, stage: "writing", sums: Sums{}}
	for m, err := range src.members(ctx, limit) {
		if err == nil {
			written.add(m)
			err = a.member(m)
		}
		if err != nil {
			return Report{}, err
		}
	}
	again := counter{o: o, stage: "comparing", sums: Sums{}, total: written.done}
	for m, err := range src.members(ctx, limit) {
		if err != nil {
			return Report{}, err
		}
		again.add(m)
	}
	if !written.sums.equal(again.sums) {
		return Report{}, sourceChanges(from.Name)
	}
	return Report{Sums: written.sums, Written: written.done}, a.finish(written.sums.Lines())
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

// member adds a row to the chunk, or writes a blob.
func (a *archiver) member(m member) error {
	if m.key != "" {
		return a.blob(m)
	}
	b, err := m.row.JSON()
	if err != nil {
		return err
	}
	b, err = json.Marshal(archiveLine{Row: b})
	if err != nil {
		return err
	}
	a.chunk.Write(append(b, '\n'))
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

// blob writes a blob, after the rows.
func (a *archiver) blob(m member) error {
	if err := a.flush(); err != nil {
		return err
	}
	text := ""
	if meta := (archiveMeta{m.meta.ContentType, m.meta.ContentEncoding, m.meta.User}); meta.Type+meta.Encoding != "" ||
		len(meta.User) > 0 {
		b, err := json.Marshal(meta)
		if err != nil {
			return err
		}
		text = string(b)
	}
	return a.file(blobsDir+m.key, m.body, text)
}

func (a *archiver) finish(kinds []Line) error {
	if err := a.flush(); err != nil {
		return err
	}
	if err := a.json(endName,
		archiveEnd{Kinds: kinds, Files: a.files, SHA256: hex.EncodeToString(a.sum.Sum(nil))}); err != nil {
		return err
	}
	if err := a.tar.Close(); err != nil {
		return err
	}
	return a.gz.Close()
}
