package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// Refresh is a person's request to poll the feeds of a list. Its polls are those of one run in each part of the
// hosts, whose row lies under a key that follows from the name: progress is read there and costs no write for a feed.
type Refresh struct {
	Name    string `dynamo:"name"`
	Scope   string `dynamo:"scope"` // which list, as its sender names it
	Parts   []int  `dynamo:"parts"`
	Feeds   int    `dynamo:"feeds"`            // to be polled
	Skipped int    `dynamo:"skipped"`          // not to be polled yet, or not at all
	NextAt  int64  `dynamo:"nextAt,omitempty"` // Unix seconds: from when the first of those skipped may be
}

const (
	// RefreshLife is how long a requested refresh may take, waits for busy parts included: its messages are
	// worked on no later.
	RefreshLife = 10 * time.Minute
	// keptRefreshes is how many of a user's refreshes are remembered, and refreshMemory for how long.
	keptRefreshes = 8
	refreshMemory = time.Hour
)

// RefreshName makes the name of a refresh; random tells those of a moment apart.
func RefreshName(at time.Time, random uint32) string {
	return fmt.Sprintf("%s-%08x", JobName(RunRefresh, at), random)
}

// RefreshAt reads from its name when a refresh was asked for.
func RefreshAt(name string) (time.Time, bool) {
	ms, random, ok := strings.Cut(strings.TrimPrefix(name, RunRefresh+"-"), "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil || n < 0 || len(random) != 8 || len(name) > maxRunID || !strings.HasPrefix(name, RunRefresh+"-") {
		return time.Time{}, false
	}
	return time.UnixMilli(n).UTC(), true
}

// At is when the refresh was asked for.
func (r *Refresh) At() time.Time {
	at, _ := RefreshAt(r.Name)
	return at
}

// refreshRow is all of a user's refreshes of late, the newest first.
type refreshRow struct {
	PK   string    `dynamo:"pk"`
	SK   string    `dynamo:"sk"`
	V    int       `dynamo:"v"`
	Rev  int64     `dynamo:"rev,omitempty"`
	List []Refresh `dynamo:"list"`
	TTL  int64     `dynamo:"ttl"`
}

// Refreshes reads and writes what people asked to be polled.
type Refreshes struct {
	t    *table.Table
	runs *Runs
}

// List gives a user's refreshes of the last hour, the newest first, and the revision to write them with.
func (s *Refreshes) List(ctx context.Context, u reader.UserID, now time.Time) ([]Refresh, int64, error) {
	var row refreshRow
	err := s.t.Get(ctx, settingsKey(u, "refresh"), &row, table.Consistent())
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, 0, err
	}
	list := row.List[:0]
	for _, r := range row.List {
		if now.Sub(r.At()) < refreshMemory {
			list = append(list, r)
		}
	}
	return list, row.Rev, nil
}

// Put writes a user's refreshes, the newest first; Conflict when they were written since they were read.
func (s *Refreshes) Put(ctx context.Context, u reader.UserID, list []Refresh, rev int64, now time.Time) error {
	k := settingsKey(u, "refresh")
	return s.t.Put(ctx, refreshRow{
		PK: k.PK, SK: k.SK, V: SchemaVersion, Rev: rev + 1, List: list[:min(len(list), keptRefreshes)],
		TTL: now.Add(refreshMemory).Unix(),
	}, table.IfEqual("rev", rev))
}

// Progress is how far a refresh is.
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
	return s.batch(ctx, keys)
}

func (s *Runs) batch(ctx context.Context, keys []table.Key) ([]*RunRow, error) {
	var rows []*RunRow
	if len(keys) == 0 {
		return nil, nil
	}
	err := s.t.BatchGetRows(ctx, keys, func(it table.Row) error {
		row := new(RunRow)
		rows = append(rows, row)
		return it.Decode(row)
	})
	return rows, err
}

// Begin writes the row of a run that has a name, unless it is there: a message that comes twice begins once. With
// Conflict comes the row as it is.
func (s *Runs) Begin(ctx context.Context, r *RunRow) (*RunRow, error) {
	err := s.t.Put(ctx, r, table.IfAbsent())
	if !fault.Is(err, fault.Conflict) {
		return nil, err
	}
	var was RunRow
	if e := s.t.Get(ctx, table.Key{PK: r.PK, SK: r.SK}, &was, table.Consistent()); e != nil {
		return nil, e
	}
	return &was, err
}

// PolledFeeds tells when feeds were polled on request.
type PolledFeeds map[reader.FeedID]time.Time

// Asked reads which feeds the requested runs of a part polled and when, given the names in its lease.
func (s *Runs) Asked(ctx context.Context, part int, names []string) (PolledFeeds, error) {
	keys := make([]table.Key, 0, len(names))
	for _, name := range names {
		if at, ok := RefreshAt(name); ok {
			keys = append(keys, runKey(schedule.TickOf(at), part, name))
		}
	}
	rows, err := s.batch(ctx, keys)
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
	// keptAsked is how many requested runs a lease names, and askedMemory for how long: by then every feed had a
	// scheduled poll, unless its publisher wants none.
	keptAsked   = 24
	askedMemory = 12 * time.Hour
	// Those that may hold a poll of the last minutes, which is not to be repeated yet, stay beyond keptAsked; mostAsked
	// bounds the row when somebody asks without a pause.
	askedSurely = RefreshLife + schedule.Deadline + schedule.RefreshGap
	mostAsked   = 200
)

// WithAsked gives the names of the requested runs of a part with one more, without those that have had their time.
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

// ReleaseAsked frees a part after a requested run and notes the run, in one write. It is noted in any case, for
// what was polled was polled; a hold that is another's stays.
func (s *Leases) ReleaseAsked(ctx context.Context, part int, mine time.Time, names []string) error {
	err := s.t.Update(ctx, leaseKey(part), table.Update{
		Set:    map[string]any{"asked": names},
		Remove: []string{"until"},
		If:     []table.Cond{table.IfEqual("until", mine.UnixMilli())},
	})
	if fault.Is(err, fault.Conflict) {
		return s.t.Update(ctx, leaseKey(part), table.Update{Set: map[string]any{"asked": names}})
	}
	return err
}
