package api

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/auth/webauthn"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

func (s *Server) signInRoutes() []Route {
	return slices.Concat([]Route{
		{Method: "GET", Path: "/auth/link/{token}", SignIn: true, Handle: s.linkPage},
		{Method: "POST", Path: "/auth/link/{token}", SignIn: true, Handle: s.loginByLink},
		{Method: "GET", Path: "/api/auth/methods", SignIn: true, Handle: s.methods},
		{Method: "GET", Path: "/api/auth/errors/{code}", SignIn: true, Handle: s.signInError},
		{Method: "POST", Path: "/api/auth/login", SignIn: true, Handle: with(s.login)},
		{Method: "POST", Path: "/api/auth/logout", SignIn: true, Handle: s.logout},
		{Method: "PUT", Path: "/api/users/me/password", Account: true, Handle: with(s.setPassword)},
		{Method: "PUT", Path: "/api/users/me/email", Account: true, Handle: with(s.setEmail)},
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

// methods answers the available sign-in methods.
func (s *Server) methods(r *request) error {
	policy, err := s.Auth.SignUp(r.Context())
	if err != nil {
		return err
	}
	_, err = s.party(r)
	out := methodsJSON{Password: true, Passkey: err == nil, Providers: []providerJSON{}, SignUp: policy,
		Invited: s.invitation(r) != ""}
	for _, p := range s.Auth.Providers {
		out.Providers = append(out.Providers, providerJSON{ID: p.ID, Name: p.Name, URL: "/auth/" + p.ID + "/login"})
	}
	return r.json(http.StatusOK, out)
}

func (s *Server) login(r *request, in struct {
	Email    string `json:"email" required:"true"`
	Password string `json:"password" required:"true"`
	Bearer   bool   `json:"bearer"`
}) error {
	a, err := s.Auth.Login(r.Context(), in.Email, in.Password, s.Proxies.clientAddress(r.Request))
	if err != nil {
		return err
	}
	r.Header().Set("Cache-Control", "no-store")
	value, expires, err := s.newSession(r, a.ID(), auth.Start{Method: "password", Password: a.Password})
	if err != nil {
		return err
	}
	if in.Bearer { // for programs without cookies
		return r.json(http.StatusOK, map[string]any{"user": user(a), "token": value, "expiresAt": momentOf(expires)})
	}
	s.setSession(r, value, expires)
	return r.json(http.StatusOK, map[string]any{"user": user(a)})
}

// logout ends the session on the server too. It succeeds when there is none.
func (s *Server) logout(r *request) error {
	user, err := s.identify(r)
	if err == nil && r.session != nil {
		err = s.Auth.EndSession(r.Context(), user, r.session.ID)
	}
	if err != nil && !fault.Is(err, fault.Unauthenticated) {
		return err
	}
	s.dropSession(r)
	return r.done(nil)
}

// setPassword changes the password and ends all other sessions, and API tokens unless revokeTokens is false.
func (s *Server) setPassword(r *request, in struct {
	Current      string         `json:"current"`
	Password     string         `json:"password" required:"true"`
	RevokeTokens optional[bool] `json:"revokeTokens"`
}) error {
	v, err := r.live()
	if err != nil {
		return err
	}
	change := auth.PasswordChange{Current: in.Current, New: in.Password, RevokeTokens: in.RevokeTokens.or(true)}
	return r.done(s.Auth.SetPassword(r.Context(), v, change, s.Proxies.clientAddress(r.Request)))
}

// setEmail changes the account's e-mail address.
func (s *Server) setEmail(r *request, in struct {
	Current string `json:"current"`
	Email   string `json:"email" required:"true"`
}) error {
	v, err := r.live()
	if err != nil {
		return err
	}
	a, err := s.Auth.SetEmail(r.Context(), v, in.Current, in.Email, s.Proxies.clientAddress(r.Request))
	return answerOne(r, http.StatusOK, "user", a, user, err)
}

// origin returns the origin of this request's page, in the form that browsers use.
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

// party returns the relying party for authenticators, which need a host name, and TLS or localhost (WebAuthn 5.1.2; W3C
// Secure Contexts, 3.1).
func (s *Server) party(r *request) (webauthn.Party, error) {
	p := webauthn.Party{Origin: s.origin(r)}
	u, err := url.Parse(p.Origin)
	if err == nil {
		p.ID = u.Hostname()
	}
	if err != nil || p.ID == "" || net.ParseIP(p.ID) != nil || u.Scheme != "https" && p.ID != "localhost" {
		return p, fault.Coded(fault.Conflict, "passkey_unavailable")
	}
	return p, nil
}

// isPrefetch reports whether a request must have no effect: HEAD, or a browser's prefetch.
func isPrefetch(r *request) bool {
	return r.Method == http.MethodHead || strings.Contains(r.Request.Header.Get("Sec-Purpose"), "prefetch")
}

// signInErrors are the codes that toLogin uses, besides signInFailed.
var signInErrors = []string{
	"cross_origin", "email_taken", "email_unverified", "identity_limit", "identity_taken",
	"invitation_not_valid", "no_provider",
	"not_signed_in", "provider_denied", "provider_refused", "provider_unavailable", "session_ended", "session_needed",
	"sign_in_again", "sign_in_expired", "sign_up_closed", "user_not_found",
}

// signInError answers the texts of a code that toLogin put into the URL of the sign-in page.
func (s *Server) signInError(r *request) error {
	code := r.PathValue("code")
	if !slices.Contains(signInErrors, code) {
		code = signInFailed
	}
	lang := r.language()
	t, _ := texts.Of(code)
	p := problem{Message: t.Message.In(lang), Category: "auth", Action: t.Action.In(lang)}
	p.Code = code
	return r.json(http.StatusOK, p)
}

// signInFailed is the code of a sign-in with any other error.
const signInFailed = "failed"

// toLogin redirects a failed sign-in to the sign-in page, with the code of the error.
func (s *Server) toLogin(r *request, err error) error {
	code := fault.CodeOf(err)
	switch fault.KindOf(err) {
	case fault.Internal, fault.Cancelled, fault.RateLimited, fault.Unavailable:
		r.w.err = err
	}
	if !slices.Contains(signInErrors, code) {
		code = signInFailed
	}
	r.w.code = code
	return s.redirect(r, "/login?e="+url.QueryEscape(code))
}
