package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
)

func (s *Server) externalRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/auth/google/login", Public: true, Handle: s.toProvider("google")},
		{Method: "GET", Path: "/auth/google/callback", Public: true, Handle: s.fromProvider("google")},
		{Method: "GET", Path: "/auth/oidc/login", Public: true, Handle: s.toProvider("oidc")},
		{Method: "GET", Path: "/auth/oidc/callback", Public: true, Handle: s.fromProvider("oidc")},
		{Method: "GET", Path: "/api/identities", Account: true, Handle: s.identities},
		{Method: "DELETE", Path: "/api/identities/{id}", Account: true, Person: true, Fresh: true, Handle: s.removeIdentity},
	}
}

// toProvider sends the person to a provider (G-5): to sign in, or with link=1 to add it as a way to sign in.
func (s *Server) toProvider(id string) func(*request) error {
	return func(r *request) error {
		r.Header().Set("Cache-Control", "no-store")
		if looksAhead(r) {
			return r.noContent()
		}
		e := auth.External{Redirect: s.origin(r) + "/auth/" + id + "/callback", Return: r.URL.Query().Get("next"), Invitation: s.invitation(r)}
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

// mayLink lets in who signed in a moment ago and comes from our own page: another site must not have a person's
// browser add a way in.
func (s *Server) mayLink(r *request) error {
	switch r.Request.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none", "":
	default:
		return fault.Newf(fault.Forbidden, "cross_origin", "This request came from another site.")
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

// fromProvider takes the person back (G-6).
func (s *Server) fromProvider(id string) func(*request) error {
	return func(r *request) error {
		r.Header().Set("Cache-Control", "no-store")
		if looksAhead(r) {
			return r.noContent()
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
		http.Redirect(r.w, r.Request, done.Return, http.StatusSeeOther)
		return nil
	}
}

type identityJSON struct {
	ID        string  `json:"id"`
	Provider  string  `json:"provider"`
	Issuer    string  `json:"issuer"`
	Email     *string `json:"email"`
	CreatedAt string  `json:"createdAt"`
}

func (s *Server) identities(r *request) error {
	list, err := s.Auth.Identities(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]identityJSON, 0, len(list))
	for _, row := range list {
		out = append(out, identityJSON{
			ID: row.Hash(), Provider: row.Provider, Issuer: row.Issuer, Email: orNull(row.Email), CreatedAt: unixTime(row.Created),
		})
	}
	return r.json(http.StatusOK, map[string]any{"identities": out})
}

func (s *Server) removeIdentity(r *request) error {
	if err := s.Auth.RemoveIdentity(r.Context(), r.user, r.PathValue("id")); err != nil {
		return err
	}
	return r.noContent()
}
