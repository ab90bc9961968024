package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
)

// logged is the outermost middleware: it gives a request its id and the common headers, answers panics, and logs and
// counts the request at its end.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began := s.Clock.Now()
		s.spent.turn()
		id := requestID()
		w := &response{ResponseWriter: rw, held: &s.held, route: "none"}
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		defer func() {
			v := recover()
			defer func() {
				s.ended(r.Context(), w, r, id, s.Clock.Now().Sub(began).Milliseconds())
				if s.AfterRequest != nil {
					s.AfterRequest()
				}
			}()
			if v != nil {
				if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(v)
				}
				s.fail(&request{w: w, Request: r, id: id}, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// response is the writer of an answer, with the attributes of the request's log line. A route is logged by its pattern:
// a path may contain the secret of a one-time link.
type response struct {
	http.ResponseWriter
	held   *held
	status int
	bytes  int

	route string
	user  reader.UserID
	feed  reader.FeedID
	host  string // of the URL that the request is about
	code  string
	err   error // the cause of a 5xx
}

// WriteHeader implements http.ResponseWriter.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// ended logs and counts a request. Repeated requests that found nothing new are sampled; errors and changes never are.
func (s *Server) ended(ctx context.Context, w *response, r *http.Request, id string, millis int64) {
	status := cmp.Or(w.status, http.StatusOK)
	gone := errors.Is(ctx.Err(), context.Canceled)
	if s.Metrics != nil {
		s.Metrics.Add(metrics.Requests, strconv.Itoa(status/100)+"xx", 1)
	}
	args := []any{
		"request_id", id, "method", r.Method, "route", w.route, "status", status, "duration_ms", millis,
		"bytes", w.bytes,
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

// noNews reports whether an answer is frequent and empty: not modified, or a health check.
func noNews(route string, status int) bool {
	return status == http.StatusNotModified || route == "GET /healthz" && status == http.StatusOK
}
