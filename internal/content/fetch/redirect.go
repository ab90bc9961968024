package fetch

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// checkRedirect decides whether a redirect may be followed, and drops credentials that do not apply to it.
func (x *exchange) checkRedirect(from, to *url.URL, hop int) *Error {
	if hop == 0 {
		x.visited[0] = from.String()
	}
	target := to.String()
	for _, v := range x.visited[:hop+1] {
		if v == target {
			return &Error{Code: CodeRedirectLoop, Host: from.Host}
		}
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

// target reads Location. White space in it is refused: it is never valid, and what header splitting leaves.
// Userinfo in it is dropped: a server does not choose which credentials are sent.
func target(from *url.URL, res *http.Response) (*url.URL, *Error) {
	bad := func(reason string) (*url.URL, *Error) {
		return nil, &Error{Code: CodeBadRedirect, Host: from.Host, Cause: errors.New(reason)}
	}
	location := first(res.Header["Location"])
	if location == "" || len(location) > maxURL {
		return bad("no location, or one too long")
	}
	if !cleanText(location) || strings.ContainsRune(location, ' ') {
		return bad("location has control characters, spaces or backslashes")
	}
	to, err := from.Parse(location)
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
