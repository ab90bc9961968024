package api

import (
	"net/http"
	"net/url"
	"strings"
)

// The reader may be below a path of its host, as https://home.example/reader: the path of the base URL. Requests lose
// it at the door, so that no route knows of it; addresses, redirects and cookies get it in this file.

// PathOf returns the path of a base URL, without a slash at its end.
func PathOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

// Below serves h below the path of a base URL. Requests without the path are answered too: some proxies remove it, and
// what runs on the same machine does not know it.
func Below(base string, h http.Handler) http.Handler {
	path := PathOf(base)
	if path == "" {
		return h
	}
	stripped := http.StripPrefix(path, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == path:
			http.Redirect(w, r, path+"/", http.StatusMovedPermanently)
		// Google Reader's own paths begin like the path that most choose.
		case strings.HasPrefix(r.URL.Path, path+"/") && !strings.HasPrefix(r.URL.Path, "/reader/api/0/"):
			stripped.ServeHTTP(w, r)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// address returns the address of the reader as this request's client sees it, without a slash at its end.
func (s *Server) address(r *request) string { return s.origin(r) + s.path }

// redirect leads to a page of ours.
func (s *Server) redirect(r *request, to string) error {
	http.Redirect(r.w, r.Request, s.path+to, http.StatusSeeOther)
	return nil
}

// setCookie sets a cookie for the whole reader that scripts cannot read. Lax: a sign-in provider's redirect brings it
// back.
func (s *Server) setCookie(r *request, c http.Cookie) {
	c.Path, c.HttpOnly, c.Secure, c.SameSite = s.path+"/", true, s.Secure, http.SameSiteLaxMode
	http.SetCookie(r.w, &c)
}

// cookieName is the session's cookie; behind HTTPS it takes the __Host- prefix, which binds it to this host, the whole
// path and a secure line, or below a path __Secure-.
func (s *Server) cookieName() string {
	switch {
	case s.Secure && s.path != "":
		return "__Secure-ruri"
	case s.Secure:
		return "__Host-ruri"
	}
	return "ruri"
}
