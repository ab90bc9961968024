package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// listRuns lists the crawler's runs, newest first.
func (s *Server) listRuns(r *request) error {
	limit, err := r.limit()
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = 50
	}
	out := struct {
		Runs []runJSON `json:"runs"`
		Next *string   `json:"nextCursor"`
	}{Runs: []runJSON{}}
	err = s.Store.Runs.Descend(r.Context(), s.Clock.Now(), r.URL.Query().Get("cursor"),
		func(row *store.RunRow) (bool, error) {
			if len(out.Runs) == limit {
				out.Next = &out.Runs[limit-1].ID
				return false, nil
			}
			out.Runs = append(out.Runs, run(row))
			return true, nil
		})
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, out)
}

type outcomeJSON struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Outcome  string     `json:"outcome"`
	Status   int        `json:"status"`
	NewItems int        `json:"newItems"`
	Bytes    int64      `json:"bytes"`
	Millis   int64      `json:"durationMs"`
	Error    *faultJSON `json:"error"`
}

// getRun answers one run with the outcomes of the user's own feeds.
func (s *Server) getRun(r *request) error {
	row, err := s.Store.Runs.ByID(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	list, err := s.Streams.Feeds(r.Context(), r.user)
	if err != nil {
		return err
	}
	titles := make(map[uint32]string, len(list))
	for i := range list {
		titles[uint32(list[i].Feed.ID())] = list[i].Title()
	}
	feeds, err := row.Outcomes()
	if err != nil {
		return err
	}
	out := struct {
		runJSON
		Feeds []outcomeJSON `json:"feeds"`
	}{run(row), []outcomeJSON{}}
	for _, o := range feeds {
		title, mine := titles[o.Feed]
		if !mine {
			continue
		}
		out.Feeds = append(out.Feeds, outcomeJSON{
			ID: reader.FeedID(o.Feed).String(), Title: title, Outcome: o.Outcome, Status: o.Status,
			NewItems: o.New, Bytes: o.Bytes, Millis: o.Millis, Error: feedFault(r.language(), o.Err, 0),
		})
	}
	return r.json(http.StatusOK, map[string]any{"run": out})
}
