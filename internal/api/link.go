package api

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

// A one-time link opens a page with a button whose POST signs in: loading the URL alone (a link preview, a prefetch, an
// image in another site's page) neither spends the link nor signs anybody in. The POST must come from our own page, as
// every change (see authorize).

// linkPage answers the page with the button. Its form posts to the page's own URL.
func (s *Server) linkPage(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	if err := s.Auth.CheckLink(r.Context(), r.PathValue("token")); err != nil {
		return s.linkFailed(r, err)
	}
	// No-referrer would make browsers send the form with the origin "null".
	r.Header().Set("Referrer-Policy", "same-origin")
	r.Header().Set("Content-Security-Policy", linkPolicy)
	return r.bytes(http.StatusOK, "text/html; charset=utf-8", []byte(linkPages[r.language()]))
}

// loginByLink spends a one-time link and signs in.
func (s *Server) loginByLink(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	a, err := s.Auth.SpendLink(r.Context(), r.PathValue("token"))
	if err != nil {
		return s.linkFailed(r, err)
	}
	if err := s.startSession(r, a.ID(), "link"); err != nil {
		return err
	}
	http.Redirect(r.w, r.Request, "/", http.StatusSeeOther)
	return nil
}

// linkFailed redirects to the sign-in page, which explains that the link was used or has expired.
func (s *Server) linkFailed(r *request, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	r.w.code = "link_not_valid"
	http.Redirect(r.w, r.Request, "/login?e=link", http.StatusSeeOther)
	return nil
}

const linkStyle = `:root{color-scheme:light dark}
body{font:1rem/1.6 system-ui,sans-serif;max-width:26rem;margin:20vh auto;padding:0 1rem}
button{font:inherit;padding:.6rem 1.4rem;cursor:pointer}`

var (
	linkPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(linkStyle) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	linkPages = map[string]string{
		texts.English: linkHTML(texts.English, "Sign in",
			"This link signs you in to Ruri Reader on this device. It works once.", "Sign in"),
		texts.Japanese: linkHTML(texts.Japanese, "ログイン", "このリンクで、この端末から Ruri Reader にログインします。使えるのは一度だけです。", "ログイン"),
	}
)

// hashOf names an inline style in a policy.
func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func linkHTML(lang, title, text, button string) string {
	return strings.NewReplacer("LANG", lang, "TITLE", title, "STYLE", linkStyle, "TEXT", text, "BUTTON",
		button).Replace(
		`<!doctype html><html lang="LANG"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>TITLE · Ruri</title><style>STYLE</style>
<main><h1>Ruri Reader</h1><p>TEXT</p><form method="post"><button autofocus>BUTTON</button></form></main></html>
`)
}
