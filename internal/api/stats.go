package api

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
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
	Since       moment  `json:"countedSince"`
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
		{Method: "GET", Path: "/api/stats/popular", Handle: s.popular},
		{Method: "GET", Path: "/api/stats/cost", Owner: true, Handle: s.cost},
		{Method: "GET", Path: "/api/stats/dead-letters", Owner: true, Handle: s.deadLetters},
		{Method: "POST", Path: "/api/stats/dead-letters/{id}/retry", Owner: true, Handle: s.retryDeadLetter},
		{Method: "DELETE", Path: "/api/stats/dead-letters/{id}", Owner: true, Handle: s.dropDeadLetter},
	}
}

// stats answers the crawler's statistics, the write units and the failing feeds. Reading them changes nothing, so that
// its ETag stays valid.
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
		Days    []dayJSON      `json:"days"`
		Units   unitsJSON      `json:"units"`
		Failing []*failingJSON `json:"failing"`
	}{mapped(days, shownDay), s.spent.today(), failing}
	today := days[len(days)-1]
	out.Units.WriteBudget, out.Units.Crawl, out.Units.CrawlReads = budget, today.TableWrites, today.TableReads
	return r.json(http.StatusOK, out)
}

func shownDay(d store.RunDay) dayJSON {
	return dayJSON{Day: d.Day.Format(time.DateOnly), Runs: d.Runs, LostRuns: d.Gone, IsPartial: d.Share < 1,
		RunSums: d.RunSums}
}

func daysAsked(r *request) (int, error) {
	return r.count("days", maxDays, defaultDays, fault.Coded(fault.Invalid, "bad_days", maxDays))
}

// The budget of a day's writes when none is set: each part of hosts writes a lease and a run row a tick, a feed
// that changes a few rows, a reader's marks one row each. 100 feeds may cost 700 units (docs/run/monitoring.md).
const (
	partBudget, feedBudget, readerBudget = 200, 4, 100
)

// wholeDay is the number of days, including today, after which one was crawled in full.
const wholeDay = 3

// budget returns a day's budget of writes; nil where writes are free and none is set, and before the first whole day,
// which has writes that happen once.
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

// failing lists the user's failing feeds: stopped ones first, then those that have failed longest.
func (s *Server) failing(r *request) ([]*failingJSON, error) {
	list, err := s.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return nil, err
	}
	out, lang := []*failingJSON{}, r.language()
	for i := range list {
		f := list[i].Feed
		if f.ErrCode == "" {
			continue
		}
		out = append(out, &failingJSON{
			ID: f.ID().String(), Title: list[i].Title(), Host: list[i].Host, Status: f.Status, Failures: int(f.Errors),
			Error: feedFault(lang, f.ErrCode, f.ErrSince), NextCheck: momentOf(f.NextCheck(s.Clock.Now())),
		})
	}
	rank := func(f *failingJSON) int {
		if f.Status == string(reader.StatusStopped) {
			return 0
		}
		return 1
	}
	since := func(f *failingJSON) moment { return cmp.Or(f.Error.Since, math.MaxInt64) } // unknown: last
	slices.SortFunc(out, func(a, b *failingJSON) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(since(a), since(b)), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// spent counts the units of today's requests in this process: unlike runs they leave no row, and a row would be another
// write for each.
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

// turn starts a new day at midnight UTC. It is called before each request.
func (s *spent) turn() {
	now := s.clock.Now().UTC()
	s.mu.Lock()
	defer s.mu.Unlock()
	if day := now.Truncate(24 * time.Hour); !day.Equal(s.day) {
		if s.since = day; s.day.IsZero() {
			s.since = now // the process started during the day
		}
		s.day, s.base = day, s.meter.Snapshot()
	}
}

// crawlRows are the kinds of rows that a crawl writes; the run rows have their units.
var crawlRows = map[string]bool{"feed": true, "delta": true, "lease": true, "run": true}

func (s *spent) today() unitsJSON {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := unitsJSON{Day: s.day.Format(time.DateOnly), Since: momentOf(s.since)}
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
