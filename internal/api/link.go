package api

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A one-time link opens a page with a button, and the button's POST signs in: what only loads an address, like a
// picture in another site's page, a preview in a chat or a browser that looks ahead, uses no link up and signs nobody
// in. The POST must come from our own page, as every change must (see admit).

// linkPage shows the button. It works without a script, and holds nothing of the request: the form goes to the address
// that the page has.
func (s *Server) linkPage(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	if err := s.Auth.CheckLink(r.Context(), r.PathValue("token")); err != nil {
		return s.linkFailed(r, err)
	}
	sp := speechOf(r.Context())
	sp.isUsed = true
	// No-referrer would make browsers send the form with the origin "null".
	r.Header().Set("Referrer-Policy", "same-origin")
	r.Header().Set("Content-Security-Policy", linkPolicy)
	return r.bytes(http.StatusOK, "text/html; charset=utf-8", []byte(linkPages[sp.language]))
}

// loginByLink spends a one-time link and goes on to the page.
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

// linkFailed leads from a link that is spent or too old to the log-in page, which says so.
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
	linkPolicy = "default-src 'none'; style-src 'sha256-" + styleHash() + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	linkPages  = map[string]string{
		english:  linkHTML(english, "Sign in", "This link signs you in to Ruri Reader on this device. It works once.", "Sign in"),
		japanese: linkHTML(japanese, "ログイン", "このリンクで、この端末から Ruri Reader にログインします。使えるのは一度だけです。", "ログイン"),
	}
)

func styleHash() string {
	sum := sha256.Sum256([]byte(linkStyle))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func linkHTML(lang, title, text, button string) string {
	return strings.NewReplacer("LANG", lang, "TITLE", title, "STYLE", linkStyle, "TEXT", text, "BUTTON", button).Replace(
		`<!doctype html><html lang="LANG"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>TITLE · Ruri</title><style>STYLE</style>
<main><h1>Ruri Reader</h1><p>TEXT</p><form method="post"><button autofocus>BUTTON</button></form></main></html>
`)
}
