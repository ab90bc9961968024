// Package logs makes the logger of a process: one line per event, with stable keys, and scrubbed of secrets. Of
// addresses only the host is logged; tokens, one-time links, cookies and e-mail addresses become "…", so a careless
// error text leaks nothing. docs/run/monitoring.md has the keys.
package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
)

// New returns a logger that writes JSON or text.
func New(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	o := &slog.HandlerOptions{Level: level, ReplaceAttr: replace}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

func replace(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(Scrub(a.Value.String()))
	case slog.KindAny:
		switch v := a.Value.Any().(type) {
		case error:
			a.Value = slog.StringValue(Scrub(v.Error()))
		case fmt.Stringer:
			a.Value = slog.StringValue(Scrub(v.String()))
		}
	}
	return a
}

var (
	addresses = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)://[^\s"'<>\\^{|}` + "`" + `]+`)
	tokens    = regexp.MustCompile(`ruri_(?:live|test)_[A-Za-z0-9_-]*`)
	links     = regexp.MustCompile(`(/auth/link/)[^\s"'?#{]+`)
	cookies   = regexp.MustCompile(`((?:__Host-)?ruri=)[^;\s"']+`)
	bearers   = regexp.MustCompile(`(?i)\b(bearer|basic|auth=)(\s*)[A-Za-z0-9._~+/=-]{8,}`)
	mails     = regexp.MustCompile(`[^\s@:/,;"'<>()]+@([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)`)
)

// Scrub removes secrets from a text: an address keeps only its scheme and host, because user info, path and query may
// each have a key; tokens, links' secrets, cookies and the names in e-mail addresses become "…".
func Scrub(s string) string {
	// The plain searches spare most texts the regular expressions.
	if strings.Contains(s, "://") {
		s = addresses.ReplaceAllStringFunc(s, func(raw string) string {
			scheme, rest, _ := strings.Cut(raw, "://")
			host := hostOf(raw)
			if host == "" {
				return scheme + "://…"
			}
			if strings.HasSuffix(rest, ":") { // a colon of the text, not of a port
				return scheme + "://" + host + "/…:"
			}
			return scheme + "://" + host + "/…"
		})
	}
	if strings.Contains(s, "ruri") {
		s = tokens.ReplaceAllString(s, "…")
		s = cookies.ReplaceAllString(s, "$1…")
	}
	if strings.Contains(s, "/auth/link/") {
		s = links.ReplaceAllString(s, "$1…")
	}
	if strings.ContainsRune(s, '@') {
		s = mails.ReplaceAllString(s, "…@$1")
	}
	if low := strings.ToLower(s); strings.Contains(low, "bearer") || strings.Contains(low, "basic") ||
		strings.Contains(low, "auth=") {
		s = bearers.ReplaceAllString(s, "$1$2…")
	}
	return s
}

// maxHost is the longest name of DNS.
const maxHost = 253

// hostOf returns the part of an address that may be logged: host and port, "" if there is none.
func hostOf(raw string) string {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), ":.,)"))
	if err != nil || len(u.Host) > maxHost {
		return ""
	}
	return strings.ToLower(u.Host)
}

type requestKey struct{}

// WithRequest adds the id of the HTTP request or queue message that a context belongs to.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Request returns the id that WithRequest added, "" if none.
func Request(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
