// Package robots reads robots.txt, the Robots Exclusion Protocol (RFC 9309). It applies to addresses that the reader
// fetches on its own: guessed addresses, pages searched for an icon or a new feed, full texts, watches. It does not
// apply to feeds and to addresses that a user has entered, which are requested on the user's behalf, as by a browser.
package robots

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Token is how robots.txt names us (RFC 9309, 2.2.1); the User-Agent header begins with it.
const Token = "RuriReader"

// MaxBytes is the length of a file that is read: RFC 9309, 2.5 asks for 500 KiB at least.
const MaxBytes = 512 << 10

// maxRules bounds the rules kept of one file.
const maxRules = 5000

// maxDelay bounds a Crawl-delay.
const maxDelay = 24 * time.Hour

// Rules are the rules of one host that apply to us. The zero value allows everything.
type Rules struct {
	all   bool // everything is disallowed, because the host does not say what is allowed
	fault string
	group
}

// group is the rules for some programs.
type group struct {
	rules []rule
	delay time.Duration
}

// IsKnown reports whether the host has said what it allows.
func (r Rules) IsKnown() bool { return !r.all }

// Fault is the code of package fetch for a host that did not answer; empty for others.
func (r Rules) Fault() string { return r.fault }

// Delay is the Crawl-delay: the least time between two requests. It is no part of RFC 9309, but widely used.
func (r Rules) Delay() time.Duration { return r.delay }

// AllowsURL reports whether an address of the host may be fetched.
func (r Rules) AllowsURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && r.Allows(u.RequestURI())
}

type rule struct {
	pattern string // normalised; "*" is any text, "$" at the end the end
	allow   bool
}

// Of returns the rules that follow from the answer to a request of /robots.txt (RFC 9309, 2.3.1): a file, none, or
// a failing server, where nothing may be fetched for now. Status 0 means that there was no answer.
func Of(status int, body []byte) Rules {
	switch {
	case status == 200:
		return Parse(body)
	case status >= 400 && status < 500 && status != 429:
		return Rules{}
	}
	return Rules{all: true}
}

// Parse reads a file and keeps the groups for our token, or where there are none those for everybody.
func Parse(body []byte) Rules {
	body = bytes.TrimPrefix(body[:min(len(body), MaxBytes)], []byte("\xef\xbb\xbf"))
	var mine, everybody group
	var forMe, forAll, named bool // of the group being read; whether any group names us
	inRules := true               // a line user-agent begins a new group
	for line := range strings.FieldsFuncSeq(string(body), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); key {
		case "user-agent":
			if inRules {
				forMe, forAll, inRules = false, false, false
			}
			if value == "*" {
				forAll = true
			}
			if isToken(value) {
				forMe, named = true, true
			}
		case "allow", "disallow":
			inRules = true
			if value == "" || len(mine.rules)+len(everybody.rules) >= maxRules {
				continue // an empty Disallow allows everything
			}
			r := rule{normal(value), key == "allow"}
			if forMe {
				mine.rules = append(mine.rules, r)
			}
			if forAll {
				everybody.rules = append(everybody.rules, r)
			}
		case "crawl-delay":
			if forMe {
				mine.delay = delay(value)
			}
			if forAll {
				everybody.delay = delay(value)
			}
		}
	}
	if named {
		return Rules{group: mine}
	}
	return Rules{group: everybody}
}

// delay reads a number of seconds; zero if it is none.
func delay(value string) time.Duration {
	s, err := strconv.ParseFloat(value, 64)
	if err != nil || !(s > 0) {
		return 0
	}
	return time.Duration(min(s, maxDelay.Seconds()) * float64(time.Second))
}

// isToken compares a product token, with or without a version behind it.
func isToken(value string) bool {
	name, _, _ := strings.Cut(value, "/")
	return strings.EqualFold(strings.TrimSpace(name), Token)
}

// Allows reports whether a path, with its query, may be fetched: the longest pattern that fits decides, and of
// equal ones the one that allows (RFC 9309, 2.2.2).
func (r Rules) Allows(path string) bool {
	if path == "/robots.txt" {
		return true
	}
	if r.all {
		return false
	}
	if path == "" {
		path = "/"
	}
	path = normal(path)
	best, allow := -1, true
	for _, x := range r.rules {
		n := len(x.pattern)
		if n < best || n == best && !x.allow || !fits(x.pattern, path) {
			continue
		}
		best, allow = n, x.allow
	}
	return allow
}

// fits matches a path from its beginning, taking the leftmost place for each part between stars.
func fits(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	if len(parts) == 1 {
		return !whole || path == ""
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	if whole {
		return strings.HasSuffix(path, parts[last])
	}
	return strings.Contains(path, parts[last])
}

// normal brings a path or a pattern into the form that is compared: octets outside of ASCII are
// percent-encoded, encoded ones that need not be are plain, and the digits are capitals.
func normal(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if d, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				if isUnreserved(byte(d)) {
					b.WriteByte(byte(d))
				} else {
					fmt.Fprintf(&b, "%%%02X", d)
				}
				i += 2
				continue
			}
		}
		if c > '~' || c <= ' ' {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' ||
		c == '_' || c == '~'
}
