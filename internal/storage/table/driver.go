package table

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Driver is what an engine provides. Table has validated all arguments: keys and rows are within limits, numbers
// canonical, names allowed in expressions, batches of at most 100 or 25 entries without duplicate keys. Obligations of
// an implementation:
//
//   - All methods may be called concurrently. Each write is atomic for its row, and durable when it returns nil.
//   - Errors are *fault.Error of the kinds named at each method, or Unavailable, Cancelled, RateLimited (certainly not
//     applied), TooLarge, Invalid. Table repeats RateLimited calls, and Unavailable ones that are idempotent, so a
//     driver does not retry.
//   - Reads may return expired rows: Table hides them. In conditions and updates the driver treats a row with
//     0 < ttl <= Now as absent.
//   - Usage is what DynamoDB would bill (units.go has the formulas), also with a Conflict.
type Driver interface {
	// Get reads one row; ok is false when it is absent.
	Get(ctx context.Context, k Key, consistent bool) (row Row, ok bool, u Usage, err error)
	// BatchGet reads up to 100 rows; rest are the keys that were not processed.
	BatchGet(ctx context.Context, keys []Key, consistent bool) (rows []Row, rest []Key, u Usage, err error)
	// Query reads one page of a partition, at most Limit rows (0 = the engine's page).
	Query(ctx context.Context, r Range) (Rows, Usage, error)
	// Write puts, deletes or updates a row if the conditions hold, else Conflict, and returns the row asked for.
	// Deleting an absent row is no error.
	Write(ctx context.Context, op WriteOp) (row Row, ok bool, u Usage, err error)
	// BatchWrite puts and deletes up to 25 rows together; restPuts and restDeletes were not processed.
	BatchWrite(ctx context.Context, puts []Row, deletes []Key, now int64) (restPuts []Row, restDeletes []Key,
		u Usage, err error)
	// Scan reads one page of all rows in the engine's own order, starting after a key, which need not exist any more;
	// the zero Key starts. next is the key to continue after, zero at the end. A page may be short or empty although
	// more follow.
	Scan(ctx context.Context, after Key, limit int, consistent bool) (rows []Row, next Key, u Usage, err error)
	Close() error
}

// Logger is implemented by drivers that record which rows change: see Table.Changes.
type Logger interface {
	Changes(ctx context.Context, after uint64) (list []Change, now uint64, complete bool)
}

// Soloist is implemented by drivers that can tell whether another process has the table open: see Table.Alone.
type Soloist interface {
	Alone(f func(stayed bool)) bool
}

// Change is a row that was written or deleted.
type Change struct {
	At  uint64 // position in the log; rows that were written together have the same
	Key Key
}

// Range is one page of a query: the rows of PK with From <= SK < To (empty To = no upper bound), after the key After in
// the direction of the query.
type Range struct {
	PK         string
	Prefix     string // when set, From and To are empty: all keys that begin with it
	From, To   string
	After      string // exclusive start, "" = from the beginning
	Desc       bool
	Consistent bool
	Limit      int
}

// Bounds returns the range, or the prefix, as bounds: from <= SK < to, empty to = unbounded. to need not be UTF-8.
func (r Range) Bounds() (from, to string) {
	if r.Prefix == "" {
		return r.From, r.To
	}
	return r.Prefix, successor(r.Prefix)
}

// Contains reports whether a sort key lies in the range.
func (r Range) Contains(sk string) bool {
	from, to := r.Bounds()
	return sk >= from && (to == "" || sk < to)
}

// successor returns the smallest string above all that begin with p, "" if there is none.
func successor(p string) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] != 0xff {
			return p[:i] + string([]byte{p[i] + 1})
		}
	}
	return ""
}

// Rows is one page. After is the key to continue after; empty means the range is exhausted.
type Rows struct {
	Rows  []Row
	After string
}

// WriteKind says what a WriteOp does.
type WriteKind string

// The kinds of writes.
const (
	OpPut    WriteKind = "put"    // creates or replaces the row
	OpDelete WriteKind = "delete" // removes the row
	OpUpdate WriteKind = "update" // changes attributes, and creates the row
)

// WriteOp is a validated write of one row.
type WriteOp struct {
	Kind WriteKind
	Key  Key
	Row  Row // of OpPut
	Changes
	Return ReturnKind // of OpUpdate
	Conds  []Cond
	Now    int64 // Unix seconds
}

// Changes are those of an update: no attribute occurs twice, none is part of the key, and there is at least one.
// Entries are sorted by name.
type Changes struct {
	Set          []Assign
	SetIfMissing []Assign
	Add          []Addition
	Remove       []string
}

// Assign sets an attribute.
type Assign struct {
	Field string
	Value types.AttributeValue
}

// Addition adds to an integer; a missing one counts as 0.
type Addition struct {
	Field string
	N     int64
}

// Usage is the consumption of an operation in DynamoDB's units.
type Usage struct{ Read, Write float64 }

// Plus adds two usages.
func (u Usage) Plus(v Usage) Usage { return Usage{u.Read + v.Read, u.Write + v.Write} }
