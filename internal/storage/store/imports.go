package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// ImportDays is how long imports are remembered.
const ImportDays = 30

// ImportRow is one import of a list. Its parts are worked on by messages, each of which leaves one row of what came
// of it (ImportChunk): how far an import is follows from those that are there.
type ImportRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Name    string `dynamo:"name,omitempty"` // of the list, as it says itself
	Created int64  `dynamo:"created"`        // Unix seconds; subscriptions that it makes begin then
	Ended   int64  `dynamo:"ended,omitempty"`
	Failed  string `dynamo:"failed,omitempty"` // the code of why it could not go on as a whole
	Total   int    `dynamo:"total"`            // feeds of the list
	Chunks  int    `dynamo:"chunks"`
	Parts   int    `dynamo:"parts"`           // of hosts that the list was split by
	Apart   bool   `dynamo:"apart,omitempty"` // the parts are worked on at the same time
	// Problems are entries of the list that are no feeds: packed as those of a chunk.
	Problems []byte `dynamo:"problems,omitempty"`
	TTL      int64  `dynamo:"ttl"`
}

// ID names the import, from the row's key.
func (r *ImportRow) ID() string { return strings.TrimPrefix(r.SK, "M#") }

// ImportFailure is an entry that was not imported, and why.
type ImportFailure struct {
	URL     string `json:"u,omitempty"`
	Title   string `json:"t,omitempty"`
	Code    string `json:"c"`
	Message string `json:"m,omitempty"`
	// Path is where the list has it: what is tried again comes into the same folder.
	Path []string `json:"p,omitempty"`
}

// ImportChunk is what came of some entries of an import. It is written once, by whoever is first.
type ImportChunk struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	Made   []int32 `dynamo:"made,omitempty"` // numbers of the feeds that are subscribed to now
	Had    int     `dynamo:"had,omitempty"`
	Failed []byte  `dynamo:"failed,omitempty"` // packed
	N      int     `dynamo:"n"`                // entries in all
	TTL    int64   `dynamo:"ttl"`
}

// maxFailures bounds what packed failures inflate to, maxFailureText each of their texts: a row of 200 stays far
// below what a row may hold.
const (
	maxFailures    = 1 << 20
	maxFailureText = 300
)

// PackFailures deflates failures for a row; nil for none. Long texts are cut.
func PackFailures(list []ImportFailure) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	short := make([]ImportFailure, len(list))
	for i, f := range list {
		short[i] = ImportFailure{cutBytes(f.URL), cutBytes(f.Title), f.Code, cutBytes(f.Message), nil}
		for _, name := range f.Path {
			short[i].Path = append(short[i].Path, cutBytes(name))
		}
	}
	var buf bytes.Buffer
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&buf)
	if err := json.NewEncoder(w).Encode(short); err != nil {
		return nil, err
	}
	err := w.Close()
	return buf.Bytes(), err
}

func cutBytes(s string) string {
	if len(s) > maxFailureText {
		s = strings.ToValidUTF8(s[:maxFailureText], "") + "…"
	}
	return s
}

// UnpackFailures inflates what PackFailures made.
func UnpackFailures(packed []byte) ([]ImportFailure, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	r := flate.NewReader(bytes.NewReader(packed))
	defer r.Close()
	var out []ImportFailure
	if err := json.NewDecoder(io.LimitReader(r, maxFailures)).Decode(&out); err != nil {
		return nil, fault.New(fault.Internal, "bad_import", "store: import", err)
	}
	return out, nil
}

// ImportBlobKey names the file of an import while it is worked on.
func ImportBlobKey(u reader.UserID, id string) string { return ImportPrefix + string(u) + "/" + id }

// ImportID makes an import's name: what is later is greater, and random is told apart by.
func ImportID(at time.Time, random uint32) string {
	return fmt.Sprintf("%011x%08x", at.UnixMilli(), random)
}

// ValidImportID tells what ImportID can have made.
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
	k := importKey(u, id, "")
	row.PK, row.SK, row.V = k.PK, k.SK, SchemaVersion
	row.TTL = row.Created + ImportDays*24*3600
	return s.t.Put(ctx, row, table.IfAbsent())
}

// Get reads an import by itself, consistently: a message may come within a moment of its row.
func (s *Imports) Get(ctx context.Context, u reader.UserID, id string) (*ImportRow, error) {
	var row ImportRow
	if err := s.t.Get(ctx, importKey(u, id, ""), &row, table.Consistent()); err != nil {
		if fault.Is(err, fault.NotFound) {
			return nil, importGone()
		}
		return nil, err
	}
	return &row, nil
}

func importGone() error {
	return fault.Newf(fault.NotFound, "import_not_found", "There is no such import, or it is no longer kept.")
}

// End notes that an import is over, with the code of why it failed or none. Only the first end counts.
func (s *Imports) End(ctx context.Context, u reader.UserID, id string, at time.Time, failed string) error {
	set := map[string]any{"ended": at.Unix()}
	if failed != "" {
		set["failed"] = failed
	}
	err := s.t.Update(ctx, importKey(u, id, ""), table.Update{
		Set: set, If: []table.Cond{table.IfPresent(), table.IfEqual("ended", int64(0))},
	})
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

func chunkName(n int) string { return fixed(uint64(n), 4) }

// PutChunk writes what came of a chunk unless somebody has.
func (s *Imports) PutChunk(ctx context.Context, u reader.UserID, row *ImportRow, n int, c ImportChunk) error {
	k := importKey(u, row.ID(), chunkName(n))
	c.PK, c.SK, c.V, c.TTL = k.PK, k.SK, SchemaVersion, row.Created+ImportDays*24*3600
	err := s.t.Put(ctx, c, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// Chunk reads what came of a chunk; nil when it is not done.
func (s *Imports) Chunk(ctx context.Context, u reader.UserID, id string, n int) (*ImportChunk, error) {
	var c ImportChunk
	err := s.t.Get(ctx, importKey(u, id, chunkName(n)), &c, table.Consistent())
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return &c, err
}

// Import is an import with all that has come of it so far.
type Import struct {
	ImportRow
	Done   []ImportChunk // in order of their numbers
	IsLate bool          // chunks without their import: it was removed while they were worked on
}

// number of a chunk, from its key.
func (c *ImportChunk) number() int {
	n, _ := strconv.Atoi(c.SK[strings.LastIndexByte(c.SK, '#')+1:])
	return n
}

// Has tells whether a chunk is done.
func (i *Import) Has(n int) bool {
	for k := range i.Done {
		if i.Done[k].number() == n {
			return true
		}
	}
	return false
}

// One reads an import with its chunks, seeing every acknowledged write.
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

// List reads a user's imports of the last days, the newest first.
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

// list reads imports in order; the key of an import comes before those of its chunks.
func (s *Imports) list(ctx context.Context, u reader.UserID, id string, latest bool) ([]Import, error) {
	var out []Import
	q := table.Query{PK: userPK(u), Prefix: importKey(u, id, "").SK, Consistent: latest}
	err := s.t.Each(ctx, q, func(it table.Row) error {
		name, _, isChunk := strings.Cut(strings.TrimPrefix(it.Key.SK, "M#"), "#")
		if !isChunk {
			i := Import{}
			if err := it.Decode(&i.ImportRow); err != nil {
				return err
			}
			out = append(out, i)
			return nil
		}
		if len(out) == 0 || out[len(out)-1].ID() != name {
			out = append(out, Import{ImportRow: ImportRow{SK: "M#" + name}, IsLate: true})
		}
		var c ImportChunk
		if err := it.Decode(&c); err != nil {
			return err
		}
		last := &out[len(out)-1]
		last.Done = append(last.Done, c)
		return nil
	})
	return out, err
}

// Remove takes an import away, its chunks before itself: what is left of a removal that broke off can be removed
// again.
func (s *Imports) Remove(ctx context.Context, u reader.UserID, i *Import) error {
	for k := range i.Done {
		if err := s.t.Delete(ctx, table.Key{PK: i.Done[k].PK, SK: i.Done[k].SK}); err != nil {
			return err
		}
	}
	return s.t.Delete(ctx, importKey(u, i.ID(), ""))
}
