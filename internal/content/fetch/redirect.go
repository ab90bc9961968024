package fetch

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/ruri-reader/ruri/internal/reader"
)

// checkRedirect decides whether a redirect may be followed, and drops credentials that do not apply to it.
func (x *exchange) checkRedirect(from, to *url.URL, hop int) *Error {
	if hop == 0 {
		x.visited[0] = visit{url: from.String()}
	}
	target := visit{to.String(), x.cookieHeader(to)}
	for _, v := range x.visited[:hop+1] {
		if v == target {
			return &Error{Code: CodeRedirectLoop, Host: from.Host}
		}
		x.cameBack = x.cameBack || v.url == target.url
	}
	if hop == MaxRedirects {
		return &Error{Code: CodeTooManyRedirects, Host: from.Host}
	}
	x.visited[hop+1] = target
	if from.Host != to.Host || (from.Scheme == "https" && to.Scheme == "http") {
		x.user = nil // another origin; the same host from http to https only gains
	}
	return nil
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// visit is a request of a chain. The same address with other cookies is another one.
type visit struct{ url, cookies string }

// target reads Location. Control characters in it are refused: they are never valid, and a sign of header splitting.
// Spaces are escaped, as browsers do. Userinfo in it is dropped: a server does not choose which credentials are sent.
func target(from *url.URL, res *http.Response) (*url.URL, *Error) {
	bad := func(reason string) (*url.URL, *Error) {
		return nil, &Error{Code: CodeBadRedirect, Host: from.Host, Cause: errors.New(reason)}
	}
	location := first(res.Header["Location"])
	if location == "" || len(location) > reader.MaxLink {
		return bad("no location, or one too long")
	}
	if !cleanText(location) {
		return bad("location has control characters or backslashes")
	}
	to, err := from.Parse(strings.ReplaceAll(strings.TrimSpace(location), " ", "%20"))
	if err != nil {
		return bad("location cannot be read")
	}
	to, reason := parseURL(to.String())
	if reason != "" {
		return bad(reason)
	}
	to.User = nil
	return to, nil
}
