package auth

import (
	"slices"
	"strings"
)

// Scopes are the permissions of a token. None includes another: write does not permit reading.
type Scopes uint8

// The scopes.
const (
	Read Scopes = 1 << iota
	Write
	Admin   // the account itself, and administration if the user is the owner
	Metrics // /metrics of the single binary; cannot be combined
	Sync    // the APIs of other reader apps, by an app password; cannot be combined
	Feed    // one list as a feed, at an address with the token; cannot be combined
)

// Stored forms of scopes.
const (
	ScopeAll     = "" // the whole API
	ScopeMetrics = "metrics"
	ScopeSync    = "sync"
	ScopeFeed    = "feed"
)

type scopeName struct {
	scope Scopes
	name  string
}

var scopeNames = []scopeName{{Read, "read"}, {Write, "write"}, {Admin, "admin"}, {Metrics, ScopeMetrics},
	{Sync, ScopeSync}, {Feed, ScopeFeed}}

// ParseScopes parses scopes separated by spaces or commas; none means the whole API.
func ParseScopes(text string) (Scopes, error) {
	var s Scopes
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		i := slices.IndexFunc(scopeNames, func(n scopeName) bool { return n.name == word })
		if i < 0 {
			return 0, errBadScope
		}
		s |= scopeNames[i].scope
	}
	switch {
	case s == 0:
		return Read | Write | Admin, nil
	case s&(Metrics|Sync|Feed) != 0 && s != Metrics && s != Sync && s != Feed:
		return 0, errBadScope
	}
	return s, nil
}

// Names returns the scopes' names.
func (s Scopes) Names() []string {
	var out []string
	for _, n := range scopeNames {
		if s&n.scope != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

// Has reports whether it includes all wanted scopes.
func (s Scopes) Has(wanted Scopes) bool { return s&wanted == wanted }
