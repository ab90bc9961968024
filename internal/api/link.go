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
	return s.redirect(r, "/")
}

// linkFailed redirects to the sign-in page, which explains that the link was used or has expired.
func (s *Server) linkFailed(r *request, err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	r.w.code = "link_not_valid"
	return s.redirect(r, "/login?e=link")
}

// linkStyle has the colours of web/src/ui/tokens.css: the page looks like the sign-in page.
const linkStyle = `:root{color-scheme:light dark;--bg:#fff;--side:#f5f7fb;--ink:#161b26;--ink2:#4a5468;--line:#dfe4ee;
--accent:#1f4aa8;--on:#fff;--focus:#2f66d6}
@media (prefers-color-scheme:dark){:root{--bg:#10141d;--side:#0b0e15;--ink:#e7eaf1;--ink2:#b4bccb;--line:#283040;
--accent:#8db0ff;--on:#0b1430;--focus:#8db0ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;background:var(--side);color:var(--ink);
font:1rem/1.6 system-ui,sans-serif}
:lang(ja) body{font-family:system-ui,"Hiragino Sans","Yu Gothic Medium",Meiryo,"Noto Sans CJK JP",sans-serif}
main{width:min(400px,100%);padding:32px;border:1px solid var(--line);border-radius:14px;background:var(--bg)}
h1{margin:16px 0 8px;font-size:1.25rem;line-height:28px;word-break:auto-phrase}
p{margin:0 0 24px;color:var(--ink2);line-break:strict}
button{width:100%;min-height:44px;border:0;border-radius:6px;background:var(--accent);color:var(--on);
font:600 1rem system-ui,sans-serif;cursor:pointer}
button:focus-visible{outline:2px solid var(--focus);outline-offset:2px}`

var (
	linkPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(linkStyle) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	linkPages = map[string]string{
		texts.English: linkHTML(texts.English, "Sign in on this device",
			"This link signs you in to Ruri Reader. It works once.", "Sign in"),
		texts.Japanese: linkHTML(texts.Japanese, "この端末でログイン",
			"このリンクから Ruri Reader にログインできます。使えるのは一度だけです。", "ログイン"),
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
<main><svg viewBox="0 0 32 32" width="40" height="40" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1f4aa8"/>
<circle cx="11" cy="21" r="3" fill="#fff"/><path d="M8 13a11 11 0 0 1 11 11M8 7a17 17 0 0 1 17 17" fill="none" stroke="#fff"
stroke-width="3" stroke-linecap="round"/></svg><h1>TITLE</h1><p>TEXT</p><form method="post"><button autofocus>BUTTON</button></form></main></html>
`)
}
