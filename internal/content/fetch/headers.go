package fetch

import (
	"fmt"
	"iter"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// AcceptFeeds is the Accept header of a poll: feeds first, but a page too, because discovery and first crawl are one
// fetch.
const AcceptFeeds = "application/atom+xml, application/rss+xml, application/feed+json, application/rdf+xml;q=0.9, " +
	"application/xml;q=0.8, text/xml;q=0.8, application/json;q=0.8, text/html;q=0.5, */*;q=0.1"

// MaxRetryAfter bounds what a server can ask for with Retry-After.
const MaxRetryAfter = 7 * 24 * time.Hour

// maxSeconds is the largest delta-seconds that caches must understand (RFC 9111, 1.2.2).
const maxSeconds = 1 << 31

// maxValidator bounds a validator: common servers refuse request header lines beyond 4 to 8 KB, so a longer
// one would turn every later poll into an error.
const maxValidator = 4 << 10

// projectURL is the address in the User-Agent when no other is configured.
const projectURL = "https://github.com/ruri-reader/ruri"

// agent makes the User-Agent. It names no "bot" or "crawler": block lists match such words, and a feed
// reader asks on behalf of people.
type agent struct{ prefix, none, one string }

func newAgent(version, project string) agent {
	if version == "" {
		version = "dev"
	}
	if project == "" {
		project = projectURL
	}
	p := "RuriReader/" + version + " (+" + project
	return agent{prefix: p, none: p + ")", one: p + "; 1 subscriber)"}
}

func (a agent) value(subscribers int) string {
	switch {
	case subscribers <= 0:
		return a.none
	case subscribers == 1:
		return a.one
	}
	return fmt.Sprintf("%s; %d subscribers)", a.prefix, subscribers)
}

// validator returns a validator as it may be stored and sent back: the very bytes, or nothing at all when
// they cannot travel in a request.
func validator(v string) string {
	if len(v) > maxValidator || !httpguts.ValidHeaderFieldValue(v) {
		return ""
	}
	return v
}

// maxAge is the time for which the publisher asks not to be polled: max-age, else Expires minus Date. no-cache,
// no-store and anything unreadable count as no request. s-maxage speaks to shared caches, and Age is not subtracted:
// for a publisher the gap between our requests counts, and hints only lengthen it.
func maxAge(h http.Header, now time.Time) time.Duration {
	if lines := h["Cache-Control"]; len(lines) > 0 {
		if d, said := cacheControl(lines); said {
			return d
		}
	}
	expires := h["Expires"]
	if len(expires) == 0 {
		return 0
	}
	at, err := http.ParseTime(expires[0])
	if err != nil {
		return 0 // "0" and other invalid dates mean: already expired (RFC 9111, 5.3)
	}
	from, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		from = now
	}
	return min(max(at.Sub(from), 0), maxSeconds*time.Second)
}

// cacheControl finds max-age; said is false when the header has no directive about freshness. The first max-age
// counts (RFC 9111, 4.2.1), an invalid one means stale.
func cacheControl(lines []string) (d time.Duration, said bool) {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(part, "=")
			name, value = textproto.TrimString(name), textproto.TrimString(value)
			switch {
			case strings.EqualFold(name, "no-cache") && value == "", strings.EqualFold(name, "no-store"):
				return 0, true
			case strings.EqualFold(name, "max-age") && !said:
				said = true
				seconds, ok := deltaSeconds(strings.Trim(value, `"`))
				if ok {
					d = time.Duration(seconds) * time.Second
				}
			}
		}
	}
	return d, said
}

// deltaSeconds reads a non-negative number, at most maxSeconds however long it is.
func deltaSeconds(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	var n int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+int64(s[i]-'0'), maxSeconds)
	}
	return n, true
}

// retryAfter reads Retry-After in its two forms (RFC 9110, 10.2.3); garbage and the past count as absent.
// A date is measured from the server's own clock when that is at most a day off ours.
func retryAfter(h http.Header, now time.Time) time.Duration {
	lines := h["Retry-After"]
	if len(lines) == 0 {
		return 0
	}
	v := textproto.TrimString(lines[0])
	if seconds, ok := deltaSeconds(v); ok {
		return min(time.Duration(seconds)*time.Second, MaxRetryAfter)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	from := now
	if date, err := http.ParseTime(h.Get("Date")); err == nil && date.Sub(now).Abs() <= 24*time.Hour {
		from = date
	}
	return min(max(at.Sub(from), 0), MaxRetryAfter)
}

// webSubLinks reads rel=hub and rel=self of the Link header (RFC 8288), the first of each.
func webSubLinks(lines []string, base *url.URL) (l Links) {
	for target, params := range links(lines) {
		for _, rel := range strings.Fields(parameter(params, "rel")) {
			switch {
			case strings.EqualFold(rel, "hub") && l.Hub == "":
				l.Hub = resolveLink(base, target)
			case strings.EqualFold(rel, "self") && l.Self == "":
				l.Self = resolveLink(base, target)
			}
		}
	}
	return l
}

// maxAlternates bounds the links of a header that are kept.
const maxAlternates = 16

// alternates reads rel=alternate of the Link header, those with a type.
func alternates(lines []string, base *url.URL) (out []Alternate) {
	for target, params := range links(lines) {
		is := func(rel string) bool { return strings.EqualFold(rel, "alternate") }
		a := Alternate{Type: parameter(params, "type"), Title: parameter(params, "title")}
		if a.Type == "" || !slices.ContainsFunc(strings.Fields(parameter(params, "rel")), is) {
			continue
		}
		if a.URL = resolveLink(base, target); a.URL != "" && len(out) < maxAlternates {
			out = append(out, a)
		}
	}
	return out
}

// links yields the targets of a Link header with their parameters.
func links(lines []string) iter.Seq2[string, string] {
	return func(yield func(target, params string) bool) {
		for _, line := range lines {
			for line != "" {
				open := strings.IndexByte(line, '<')
				if open < 0 {
					break
				}
				target, rest, ok := strings.Cut(line[open+1:], ">")
				if !ok {
					break
				}
				var params string
				if params, line = cutUnquoted(rest, ','); !yield(target, params) {
					return
				}
			}
		}
	}
}

// cutUnquoted is strings.Cut at a separator outside of double quotes.
func cutUnquoted(s string, sep byte) (before, after string) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// parameter returns the value of the first parameter of a name.
func parameter(params, name string) string {
	for params != "" {
		var p string
		p, params = cutUnquoted(params, ';')
		key, value, _ := strings.Cut(p, "=")
		if strings.EqualFold(textproto.TrimString(key), name) {
			return strings.Trim(textproto.TrimString(value), `"`)
		}
	}
	return ""
}

// resolveLink makes a link absolute; what CheckURL would refuse is dropped.
func resolveLink(base *url.URL, ref string) string {
	u, err := base.Parse(textproto.TrimString(ref))
	if err != nil {
		return ""
	}
	if _, reason := parseURL(u.String()); reason != "" {
		return ""
	}
	return u.String()
}
