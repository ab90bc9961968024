package api

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

type dayJSON struct {
	Day       string `json:"day"`
	Runs      int    `json:"runs"`
	LostRuns  int    `json:"lostRuns"`
	IsPartial bool   `json:"isPartial"`
	store.RunSums
}

type unitsJSON struct {
	Day         string  `json:"day"`
	WriteBudget *int    `json:"writeBudget"`
	Crawl       float64 `json:"crawlWrites"`
	Reader      float64 `json:"readerWrites"`
	Cache       float64 `json:"cacheWrites"`
	CrawlReads  float64 `json:"crawlReads"`
	Since       string  `json:"countedSince"`
}

type failingJSON struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Host      string     `json:"host"`
	Status    string     `json:"status"`
	Failures  int        `json:"failures"`
	Error     *faultJSON `json:"error"`
	NextCheck moment     `json:"nextCheckAt"`
}

const (
	defaultDays = 7
	maxDays     = store.RunDays
)

func (s *Server) statsRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/runs", Handle: s.listRuns},
		{Method: "GET", Path: "/api/runs/{id}", Handle: s.getRun},
		{Method: "GET", Path: "/api/stats", Handle: s.stats},
		{Method: "GET", Path: "/api/stats/reading", Handle: s.reading},
		{Method: "GET", Path: "/api/stats/cost", Handle: s.cost},
		{Method: "GET", Path: "/api/stats/dead-letters", Owner: true, Handle: s.deadLetters},
		{Method: "POST", Path: "/api/stats/dead-letters/{id}/retry", Owner: true, Handle: s.retryDeadLetter},
		{Method: "DELETE", Path: "/api/stats/dead-letters/{id}", Owner: true, Handle: s.dropDeadLetter},
	}
}

// stats tells how the reader is doing. Nothing in it changes by being asked for, so an ETag holds until the
// crawler or a reader did something.
func (s *Server) stats(r *request) error {
	ctx := r.Context()
	n, err := daysAsked(r)
	if err != nil {
		return err
	}
	days, err := s.Store.Runs.Days(ctx, max(n, wholeDay))
	if err != nil {
		return err
	}
	budget, err := s.budget(r, days)
	if err != nil {
		return err
	}
	days = days[len(days)-n:]
	failing, err := s.failing(r)
	if err != nil {
		return err
	}
	out := struct {
		Days    []dayJSON     `json:"days"`
		Units   unitsJSON     `json:"units"`
		Failing []failingJSON `json:"failing"`
	}{make([]dayJSON, 0, n), s.spent.today(), failing}
	for _, d := range days {
		out.Days = append(out.Days, dayJSON{
			Day: d.Day.Format(time.DateOnly), Runs: d.Runs, LostRuns: d.Gone, IsPartial: d.Partial, RunSums: d.RunSums,
		})
	}
	today := days[len(days)-1]
	out.Units.WriteBudget, out.Units.Crawl, out.Units.CrawlReads = budget, today.TableWrites, today.TableReads
	return r.json(http.StatusOK, out)
}

func daysAsked(r *request) (int, error) {
	q := r.URL.Query().Get("days")
	if q == "" {
		return defaultDays, nil
	}
	n, err := strconv.Atoi(q)
	if err != nil || n < 1 || n > maxDays {
		return 0, fault.Newf(fault.Invalid, "bad_days", "The number of days is from 1 to %d.", maxDays).At("days")
	}
	return n, nil
}

// The budget of a day's writes when none is set: each part of hosts writes a lease and a run row a tick, a feed
// that changes a few rows, a reader's marks one row each. 100 feeds may cost 700 units (docs/watching.md).
const (
	partBudget, feedBudget, readerBudget = 200, 4, 100
)

// wholeDay is how many days, today's included, show that one was crawled from its beginning to its end.
const wholeDay = 3

// budget is nil where writes cost nothing and nobody set one, and before the first whole day: on its first day a reader
// writes what it writes once, and would be over any budget.
func (s *Server) budget(r *request, days []store.RunDay) (*int, error) {
	began := slices.IndexFunc(days, func(d store.RunDay) bool { return d.Runs > 0 })
	if !s.Billed && s.WriteBudget == 0 || began < 0 || began > len(days)-wholeDay {
		return nil, nil
	}
	if s.WriteBudget > 0 {
		return &s.WriteBudget, nil
	}
	feeds, err := s.Store.Feeds.Count(r.Context())
	if err != nil {
		return nil, err
	}
	parts, err := s.parts(r.Context())
	budget := partBudget*max(parts, 1) + feedBudget*feeds + readerBudget
	return &budget, err
}

// failing lists the caller's own feeds that cannot be fetched, stopped ones first, then those that fail longest.
func (s *Server) failing(r *request) ([]failingJSON, error) {
	list, err := s.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return nil, err
	}
	out := []failingJSON{}
	for i := range list {
		f := list[i].Feed
		if f.ErrCode == "" {
			continue
		}
		why := sayFault(r.Context(), f.ErrCode, "")
		why.Since = unix(f.ErrSince)
		j := failingJSON{
			ID: f.ID().String(), Title: list[i].Title(), Host: list[i].Host, Status: f.Status, Failures: int(f.Errors),
			Error: &why,
		}
		if next := f.NextCheck(s.Clock.Now()); !next.IsZero() {
			j.NextCheck = moment(next.Unix())
		}
		out = append(out, j)
	}
	sortFailing(out)
	return out, nil
}

// spent is what readers cost today, by this process's own meter: their writes leave no run row to derive it
// from, and a row of its own would be a write for each of them.
type spent struct {
	meter *table.Meter
	clock clock.Clock

	mu    sync.Mutex
	day   time.Time
	since time.Time
	base  table.Units
}

func newSpent(m *table.Meter, c clock.Clock) *spent {
	s := &spent{meter: m, clock: c}
	s.turn()
	return s
}

// turn begins a new day when there is one. It is called before each request, so that what the first one of a
// day writes counts to that day.
func (s *spent) turn() {
	now := s.clock.Now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	if day := now.Truncate(24 * time.Hour); !day.Equal(s.day) {
		if s.since = day; s.day.IsZero() {
			s.since = now // the process began in the middle of the day
		}
		s.day, s.base = day, s.meter.Snapshot()
	}
}

// crawlRows are the kinds of rows that a crawl writes; their units are in the runs' rows.
var crawlRows = map[string]bool{"feed": true, "delta": true, "lease": true, "run": true}

func (s *spent) today() unitsJSON {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := unitsJSON{Day: s.day.Format(time.DateOnly), Since: rfc3339(s.since)}
	for kind, n := range s.meter.Snapshot().Writes {
		n -= s.base.Writes[kind]
		switch {
		case crawlRows[kind]:
		case kind == "cache":
			out.Cache += n
		default:
			out.Reader += n
		}
	}
	return out
}

// tickTime is when a tick began, null for work that has none.
func tickTime(t int32) *string {
	if t <= 0 {
		return nil
	}
	at := rfc3339(schedule.Tick(t).Start())
	return &at
}
