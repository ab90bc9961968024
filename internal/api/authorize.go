package api

import (
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// authorize accepts a request that meets the conditions of its route and the rate limits, and sets its user and
// session. A change must come from our own pages.
func (s *Server) authorize(r *request, route Route) error {
	if s.Proxies.EdgeOnly && !s.Proxies.fromEdge(r.Request) {
		return fault.Coded(fault.Forbidden, "edge_only")
	}
	if _, isBearer := bearerOf(r.Request); !isBearer && unsafe(r.Method) && !s.sameOrigin(r.Request) {
		return fault.Coded(fault.Forbidden, "cross_origin")
	}
	if route.SignIn {
		return s.limits.signIns.take(s.networkOf(r))
	}
	if route.Public {
		if route.Uncounted {
			return nil
		}
		return s.countAddress(r)
	}
	user, err := s.countedUser(r, route)
	if err != nil {
		return err
	}
	r.user, r.w.user = user, user
	if r.session == nil && !r.scopes.Has(route.needs()) {
		return fault.Coded(fault.Forbidden, "scope_missing", strings.Join(route.needs().Names(), " "))
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
		err = fault.Coded(fault.Forbidden, "owner_only")
	}
	return err
}

// countedUser returns the user of a request, and counts it against the rate limit of the user, or of the address before
// any lookup when the credential is not one of ours: people behind one address do not use up each other's share, and
// guesses of tokens cost no lookups.
func (s *Server) countedUser(r *request, route Route) (reader.UserID, error) {
	isOurs := s.Auth.Knows(r.Context(), s.credential(r))
	if !isOurs {
		if err := s.countAddress(r); err != nil {
			return "", err
		}
	}
	user, err := s.identify(r)
	if fault.Is(err, fault.Unauthenticated) && isOurs { // expired or revoked
		if err := s.countAddress(r); err != nil {
			return "", err
		}
	}
	if err != nil {
		return "", err
	}
	limit := s.limits.users
	switch {
	case route.Background:
		limit = s.limits.batches
	case route.Method == http.MethodGet:
		limit = s.limits.reads
	}
	return user, limit.take(string(user))
}

func (s *Server) countAddress(r *request) error {
	return s.limits.addresses.take(s.networkOf(r))
}

func (s *Server) networkOf(r *request) string { return network(s.Proxies.clientAddress(r.Request)) }

// bearerOf reads the Authorization header. The scheme's case is free (RFC 9110, 11.1).
func bearerOf(r *http.Request) (token string, isBearer bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}

// credential returns a request's bearer token, or its session's cookie.
func (s *Server) credential(r *request) string {
	if bearer, isBearer := bearerOf(r.Request); isBearer {
		return bearer
	}
	if c, err := r.Cookie(s.cookieName()); err == nil {
		return c.Value
	}
	return ""
}

// identify returns the user of a request by an API token, or by a session in the cookie or as a bearer (R-33, C-15).
func (s *Server) identify(r *request) (reader.UserID, error) {
	credential := s.credential(r)
	if _, isBearer := bearerOf(r.Request); isBearer && auth.IsToken(credential) {
		t, err := s.Auth.Bearer(r.Context(), credential)
		r.scopes, r.tokenID = t.Scopes, t.ID
		return t.User, err
	}
	v, err := s.Auth.Session(r.Context(), credential)
	if err != nil {
		return "", err
	}
	r.session = &v
	if _, isBearer := bearerOf(r.Request); isBearer { // a program signs in again for its next token
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

// live returns the session of a person: clients with an API token cannot change how an account signs in.
func (r *request) live() (auth.Session, error) {
	if r.session == nil {
		return auth.Session{}, fault.Coded(fault.Forbidden, "session_needed")
	}
	return *r.session, nil
}

// fresh rejects a session that began too long ago. API tokens pass: they were made in a fresh session, and Route.Person
// rejects them where needed.
func (s *Server) fresh(r *request) error {
	if r.session == nil {
		return nil
	}
	return s.Auth.Fresh(r.Context(), *r.session)
}
