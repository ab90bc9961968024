package page

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// maxRefresh is the greatest delay, in seconds, with which a page leads on to another rather than shows itself.
const maxRefresh = 10

// Refresh returns the address that a page leads to by a meta element (WHATWG HTML, http-equiv=refresh), absolute; ""
// if it stays. The one for visitors without scripts counts: scripts are not run.
func Refresh(body []byte, contentType, pageURL string) string {
	base, err := url.Parse(pageURL)
	if err != nil {
		return ""
	}
	text, _ := Decode(body[:min(len(body), metaReach)], contentType)
	z := html.NewTokenizer(bytes.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.Data {
			case "body":
				return ""
			case "noscript":
				z.NextIsNotRawText()
			case "meta":
				if to := refreshOf(t, base); to != "" {
					return to
				}
			}
		}
	}
}

func refreshOf(meta html.Token, base *url.URL) string {
	var isRefresh bool
	var content string
	for _, a := range meta.Attr {
		switch a.Key {
		case "http-equiv":
			isRefresh = strings.EqualFold(strings.TrimSpace(a.Val), "refresh")
		case "content":
			content = a.Val
		}
	}
	delay, rest := strings.TrimSpace(content), ""
	if i := strings.IndexAny(delay, ";, \t\r\n"); i >= 0 {
		delay, rest = delay[:i], strings.TrimLeft(delay[i:], ";, \t\r\n")
	}
	if seconds, err := strconv.ParseFloat(delay, 64); !isRefresh || err != nil || seconds > maxRefresh {
		return ""
	}
	if len(rest) > 3 && strings.EqualFold(rest[:3], "url") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(rest[3:]), "="); ok {
			rest = strings.TrimSpace(v)
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	to, err := base.Parse(strings.ReplaceAll(strings.TrimSpace(rest), " ", "%20"))
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return ""
	}
	to.Fragment, to.RawFragment, to.User = "", "", nil
	if to.String() == withoutFragment(*base) {
		return "" // it loads itself anew
	}
	return to.String()
}

func withoutFragment(u url.URL) string {
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u.String()
}
