package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

func (s *Server) externalRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/auth/google/login", SignIn: true, Handle: s.toProvider("google")},
		{Method: "GET", Path: "/auth/google/callback", SignIn: true, Handle: s.fromProvider("google")},
		{Method: "GET", Path: "/auth/oidc/login", SignIn: true, Handle: s.toProvider("oidc")},
		{Method: "GET", Path: "/auth/oidc/callback", SignIn: true, Handle: s.fromProvider("oidc")},
		{Method: "GET", Path: "/api/identities", Account: true, Handle: s.identities},
		{Method: "DELETE", Path: "/api/identities/{id}", Account: true, Person: true, Fresh: true,
			Handle: s.removeIdentity},
	}
}

// toProvider redirects to a sign-in provider (G-5): to sign in, or with link=1 to link another sign-in method.
func (s *Server) toProvider(id string) func(*request) error {
	return func(r *request) error {
		r.Header().Set("Cache-Control", "no-store")
		if isPrefetch(r) {
			return r.done(nil)
		}
		e := auth.External{Redirect: s.address(r) + "/auth/" + id + "/callback", Return: r.URL.Query().Get("next"),
			Invitation: s.invitation(r)}
		if r.URL.Query().Get("link") == "1" {
			if err := s.mayLink(r); err != nil {
				return s.toLogin(r, err)
			}
			e.Link, e.Invitation = r.user, ""
		}
		to, ticket, err := s.Auth.BeginExternal(r.Context(), id, e)
		if err != nil {
			return s.toLogin(r, err)
		}
		s.keepTicket(r, externalCookie, ticket, auth.TicketLife)
		http.Redirect(r.w, r.Request, to, http.StatusSeeOther)
		return nil
	}
}

// mayLink requires a fresh session and a request from our own page: another site must not make a browser link a sign-in
// method.
func (s *Server) mayLink(r *request) error {
	switch r.Request.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none", "":
	default:
		return fault.Coded(fault.Forbidden, "cross_origin")
	}
	user, err := s.identify(r)
	if err != nil {
		return err
	}
	r.user, r.w.user = user, user
	if _, err := r.live(); err != nil {
		return err
	}
	return s.fresh(r)
}

// fromProvider handles the redirect back from a provider (G-6).
func (s *Server) fromProvider(id string) func(*request) error {
	return func(r *request) error {
		r.Header().Set("Cache-Control", "no-store")
		if isPrefetch(r) {
			return r.done(nil)
		}
		user, err := s.identify(r)
		if err != nil && !fault.Is(err, fault.Unauthenticated) {
			return s.toLogin(r, err)
		}
		done, err := s.Auth.FinishExternal(r.Context(), id, s.takeTicket(r, externalCookie), r.URL.Query(), user)
		if err != nil {
			return s.toLogin(r, err)
		}
		if !done.Linked {
			s.takeTicket(r, invitationCookie)
			if err := s.startSession(r, done.User, id); err != nil {
				return s.toLogin(r, err)
			}
		}
		return s.redirect(r, done.Return)
	}
}

type identityJSON struct {
	ID        string  `json:"id"`
	Provider  string  `json:"provider"`
	Issuer    string  `json:"issuer"`
	Email     *string `json:"email"`
	CreatedAt moment  `json:"createdAt"`
}

func (s *Server) identities(r *request) error {
	list, err := s.Auth.Identities(r.Context(), r.user)
	return answerList(r, "identities", list, func(row *store.IdentityRow) identityJSON {
		return identityJSON{row.Hash(), row.Provider, row.Issuer, orNull(row.Email), moment(row.Created)}
	}, err)
}

func (s *Server) removeIdentity(r *request) error {
	return r.done(s.Auth.RemoveIdentity(r.Context(), r.user, r.PathValue("id")))
}
