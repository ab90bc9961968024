package wire

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/auth/oidc"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
)

// Limits of an issuer's answers: a key set has a few kilobytes.
const (
	issuerTimeout  = 10 * time.Second
	issuerMaxBytes = 256 << 10
)

// providers returns the configured identity providers. They are reached through the guarded client; where publishers
// are simulated there are none.
func providers(c config.Config, s Seams, client fetch.Fetcher) []auth.Provider {
	guarded, ok := client.(*fetch.Client)
	if !ok {
		return nil
	}
	out := guarded.Guarded(issuerTimeout, issuerMaxBytes)
	provider := func(id, name, issuer, client string, secret config.Secret) auth.Provider {
		return auth.Provider{ID: id, Name: name, Provider: oidc.New(oidc.Config{
			Issuer: issuer, ClientID: client, HTTP: out, Clock: s.Clock,
			Secret: func(ctx context.Context) (string, error) { return secret.Reveal(ctx, s.Secrets) },
		})}
	}
	var list []auth.Provider
	if c.GoogleClientID != "" {
		list = append(list, provider("google", "Google", oidc.Google, c.GoogleClientID, c.GoogleClientSecret))
	}
	if c.OIDCIssuer != "" {
		host := c.OIDCIssuer
		if u, err := url.Parse(c.OIDCIssuer); err == nil {
			host = u.Hostname()
		}
		list = append(list, provider("oidc", cmp.Or(c.OIDCName, host), c.OIDCIssuer, c.OIDCClientID,
			c.OIDCClientSecret))
	}
	return list
}
