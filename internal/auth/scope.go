package auth

import (
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Scopes are what a token opens. Each opens its own alone: who may write may not read.
type Scopes uint8

// The scopes.
const (
	Read    Scopes = 1 << iota // what changes nothing
	Write                      // changes
	Admin                      // the account itself, and what is the owner's if the user is the owner
	Metrics                    // /metrics of the single binary; stands alone
)

// Texts of scopes as tokens are made with and kept.
const (
	ScopeAll     = "" // the API, as its user
	ScopeMetrics = "metrics"
)

var scopeNames = []struct {
	scope Scopes
	name  string
}{{Read, "read"}, {Write, "write"}, {Admin, "admin"}, {Metrics, ScopeMetrics}}

// ParseScopes reads scopes separated by spaces or commas; none at all are all of the API.
func ParseScopes(text string) (Scopes, error) {
	var s Scopes
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		i := slices.IndexFunc(scopeNames, func(n struct {
			scope Scopes
			name  string
		}) bool {
			return n.name == word
		})
		if i < 0 {
			return 0, badScope()
		}
		s |= scopeNames[i].scope
	}
	switch {
	case s == 0:
		return Read | Write | Admin, nil
	case s&Metrics != 0 && s != Metrics:
		return 0, badScope()
	}
	return s, nil
}

// badScope is the error of a scope that there is not.
func badScope() *fault.Error {
	return fault.Newf(fault.Invalid, "bad_scope", "A token's scopes are read, write and admin, or metrics alone.").At("scopes")
}

// Names lists the scopes.
func (s Scopes) Names() []string {
	var out []string
	for _, n := range scopeNames {
		if s&n.scope != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

// Has tells whether all of the wanted scopes are among them.
func (s Scopes) Has(wanted Scopes) bool { return s&wanted == wanted }
