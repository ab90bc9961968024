package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Refresh is a request to poll the feeds of a list, by one run in each part of the hosts. The key of a run's row
// follows from the name, so progress costs no writes.
type Refresh struct {
	Name    string `json:"name"`
	Scope   string `json:"scope"` // which list, as its sender names it
	Parts   []int  `json:"parts"`
	Feeds   int    `json:"feeds"`            // to be polled
	Skipped int    `json:"skipped"`          // not to be polled yet, or not at all
	NextAt  int64  `json:"nextAt,omitempty"` // Unix seconds: from when the first of those skipped may be
}

const (
	// RefreshLife is how long a requested refresh may take; later messages of it are dropped.
	RefreshLife = 10 * time.Minute
	// keptRefreshes is how many of a user's refreshes are remembered, and refreshMemory for how long.
	keptRefreshes = 8
	refreshMemory = time.Hour
)

// RefreshName makes the name of a refresh; random makes it unique.
func RefreshName(at time.Time, random uint32) string {
	return fmt.Sprintf("%s-%08x", JobName(RunRefresh, at), random)
}

// RefreshAt returns the time of the request, which is part of a refresh's name.
func RefreshAt(name string) (time.Time, bool) {
	ms, random, ok := strings.Cut(strings.TrimPrefix(name, RunRefresh+"-"), "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil || n < 0 || len(random) != 8 || len(name) > maxRunID ||
		!strings.HasPrefix(name, RunRefresh+"-") {
		return time.Time{}, false
	}
	return time.UnixMilli(n).UTC(), true
}

// At is the time of the request.
func (r *Refresh) At() time.Time {
	at, _ := RefreshAt(r.Name)
	return at
}

// RunIDs are the ids of its runs (RunRow.ID), each of which has its row once it has begun.
func (r *Refresh) RunIDs() []string {
	ids := make([]string, len(r.Parts))
	for i, part := range r.Parts {
		row := RunRow{rowKey: keyed(runKey(schedule.TickOf(r.At()), part, r.Name))}
		ids[i] = row.ID()
	}
	return ids
}

// refreshRow has a user's recent refreshes, the newest first.
type refreshRow struct {
	rowKey
	Rev  int64  `dynamo:"rev,omitempty"`
	List []byte `dynamo:"refreshes"` // JSON of []Refresh
	TTL  int64  `dynamo:"ttl"`
}

// Refreshes reads and writes people's requests to poll feeds.
type Refreshes struct {
	t    *table.Table
	runs *Runs
}

// List returns a user's refreshes of the last hour, the newest first, and the revision to write them with.
func (s *Refreshes) List(ctx context.Context, u reader.UserID, now time.Time) ([]Refresh, int64, error) {
	row, err := getOrZero[refreshRow](ctx, s.t, settingsKey(u, refreshName), table.Consistent())
	if err != nil {
		return nil, 0, err
	}
	var list []Refresh
	_ = json.Unmarshal(row.List, &list) // one that cannot be read is forgotten
	list = slices.DeleteFunc(list, func(r Refresh) bool { return now.Sub(r.At()) >= refreshMemory })
	return list, row.Rev, nil
}

// Put writes a user's refreshes, the newest first; Conflict when they were written since they were read.
func (s *Refreshes) Put(ctx context.Context, u reader.UserID, list []Refresh, rev int64, now time.Time) error {
	packed, err := json.Marshal(list[:min(len(list), keptRefreshes)])
	if err != nil {
		return err
	}
	row := refreshRow{Rev: rev + 1, List: packed, TTL: now.Add(refreshMemory).Unix()}
	return put(ctx, s.t, settingsKey(u, refreshName), &row, table.IfEqual("rev", rev))
}

// Progress is the progress of a refresh.
type Progress struct {
	RunSums
	Done bool // all its parts have ended, or can no longer
}

// Progress sums up what the runs of a refresh have noted so far: one read.
func (s *Refreshes) Progress(ctx context.Context, r *Refresh, now time.Time) (Progress, error) {
	var p Progress
	ended := 0
	rows, err := s.runs.named(ctx, r.Parts, r.Name)
	for _, row := range rows {
		p.Add(row.RunSums)
		if row.State != RunRunning {
			ended++
		}
	}
	p.Done = ended == len(r.Parts) || now.Sub(r.At()) > RefreshLife+schedule.Deadline
	return p, err
}

// named reads the runs of a refresh in several parts; those that have not begun are missing.
func (s *Runs) named(ctx context.Context, parts []int, name string) ([]*RunRow, error) {
	keys := make([]table.Key, 0, len(parts))
	for _, part := range parts {
		at, _ := RefreshAt(name)
		keys = append(keys, runKey(schedule.TickOf(at), part, name))
	}
	return batch[RunRow](ctx, s.t, keys)
}

// Begin writes the row of a requested run. For a duplicate message it is a Conflict and returns the existing row.
func (s *Runs) Begin(ctx context.Context, r *RunRow) (*RunRow, error) {
	err := s.t.Put(ctx, r, table.IfAbsent())
	if !fault.Is(err, fault.Conflict) {
		return nil, err
	}
	was, missing := get[RunRow](ctx, s.t, r.key(), "run_not_found", table.Consistent())
	if missing != nil {
		return nil, missing
	}
	return was, err
}

// PolledFeeds has the times at which feeds were polled on request.
type PolledFeeds map[reader.FeedID]time.Time

// Asked reads which feeds the requested runs of a part polled and when, given the names in its lease.
func (s *Runs) Asked(ctx context.Context, part int, names []string) (PolledFeeds, error) {
	keys := make([]table.Key, 0, len(names))
	for _, name := range names {
		if at, ok := RefreshAt(name); ok {
			keys = append(keys, runKey(schedule.TickOf(at), part, name))
		}
	}
	rows, err := batch[RunRow](ctx, s.t, keys)
	if err != nil {
		return nil, err
	}
	polled := PolledFeeds{}
	for _, row := range rows {
		feeds, err := row.Outcomes()
		if err != nil {
			return nil, err
		}
		for _, o := range feeds {
			if id := reader.FeedID(o.Feed); reader.Outcome(o.Outcome).Polled() && row.ended().After(polled[id]) {
				polled[id] = row.ended()
			}
		}
	}
	return polled, nil
}

const (
	// keptAsked is how many requested runs a lease names, askedMemory for how long: until each feed's next scheduled
	// poll.
	keptAsked   = 24
	askedMemory = 12 * time.Hour
	// Runs that may have polled in the last minutes stay beyond keptAsked, because their polls must not be repeated
	// yet; mostAsked bounds the row when requests never pause.
	askedSurely = RefreshLife + schedule.Deadline + schedule.RefreshGap
	mostAsked   = 200
)

// WithAsked returns the names of the requested runs of a part with one more, without those past askedMemory.
func (l *LeaseRow) WithAsked(name string, now time.Time) []string {
	names := []string{name}
	for _, n := range l.Asked {
		if at, ok := RefreshAt(n); ok && n != name && now.Sub(at) < askedMemory &&
			(len(names) < keptAsked || now.Sub(at) < askedSurely && len(names) < mostAsked) {
			names = append(names, n)
		}
	}
	return names
}

// ReleaseAsked frees a part and records the requested run, in one write. The run is recorded even if the hold is
// another's now.
func (s *Leases) ReleaseAsked(ctx context.Context, part int, mine time.Time, names []string) error {
	return s.releaseWith(ctx, part, mine, map[string]any{"asked": names})
}
