package listing

import (
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/ruri-reader/ruri/internal/reader"
)

// Codes of an Error.
const (
	CodeLayout  = "layout_invalid"  // Field names the part of the layout
	CodeAdapter = "adapter_invalid" // Field names the part of the adapter
	CodePage    = "page_unreadable" // the body is no page, or one beyond the limits
)

// Error is a fault of a layout, an adapter or a page: a stable code and the field. Detail is English, for authors of
// layouts.
type Error struct{ Code, Field, Detail string }

func (e *Error) Error() string {
	s := "listing: " + e.Code
	if e.Field != "" {
		s += " " + e.Field
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// challenges are marks of pages that ask for proof of a human, in lower case.
var challenges = []string{
	"cf-challenge", "cf_chl_", "challenge-platform", "cf-browser-verification", "just a moment...",
	"attention required! | cloudflare",
	"g-recaptcha", "h-captcha", "hcaptcha.com", "cf-turnstile", "px-captcha", "_incapsula_resource", "datadome",
	"ak_bmsc", "awswafcookiedomainlist",
	"verify you are human", "are you a robot", "checking your browser", "unusual traffic",
}

// textOfPage is how much text a page has that is not made in the browser, in characters.
const textOfPage = 200

// problem says why a page without rows has none, as far as it shows.
func (d *document) problem() string {
	links, scripts, hasChallenge := 0, 0, false
	for n := range d.root.Descendants() {
		switch {
		case isElement(n, atom.A) && hasAttr(n, "href"):
			links++
		case isElement(n, atom.Script):
			scripts++
		}
		if !isElement(n) {
			continue
		}
		for i := range n.Attr {
			if a := &n.Attr[i]; a.Key == "class" || a.Key == "id" || a.Key == "src" || a.Key == "action" ||
				a.Key == "name" {
				hasChallenge = hasChallenge || hasMark(a.Val)
			}
		}
	}
	text := textUpTo(d.root, maxText, nil)
	switch {
	// Forms of usual pages have captchas too: a challenge has little else.
	case (hasChallenge || hasMark(text)) && links < 10:
		return ProblemChallenge
	case scripts > 0 && links < 5 && len([]rune(text)) < textOfPage:
		return ProblemRendered
	}
	return ProblemEmpty
}

// IsChallenge reports whether a page with which a site denies access asks for proof of a human.
func IsChallenge(page []byte) bool { return hasMark(string(page)) }

func hasMark(s string) bool {
	s = strings.ToLower(reader.CutBytes(s, maxText))
	for _, c := range challenges {
		if strings.Contains(s, c) {
			return true
		}
	}
	return false
}
