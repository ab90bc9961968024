// Package oidc is the client's side of OpenID Connect Core 1.0: the code flow with PKCE (RFC 7636), state and nonce,
// over golang.org/x/oauth2, and the check of the ID token that comes of it. It holds the issuer's discovery document
// and keys in memory, and nothing of anybody's flow: what has to be remembered between the two halves is its
// caller's (Flow).
package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Config names one provider.
type Config struct {
	Issuer   string // as its discovery document writes it
	ClientID string
	// Secret is asked for when the first code is exchanged.
	Secret func(context.Context) (string, error)
	// HTTP reaches the issuer; its limits of time and size are the handed-in client's.
	HTTP  *http.Client
	Clock clock.Clock
}

// Provider signs people in by one issuer. It is safe for concurrent use.
type Provider struct {
	Config

	mu       sync.Mutex
	document *document
	keys     []key
	// When the document and the keys were fetched, and before when neither is tried again.
	documentAt, keysAt, restUntil time.Time
}

// New makes a provider; it asks nothing yet.
func New(c Config) *Provider { return &Provider{Config: c} }

// Flow is what the second half of a sign-in must know of the first.
type Flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of PKCE
	Redirect string `json:"r"` // redirect_uri, which both halves must name alike
}

// Identity is who the issuer says it is.
type Identity struct {
	Issuer, Subject string
	Email           string // "" unless the issuer says that it is verified
	Unverified      bool   // there is an address, and it is not verified
}

// Errors of a sign-in. Whatever is none of them is a failure of the issuer or of the way there.
var (
	ErrDenied  = errors.New("oidc: the person or the provider said no")
	ErrRefused = errors.New("oidc: the answer is not to be believed")
)

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// AuthURL is where the person signs in (OpenID Connect Core, 3.1.2.1). With choose, the provider is to let them
// choose the account even if it knows one: by select_account at Google, elsewhere by signing in anew, which all
// know.
func (p *Provider) AuthURL(ctx context.Context, f Flow, choose bool) (string, error) {
	d, err := p.discover(ctx)
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
	return p.oauth(d, f, "").AuthCodeURL(f.State, opts...), nil
}

func (p *Provider) oauth(d *document, f Flow, secret string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, RedirectURL: f.Redirect, Scopes: []string{"openid", "email"},
		Endpoint: oauth2.Endpoint{AuthURL: d.Authorization, TokenURL: d.Token, AuthStyle: d.authStyle()},
	}
}

// Finish turns the query of the redirect back into who it is (3.1.2.5 to 3.1.3.7).
func (p *Provider) Finish(ctx context.Context, f Flow, query url.Values) (*Identity, error) {
	if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(f.State)) != 1 || f.State == "" {
		return nil, refused("the state is another")
	}
	d, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	// RFC 9207: an answer that another issuer mixed in names that one.
	if iss := query.Get("iss"); iss != "" && iss != d.Issuer || iss == "" && d.NamesIssuer {
		return nil, refused("the answer is of the issuer %.100q", iss)
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
	token, err := p.oauth(d, f, secret).Exchange(context.WithValue(ctx, oauth2.HTTPClient, p.HTTP), query.Get("code"), oauth2.VerifierOption(f.Verifier))
	var bad *oauth2.RetrieveError
	if errors.As(err, &bad) && bad.ErrorCode == "invalid_grant" { // RFC 6749, 5.2: spent, too old, or another's
		return nil, refused("the code is not valid")
	}
	if err != nil {
		return nil, fmt.Errorf("oidc: token: %w", withoutSecrets(err))
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.verify(ctx, d, raw, f.Nonce)
	if err == nil && id.Email == "" && !id.Unverified && d.UserInfo != "" {
		p.addEmail(ctx, d, id, token.AccessToken)
	}
	return id, err
}

// addEmail asks for the address where the ID token has none: with a code, issuers may give it there alone (OpenID
// Connect Core, 5.4). Who is known already signs in without, so a failure is none.
func (p *Provider) addEmail(ctx context.Context, d *document, id *Identity, accessToken string) {
	body, err := p.get(ctx, d.UserInfo, accessToken)
	if err != nil {
		return
	}
	var c struct {
		Subject string `json:"sub"`
		emailClaims
	}
	if json.Unmarshal(body, &c) == nil && c.Subject == id.Subject { // 5.3.2: another's answer is not to be used
		c.into(id)
	}
}

// withoutSecrets keeps what a log may know of a failed exchange: not the answer's body.
func withoutSecrets(err error) error {
	var bad *oauth2.RetrieveError
	if errors.As(err, &bad) {
		status := 0
		if bad.Response != nil {
			status = bad.Response.StatusCode
		}
		return fmt.Errorf("the token endpoint answered %d %.60q", status, bad.ErrorCode)
	}
	return err
}

// CheckIssuer tells what is wrong with an issuer's name: an https address without query or fragment (Discovery, 3);
// http too, which only a network that the owner has opened lets through.
func CheckIssuer(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
		strings.HasSuffix(s, "?") || strings.HasSuffix(s, "#") {
		return errors.New("is the issuer's address, like https://login.example.org")
	}
	return nil
}
