package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	// documentLife and keysLife are how long what was fetched is believed; an unknown key asks earlier.
	documentLife = 24 * time.Hour
	keysLife     = time.Hour
	// keysRest is how long after fetching the keys an unknown one does not make them be fetched again, so that
	// nobody can have us ask the issuer as often as they like; failureRest is the same after a failure.
	keysRest    = time.Minute
	failureRest = 10 * time.Second
)

// document is what we need of the provider's metadata (OpenID Connect Discovery 1.0, 3).
type document struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	UserInfo      string   `json:"userinfo_endpoint"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"` // RFC 9207, 3
}

// authStyle: client_secret_basic is the default when nothing is said.
func (d *document) authStyle() oauth2.AuthStyle {
	if len(d.AuthMethods) == 0 || slices.Contains(d.AuthMethods, "client_secret_basic") {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// parseDocument checks a discovery document: it must be of the issuer that was asked (Discovery, 4.3), and lead to
// addresses as safe as the issuer's own.
func parseDocument(issuer string, body []byte) (*document, error) {
	d := new(document)
	if err := json.Unmarshal(body, d); err != nil {
		return nil, fmt.Errorf("oidc: discovery of %s: %w", issuer, err)
	}
	if d.Issuer != issuer {
		return nil, fmt.Errorf("oidc: discovery of %s: the document is of %.200q", issuer, d.Issuer)
	}
	secure := strings.HasPrefix(issuer, "https://")
	for name, s := range map[string]string{
		"authorization_endpoint": d.Authorization, "token_endpoint": d.Token, "jwks_uri": d.Keys, "userinfo_endpoint": d.UserInfo,
	} {
		if s == "" && name == "userinfo_endpoint" { // it alone may be missing
			continue
		}
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "https" && (secure || u.Scheme != "http") {
			return nil, fmt.Errorf("oidc: discovery of %s: %s is %.200q", issuer, name, s)
		}
	}
	return d, nil
}

func (p *Provider) discover(ctx context.Context) (*document, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Clock.Now()
	if p.document != nil && now.Sub(p.documentAt) < documentLife {
		return p.document, nil
	}
	body, err := p.fetch(ctx, strings.TrimSuffix(p.Issuer, "/")+"/.well-known/openid-configuration", now)
	if err == nil {
		var d *document
		if d, err = parseDocument(p.Issuer, body); err == nil {
			p.document, p.documentAt = d, now
		}
	}
	if err != nil && p.document != nil { // an old one is better than none
		return p.document, nil
	}
	return p.document, err
}

// key gives the issuer's key of an id. One that is not known has them fetched anew: issuers change their keys
// (OpenID Connect Core, 10.1.1).
func (p *Provider) key(ctx context.Context, d *document, kid, alg string) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Clock.Now()
	found := find(p.keys, kid, alg)
	age := now.Sub(p.keysAt)
	if found != nil && age < keysLife || found == nil && p.keys != nil && age < keysRest {
		return found, nil
	}
	body, err := p.fetch(ctx, d.Keys, now)
	if err == nil {
		var keys []key
		if keys, err = parseKeys(body); err == nil {
			p.keys, p.keysAt = keys, now
			return find(keys, kid, alg), nil
		}
	}
	if found != nil {
		return found, nil
	}
	return nil, err
}

var errResting = errors.New("oidc: the issuer did not answer a moment ago")

// fetch reads a document of the issuer's; after a failure it rests.
func (p *Provider) fetch(ctx context.Context, address string, now time.Time) ([]byte, error) {
	if now.Before(p.restUntil) {
		return nil, errResting
	}
	body, err := p.get(ctx, address, "")
	if err != nil && ctx.Err() == nil {
		p.restUntil = now.Add(failureRest)
	}
	return body, err
}

func (p *Provider) get(ctx context.Context, address, bearer string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := p.HTTP.Do(r)
	if err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("oidc: %s answered %d", address, resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}
