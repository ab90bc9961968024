package table

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Driver is what an engine provides. All arguments have been validated by Table: keys and rows are
// within limits, numbers canonical, names free of surprises, batches within 100 and 25 entries without
// a key twice. What an implementer must honour:
//
//   - All methods may be called concurrently. Each write is atomic for its row and durable when it
//     returns nil.
//   - Errors are *fault.Error of the kinds named at each method, or Unavailable, Cancelled, RateLimited
//     (surely not applied), TooLarge, Invalid. Table repeats RateLimited calls, and Unavailable ones
//     where that is harmless, so a driver retries nothing by itself.
//   - Rows may come back although expired: Table hides them. In conditions and updates the driver itself
//     treats a row with 0 < ttl <= Now as absent.
//   - Usage is what DynamoDB would bill (units.go has the arithmetic), also beside a Conflict.
type Driver interface {
	// Get reads one row; absent is ok false without an error.
	Get(ctx context.Context, k Key, consistent bool) (row Row, ok bool, u Usage, err error)
	// BatchGet reads up to 100 rows; what it could not serve comes back in rest.
	BatchGet(ctx context.Context, keys []Key, consistent bool) (rows []Row, rest []Key, u Usage, err error)
	// Query reads one page of a partition, at most Limit rows (0 = the engine's page).
	Query(ctx context.Context, r Range) (Rows, Usage, error)
	// Put creates or replaces a row if the conditions hold, else Conflict.
	Put(ctx context.Context, p PutOp) (Usage, error)
	// Delete removes a row if the conditions hold, else Conflict; absent is no error.
	Delete(ctx context.Context, d DeleteOp) (Usage, error)
	// Update changes attributes if the conditions hold, else Conflict, and returns the row asked for.
	Update(ctx context.Context, u UpdateOp) (row Row, ok bool, used Usage, err error)
	// BatchWrite puts and deletes up to 25 rows together; what it could not do comes back.
	BatchWrite(ctx context.Context, puts []Row, deletes []Key, now int64) (restPuts []Row, restDeletes []Key, u Usage, err error)
	Close() error
}

// Versioner is an optional power of a driver: see Table.Version.
type Versioner interface {
	Version(ctx context.Context, pk string) (v uint64, exact bool)
}

// Range is a query's page in a driver's words: the rows of PK with From <= SK < To (empty To = no upper
// bound), after the key After in the direction asked.
type Range struct {
	PK         string
	Prefix     string // when set, From and To are empty: all keys that begin with it
	From, To   string
	After      string // exclusive start, "" = from the beginning
	Desc       bool
	Consistent bool
	Limit      int
}

// Bounds turns a prefix into bounds: From <= SK < To, empty To = unbounded. To is a bound of bytes and
// need not be UTF-8.
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

// successor is the smallest string above all that begin with p, "" if there is none.
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

// PutOp is a put in a driver's words.
type PutOp struct {
	Row   Row
	Conds []Cond
	Now   int64 // Unix seconds
}

// DeleteOp is a delete in a driver's words.
type DeleteOp struct {
	Key   Key
	Conds []Cond
	Now   int64
}

// UpdateOp is an update in a driver's words: no attribute occurs twice, none is part of the key, and at
// least one change is there. Entries are sorted by name.
type UpdateOp struct {
	Key          Key
	Set          []Assign
	SetIfMissing []Assign
	Add          []Addition
	Remove       []string
	Conds        []Cond
	Now          int64
	Return       ReturnKind
}

// Assign gives an attribute a value.
type Assign struct {
	Field string
	Value types.AttributeValue
}

// Addition adds to a number; a missing one counts as 0.
type Addition struct {
	Field string
	N     int64
}

// Usage is what an operation consumed in DynamoDB's units.
type Usage struct{ Read, Write float64 }

// Plus adds two usages.
func (u Usage) Plus(v Usage) Usage { return Usage{u.Read + v.Read, u.Write + v.Write} }
