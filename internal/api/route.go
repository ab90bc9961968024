package api

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
)

// Route is one operation. Paths are those of the OpenAPI document.
type Route struct {
	Method, Path string
	Public       bool                 // answers without a session
	SignIn       bool                 // as Public, for signing in: strangers have a limit of its own there
	Owner        bool                 // only for the owner; a token needs the scope admin
	Account      bool                 // about the account: needs a session, or a token of the scope admin
	Person       bool                 // needs a session: API tokens are rejected
	Fresh        bool                 // sensitive or irreversible: the session must be fresh
	Uncounted    bool                 // not rate-limited by address
	Background   bool                 // loads ahead: has a rate limit of its own in addition to the user's
	Patient      bool                 // may wait for a language model
	Heavy        bool                 // parses pages or files: one at a time for a user
	ID           func(*request) error // parses the id in the path; nil where the handler takes it as text
	Handle       func(*request) error
}

// needs returns the scope that a token needs for the route.
func (r Route) needs() auth.Scopes {
	switch {
	case r.Owner || r.Account:
		return auth.Admin
	case unsafe(r.Method):
		return auth.Write
	}
	return auth.Read
}

// deadline of one operation: our answer comes before the HTTP API's 504 after 30 seconds. An operation that was cut off
// continues when it is repeated.
const deadline = 25 * time.Second

// handler wraps the handler of a route: deadline, authorization, ids, errors.
func (s *Server) handler(route Route) http.Handler {
	var names []string // of the path's placeholders
	for part := range strings.SplitSeq(route.Path, "/") {
		if strings.HasPrefix(part, "{") {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		id := w.Header().Get("X-Request-Id")
		ctx, cancel := context.WithTimeout(logs.WithRequest(hr.Context(), id), s.patience(route))
		defer cancel()
		r := &request{w: w.(*response), Request: hr.WithContext(ctx), id: id}
		r.w.route = route.Method + " " + route.Path
		err := s.authorize(r, route)
		if err == nil {
			err = r.plausible(names)
		}
		if err == nil {
			var leave func()
			if leave, err = s.queue(r, route); err == nil {
				defer leave()
			}
		}
		if err == nil && route.ID != nil {
			err = route.ID(r)
		}
		if err == nil {
			err = route.Handle(r)
		}
		if err != nil {
			s.fail(r, err)
		}
	})
}

// queue waits for a place: answersAtOnce requests of a user are answered at a time, and only one of them is heavy.
func (s *Server) queue(r *request, route Route) (leave func(), err error) {
	if r.user == "" {
		return func() {}, nil
	}
	if !route.Heavy {
		return s.answers.enter(r.Context(), string(r.user))
	}
	// A heavy request takes a place among all requests only when its turn has come, so that the user's other ones go
	// on.
	ctx, cancel := context.WithTimeout(r.Context(), deadline/2)
	defer cancel()
	first, err := s.heavy.enter(ctx, string(r.user))
	if err != nil {
		return nil, err
	}
	second, err := s.answers.enter(r.Context(), string(r.user))
	if err != nil {
		first()
		return nil, err
	}
	return func() { second(); first() }, nil
}

// answersAtOnce limits the requests of a user that are answered at a time: an answer stays in memory until the client
// has read it.
const answersAtOnce = 12

// maxPathValue is well above the longest id or secret in a path.
const maxPathValue = 256

// plausible rejects a path with a value that cannot be an id of ours: the stores would report an invalid key instead of
// a missing row.
func (r *request) plausible(names []string) error {
	for _, name := range names {
		if v := r.PathValue(name); len(v) > maxPathValue || !utf8.ValidString(v) ||
			strings.ContainsFunc(v, unicode.IsControl) {
			return nothingHere()
		}
	}
	return nil
}

func nothingHere() error {
	return fault.Coded(fault.NotFound, "not_found")
}

// unknown answers requests that match no route: 405 where another method does, else 404.
func (s *Server) unknown(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		r := &request{w: w.(*response), Request: hr, id: w.Header().Get("X-Request-Id")}
		var allow []string
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			probe := &http.Request{Method: method, URL: hr.URL, Host: hr.Host}
			if _, pattern := mux.Handler(probe); pattern != "/" {
				allow = append(allow, method)
			}
		}
		if len(allow) == 0 {
			s.fail(r, nothingHere())
			return
		}
		r.Header().Set("Allow", strings.Join(allow, ", "))
		s.fail(r, fault.New(fault.Invalid, "method_not_allowed", "api", nil))
	}
}
