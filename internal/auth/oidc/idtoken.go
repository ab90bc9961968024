package oidc

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

const (
	leeway   = time.Minute      // for clocks that differ
	maxAge   = 10 * time.Minute // of an ID token: it was issued while the person was on the way
	maxToken = 16 << 10
)

// algorithms that an ID token may be signed with.
var algorithms = []string{oidc.RS256, oidc.ES256, oidc.EdDSA}

type emailClaims struct {
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // a boolean; some issuers write it as a string
}

func (c emailClaims) into(id *Identity) {
	if slices.Contains([]any{true, "true"}, c.Verified) {
		id.Email = strings.TrimSpace(c.Email)
	} else {
		id.Unverified = c.Email != ""
	}
}

// keySet records that fetching keys failed, which the verifier's error does not distinguish from a bad signature.
type keySet struct {
	oidc.KeySet
	fetchErr error
}

func (k *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	if err != nil && strings.HasPrefix(err.Error(), "fetching keys") {
		k.fetchErr = err
	}
	return payload, err
}

// verify checks an ID token (OpenID Connect Core 1.0, 3.1.3.7). go-oidc checks signature, issuer, audience, expiry and
// nbf; the authorized party, the age, the nonce and the subject are checked here.
func (p *Provider) verify(ctx context.Context, i *issuer, raw, nonce string) (*Identity, error) {
	if raw == "" || len(raw) > maxToken {
		return nil, refused("an ID token of %d bytes", len(raw))
	}
	now := p.Clock.Now()
	keys := &keySet{KeySet: i.keys}
	token, err := oidc.NewVerifier(p.Issuer, keys, &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: algorithms, Now: func() time.Time { return now.Add(-leeway) },
	}).Verify(ctx, raw)
	if keys.fetchErr != nil {
		return nil, keys.fetchErr
	}
	if err != nil {
		return nil, refused("the ID token: %v", err)
	}
	var c struct {
		AuthorizedParty string `json:"azp"`
		emailClaims
	}
	if err := token.Claims(&c); err != nil {
		return nil, refused("the ID token: %v", err)
	}
	switch {
	case c.AuthorizedParty != "" && c.AuthorizedParty != p.ClientID, c.AuthorizedParty == "" && len(token.Audience) > 1:
		return nil, refused("the ID token was issued to %.100q", c.AuthorizedParty)
	case token.IssuedAt.Before(now.Add(-maxAge - leeway)), token.IssuedAt.After(now.Add(leeway)):
		return nil, refused("the ID token was issued at %v", token.IssuedAt)
	case nonce == "" || subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(nonce)) != 1:
		return nil, refused("the nonce differs")
	case token.Subject == "" || len(token.Subject) > 255:
		return nil, refused("a subject of %d characters", len(token.Subject))
	}
	id := &Identity{Issuer: p.Issuer, Subject: token.Subject}
	c.into(id)
	return id, nil
}
