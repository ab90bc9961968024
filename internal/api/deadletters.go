package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
)

// DeadLetters are the messages that failed too often to be delivered again.
type DeadLetters interface {
	Dead(ctx context.Context, max int) ([]queue.DeadMessage, error)
	Redrive(ctx context.Context, id string) error
	Drop(ctx context.Context, id string) error
}

// maxDead bounds the list. SQS has no other way to list messages than to receive them, ten at a time.
const maxDead = 100

type deadJSON struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Feeds    int    `json:"feeds"`
	Tick     moment `json:"tickAt"`
	Reason   string `json:"reason"`
	Receives int    `json:"receives"`
	Sent     moment `json:"sentAt"`
	Died     moment `json:"diedAt"`
}

type reasonCountJSON struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// deadLetters lists them oldest first. Reasons are error texts, scrubbed as in logs.
func (s *Server) deadLetters(r *request) error {
	out := struct {
		Letters []*deadJSON        `json:"deadLetters"`
		Count   int                `json:"count"`
		More    bool               `json:"isMore"`
		Oldest  moment             `json:"oldestAt"`
		Reasons []*reasonCountJSON `json:"reasons"`
	}{Letters: []*deadJSON{}, Reasons: []*reasonCountJSON{}}
	if s.Queue == nil {
		return r.json(http.StatusOK, out)
	}
	dead, err := s.Queue.Dead(r.Context(), maxDead+1)
	if err != nil {
		return err
	}
	if len(dead) > maxDead {
		dead, out.More = dead[:maxDead], true
	}
	count := map[string]int{}
	for _, d := range dead {
		j := &deadJSON{ID: d.ID, Kind: "unknown", Reason: logs.Scrub(d.Reason), Receives: d.Receives,
			Sent: moment(d.Sent.Unix()), Died: momentOf(d.Died)}
		if work, err := job.Decode(d.Body); err == nil {
			j.Kind, j.Feeds = work.Kind, len(work.Feeds)+len(work.Late)
			if work.Kind == job.Scheduled && work.Tick > 0 {
				j.Tick = momentOf(work.Tick.Start())
			}
		}
		if out.Oldest == 0 || j.Sent < out.Oldest {
			out.Oldest = j.Sent
		}
		count[j.Reason]++
		out.Letters = append(out.Letters, j)
	}
	out.Count = len(out.Letters)
	slices.SortFunc(out.Letters, func(a, b *deadJSON) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), strings.Compare(a.ID, b.ID))
	})
	for reason, n := range count {
		out.Reasons = append(out.Reasons, &reasonCountJSON{reason, n})
	}
	slices.SortFunc(out.Reasons, func(a, b *reasonCountJSON) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Reason, b.Reason))
	})
	return r.json(http.StatusOK, out)
}

func (s *Server) retryDeadLetter(r *request) error {
	if s.Queue != nil {
		if err := s.Queue.Redrive(r.Context(), r.PathValue("id")); err != nil {
			return err
		}
	}
	return r.done(nil)
}

func (s *Server) dropDeadLetter(r *request) error {
	if s.Queue != nil {
		if err := s.Queue.Drop(r.Context(), r.PathValue("id")); err != nil {
			return err
		}
	}
	return r.done(nil)
}
