package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/logs"
	"github.com/ruri-reader/ruri/internal/reader"
)

// cookieName is the session's cookie; behind HTTPS it takes the __Host- prefix, which binds it to this
// host, the whole path and a secure line.
func (s *Server) cookieName() string {
	if s.Secure {
		return "__Host-ruri"
	}
	return "ruri"
}

// outer is what every request passes: an id, the headers, and the last wall against panics.
func (s *Server) outer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.Clock.Now()
		s.spent.turn()
		id := requestID()
		to := &record{ResponseWriter: w, route: "none"}
		w = to
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		defer func() {
			v := recover()
			defer func() {
				s.ended(r.Context(), to, r, id, s.Clock.Now().Sub(began).Milliseconds())
				if s.Told != nil {
					s.Told()
				}
			}()
			if v != nil {
				if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(v)
				}
				s.fail(&request{w: to, Request: r, id: id}, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
			}
		}()
		if s.cors(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recordOf gives the record that outer made of the writer; a handler that is called without it gets its own.
func recordOf(w http.ResponseWriter) *record {
	if to, ok := w.(*record); ok {
		return to
	}
	return &record{ResponseWriter: w}
}

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// cors answers preflights and marks answers for the origins that the owner allowed. It reports
// whether the request is done.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	if len(s.Origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(s.Origins, origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Credentials", "true")
	h.Set("Access-Control-Expose-Headers", "ETag, Retry-After, X-Request-Id")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-None-Match")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// deadline of one operation, so that our own answer comes before the HTTP API's 504 after 30 seconds.
// What was begun (a feed half added, a list half imported) is gone on with when it is asked for again.
const deadline = 25 * time.Second

// handler wraps one operation: deadline, origin, session, errors.
func (s *Server) handler(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		id := w.Header().Get("X-Request-Id")
		ctx, cancel := context.WithTimeout(logs.WithRequest(hr.Context(), id), deadline)
		defer cancel()
		r := &request{w: recordOf(w), Request: hr.WithContext(ctx), id: id}
		r.w.route = route.Method + " " + route.Path
		err := s.admit(r, route)
		if err == nil {
			err = route.Handle(r)
		}
		if err != nil {
			s.fail(r, err)
		}
	})
}

// admit lets a request in: from our own pages if it changes something, by somebody we know.
func (s *Server) admit(r *request, route Route) error {
	// The scheme's case is free (RFC 9110, 11.1).
	scheme, bearer, _ := strings.Cut(r.Request.Header.Get("Authorization"), " ")
	isBearer := strings.EqualFold(scheme, "Bearer")
	if !isBearer && unsafe(r.Method) && !s.sameOrigin(r.Request) {
		return fault.Newf(fault.Forbidden, "cross_origin", "This request came from another site.")
	}
	if route.Public {
		return nil
	}
	user, err := s.who(r, bearer, isBearer)
	if err != nil {
		return err
	}
	r.user, r.w.user = user, user
	if !route.Owner {
		return nil
	}
	a, err := s.Auth.Account(r.Context(), user)
	if err == nil && !a.Owner {
		err = fault.Newf(fault.Forbidden, "owner_only", "Only the owner of this reader may do this.")
	}
	return err
}

func (s *Server) who(r *request, bearer string, isBearer bool) (reader.UserID, error) {
	if isBearer {
		return s.Auth.Bearer(r.Context(), strings.TrimSpace(bearer))
	}
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return "", fault.New(fault.Unauthenticated, "not_signed_in", "api", nil)
	}
	user, err := s.Auth.Session(r.Context(), c.Value)
	if err != nil {
		return "", err
	}
	if s.Auth.Renewable(r.Context(), c.Value) {
		return user, s.startSession(r, user)
	}
	return user, nil
}

func unsafe(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// sameOrigin tells whether a change was asked for by our own page: browsers say so themselves
// (Sec-Fetch-Site), older ones by Origin. Programs without either are let through; they cannot ride
// on a person's cookie.
func (s *Server) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if slices.Contains(s.Origins, origin) && origin != "" {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return true
	case "":
	default:
		return false
	}
	if origin == "" {
		return true
	}
	// Behind CloudFront the Host header names the gateway; the reader's own address is a setting.
	if s.BaseURL != "" && strings.EqualFold(origin, s.BaseURL) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// startSession sets the session's cookie.
func (s *Server) startSession(r *request, u reader.UserID) error {
	value, expires, err := s.Auth.NewSession(r.Context(), u)
	if err != nil {
		return err
	}
	http.SetCookie(r.w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
	return nil
}

func (s *Server) unknown(w http.ResponseWriter, hr *http.Request) {
	r := &request{w: recordOf(w), Request: hr, id: w.Header().Get("X-Request-Id")}
	// Paths that exist for another method differ from those that do not exist at all.
	var allow []string
	for _, route := range s.Routes() {
		if pathMatches(route.Path, hr.URL.Path) {
			if allow = append(allow, route.Method); route.Method == http.MethodGet {
				allow = append(allow, http.MethodHead)
			}
		}
	}
	if len(allow) > 0 {
		r.Header().Set("Allow", strings.Join(allow, ", "))
		r.Header().Set("Cache-Control", "no-store")
		r.w.code = "method_not_allowed"
		_ = r.json(http.StatusMethodNotAllowed, problem{
			Code: "method_not_allowed", Category: "validation",
			Message: "This address does not take this method.", Action: "Use one of the methods in the Allow header.",
		})
		return
	}
	s.fail(r, fault.Newf(fault.NotFound, "not_found", "There is nothing at this address."))
}

func pathMatches(pattern, path string) bool {
	p, q := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] && !strings.HasPrefix(p[i], "{") {
			return false
		}
	}
	return true
}

// limited asks a client to slow down.
type limited struct{ wait time.Duration }

func (e *limited) Error() string { return "too many requests" }
