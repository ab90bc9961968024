package auth

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

const (
	// TokenPrefix marks bearer tokens of programs, so that leaked ones can be found by search.
	TokenPrefix = "ruri_live_"
	// TestTokenPrefix marks those of homes that are not reached over HTTPS: nothing that is worth a search opens with them.
	TestTokenPrefix = "ruri_test_"
	// tokenMemory is how long a checked token is believed without a look at the table.
	tokenMemory = sessionMemory
	maxTokens   = 50 // of a user
	// maxTokenName is in characters.
	maxTokenName = 100
)

// WithTestTokens makes tokens of the prefix for tests: for homes without HTTPS.
func (s *Service) WithTestTokens() *Service {
	s.prefix = TestTokenPrefix
	return s
}

// IsToken tells a program's token from a session's, by how it begins.
func IsToken(bearer string) bool {
	return strings.HasPrefix(bearer, TokenPrefix) || strings.HasPrefix(bearer, TestTokenPrefix)
}

// Token is what a program's token says of it.
type Token struct {
	User   reader.UserID
	ID     string
	Scopes Scopes
}

// NewToken makes a program's bearer token for the API. It is shown once and kept by hash.
func (s *Service) NewToken(ctx context.Context, u reader.UserID, name string) (string, error) {
	return s.NewScopedToken(ctx, u, name, ScopeAll)
}

// NewScopedToken makes a bearer token of scopes, without an end.
func (s *Service) NewScopedToken(ctx context.Context, u reader.UserID, name, scope string) (string, error) {
	return s.MakeToken(ctx, u, name, scope, time.Time{})
}

// MakeToken makes a bearer token of scopes (see ParseScopes) until a time; the zero time is none.
func (s *Service) MakeToken(ctx context.Context, u reader.UserID, name, scope string, until time.Time) (string, error) {
	var wrong []*fault.Error
	name, good := reader.Line(name, maxTokenName)
	if !good {
		wrong = append(wrong, fault.Newf(fault.Invalid, "bad_token_name", "A token needs a name of at most 100 characters.").At("name"))
	}
	scopes, err := ParseScopes(scope)
	if err != nil {
		wrong = append(wrong, badScope())
	}
	row := store.TokenRow{Name: name}
	if scope != ScopeAll {
		row.Scope = strings.Join(scopes.Names(), " ")
	}
	if !until.IsZero() {
		if !until.After(s.clock.Now()) {
			wrong = append(wrong, fault.Newf(fault.Invalid, "bad_token_expiry", "A token ends in the future, or never.").At("expiresAt"))
		}
		row.TTL = until.Unix()
	}
	if len(wrong) > 0 {
		return "", fault.Several(wrong...)
	}
	list, err := s.accounts.Tokens(ctx, u)
	if err != nil {
		return "", err
	}
	if len(list) >= maxTokens {
		return "", tooManyTokens()
	}
	secret := s.prefix + randomText(32)
	if err := s.accounts.PutToken(ctx, secret, u, row); err != nil {
		return "", err
	}
	if err := s.withinTokens(ctx, u, secret); err != nil {
		return "", err
	}
	return secret, nil
}

// withinTokens counts once more, for others may have been made at the same moment: whoever of them counts last sees
// all that stay.
func (s *Service) withinTokens(ctx context.Context, u reader.UserID, secret string) error {
	list, err := s.accounts.Tokens(ctx, u)
	if err != nil || len(list) <= maxTokens {
		return err
	}
	if err := s.EndToken(ctx, u, store.TokenID(secret)); err != nil {
		return err
	}
	return tooManyTokens()
}

func tooManyTokens() error {
	return fault.Newf(fault.Conflict, "token_limit", "You have %d tokens, which is as many as there may be.", maxTokens)
}

// Tokens lists a user's tokens, the newest first.
func (s *Service) Tokens(ctx context.Context, u reader.UserID) ([]*store.TokenRow, error) {
	list, err := s.accounts.Tokens(ctx, u)
	slices.SortFunc(list, func(a, b *store.TokenRow) int {
		if a.Created != b.Created {
			return int(b.Created - a.Created)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, err
}

// EndToken ends a token: at once here, within a minute on every other instance.
func (s *Service) EndToken(ctx context.Context, u reader.UserID, id string) error {
	hash, err := s.accounts.EndToken(ctx, u, id)
	if err == nil {
		s.tokens.put(hash, remembered{}, s.clock.Now())
	}
	return err
}

// EndTokens ends all of a user's tokens but the one of this id, which may be empty, and tells how many ended.
func (s *Service) EndTokens(ctx context.Context, u reader.UserID, except string) (ended int, err error) {
	ids, err := s.accounts.TokenIDs(ctx, u)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if id == except {
			continue
		}
		if err := s.EndToken(ctx, u, id); err != nil && !fault.Is(err, fault.NotFound) {
			return ended, err
		}
		ended++
	}
	return ended, nil
}

// Bearer tells whose token this is and what it opens of the API. One for something else is refused: Forbidden
// "wrong_scope".
func (s *Service) Bearer(ctx context.Context, token string) (Token, error) {
	t, err := s.bearer(ctx, token)
	if err == nil && t.Scopes == Metrics {
		return Token{}, wrongScope()
	}
	return t, err
}

// BearerOf checks that a token is of exactly the scope: one for the API does not open what a scope guards.
func (s *Service) BearerOf(ctx context.Context, token, scope string) error {
	want, err := ParseScopes(scope)
	if err != nil {
		return err
	}
	t, err := s.bearer(ctx, token)
	if err == nil && t.Scopes != want {
		return wrongScope()
	}
	return err
}

// Knows tells whether a credential can be judged without the table: a session by its signature, a token while it is
// remembered. What cannot is a stranger's, as far as counting requests goes.
func (s *Service) Knows(ctx context.Context, credential string) bool {
	if !IsToken(credential) {
		_, err := s.open(ctx, credential)
		return err == nil
	}
	r, ok := s.tokens.get(store.HashToken(credential), s.clock.Now())
	return ok && r.alive
}

func wrongScope() error {
	return fault.Newf(fault.Forbidden, "wrong_scope", "This token is for something else.")
}

func (s *Service) bearer(ctx context.Context, token string) (Token, error) {
	if !IsToken(token) || len(token) > 2*len(TokenPrefix)+64 {
		return Token{}, unauthenticated()
	}
	now := s.clock.Now()
	hash := store.HashToken(token)
	r, ok := s.tokens.get(hash, now)
	if !ok {
		row, err := s.accounts.Token(ctx, hash)
		if fault.Is(err, fault.NotFound) {
			return Token{}, unauthenticated()
		}
		if err != nil {
			return Token{}, err
		}
		scopes, err := ParseScopes(row.Scope)
		if err != nil { // of a later version of the program: it opens nothing here
			return Token{}, wrongScope()
		}
		r = remembered{user: reader.UserID(row.User), id: row.ID, alive: true, scopes: scopes, active: row.Used, ends: row.TTL}
		s.tokens.put(hash, r, now)
	}
	if !r.alive || r.ends != 0 && now.Unix() >= r.ends {
		return Token{}, unauthenticated()
	}
	if s.tokens.take(hash, now) {
		_ = s.accounts.TouchToken(ctx, hash, r.active, now) // a store that cannot take it stops nobody from reading
	}
	return Token{User: r.user, ID: r.id, Scopes: r.scopes}, nil
}

func unauthenticated() error {
	return fault.Newf(fault.Unauthenticated, "not_signed_in", "You are not signed in, or your sign-in has expired.")
}
