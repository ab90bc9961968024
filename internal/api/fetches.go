package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/reader"
)

// shownFetches is how many of a feed's fetches are told.
const shownFetches = 20

type fetchJSON struct {
	At       string  `json:"at"`
	Run      string  `json:"runId"`
	Kind     string  `json:"kind"`
	Outcome  string  `json:"outcome"`
	Status   *int    `json:"status"`
	NewItems int     `json:"newItems"`
	Bytes    int64   `json:"bytes"`
	Millis   int64   `json:"durationMs"`
	Code     *string `json:"code"`
	Message  *string `json:"message"`
}

// listFetches tells what came of a feed's last fetches, from the rows that runs leave anyhow.
func (s *Server) listFetches(r *request) error {
	id, err := r.feedID()
	if err != nil {
		return err
	}
	ctx := r.Context()
	x, err := s.Streams.Get(ctx, r.user, id)
	if err != nil {
		return err
	}
	parts, err := s.parts(ctx)
	if err != nil {
		return err
	}
	list, err := s.Store.Runs.OfFeed(ctx, s.Clock.Now(), x.Feed, job.PartOf(x.Feed.URL, parts), shownFetches)
	if err != nil {
		return err
	}
	lang := languageOf(r.Request.Header)
	out := make([]fetchJSON, 0, len(list))
	for _, f := range list {
		one := fetchJSON{
			At: rfc3339(f.At), Run: f.Run, Kind: f.Kind, Outcome: f.Outcome, NewItems: f.New, Bytes: f.Bytes, Millis: f.Millis,
			Code: orNull(f.Err),
		}
		if f.Status > 0 {
			one.Status = &f.Status
		}
		if f.Err != "" {
			said := reader.FaultOf(f.Err).Message
			if w, ok := wordsOf(f.Err); ok && w.say.in(lang) != "" {
				said = w.say.in(lang)
			}
			one.Message = &said
		}
		out = append(out, one)
	}
	return r.json(http.StatusOK, map[string]any{"fetches": out})
}
