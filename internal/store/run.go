package store

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/table"
)

// RunDays is how long run rows are kept.
const RunDays = 30

// Run states.
const (
	RunDone = "done"
	RunLost = "lost"
)

// Run kinds: what made the crawler start.
const (
	RunScheduled = "scheduled"
	RunRefresh   = "refresh"
	RunImport    = "import"
	RunFirst     = "first"
	RunAll       = "all"
)

// RunSums are a run's counts over all its feeds.
type RunSums struct {
	Due         int     `dynamo:"due,omitempty" json:"due"`
	Polled      int     `dynamo:"polled,omitempty" json:"polled"`
	NotModified int     `dynamo:"notMod,omitempty" json:"notModified"`
	Unchanged   int     `dynamo:"same,omitempty" json:"unchanged"`
	Changed     int     `dynamo:"changed,omitempty" json:"changed"`
	Failed      int     `dynamo:"failed,omitempty" json:"failed"`
	Deferred    int     `dynamo:"deferred,omitempty" json:"deferred"`
	Skipped     int     `dynamo:"skipped,omitempty" json:"skipped"`
	Lost        int     `dynamo:"lost,omitempty" json:"lost"`
	NewItems    int     `dynamo:"items,omitempty" json:"newItems"`
	TableReads  float64 `dynamo:"reads,omitempty" json:"tableReads"`
	TableWrites float64 `dynamo:"writes,omitempty" json:"tableWrites"`
	BlobPuts    int     `dynamo:"blobs,omitempty" json:"blobPuts"`
	Bytes       int64   `dynamo:"bytes,omitempty" json:"bytes"`
	Millis      int64   `dynamo:"ms,omitempty" json:"durationMs"`
}

// Add sums two runs; durations add up too.
func (s *RunSums) Add(o RunSums) {
	s.Due += o.Due
	s.Polled += o.Polled
	s.NotModified += o.NotModified
	s.Unchanged += o.Unchanged
	s.Changed += o.Changed
	s.Failed += o.Failed
	s.Deferred += o.Deferred
	s.Skipped += o.Skipped
	s.Lost += o.Lost
	s.NewItems += o.NewItems
	s.TableReads += o.TableReads
	s.TableWrites += o.TableWrites
	s.BlobPuts += o.BlobPuts
	s.Bytes += o.Bytes
	s.Millis += o.Millis
}

// FeedOutcome is what a run did with one feed. Feeds found unmodified are the rule, so all but the
// number is left out when zero.
type FeedOutcome struct {
	Feed    uint32 `json:"f"`
	Outcome string `json:"o"`
	Status  int    `json:"s,omitempty"`
	New     int    `json:"n,omitempty"`
	Bytes   int64  `json:"b,omitempty"`
	Millis  int64  `json:"m,omitempty"`
	Err     string `json:"e,omitempty"`
}

// RunRow is the one row a run of any size leaves at its end. Its absence tells a lost run.
type RunRow struct {
	PK string `dynamo:"pk"`
	SK string `dynamo:"sk"`
	V  int    `dynamo:"v"`

	State   string `dynamo:"state"`
	Kind    string `dynamo:"kind"`
	Tick    int32  `dynamo:"tick"`
	Part    int    `dynamo:"part,omitempty"`
	Started int64  `dynamo:"started"` // Unix milliseconds
	RunSums
	Feeds []byte `dynamo:"feeds,omitempty"` // deflated outcomes
	TTL   int64  `dynamo:"ttl"`
}

// ID names a run to the outside: day and sort key.
func (r *RunRow) ID() string {
	return strings.TrimPrefix(r.PK, "RUN#") + "." + strings.ReplaceAll(r.SK, "#", ".")
}

// maxRunFeeds bounds what a run's outcomes inflate to.
const maxRunFeeds = 32 << 20

// Outcomes inflates what the run did feed by feed.
func (r *RunRow) Outcomes() ([]FeedOutcome, error) {
	if len(r.Feeds) == 0 {
		return nil, nil
	}
	fr := flate.NewReader(bytes.NewReader(r.Feeds))
	defer fr.Close()
	var out []FeedOutcome
	if err := json.NewDecoder(io.LimitReader(fr, maxRunFeeds)).Decode(&out); err != nil {
		return nil, fault.New(fault.Internal, "bad_run", "store: run", err)
	}
	return out, nil
}

// Runs reads and writes run rows.
type Runs struct{ t *table.Table }

// NewRun makes a row ready to be put. job is empty for the scheduled run of a tick and unique otherwise.
func NewRun(t schedule.Tick, part int, job, kind, state string, started time.Time, sums RunSums, feeds []FeedOutcome) (*RunRow, error) {
	var packed []byte
	if len(feeds) > 0 {
		var buf bytes.Buffer
		w := deflaters.Get().(*flate.Writer)
		defer deflaters.Put(w)
		w.Reset(&buf)
		if err := json.NewEncoder(w).Encode(feeds); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		packed = buf.Bytes()
	}
	k := runKey(t, part, job)
	return &RunRow{
		PK: k.PK, SK: k.SK, V: SchemaVersion,
		State: state, Kind: kind, Tick: int32(t), Part: part, Started: started.UnixMilli(),
		RunSums: sums, Feeds: packed,
		TTL: started.Add(RunDays * 24 * time.Hour).Unix(),
	}, nil
}

// Put writes a run's row.
func (s *Runs) Put(ctx context.Context, r *RunRow) error { return s.t.Put(ctx, r) }

// PutLost writes the row of a run that never wrote its own, if it is still absent.
func (s *Runs) PutLost(ctx context.Context, r *RunRow) error {
	err := s.t.Put(ctx, r, table.IfAbsent())
	if fault.Is(err, fault.Conflict) {
		return nil
	}
	return err
}

// Get reads the scheduled run of a tick and part; its key is computable.
func (s *Runs) Get(ctx context.Context, t schedule.Tick, part int) (*RunRow, error) {
	var r RunRow
	if err := s.t.Get(ctx, runKey(t, part, ""), &r); err != nil {
		return nil, err
	}
	return &r, nil
}

// ByID reads the run that RunRow.ID named.
func (s *Runs) ByID(ctx context.Context, id string) (*RunRow, error) {
	day, sk, ok := strings.Cut(id, ".")
	if !ok || len(id) > 100 {
		return nil, fault.New(fault.NotFound, "run_not_found", "store: run", nil)
	}
	var r RunRow
	err := s.t.Get(ctx, table.Key{PK: "RUN#" + day, SK: strings.ReplaceAll(sk, ".", "#")}, &r)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "run_not_found", "store: run", err)
	}
	return &r, err
}

// Descend walks runs newest first from the day of `now`, below the run named `before` when it is not
// empty, at most RunDays back, until each returns false.
func (s *Runs) Descend(ctx context.Context, now time.Time, before string, each func(*RunRow) (bool, error)) error {
	day, to := now.UTC(), ""
	if d, sk, ok := strings.Cut(before, "."); ok {
		t, err := time.Parse(time.DateOnly, d)
		if err != nil {
			return fault.New(fault.Invalid, "bad_cursor", "store: runs", err)
		}
		day, to = t, strings.ReplaceAll(sk, ".", "#")
	}
	// One day more: a tick's row may lie ahead of a clock that went back.
	if before == "" {
		day = day.Add(24 * time.Hour)
	}
	for range RunDays + 2 {
		more := true
		q := table.Query{PK: "RUN#" + day.Format(time.DateOnly), To: to, Desc: true}
		err := s.t.Each(ctx, q, func(it table.Row) error {
			var r RunRow
			if err := it.Decode(&r); err != nil {
				return err
			}
			var err error
			if more, err = each(&r); err != nil {
				return err
			}
			if !more {
				return errStop
			}
			return nil
		})
		if err != nil && err != errStop {
			return err
		}
		if !more {
			return nil
		}
		day, to = day.Add(-24*time.Hour), ""
	}
	return nil
}

// errStop ends a walk early; it never leaves this package.
var errStop = fault.New(fault.Internal, "stop", "store: walk", nil)

// JobName makes a run's job part unique and sortable within its tick.
func JobName(kind string, at time.Time) string {
	return kind + "-" + strconv.FormatInt(at.UnixMilli(), 10)
}
