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
	"unicode"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
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
	h.Set("Access-Control-Allow-Headers", "Authorization, Cache-Control, Content-Type, If-None-Match")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// deadline of one operation, so that our own answer comes before the HTTP API's 504 after 30 seconds.
// What was begun (a feed half added, a list half imported) is gone on with when it is asked for again.
const deadline = 25 * time.Second

// handler wraps one operation: deadline, origin, session, errors.
func (s *Server) handler(route Route) http.Handler {
	names := placeholders(route.Path)
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		id := w.Header().Get("X-Request-Id")
		ctx, cancel := context.WithTimeout(logs.WithRequest(hr.Context(), id), deadline)
		defer cancel()
		ctx = withSpeech(ctx, &speech{language: languageOf(hr.Header)})
		r := &request{w: recordOf(w), Request: hr.WithContext(ctx), id: id}
		r.w.route = route.Method + " " + route.Path
		err := s.admit(r, route)
		if err == nil {
			err = r.plausible(names)
		}
		if err == nil {
			err = route.Handle(r)
		}
		if err != nil {
			s.fail(r, err)
		}
	})
}

// maxPathValue is far beyond the longest id, secret or name that stands in a path.
const maxPathValue = 256

// plausible refuses a path in which something stands that no id of ours can be. The routes look their ids up, and a
// store has other words for a key that is none than for one that is not there.
func (r *request) plausible(names []string) error {
	for _, name := range names {
		if v := r.PathValue(name); len(v) > maxPathValue || !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
			return nothingHere()
		}
	}
	return nil
}

// placeholders gives the names in a route's path.
func placeholders(path string) (names []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

func nothingHere() error {
	return fault.Newf(fault.NotFound, "not_found", "There is nothing at this address.")
}

// admit lets a request in: from our own pages if it changes something, by somebody we know, not too often.
func (s *Server) admit(r *request, route Route) error {
	if s.Proxies.EdgeOnly && !s.Proxies.fromEdge(r.Request) {
		return fault.Newf(fault.Forbidden, "edge_only", "This reader is reached at its own address alone.")
	}
	if _, isBearer := bearerOf(r.Request); !isBearer && unsafe(r.Method) && !s.sameOrigin(r.Request) {
		return fault.Newf(fault.Forbidden, "cross_origin", "This request came from another site.")
	}
	if route.Public {
		if route.Uncounted {
			return nil
		}
		return s.countAddress(r)
	}
	user, err := s.counted(r)
	if err != nil {
		return err
	}
	r.user, r.w.user = user, user
	if r.session == nil && !r.scopes.Has(route.needs()) {
		return fault.Newf(fault.Forbidden, "scope_missing", "This token does not have the scope %s.", strings.Join(route.needs().Names(), " "))
	}
	if route.Person {
		if _, err := r.live(); err != nil {
			return err
		}
	}
	if route.Fresh {
		if err := s.fresh(r); err != nil {
			return err
		}
	}
	if !route.Owner {
		return nil
	}
	a, err := s.Auth.Account(r.Context(), user)
	if err == nil && !a.Owner {
		err = fault.Newf(fault.Forbidden, "owner_only", "Only the owner of this reader may do this.")
	}
	return err
}

// counted identifies a request and counts it: of somebody signed in against the user, of a stranger against the
// address, and before anything is looked up for it. So the people behind one address do not use up each other's
// share, and who tries tokens out is stopped at the door.
func (s *Server) counted(r *request) (reader.UserID, error) {
	stranger := !s.Auth.Knows(r.Context(), s.credential(r))
	if stranger {
		if err := s.countAddress(r); err != nil {
			return "", err
		}
	}
	user, err := s.identify(r)
	if fault.Is(err, fault.Unauthenticated) && !stranger { // signed by us once, and over: a stranger all the same
		if err := s.countAddress(r); err != nil {
			return "", err
		}
	}
	if err != nil {
		return "", err
	}
	if wait := s.limits.user(user); wait > 0 {
		return "", &limited{wait}
	}
	return user, nil
}

func (s *Server) countAddress(r *request) error {
	if wait := s.limits.address(s.Proxies.clientAddress(r.Request)); wait > 0 {
		return &limited{wait}
	}
	return nil
}

// bearerOf reads the Authorization header. The scheme's case is free (RFC 9110, 11.1).
func bearerOf(r *http.Request) (token string, isBearer bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}

// credential is what a request shows of who sent it: a bearer, or the session's cookie.
func (s *Server) credential(r *request) string {
	if bearer, isBearer := bearerOf(r.Request); isBearer {
		return bearer
	}
	if c, err := r.Cookie(s.cookieName()); err == nil {
		return c.Value
	}
	return ""
}

// identify tells who asks: by a program's token, or by a session in the cookie or as a bearer (R-33, C-15).
func (s *Server) identify(r *request) (reader.UserID, error) {
	shown := s.credential(r)
	if _, isBearer := bearerOf(r.Request); isBearer && auth.IsToken(shown) {
		t, err := s.Auth.Bearer(r.Context(), shown)
		r.scopes, r.tokenID = t.Scopes, t.ID
		return t.User, err
	}
	v, err := s.Auth.Session(r.Context(), shown)
	if err != nil {
		return "", err
	}
	r.session = &v
	if _, isBearer := bearerOf(r.Request); isBearer { // who keeps a token by itself signs in for the next one
		return v.User, nil
	}
	value, expires, err := s.Auth.Renew(r.Context(), v)
	if err == nil && value != "" {
		s.setSession(r, value, expires)
	}
	return v.User, err
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

// startSession begins a session after any way of signing in, and sets its cookie. Method is told to the person in
// the list of their sessions: password, link, passkey, google, ….
func (s *Server) startSession(r *request, u reader.UserID, method string) error {
	value, expires, err := s.newSession(r, u, auth.Start{Method: method})
	if err == nil {
		s.setSession(r, value, expires)
	}
	return err
}

func (s *Server) newSession(r *request, u reader.UserID, how auth.Start) (value string, expires time.Time, err error) {
	how.Agent, how.Address = r.Request.UserAgent(), s.Proxies.clientAddress(r.Request)
	return s.Auth.StartSession(r.Context(), u, how)
}

func (s *Server) setSession(r *request, value string, expires time.Time) {
	http.SetCookie(r.w, &http.Cookie{
		Name: s.cookieName(), Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// dropSession takes the cookie away.
func (s *Server) dropSession(r *request) {
	r.Header().Del("Set-Cookie") // one that was renewed on the way
	http.SetCookie(r.w, &http.Cookie{
		Name: s.cookieName(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
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
		s.fail(r, fault.New(fault.Invalid, "method_not_allowed", "api", nil))
		return
	}
	s.fail(r, nothingHere())
}

func pathMatches(pattern, path string) bool {
	p, q := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(p) != len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] && (q[i] == "" || !strings.HasPrefix(p[i], "{")) { // as http.ServeMux: no part is empty
			return false
		}
	}
	return true
}

// limited asks a client to slow down.
type limited struct{ wait time.Duration }

func (e *limited) Error() string { return "too many requests" }
