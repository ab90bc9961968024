package auth

import (
	"context"
	"crypto/md5" //nolint:gosec // Fever's protocol
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// An app password is a token of the scope sync: other reader apps sign in with it and the account's address. It has 100
// random bits, so that neither Fever's MD5 nor fast guessing finds it, in letters that are easy to type.

const (
	// AppPasswordPrefix starts app passwords.
	AppPasswordPrefix = "ruri-"
	appPasswordSigns  = "abcdefghjkmnpqrstuvwxyz023456789" // 32, without i, l, o and 1
	appPasswordGroups = 4
	appPasswordGroup  = 5
)

func newAppPassword() string {
	var random [appPasswordGroups * appPasswordGroup]byte
	_, _ = rand.Read(random[:]) // never fails
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(AppPasswordPrefix, "-"))
	for i, r := range random {
		if i%appPasswordGroup == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(appPasswordSigns[r%32])
	}
	return b.String()
}

// feverKey is the key that a Fever client sends in place of address and password.
func feverKey(email, password string) string {
	sum := md5.Sum([]byte(email + ":" + password)) //nolint:gosec // Fever's protocol
	return hex.EncodeToString(sum[:])
}

// AppPassword verifies an app password: Unauthenticated, or Forbidden "wrong_scope" for another token. agent is the
// program's User-Agent.
func (s *Service) AppPassword(ctx context.Context, password, agent string) (Token, error) {
	return forSync(s.bearer(ctx, password, agent))
}

// PlainAppPassword is an app password without what keyboards do to it: space around it, and capital letters.
func PlainAppPassword(typed string) string { return strings.ToLower(strings.TrimSpace(typed)) }

// AppLogin checks an app password together with the account's address, or the one that the account had when the
// password was created. Wrong ones are counted in the memory of this process, for the address and the account: after
// too many the error is a TooManyError. A right one always passes and is never counted: it cannot be guessed, and a
// program with an old password must not lock out one with a new password.
func (s *Service) AppLogin(ctx context.Context, email, password, from, agent string) (Token, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	t, err := s.AppPassword(ctx, password, agent)
	if err == nil && email != t.Email {
		a, failed := s.Account(ctx, t.User)
		if failed != nil {
			return Token{}, failed
		}
		if email != a.Email {
			err = errWrongLogin
		}
	}
	switch {
	case fault.Is(err, fault.Unauthenticated), fault.Is(err, fault.Forbidden):
		if _, wait := s.throttle.take(email, from); wait > 0 {
			return Token{}, &TooManyError{RetryAfter: wait}
		}
		return Token{}, errWrongLogin
	case err != nil:
		return Token{}, err
	}
	return t, nil
}

// FeverKey verifies a Fever key: the MD5 of address, colon and app password, with the address that the account had when
// the password was created.
func (s *Service) FeverKey(ctx context.Context, key, agent string) (Token, error) {
	key = strings.ToLower(key)
	if _, err := hex.DecodeString(key); err != nil || len(key) != hex.EncodedLen(md5.Size) {
		return Token{}, errUnauthenticated
	}
	r, ok := s.fevers.get(key, s.clock.Now())
	if !ok {
		hash, err := s.accounts.TokenOfFever(ctx, key)
		if fault.Is(err, fault.NotFound) {
			return Token{}, errUnauthenticated
		}
		if err != nil {
			return Token{}, err
		}
		r = cached{id: hash}
		s.fevers.put(key, r, s.clock.Now())
	}
	return forSync(s.byHash(ctx, r.id, agent))
}

// KnowsFever is Knows for a Fever key.
func (s *Service) KnowsFever(key string) bool {
	now := s.clock.Now()
	r, ok := s.fevers.get(strings.ToLower(key), now)
	if ok {
		r, ok = s.tokens.get(r.id, now)
	}
	return ok && r.alive
}

func forSync(t Token, err error) (Token, error) {
	if err == nil && t.Scopes != Sync {
		return Token{}, errWrongScope
	}
	return t, err
}
