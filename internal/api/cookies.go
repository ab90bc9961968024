package api

import (
	"net/http"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/reader"
)

// startSession starts a session and sets its cookie. The method is shown in the list of sessions: password, link,
// passkey, google, ….
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
	s.setCookie(r, http.Cookie{Name: s.cookieName(), Value: value, Expires: expires})
}

// dropSession deletes the session's cookie.
func (s *Server) dropSession(r *request) {
	r.Header().Del("Set-Cookie") // a renewed one of this request
	s.setCookie(r, http.Cookie{Name: s.cookieName(), MaxAge: -1})
}

// The cookies between two halves of a sign-in.
const (
	externalCookie   = "signin"
	passkeyCookie    = "passkey"
	invitationCookie = "invite"
)

// keepTicket stores a value in the browser until a later request of the same sign-in.
func (s *Server) keepTicket(r *request, name, value string, life time.Duration) {
	s.setCookie(r, http.Cookie{Name: s.cookieName() + "-" + name, Value: value, MaxAge: int(life.Seconds())})
}

func (s *Server) ticket(r *request, name string) string {
	c, err := r.Cookie(s.cookieName() + "-" + name)
	if err != nil {
		return ""
	}
	return c.Value
}

// takeTicket returns the value of a ticket and deletes it.
func (s *Server) takeTicket(r *request, name string) string {
	value := s.ticket(r, name)
	if value != "" {
		s.setCookie(r, http.Cookie{Name: s.cookieName() + "-" + name, MaxAge: -1})
	}
	return value
}
