package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/job"
)

// shownFetches is the number of fetches of a feed that are listed.
const shownFetches = 20

type fetchJSON struct {
	At       moment  `json:"at"`
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

// listFetches lists the outcomes of a feed's last fetches, from the run rows.
func (s *Server) listFetches(r *request) error {
	ctx := r.Context()
	x, err := s.Streams.Get(ctx, r.user, r.feed)
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
	lang := r.language()
	out := make([]fetchJSON, 0, len(list))
	for _, f := range list {
		out = append(out, fetchJSON{
			At: momentOf(f.At), Run: f.Run, Kind: f.Kind, Outcome: f.Outcome, NewItems: f.New, Bytes: f.Bytes,
			Millis: f.Millis,
			Code:   orNull(f.Err), Message: orNull(codeMessage(lang, f.Err, texts.Feed(f.Err).Message.In(lang))),
			Status: orNull(f.Status),
		})
	}
	usd, err := s.costOf(r, x.Feed)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"fetches": out, "monthlyUSD": usd})
}
