package api

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
)

// A one-time link opens a page with a button whose POST signs in: loading the URL alone (a link preview, a prefetch, an
// image in another site's page) neither spends the link nor signs anybody in. The POST must come from our own page, as
// every change (see authorize).

// linkPage answers the page with the button. Its form posts to the page's own URL.
func (s *Server) linkPage(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	until, err := s.Auth.CheckLink(r.Context(), r.PathValue("token"))
	if err != nil {
		return s.linkFailed(r, err)
	}
	lang := r.language()
	if asked := r.URL.Query().Get("lang"); linkTexts[asked].title != "" {
		lang = asked
	}
	// No-referrer would make browsers send the form with the origin "null".
	r.Header().Set("Referrer-Policy", "same-origin")
	r.Header().Set("Content-Security-Policy", linkPolicy)
	return r.bytes(http.StatusOK, "text/html; charset=utf-8", []byte(linkHTML(lang, until.Sub(s.Clock.Now()))))
}

// byLink is the method of sessions that a one-time link began.
const byLink = "link"

// loginByLink spends a one-time link and signs in.
func (s *Server) loginByLink(r *request) error {
	r.Header().Set("Cache-Control", "no-store")
	a, err := s.Auth.SpendLink(r.Context(), r.PathValue("token"))
	if err != nil {
		return s.linkFailed(r, err)
	}
	if err := s.startSession(r, a.ID(), byLink); err != nil {
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
button:focus-visible,a:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
footer{margin-top:16px;font-size:.875rem;text-align:center}
a{color:var(--ink2)}`

var linkPolicy = "default-src 'none'; style-src 'sha256-" + hashOf(linkStyle) +
	"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// linkTexts are the words of the page, with the name of the other language and how long the link works.
var linkTexts = map[string]struct {
	title, text, button string
	minutes, hours      string
	other, otherName    string
}{
	texts.English: {"Sign in on this device", "This link signs you in to Ruri Reader. It works once, for the next LIFE.",
		"Sign in", "%d min", "%d h", texts.Japanese, "日本語"},
	texts.Japanese: {"この端末でログイン", "このリンクから Ruri Reader にログインできます。使えるのは一度だけ、あとLIFE以内です。",
		"ログイン", "%d分", "%d時間", texts.English, "English"},
}

// hashOf names an inline style in a policy.
func hashOf(style string) string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// linkHTML is the page of a link that works for another `life`.
func linkHTML(lang string, life time.Duration) string {
	w := linkTexts[lang]
	left := fmt.Sprintf(w.minutes, max(1, int(life.Minutes())))
	if life > 2*time.Hour {
		left = fmt.Sprintf(w.hours, int(life.Hours()))
	}
	return strings.NewReplacer("LANG", lang, "TITLE", w.title, "STYLE", linkStyle,
		"TEXT", strings.Replace(w.text, "LIFE", left, 1), "BUTTON", w.button,
		"OTHER", w.other, "NAME", w.otherName).Replace(
		`<!doctype html><html lang="LANG"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>TITLE · Ruri</title><style>STYLE</style>
<main><svg viewBox="0 0 32 32" width="40" height="40" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1f4aa8"/>
<path d="M16 7a9 9 0 1 1-9 9" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/>
<circle cx="16" cy="16" r="3.2" fill="#fff"/><circle cx="9.6" cy="9.6" r="2.2" fill="#e3b341"/></svg>
<h1>TITLE</h1><p>TEXT</p><form method="post"><button autofocus>BUTTON</button></form>
<footer><a href="?lang=OTHER" lang="OTHER" hreflang="OTHER">NAME</a></footer></main></html>
`)
}
