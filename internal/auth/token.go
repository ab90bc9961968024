package auth

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

const (
	// TokenPrefix starts bearer tokens, so that leaked ones can be found by search.
	TokenPrefix = "ruri_live_"
	// TestTokenPrefix starts those of installations without HTTPS, whose leaks matter less.
	TestTokenPrefix = "ruri_test_"
	maxTokens       = 50 // of a user, that work
	// maxDeadTokens is how many others are listed: the oldest go first.
	maxDeadTokens = 100
	// Lengths in characters.
	maxTokenName        = 100
	maxTokenDescription = 500
	maxReferrer         = 200
)

// IsToken reports whether this is a bearer token or an app password rather than a session token, by its prefix.
func IsToken(bearer string) bool {
	return strings.HasPrefix(bearer, TokenPrefix) || strings.HasPrefix(bearer, TestTokenPrefix) ||
		strings.HasPrefix(bearer, AppPasswordPrefix)
}

// Token is a verified bearer token.
type Token struct {
	User   reader.UserID
	ID     string
	Scopes Scopes
	// Email is the address that the account had when an app password was created.
	Email string
}

// NewToken creates a token without a description.
func (s *Service) NewToken(ctx context.Context, u reader.UserID, name, scope string, until time.Time) (string, error) {
	return s.CreateToken(ctx, u, TokenRequest{Name: name, Scope: scope, Until: until})
}

// TokenRequest asks for a token.
type TokenRequest struct {
	Name, Description string
	Scope             string    // see ParseScopes
	Of                string    // the list of a feed (ScopeFeed)
	Until             time.Time // zero: no expiry
	// Agent and Referrer are headers of the request, Address is where it came from.
	Agent, Referrer, Address string
}

// CreateToken creates a bearer token with scopes, or an app password with the scope sync. It is shown once; its hash is
// stored.
func (s *Service) CreateToken(ctx context.Context, u reader.UserID, q TokenRequest) (string, error) {
	var wrong []*fault.Error
	name, good := reader.Line(q.Name, maxTokenName)
	if !good {
		wrong = append(wrong, fault.Coded(fault.Invalid, "bad_token_name").At("name"))
	}
	description := strings.TrimSpace(q.Description)
	if utf8.RuneCountInString(description) > maxTokenDescription {
		wrong = append(wrong,
			fault.Coded(fault.Invalid, "bad_token_description", maxTokenDescription).At("description"))
	}
	scopes, err := ParseScopes(q.Scope)
	if err != nil || (scopes == Feed) != (q.Of != "") {
		wrong = append(wrong, errBadScope)
	}
	row := store.TokenRow{Name: name, Description: description, By: Device(q.Agent), Of: q.Of}
	if s.Policy.Addresses {
		row.Network, row.Referrer = network(q.Address), shortReferrer(q.Referrer)
	}
	if q.Scope != ScopeAll {
		row.Scope = strings.Join(scopes.Names(), " ")
	}
	if !q.Until.IsZero() {
		if !q.Until.After(s.clock.Now()) {
			wrong = append(wrong, fault.Coded(fault.Invalid, "bad_token_expiry").At("expiresAt"))
		}
		row.Ends = q.Until.Unix()
	}
	if len(wrong) > 0 {
		return "", fault.Several(wrong...)
	}
	alive, err := s.aliveTokens(ctx, u)
	if err != nil {
		return "", err
	}
	if alive >= maxTokens {
		return "", errTooManyTokens
	}
	var secret string
	switch {
	case scopes == Sync:
		a, err := s.accounts.Get(ctx, u, table.Consistent())
		if err != nil {
			return "", err
		}
		secret = newAppPassword()
		row.Email, row.Fever = a.Email, feverKey(a.Email, secret)
	case s.TestTokens:
		secret = TestTokenPrefix + randomText(32)
	default:
		secret = TokenPrefix + randomText(32)
	}
	if err := s.accounts.PutToken(ctx, secret, u, row); err != nil {
		return "", err
	}
	if err := s.recountTokens(ctx, u, secret); err != nil {
		return "", err
	}
	return secret, nil
}

// recountTokens counts again after the token was stored, because others may have been created at the same time: the
// last to count sees all of them.
func (s *Service) recountTokens(ctx context.Context, u reader.UserID, secret string) error {
	alive, err := s.aliveTokens(ctx, u)
	if err != nil || alive <= maxTokens {
		return err
	}
	if _, err := s.accounts.RemoveToken(ctx, u, store.TokenID(secret)); err != nil {
		return err
	}
	return errTooManyTokens
}

// aliveTokens counts the tokens that work, and removes the oldest of the others where they are too many.
func (s *Service) aliveTokens(ctx context.Context, u reader.UserID) (alive int, err error) {
	list, err := s.Tokens(ctx, u)
	dead := 0
	for _, t := range list {
		switch {
		case !t.IsDead(s.clock.Now()):
			alive++
		case dead < maxDeadTokens:
			dead++
		case err == nil:
			_, err = s.accounts.RemoveToken(ctx, u, t.ID)
			err = fault.Ignore(err, fault.NotFound)
		}
	}
	return alive, err
}

// shortReferrer is a page without its query, which may have secrets.
func shortReferrer(referrer string) string {
	page, _, _ := strings.Cut(referrer, "?")
	if len(page) > maxReferrer || !utf8.ValidString(page) {
		return ""
	}
	return page
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

// EndToken revokes a token: at once in this process, within a minute in others. It stays listed for a while.
func (s *Service) EndToken(ctx context.Context, u reader.UserID, id string) error {
	hash, err := s.accounts.RevokeToken(ctx, u, id, s.clock.Now())
	if err == nil {
		s.tokens.put(hash, cached{}, s.clock.Now())
	}
	return err
}

// EndTokens revokes all of a user's tokens except one (may be "") and returns how many of them worked.
func (s *Service) EndTokens(ctx context.Context, u reader.UserID, except string) (ended int, err error) {
	list, err := s.accounts.Tokens(ctx, u)
	if err != nil {
		return 0, err
	}
	for _, t := range list {
		if t.ID == except || t.Revoked > 0 {
			continue
		}
		if err := s.EndToken(ctx, u, t.ID); err != nil && !fault.Is(err, fault.NotFound) {
			return ended, err
		}
		if !t.IsDead(s.clock.Now()) {
			ended++
		}
	}
	return ended, nil
}

// RemoveTokens deletes all of a user's tokens, those included whose creation did not end.
func (s *Service) RemoveTokens(ctx context.Context, u reader.UserID) error {
	ids, err := s.accounts.TokenIDs(ctx, u)
	for _, id := range ids {
		if err != nil {
			break
		}
		var hash string
		if hash, err = s.accounts.RemoveToken(ctx, u, id); err == nil {
			s.tokens.put(hash, cached{}, s.clock.Now())
		}
		err = fault.Ignore(err, fault.NotFound)
	}
	return err
}

// Bearer verifies a token for the API. One for metrics or a feed and an app password are refused: Forbidden
// "wrong_scope".
func (s *Service) Bearer(ctx context.Context, token string) (Token, error) {
	t, err := s.bearer(ctx, token, "")
	if err == nil && (t.Scopes == Metrics || t.Scopes == Sync || t.Scopes == Feed) {
		return Token{}, errWrongScope
	}
	return t, err
}

// BearerOf verifies a token that has exactly these scopes: a token for the whole API is refused.
func (s *Service) BearerOf(ctx context.Context, token string, scopes Scopes) error {
	t, err := s.bearer(ctx, token, "")
	if err == nil && t.Scopes != scopes {
		return errWrongScope
	}
	return err
}

// Knows reports whether a credential is valid as far as can be seen without reading the table: a session by its
// signature, a token while it is cached. For rate limits, all others count as strangers.
func (s *Service) Knows(ctx context.Context, credential string) bool {
	if !IsToken(credential) {
		_, err := s.parse(ctx, credential)
		return err == nil
	}
	r, ok := s.tokens.get(store.HashToken(credential), s.clock.Now())
	return ok && r.alive
}

// bearer verifies a token. agent is the program that uses it, for the list of tokens; "" for unknown.
func (s *Service) bearer(ctx context.Context, token, agent string) (Token, error) {
	if !IsToken(token) || len(token) > 2*len(TokenPrefix)+64 {
		return Token{}, errUnauthenticated
	}
	return s.byHash(ctx, store.HashToken(token), agent)
}

// byHash verifies the token of a hash.
func (s *Service) byHash(ctx context.Context, hash, agent string) (Token, error) {
	now := s.clock.Now()
	r, ok := s.tokens.get(hash, now)
	if !ok {
		row, err := s.accounts.Token(ctx, hash)
		if fault.Is(err, fault.NotFound) {
			return Token{}, errUnauthenticated
		}
		if err != nil {
			return Token{}, err
		}
		scopes, err := ParseScopes(row.Scope)
		if err != nil { // of a later version of the program
			return Token{}, errWrongScope
		}
		r = cached{user: reader.UserID(row.User), id: row.ID, alive: row.Revoked == 0, scopes: scopes, active: row.Used,
			ends: row.Ends, email: row.Email}
		s.tokens.put(hash, r, now)
	}
	switch {
	case !r.alive:
		return Token{}, errTokenRevoked
	case r.ends != 0 && now.Unix() >= r.ends:
		return Token{}, errTokenExpired
	}
	if _, isDue := s.tokens.take(hash, now); isDue {
		_ = s.accounts.TouchToken(ctx, hash, r.active, now, Device(agent)) // a failure of the store is ignored
	}
	return Token{User: r.user, ID: r.id, Scopes: r.scopes, Email: r.email}, nil
}
