package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
	"github.com/ruri-reader/ruri/internal/reader"
)

// record is the answer on its way, with what its one log line tells. Routes stand there by their pattern: a
// path may hold the secret of a one-time link.
type record struct {
	http.ResponseWriter
	status int
	bytes  int

	route string
	user  reader.UserID
	feed  reader.FeedID
	host  string // of the address that the request is about
	code  string
	err   error // why, when it is ours to answer for
}

// WriteHeader implements http.ResponseWriter.
func (w *record) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *record) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *record) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ended writes the request's line, and counts it. What is asked for again and again and found nothing new is
// sampled; errors and changes never are.
func (s *Server) ended(ctx context.Context, w *record, r *http.Request, id string, millis int64) {
	status := max(w.status, 0)
	if status == 0 {
		status = http.StatusOK
	}
	gone := errors.Is(ctx.Err(), context.Canceled)
	if s.Metrics != nil {
		s.Metrics.Add(metrics.Requests, strconv.Itoa(status/100)+"xx", 1)
	}
	args := []any{
		"request_id", id, "method", r.Method, "route", w.route, "status", status, "duration_ms", millis, "bytes", w.bytes,
	}
	if w.user != "" {
		args = append(args, "user_id", string(w.user))
	}
	if w.feed != 0 {
		args = append(args, "feed_id", uint32(w.feed))
	}
	if w.host != "" {
		args = append(args, "host", w.host)
	}
	level := slog.LevelInfo
	switch {
	case gone:
		args = append(args, "code", "client_gone")
	case w.code != "":
		args = append(args, "code", w.code)
		if w.err != nil {
			level = slog.LevelError
			args = append(args, "error", w.err)
		}
	case noNews(w.route, status):
		if s.Sampler != nil {
			if !s.Sampler.Keep(w.route + " " + strconv.Itoa(status)) {
				return
			}
			args = append(args, "sampled", s.Sampler.Every())
		}
	}
	s.Log.Log(ctx, level, "request", args...)
}

// noNews tells the noisy answers: nothing has changed, and a machine asked whether we live.
func noNews(route string, status int) bool {
	return status == http.StatusNotModified || route == "GET /healthz" && status == http.StatusOK
}
