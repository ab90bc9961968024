package lambdahost

import (
	"errors"
	"io"
	"net/http"
	"strconv"
)

// runtimeAPI serves what a bootstrap asks for (version 2018-06-01).
func (s *sandbox) runtimeAPI() http.Handler {
	const base = "/2018-06-01/runtime"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+base+"/invocation/next", s.serveNext)
	mux.HandleFunc("POST "+base+"/invocation/{id}/response", func(w http.ResponseWriter, r *http.Request) {
		s.serveAnswer(w, r, "")
	})
	mux.HandleFunc("POST "+base+"/invocation/{id}/error", func(w http.ResponseWriter, r *http.Request) {
		s.serveAnswer(w, r, "Unhandled")
	})
	mux.HandleFunc("POST "+base+"/init/error", s.serveInitError)
	return mux
}

// serveNext holds the process' request until there is an event. That it asks means that it is done with the one
// before: it is frozen until then, in the middle of this very request.
func (s *sandbox) serveNext(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.current = nil
	s.freeze()
	s.mu.Unlock()
	s.ready <- struct{}{}
	select {
	case inv := <-s.next:
		h := w.Header()
		h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", s.arn)
		h.Set("Lambda-Runtime-Trace-Id", "Root=1-00000000-"+inv.id[24:]+inv.id[:8]+"0000;Sampled=0")
		h.Set("Content-Type", "application/json")
		_, _ = w.Write(inv.payload)
	case <-s.ended:
	case <-r.Context().Done():
	}
}

// serveAnswer takes what a handler answered, or failed with.
func (s *sandbox) serveAnswer(w http.ResponseWriter, r *http.Request, kind string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxPayload+1))
	s.mu.Lock()
	inv := s.current
	s.mu.Unlock()
	if inv == nil || inv.id != r.PathValue("id") || err != nil {
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "no such invocation is under way")
		return
	}
	a := answer{kind: kind, body: body}
	status := http.StatusAccepted
	if len(body) > MaxPayload {
		a = answer{"Unhandled",
			failure("Function.ResponseSizeTooLarge",
				"Response payload size exceeded maximum allowed payload size (6291556 bytes).")}
		status = http.StatusRequestEntityTooLarge
	}
	select {
	case inv.answer <- a:
	default:
		refuse(w, http.StatusBadRequest, "InvalidStateTransition", "it has answered already")
		return
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}

func (s *sandbox) serveInitError(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 64<<10))
	s.mu.Lock()
	s.initErr = errors.New(string(body))
	s.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(failure(kind, message))
}
