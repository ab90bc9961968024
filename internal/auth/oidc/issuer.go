package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	// metadataLife is how long an issuer's metadata and keys are cached. An unknown key makes the keys be fetched again
	// at once (OpenID Connect Core 1.0, 10.1.1).
	metadataLife = 24 * time.Hour
	// failureRest is the pause after a failed request.
	failureRest = 10 * time.Second
)

var errResting = errors.New("oidc: the issuer failed a moment ago")

// issuer is a parsed discovery document.
type issuer struct {
	*oidc.Provider
	keys oidc.KeySet
	metadata
}

// metadata has the fields that go-oidc does not expose (OpenID Connect Discovery 1.0, 3; RFC 9207, 3).
type metadata struct {
	Keys        string   `json:"jwks_uri"`
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
}

// authStyle returns how the client authenticates; client_secret_basic is the default.
func (m *metadata) authStyle() oauth2.AuthStyle {
	if len(m.AuthMethods) == 0 || slices.Contains(m.AuthMethods, "client_secret_basic") {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// discover returns the issuer's metadata, cached for a day. If fetching fails, older metadata stays in use.
func (p *Provider) discover(ctx context.Context) (*issuer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Clock.Now()
	if p.issuer != nil && now.Before(p.renewAt) {
		return p.issuer, nil
	}
	if now.Before(p.retryAt) {
		if p.issuer != nil {
			return p.issuer, nil
		}
		return nil, errResting
	}
	fresh, err := p.fetchIssuer(ctx)
	switch {
	case err == nil:
		p.issuer, p.renewAt = fresh, now.Add(metadataLife)
	case ctx.Err() == nil:
		p.retryAt = now.Add(failureRest)
	}
	if p.issuer != nil {
		return p.issuer, nil
	}
	return nil, err
}

func (p *Provider) fetchIssuer(ctx context.Context) (*issuer, error) {
	ctx = oidc.ClientContext(ctx, p.HTTP)
	provider, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("oidc: discovery of %s: %.300s", p.Issuer, err.Error())
	}
	i := &issuer{Provider: provider}
	if err := provider.Claims(&i.metadata); err != nil {
		return nil, fmt.Errorf("oidc: discovery of %s: %w", p.Issuer, err)
	}
	endpoint := provider.Endpoint()
	for name, address := range map[string]string{
		"authorization_endpoint": endpoint.AuthURL, "token_endpoint": endpoint.TokenURL, "jwks_uri": i.Keys,
		"userinfo_endpoint": provider.UserInfoEndpoint(),
	} {
		optional := name == "userinfo_endpoint" && address == ""
		if !optional && !isSafe(address, p.Issuer) {
			return nil, fmt.Errorf("oidc: discovery of %s: %s is %.200q", p.Issuer, name, address)
		}
	}
	i.keys = oidc.NewRemoteKeySet(ctx, i.Keys)
	return i, nil
}

// isSafe reports whether an endpoint is an absolute URL that is as secure as the issuer's own.
func isSafe(address, issuer string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(issuer, "http://")
}
