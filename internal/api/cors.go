package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// cors is the middleware for the origins that the owner allowed: it answers preflights and marks answers.
func (s *Server) cors(next http.Handler) http.Handler {
	if len(s.Origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.preflight(w.Header(), r) {
			next.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// preflight sets the headers for the request's origin, and reports whether the request is a preflight.
func (s *Server) preflight(h http.Header, r *http.Request) bool {
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
	return true
}

// sameOrigin reports whether a change comes from our own page or an allowed one: browsers send Sec-Fetch-Site, older
// ones Origin. Programs that send neither are accepted; they have no person's cookie.
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
	if s.BaseURL != "" && strings.EqualFold(origin, strings.TrimSuffix(s.BaseURL, s.path)) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}
