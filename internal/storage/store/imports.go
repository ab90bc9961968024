package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// ImportDays is how long imports are kept.
const ImportDays = 30

// Kinds of imports besides lists: an archive, an account of another reader (package takeout).
const (
	KindArchive = "archive"
	KindReader  = "reader"
)

// ImportRow is one import. Messages process its chunks and write a row for each (ImportChunk): these are the progress.
type ImportRow struct {
	rowKey

	Kind    string `dynamo:"kind,omitempty"` // empty for a list
	Name    string `dynamo:"name,omitempty"` // as the list calls itself; the address of a reader
	Created int64  `dynamo:"created"`        // Unix seconds; also the start of the subscriptions that it makes
	Ended   int64  `dynamo:"ended,omitempty"`
	Failed  string `dynamo:"failed,omitempty"` // error code, when the import failed as a whole
	// Total is feeds of a list, KB of an archive, unpacked, 100 per cent of a reader.
	Total  int   `dynamo:"total"`
	Size   int64 `dynamo:"size,omitempty"` // bytes of an archive, which is stored in parts
	Chunks int   `dynamo:"chunks"`
	Parts  int   `dynamo:"parts"`           // parts of the hosts that the list was split by
	Apart  bool  `dynamo:"apart,omitempty"` // the parts are processed concurrently
	// Problems are entries of the list that are no feeds, packed like those of a chunk.
	Problems []byte `dynamo:"problems,omitempty"`
	TTL      int64  `dynamo:"ttl"`
}

// ID returns the import's id, from the row's key.
func (r *ImportRow) ID() string { return strings.TrimPrefix(r.SK, "M#") }

// ImportFailure is an entry that was not imported, and why.
type ImportFailure struct {
	URL   string `json:"u,omitempty"`
	Title string `json:"t,omitempty"`
	Code  string `json:"c"`
	// Path is the folder in the list: a retry uses the same one.
	Path []string `json:"p,omitempty"`
}

// ImportChunk is the result of some entries of an import. It is written once.
type ImportChunk struct {
	rowKey

	Made   []int32 `dynamo:"made,omitempty"` // numbers of the feeds subscribed to
	Had    int     `dynamo:"had,omitempty"`
	Failed []byte  `dynamo:"failed,omitempty"` // packed
	N      int     `dynamo:"n"`                // entries in all; KB of an archive; per cent of a reader
	TTL    int64   `dynamo:"ttl"`

	// Of an archive: its stars and labels that are there now, how many feeds and items wait for the first crawl of the
	// feed, the new rules, and how many failed beyond those that are listed.
	Items        int `dynamo:"items,omitempty"`
	Waiting      int `dynamo:"waiting,omitempty"`
	ItemsWaiting int `dynamo:"itemsWaiting,omitempty"`
	Rules        int `dynamo:"rules,omitempty"`
	More         int `dynamo:"more,omitempty"`
	// File and Row are where the next chunk of an archive begins: a file and a line. Empty when nothing is left.
	File string `dynamo:"file,omitempty"`
	Row  int    `dynamo:"row,omitempty"`
	// State is how far the move from another reader is, as JSON. Empty when nothing is left.
	State string `dynamo:"state,omitempty"`
}

// maxFailures bounds inflated failures in bytes, maxFailureText each of their strings: 200 of them fit easily in a row.
const (
	maxFailures    = 1 << 20
	maxFailureText = 300
)

// PackFailures deflates failures for a row; nil for none. Long strings are truncated.
func PackFailures(list []ImportFailure) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	short := make([]ImportFailure, len(list))
	for i, f := range list {
		short[i] = ImportFailure{cutBytes(f.URL), cutBytes(f.Title), f.Code, nil}
		for _, name := range f.Path {
			short[i].Path = append(short[i].Path, cutBytes(name))
		}
	}
	return reader.PackJSON(nil, short)
}

func cutBytes(s string) string {
	if len(s) > maxFailureText {
		s = reader.CutBytes(s, maxFailureText) + "…"
	}
	return s
}

// UnpackFailures is the inverse of PackFailures.
func UnpackFailures(packed []byte) ([]ImportFailure, error) {
	var out []ImportFailure
	if err := reader.UnpackJSON(packed, maxFailures, &out); err != nil {
		return nil, fault.New(fault.Internal, "bad_import", "store: import", err)
	}
	return out, nil
}

// ImportBlobKey returns the key of the uploaded file of an import.
func ImportBlobKey(u reader.UserID, id string) string { return ImportPrefix + string(u) + "/" + id }

// ImportPartKey returns the key of a part of an uploaded archive.
func ImportPartKey(u reader.UserID, id string, n int) string {
	return ImportBlobKey(u, id) + "/" + fixed(uint64(n), 4)
}

// ImportID makes an import's id: ids sort by time, and random makes them unique.
func ImportID(at time.Time, random uint32) string {
	return fmt.Sprintf("%011x%08x", at.UnixMilli(), random)
}

// ValidImportID reports whether an id has the form of ImportID.
func ValidImportID(id string) bool {
	if len(id) != 19 {
		return false
	}
	return strings.Trim(id, "0123456789abcdef") == ""
}

// Imports reads and writes imports.
type Imports struct{ t *table.Table }

// Put writes a new import.
func (s *Imports) Put(ctx context.Context, u reader.UserID, id string, row ImportRow) error {
	row.TTL = row.Created + ImportDays*24*3600
	return put(ctx, s.t, importKey(u, id, ""), &row, table.IfAbsent())
}

// Get reads an import without its chunks, consistently, because a message may arrive right after the row was written.
func (s *Imports) Get(ctx context.Context, u reader.UserID, id string) (*ImportRow, error) {
	row, err := getOrZero[ImportRow](ctx, s.t, importKey(u, id, ""), table.Consistent())
	if err == nil && !row.isStored() {
		return nil, importGone()
	}
	return &row, err
}

func importGone() error {
	return fault.Coded(fault.NotFound, "import_not_found")
}

// End records that an import ended, with the error code if it failed. Only the first call counts.
func (s *Imports) End(ctx context.Context, u reader.UserID, id string, at time.Time, failed string) error {
	set := map[string]any{"ended": at.Unix()}
	if failed != "" {
		set["failed"] = failed
	}
	return ignoreConflict(s.t.Update(ctx, importKey(u, id, ""), table.Update{
		Set: set, If: []table.Cond{table.IfPresent(), table.IfEqual("ended", int64(0))},
	}))
}

// SetTotal records how much there is to import.
func (s *Imports) SetTotal(ctx context.Context, u reader.UserID, id string, total int) error {
	return s.t.Update(ctx, importKey(u, id, ""), table.Update{
		Set: map[string]any{"total": total}, If: []table.Cond{table.IfPresent()},
	})
}

func chunkName(n int) string { return fixed(uint64(n), 4) }

// PutChunk writes the result of a chunk unless it is there already.
func (s *Imports) PutChunk(ctx context.Context, u reader.UserID, row *ImportRow, n int, c ImportChunk) error {
	c.TTL = row.Created + ImportDays*24*3600
	return ignoreConflict(put(ctx, s.t, importKey(u, row.ID(), chunkName(n)), &c, table.IfAbsent()))
}

// Chunk reads the result of a chunk; nil when it is not done.
func (s *Imports) Chunk(ctx context.Context, u reader.UserID, id string, n int) (*ImportChunk, error) {
	c, err := getOrZero[ImportChunk](ctx, s.t, importKey(u, id, chunkName(n)), table.Consistent())
	if err == nil && !c.isStored() {
		return nil, nil
	}
	return &c, err
}

// Import is an import with its results so far.
type Import struct {
	ImportRow
	Done   []ImportChunk // in order of their numbers
	IsLate bool          // chunks without their import, which was removed while they were processed
}

// number returns the chunk's number, from its key.
func (c *ImportChunk) number() int {
	n, _ := strconv.Atoi(c.SK[strings.LastIndexByte(c.SK, '#')+1:])
	return n
}

// Has reports whether a chunk is done.
func (i *Import) Has(n int) bool {
	return slices.ContainsFunc(i.Done, func(c ImportChunk) bool { return c.number() == n })
}

// One reads an import with its chunks, consistently.
func (s *Imports) One(ctx context.Context, u reader.UserID, id string) (*Import, error) {
	list, err := s.list(ctx, u, id, true)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 || list[0].IsLate {
		return nil, importGone()
	}
	return &list[0], nil
}

// List reads a user's imports, the newest first.
func (s *Imports) List(ctx context.Context, u reader.UserID) ([]Import, error) {
	all, err := s.list(ctx, u, "", false)
	if err != nil {
		return nil, err
	}
	out := make([]Import, 0, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		if !all[i].IsLate {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// list reads imports by id; the key of an import sorts before those of its chunks.
func (s *Imports) list(ctx context.Context, u reader.UserID, id string, latest bool) ([]Import, error) {
	var out []Import
	q := table.Query{PK: userPK(u), Prefix: importKey(u, id, "").SK, Consistent: latest}
	for it, err := range s.t.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		name, _, isChunk := strings.Cut(strings.TrimPrefix(it.Key.SK, "M#"), "#")
		if !isChunk {
			i := Import{}
			if err := it.Decode(&i.ImportRow); err != nil {
				return nil, err
			}
			out = append(out, i)
			continue
		}
		if len(out) == 0 || out[len(out)-1].ID() != name {
			out = append(out, Import{ImportRow: ImportRow{rowKey: rowKey{SK: "M#" + name}}, IsLate: true})
		}
		var c ImportChunk
		if err := it.Decode(&c); err != nil {
			return nil, err
		}
		last := &out[len(out)-1]
		last.Done = append(last.Done, c)
	}
	return out, nil
}

// Remove deletes an import, its chunks first, so that an interrupted removal can be repeated.
func (s *Imports) Remove(ctx context.Context, u reader.UserID, i *Import) error {
	for k := range i.Done {
		if err := s.t.Delete(ctx, i.Done[k].key()); err != nil {
			return err
		}
	}
	return s.t.Delete(ctx, importKey(u, i.ID(), ""))
}
