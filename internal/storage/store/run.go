package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// RunDays is how long run rows are kept.
const RunDays = 30

// Run states.
const (
	RunDone = "done"
	RunLost = "lost"
	// RunRunning is a requested run in progress: its row has the progress so far.
	RunRunning = "running"
)

// Run kinds: what made the crawler start.
const (
	RunScheduled = "scheduled"
	RunRefresh   = "refresh"
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

// FeedOutcome is a run's outcome for one feed. Most feeds are unmodified, so zero members are left out.
type FeedOutcome struct {
	Feed    uint32 `json:"f"`
	Outcome string `json:"o"`
	Status  int    `json:"s,omitempty"`
	New     int    `json:"n,omitempty"`
	Bytes   int64  `json:"b,omitempty"`
	Millis  int64  `json:"m,omitempty"`
	Err     string `json:"e,omitempty"`

	// For the log and the metrics alone; the row does not keep them.
	Host  string        `json:"-"`
	Fetch time.Duration `json:"-"` // the request alone, without parsing and storing
	// Faults are the statuses of the answers before Status, after which the server was asked again; 0 for none.
	Faults [2]int `json:"-"`
}

// RunRow is the one row that a run writes at its end. A run without one was lost.
type RunRow struct {
	rowKey

	State   string `dynamo:"state"`
	Kind    string `dynamo:"kind"`
	Tick    int32  `dynamo:"tick"`
	Part    int    `dynamo:"part,omitempty"`
	Started int64  `dynamo:"started"` // Unix milliseconds
	RunSums
	Feeds []byte `dynamo:"feeds,omitempty"` // deflated outcomes
	TTL   int64  `dynamo:"ttl"`
}

// ID identifies a run in the API: day and sort key.
func (r *RunRow) ID() string {
	return strings.TrimPrefix(r.PK, "RUN#") + "." + strings.ReplaceAll(r.SK, "#", ".")
}

// maxRunFeeds limits the inflated size of a run's outcomes.
const maxRunFeeds = 32 << 20

// Outcomes inflates what the run did feed by feed.
func (r *RunRow) Outcomes() ([]FeedOutcome, error) {
	var out []FeedOutcome
	if err := reader.UnpackJSON(r.Feeds, maxRunFeeds, &out); err != nil {
		return nil, fault.New(fault.Internal, "bad_run", "store: run", err)
	}
	return out, nil
}

// Runs reads and writes run rows.
type Runs struct {
	t    *table.Table
	days *days
}

// NewRun makes a row ready to be put. job is empty for the scheduled run of a tick and unique otherwise.
func NewRun(t schedule.Tick, part int, job, kind, state string, started time.Time, sums RunSums,
	feeds []FeedOutcome) (*RunRow, error) {
	var packed []byte
	if len(feeds) > 0 {
		var err error
		if packed, err = reader.PackJSON(nil, feeds); err != nil {
			return nil, err
		}
	}
	return &RunRow{
		rowKey: keyed(runKey(t, part, job)),
		State:  state, Kind: kind, Tick: int32(t), Part: part, Started: started.UnixMilli(),
		RunSums: sums, Feeds: packed,
		TTL: started.Add(RunDays * 24 * time.Hour).Unix(),
	}, nil
}

// Put writes a run's row.
func (s *Runs) Put(ctx context.Context, r *RunRow) error { return s.t.Put(ctx, r) }

// PutLost writes the row of a run that never wrote its own, if it is still absent.
func (s *Runs) PutLost(ctx context.Context, r *RunRow) error {
	return ignoreConflict(s.t.Put(ctx, r, table.IfAbsent()))
}

// Get reads the scheduled run of a tick and part; its key is computable.
func (s *Runs) Get(ctx context.Context, t schedule.Tick, part int) (*RunRow, error) {
	return get[RunRow](ctx, s.t, runKey(t, part, ""), "run_not_found")
}

// parseRunID splits an id that RunRow.ID made; false for any other text.
func parseRunID(id string) (day time.Time, sk string, ok bool) {
	d, sk, ok := strings.Cut(id, ".")
	day, err := time.Parse(time.DateOnly, d)
	return day, strings.ReplaceAll(sk, ".", "#"), ok && err == nil && sk != "" && len(id) <= maxRunID
}

const maxRunID = 100

// ByID reads the run that RunRow.ID named.
func (s *Runs) ByID(ctx context.Context, id string) (*RunRow, error) {
	day, sk, ok := parseRunID(id)
	if !ok {
		return nil, fault.New(fault.NotFound, "run_not_found", "store: run", nil)
	}
	return get[RunRow](ctx, s.t, table.Key{PK: runPK(day), SK: sk}, "run_not_found")
}

// Descend walks runs newest first, below the run `before` if given, until each returns false.
func (s *Runs) Descend(ctx context.Context, now time.Time, before string, each func(*RunRow) (bool, error)) error {
	// One day more on either side: the clock may have gone back, and a row's day is its tick's.
	today := now.UTC().Truncate(24 * time.Hour)
	newest, oldest := today.AddDate(0, 0, 1), today.AddDate(0, 0, -RunDays-1)
	day, to := newest, ""
	if before != "" {
		d, sk, ok := parseRunID(before)
		if !ok {
			return fault.New(fault.Invalid, "bad_cursor", "store: runs", nil)
		}
		if !d.After(newest) { // a later day, because the clock went back, means all runs
			day, to = d, sk
		}
	}
	for ; !day.Before(oldest); day, to = day.AddDate(0, 0, -1), "" {
		more, err := s.descendDay(ctx, day, to, each)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// runPage is the number of runs that one query reads: their outcomes by feed make them large.
const runPage = 64

func (s *Runs) descendDay(ctx context.Context, day time.Time, to string, each func(*RunRow) (bool, error)) (more bool,
	err error) {
	more = true
	err = walk(ctx, s.t, table.Query{PK: runPK(day), To: to, Desc: true, Page: runPage}, func(r *RunRow) (bool, error) {
		var err error
		more, err = each(r)
		return more, err
	})
	return more, err
}

// JobName makes a run's job part unique and sortable within its tick.
func JobName(kind string, at time.Time) string {
	return kind + "-" + strconv.FormatInt(at.UnixMilli(), 10)
}
