// Package logs makes the one logger of a process: a line an event, with stable keys, and without what must
// not lie in a log. Whatever is handed in, addresses leave it as their hosts, and tokens, one-time links,
// cookies and mail addresses as "…"; so a careless error text is no leak. docs/watching.md has the keys.
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

// New makes a logger of the format ("json", else text).
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

// Scrub takes secrets out of a text: an address keeps its scheme and host alone, for user info, path and query
// may each carry a key; tokens, links' secrets, cookies and the names in mail addresses become "…".
func Scrub(s string) string {
	// Most texts have none of the signs, and are not searched by expressions.
	if strings.Contains(s, "://") {
		s = addresses.ReplaceAllStringFunc(s, func(raw string) string {
			scheme, rest, _ := strings.Cut(raw, "://")
			host := Host(raw)
			if host == "" {
				return scheme + "://…"
			}
			if strings.HasSuffix(rest, ":") { // the colon of an error's text, not of a port
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
	if low := strings.ToLower(s); strings.Contains(low, "bearer") || strings.Contains(low, "basic") || strings.Contains(low, "auth=") {
		s = bearers.ReplaceAllString(s, "$1$2…")
	}
	return s
}

// maxHost is the longest name of DNS.
const maxHost = 253

// Host gives what of an address may be logged: its host with the port, or "" when it has none.
func Host(raw string) string {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(raw), ":.,)"))
	if err != nil || len(u.Host) > maxHost {
		return ""
	}
	return strings.ToLower(u.Host)
}

type requestKey struct{}

// WithRequest names what the work under this context is done for: an HTTP request, or a queue's message.
func WithRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// Request gives the id that WithRequest put there, "" without.
func Request(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
