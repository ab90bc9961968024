package oidc

import (
	"context"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	leeway   = time.Minute      // clocks differ
	maxAge   = 10 * time.Minute // of an ID token: it was made while the person was on the way
	maxToken = 16 << 10
)

// idClaims are what we read of an ID token (OpenID Connect Core, 2 and 5.1).
type idClaims struct {
	jwt.RegisteredClaims
	AuthorizedParty string `json:"azp"`
	Nonce           string `json:"nonce"`
	emailClaims
}

type emailClaims struct {
	Email    string `json:"email"`
	Verified any    `json:"email_verified"` // a boolean; some write it as a string
}

func (c emailClaims) into(id *Identity) {
	if slices.Contains([]any{true, "true"}, c.Verified) {
		id.Email = strings.TrimSpace(c.Email)
	} else {
		id.Unverified = c.Email != ""
	}
}

// Google writes its name with and without the scheme ("Validating an ID token" in its manual).
const (
	Google      = "https://accounts.google.com"
	googleShort = "accounts.google.com"
)

// verify judges an ID token (3.1.3.7).
func (p *Provider) verify(ctx context.Context, d *document, raw, nonce string) (*Identity, error) {
	if raw == "" || len(raw) > maxToken {
		return nil, refused("there is no ID token")
	}
	var c idClaims
	var failed error // to get the keys, which is not the token's fault
	now := p.Clock.Now()
	_, err := jwt.ParseWithClaims(raw, &c, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		k, err := p.key(ctx, d, kid, t.Method.Alg())
		if failed = err; err == nil && k == nil {
			err = refused("the key %.60q is not one of the issuer's", kid)
		}
		return k, err
	}, jwt.WithValidMethods([]string{"RS256", "ES256", "EdDSA"}), jwt.WithAudience(p.ClientID), jwt.WithExpirationRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return now }))
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, refused("the ID token: %v", err)
	}
	switch {
	case c.Issuer != d.Issuer && !(d.Issuer == Google && c.Issuer == googleShort):
		return nil, refused("the ID token is of the issuer %.100q", c.Issuer)
	case c.AuthorizedParty != "" && c.AuthorizedParty != p.ClientID, c.AuthorizedParty == "" && len(c.Audience) > 1:
		return nil, refused("the ID token was made for %.100q", c.AuthorizedParty)
	case c.IssuedAt == nil || now.Sub(c.IssuedAt.Time) > maxAge+leeway:
		return nil, refused("the ID token is old")
	case nonce == "" || subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(nonce)) != 1:
		return nil, refused("the nonce is another")
	case c.Subject == "" || len(c.Subject) > 255:
		return nil, refused("the subject has %d characters", len(c.Subject))
	}
	id := &Identity{Issuer: d.Issuer, Subject: c.Subject}
	c.into(id)
	return id, nil
}
