package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/storage/store"
)

func (s *Server) signUpRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/auth/invite/{token}", Public: true, Handle: s.invited},
		{Method: "POST", Path: "/api/auth/signup", Public: true, Handle: s.signUp},
		{Method: "GET", Path: "/api/site", Account: true, Handle: s.site},
		{Method: "PUT", Path: "/api/site", Owner: true, Fresh: true, Handle: s.setSite},
		{Method: "GET", Path: "/api/invitations", Owner: true, Handle: s.invitations},
		{Method: "POST", Path: "/api/invitations", Owner: true, Fresh: true, Handle: s.invite},
		{Method: "DELETE", Path: "/api/invitations/{id}", Owner: true, Handle: s.withdraw},
	}
}

// invitationCookieLife is how long a person may take for signing up once they have opened their invitation.
const invitationCookieLife = time.Hour

// invitation is the one that this browser was led here by.
func (s *Server) invitation(r *request) string { return s.ticket(r, invitationCookie) }

// invited takes an invitation into a cookie, so that it is in no address of the page, and goes on to the form. It
// spends nothing.
func (s *Server) invited(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	if looksAhead(r) {
		return r.noContent()
	}
	token := r.PathValue("token")
	if err := s.Auth.CheckInvitation(r.Context(), token); err != nil {
		return s.toLogin(r, err)
	}
	s.keepTicket(r, invitationCookie, token, invitationCookieLife)
	http.Redirect(r.w, r.Request, "/signup", http.StatusSeeOther)
	return nil
}

func (s *Server) signUp(r *request) error {
	var in struct {
		Email    string `json:"email" required:"true"`
		Password string `json:"password" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	a, err := s.Auth.SignUpByPassword(r.Context(), in.Email, in.Password, s.invitation(r), s.Proxies.clientAddress(r.Request))
	if err != nil {
		return err
	}
	s.takeTicket(r, invitationCookie)
	if err := s.startSession(r, a.ID(), "password"); err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusCreated, map[string]any{"user": user(a)})
}

type siteJSON struct {
	SignUp string `json:"signUp" required:"true"`
}

func (s *Server) site(r *request) error {
	policy, err := s.Auth.SignUp(r.Context())
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, siteJSON{SignUp: policy})
}

func (s *Server) setSite(r *request) error {
	var in siteJSON
	if err := r.decode(&in); err != nil {
		return err
	}
	if err := s.Auth.SetSignUp(r.Context(), in.SignUp); err != nil {
		return err
	}
	return r.json(http.StatusOK, in)
}

type invitationJSON struct {
	ID        string `json:"id"`
	Note      string `json:"note"`
	CreatedAt string `json:"createdAt"`
	ExpiresAt string `json:"expiresAt"`
	URL       string `json:"url,omitempty"` // only in the answer that makes it
}

func shownInvitation(row *store.InvitationRow) invitationJSON {
	return invitationJSON{ID: row.ID(), Note: row.Note, CreatedAt: unixTime(row.Created), ExpiresAt: unixTime(row.TTL)}
}

func (s *Server) invitations(r *request) error {
	list, err := s.Auth.Invitations(r.Context())
	if err != nil {
		return err
	}
	out := make([]invitationJSON, 0, len(list))
	for _, row := range list {
		out = append(out, shownInvitation(row))
	}
	return r.json(http.StatusOK, map[string]any{"invitations": out})
}

func (s *Server) invite(r *request) error {
	var in struct {
		Note string `json:"note"`
	}
	if err := r.decodeIfAny(&in); err != nil {
		return err
	}
	secret, row, err := s.Auth.Invite(r.Context(), r.user, in.Note)
	if err != nil {
		return err
	}
	out := shownInvitation(row)
	out.URL = s.origin(r) + "/auth/invite/" + secret
	r.Header().Set("Cache-Control", "no-store")
	return r.json(http.StatusCreated, map[string]any{"invitation": out})
}

func (s *Server) withdraw(r *request) error {
	if err := s.Auth.Withdraw(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return r.noContent()
}
