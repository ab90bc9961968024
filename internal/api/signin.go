package api

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/auth/webauthn"
	"github.com/ruri-reader/ruri/internal/fault"
)

func (s *Server) signInRoutes() []Route {
	return slices.Concat([]Route{
		{Method: "GET", Path: "/auth/link/{token}", Public: true, Handle: s.linkPage},
		{Method: "POST", Path: "/auth/link/{token}", Public: true, Handle: s.loginByLink},
		{Method: "GET", Path: "/api/auth/methods", Public: true, Handle: s.methods},
		{Method: "POST", Path: "/api/auth/login", Public: true, Handle: s.login},
		{Method: "POST", Path: "/api/auth/logout", Public: true, Handle: s.logout},
		{Method: "PUT", Path: "/api/users/me/password", Account: true, Handle: s.setPassword},
		{Method: "PUT", Path: "/api/users/me/email", Account: true, Handle: s.setEmail},
	}, s.externalRoutes(), s.passkeyRoutes(), s.signUpRoutes())
}

type methodsJSON struct {
	Password  bool           `json:"password"`
	Passkey   bool           `json:"passkey"`
	Providers []providerJSON `json:"providers"`
	SignUp    string         `json:"signUp"`
	Invited   bool           `json:"isInvited"`
}

type providerJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

// methods tells the log-in page which ways to sign in there are here.
func (s *Server) methods(r *request) error {
	policy, err := s.Auth.SignUp(r.Context())
	if err != nil {
		return err
	}
	_, err = s.party(r)
	out := methodsJSON{Password: true, Passkey: err == nil, Providers: []providerJSON{}, SignUp: policy, Invited: s.invitation(r) != ""}
	for _, p := range s.Auth.Providers() {
		out.Providers = append(out.Providers, providerJSON{ID: p.ID, Name: p.Name, URL: "/auth/" + p.ID + "/login"})
	}
	return r.json(http.StatusOK, out)
}

// setPassword changes the password, and leaves this session alone signed in; tokens end too, unless they are to stay.
func (s *Server) setPassword(r *request) error {
	var in struct {
		Current      string         `json:"current"`
		Password     string         `json:"password" required:"true"`
		RevokeTokens optional[bool] `json:"revokeTokens"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	v, err := r.live()
	if err != nil {
		return err
	}
	change := auth.PasswordChange{Current: in.Current, New: in.Password, RevokeTokens: in.RevokeTokens.or(true)}
	if err := s.Auth.SetPassword(r.Context(), v, change, s.Proxies.clientAddress(r.Request)); err != nil {
		return err
	}
	return r.noContent()
}

// setEmail changes the address that a password is entered with; the owner's first one is made up.
func (s *Server) setEmail(r *request) error {
	var in struct {
		Current string `json:"current"`
		Email   string `json:"email" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	v, err := r.live()
	if err != nil {
		return err
	}
	a, err := s.Auth.SetEmail(r.Context(), v, in.Current, in.Email, s.Proxies.clientAddress(r.Request))
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"user": user(a)})
}

// live gives the session of a person at a device: how somebody signs in is not for programs to change.
func (r *request) live() (auth.Session, error) {
	if r.session == nil {
		return auth.Session{}, fault.Newf(fault.Forbidden, "session_needed", "This is done by a person who is signed in, not with a program's token.")
	}
	return *r.session, nil
}

// fresh refuses a session that was begun too long ago. A program's token was made by a fresh sign-in itself; what no
// token may do is refused to it by Route.Person.
func (s *Server) fresh(r *request) error {
	if r.session == nil {
		return nil
	}
	return s.Auth.Fresh(r.Context(), *r.session)
}

// origin is where this request's page lies, as browsers write it.
func (s *Server) origin(r *request) string {
	base := s.BaseURL
	if base == "" {
		base = "http://" + r.Host
		if s.Secure {
			base = "https://" + r.Host
		}
	}
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host
}

// party is who we are to authenticators: they need a name, and TLS or this very machine (WebAuthn 5.1.2; W3C Secure
// Contexts, 3.1).
func (s *Server) party(r *request) (webauthn.Party, error) {
	p := webauthn.Party{Origin: s.origin(r)}
	u, err := url.Parse(p.Origin)
	if err == nil {
		p.ID = u.Hostname()
	}
	if err != nil || p.ID == "" || net.ParseIP(p.ID) != nil || u.Scheme != "https" && p.ID != "localhost" {
		return p, fault.Newf(fault.Conflict, "passkey_unavailable", "Passkeys do not work at this address.")
	}
	return p, nil
}

// The cookies between two halves of a sign-in.
const (
	externalCookie   = "signin"
	passkeyCookie    = "passkey"
	invitationCookie = "invite"
)

// keepTicket lets the browser keep something for us. Lax: a provider's redirect brings it back.
func (s *Server) keepTicket(r *request, name, value string, life time.Duration) {
	http.SetCookie(r.w, &http.Cookie{
		Name: s.cookieName() + "-" + name, Value: value, Path: "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
	})
}

func (s *Server) ticket(r *request, name string) string {
	c, err := r.Cookie(s.cookieName() + "-" + name)
	if err != nil {
		return ""
	}
	return c.Value
}

// takeTicket is ticket for the last time.
func (s *Server) takeTicket(r *request, name string) string {
	value := s.ticket(r, name)
	if value != "" {
		http.SetCookie(r.w, &http.Cookie{
			Name: s.cookieName() + "-" + name, Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode,
		})
	}
	return value
}

// looksAhead tells requests that are to change nothing: HEAD, and what a browser fetches before anybody clicked.
func looksAhead(r *request) bool {
	return r.Method == http.MethodHead || strings.Contains(r.Request.Header.Get("Sec-Purpose"), "prefetch")
}

// toLogin is how a sign-in fails that was begun by leaving the page: at the log-in page, with a code that it can
// word.
func (s *Server) toLogin(r *request, err error) error {
	code := fault.CodeOf(err)
	switch fault.KindOf(err) {
	case fault.Internal, fault.Cancelled, fault.RateLimited:
		r.w.err, code = err, "failed"
	case fault.Unavailable:
		r.w.err = err
		if code != "provider_unavailable" {
			code = "failed"
		}
	}
	r.w.code = code
	http.Redirect(r.w, r.Request, "/login?e="+url.QueryEscape(code), http.StatusSeeOther)
	return nil
}
