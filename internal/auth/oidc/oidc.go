// Package oidc is the client's side of OpenID Connect Core 1.0: the code flow with PKCE (RFC 7636), state and nonce,
// over golang.org/x/oauth2 and coreos/go-oidc, and our own checks of the ID token. The issuer's metadata and keys are
// cached in memory; the state between the two halves of a sign-in is stored by the caller (Flow).
package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Config names one provider.
type Config struct {
	Issuer   string // as its discovery document writes it
	ClientID string
	// Secret is called for each exchange of a code.
	Secret func(context.Context) (string, error)
	// HTTP is the guarded client; it limits the time and the size of each response.
	HTTP  *http.Client
	Clock clock.Clock
}

// Provider signs people in with one issuer. It is safe for concurrent use.
type Provider struct {
	Config

	mu sync.Mutex
	// issuer is nil until its metadata was first fetched.
	issuer           *issuer
	renewAt, retryAt time.Time
}

// New returns a provider. Nothing is fetched before it is used.
func New(c Config) *Provider { return &Provider{Config: c} }

// Flow is the state of a sign-in that the caller stores between AuthURL and Finish.
type Flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of PKCE
	Redirect string `json:"r"` // redirect_uri, which must be the same in both halves
}

// Identity is a person as the issuer identifies them.
type Identity struct {
	Issuer, Subject string
	Email           string // "" unless the issuer has verified it
	Unverified      bool   // the issuer gave an address that it has not verified
}

// Errors of a sign-in. Any other error means that the issuer could not be reached or failed.
var (
	ErrDenied  = errors.New("oidc: the person or the provider declined")
	ErrRefused = errors.New("oidc: the response is not valid")
)

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// Google is the issuer of Google.
const Google = "https://accounts.google.com"

// AuthURL returns the address at which the person signs in (OpenID Connect Core 1.0, 3.1.2.1). With choose, the
// provider lets them choose the account even if they are signed in there: prompt=select_account at Google, prompt=login
// elsewhere, which every provider supports.
func (p *Provider) AuthURL(ctx context.Context, f Flow, choose bool) (string, error) {
	i, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	opts := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("nonce", f.Nonce)}
	if choose {
		prompt := "login"
		if p.Issuer == Google {
			prompt = "select_account"
		}
		opts = append(opts, oauth2.SetAuthURLParam("prompt", prompt))
	}
	return p.oauth(i, f, "").AuthCodeURL(f.State, opts...), nil
}

func (p *Provider) oauth(i *issuer, f Flow, secret string) *oauth2.Config {
	endpoint := i.Endpoint()
	endpoint.AuthStyle = i.authStyle()
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, RedirectURL: f.Redirect, Scopes: []string{"openid", "email"},
		Endpoint: endpoint,
	}
}

// Finish exchanges the code in the redirect's query for an ID token and returns the identity in it (3.1.2.5 to
// 3.1.3.7).
func (p *Provider) Finish(ctx context.Context, f Flow, query url.Values) (*Identity, error) {
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(f.State)) != 1 || f.State == "" {
		return nil, refused("the state differs")
	}
	i, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	// RFC 9207: protects against a response of another issuer.
	if iss := query.Get("iss"); iss != "" && iss != p.Issuer || iss == "" && i.NamesIssuer {
		return nil, refused("the response names the issuer %.100q", iss)
	}
	if code := query.Get("error"); code != "" {
		return nil, fmt.Errorf("%w: %.60q", ErrDenied, code)
	}
	if query.Get("code") == "" {
		return nil, refused("there is no code")
	}
	secret, err := p.Secret(ctx)
	if err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, p.HTTP)
	token, err := p.oauth(i, f, secret).Exchange(ctx, query.Get("code"), oauth2.VerifierOption(f.Verifier))
	var bad *oauth2.RetrieveError
	// RFC 6749, 5.2: used, expired, or issued to another client
	if errors.As(err, &bad) && bad.ErrorCode == "invalid_grant" {
		return nil, refused("the code is not valid")
	}
	if err != nil {
		return nil, fmt.Errorf("oidc: token: %w", withoutSecrets(err))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.verify(ctx, i, raw, f.Nonce)
	if err == nil && id.Email == "" && !id.Unverified && i.UserInfoEndpoint() != "" {
		addEmail(ctx, i, id, token)
	}
	return id, err
}

// addEmail adds the address from the userinfo endpoint: issuers may give it only there (OpenID Connect Core 1.0, 5.4).
// Failures are ignored, since known people sign in without an address.
func addEmail(ctx context.Context, i *issuer, id *Identity, token *oauth2.Token) {
	info, err := i.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil || info.Subject != id.Subject { // 5.3.2: the subjects must be equal
		return
	}
	var c emailClaims
	if info.Claims(&c) == nil {
		c.into(id)
	}
}

// withoutSecrets removes the response body from the error of an exchange, so that it can be logged.
func withoutSecrets(err error) error {
	if bad, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		status := 0
		if bad.Response != nil {
			status = bad.Response.StatusCode
		}
		return fmt.Errorf("the token endpoint responded with %d %.60q", status, bad.ErrorCode)
	}
	return err
}
