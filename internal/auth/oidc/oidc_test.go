package oidc_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ruri-reader/ruri/internal/auth/oidc"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/testkit/issuer"
)

type world struct {
	t      *testing.T
	clock  *clock.Manual
	issuer *issuer.Issuer
	http   *http.Client
	*oidc.Provider
}

var flow = oidc.Flow{State: "the-state", Nonce: "the-nonce", Verifier: strings.Repeat("v", 43),
	Redirect: "https://reader.example/auth/oidc/callback"}

func newWorld(t *testing.T) *world {
	t.Helper()
	clk := clock.NewManual(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
	guarded := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(guarded.Close)
	w := &world{t: t, clock: clk, issuer: issuer.New(t, clk), http: guarded.Guarded(10*time.Second, 64<<10)}
	w.Provider = w.provider(w.issuer.URL)
	return w
}

func (w *world) provider(issuer string) *oidc.Provider {
	return oidc.New(oidc.Config{
		Issuer: issuer, ClientID: "client", HTTP: w.http, Clock: w.clock,
		Secret: func(context.Context) (string, error) { return "secret", nil },
	})
}

// visit goes to the provider, which says yes at once, and gives the query that it sends back.
func (w *world) visit() url.Values {
	w.t.Helper()
	to, err := w.AuthURL(w.t.Context(), flow, false)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.http.Get(to)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		w.t.Fatal(err)
	}
	return back.Query()
}

func (w *world) finish() (*oidc.Identity, error) { return w.Finish(w.t.Context(), flow, w.visit()) }

// G-6
func TestSignInWithProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, err := w.finish()
	if err != nil || *id != (oidc.Identity{Issuer: w.issuer.URL, Subject: "1001", Email: "anna@example.org"}) {
		t.Fatalf("it is %+v, %v", id, err)
	}
	if _, err := w.finish(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/keys"} {
		if n := w.issuer.Asked(path); n != 1 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
}

func TestUnverifiedAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		verified any
		email    string
	}{{true, "anna@example.org"}, {"true", "anna@example.org"}, {false, ""}, {"false", ""}, {nil, ""},
		{1, ""}, {"yes", ""}} {
		w.issuer.Person("1", "anna@example.org", c.verified)
		id, err := w.finish()
		if err != nil || id.Email != c.email || id.Unverified != (c.email == "") {
			t.Errorf("%v gives %+v, %v", c.verified, id, err)
		}
	}
}

func TestInvalidIDTokens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.clock.Now().Unix()
	for name, c := range map[string]struct {
		lie  func(jwt.MapClaims, map[string]any)
		fine bool
	}{
		"the truth":        {func(jwt.MapClaims, map[string]any) {}, true},
		"another nonce":    {func(c jwt.MapClaims, _ map[string]any) { c["nonce"] = "other" }, false},
		"no nonce":         {func(c jwt.MapClaims, _ map[string]any) { delete(c, "nonce") }, false},
		"another audience": {func(c jwt.MapClaims, _ map[string]any) { c["aud"] = "other" }, false},
		"no audience":      {func(c jwt.MapClaims, _ map[string]any) { delete(c, "aud") }, false},
		"two audiences": {func(c jwt.MapClaims, _ map[string]any) {
			c["aud"] = []string{"client", "other"}
		}, false},
		"two, made for us": {func(c jwt.MapClaims, _ map[string]any) {
			c["aud"] = []string{"client", "other"}
			c["azp"] = "client"
		}, true},
		"two, made for another": {func(c jwt.MapClaims, _ map[string]any) {
			c["aud"] = []string{"client", "other"}
			c["azp"] = "other"
		}, false},
		"made for another": {func(c jwt.MapClaims, _ map[string]any) { c["azp"] = "other" }, false},
		"another issuer": {func(c jwt.MapClaims, _ map[string]any) {
			c["iss"] = "https://evil.example"
		}, false},
		"Google's short name": {func(c jwt.MapClaims, _ map[string]any) {
			c["iss"] = "accounts.google.com"
		}, false},
		"expired":              {func(c jwt.MapClaims, _ map[string]any) { c["exp"] = now - 61 }, false},
		"expired a moment ago": {func(c jwt.MapClaims, _ map[string]any) { c["exp"] = now - 59 }, true},
		"without an end":       {func(c jwt.MapClaims, _ map[string]any) { delete(c, "exp") }, false},
		"of tomorrow":          {func(c jwt.MapClaims, _ map[string]any) { c["iat"] = now + 61 }, false},
		"of yesterday":         {func(c jwt.MapClaims, _ map[string]any) { c["iat"] = now - 86400 }, false},
		"of no time":           {func(c jwt.MapClaims, _ map[string]any) { delete(c, "iat") }, false},
		"not yet valid":        {func(c jwt.MapClaims, _ map[string]any) { c["nbf"] = now + 3600 }, false},
		"of nobody":            {func(c jwt.MapClaims, _ map[string]any) { c["sub"] = "" }, false},
		"of a long name": {func(c jwt.MapClaims, _ map[string]any) {
			c["sub"] = strings.Repeat("x", 256)
		}, false},
		"huge": {func(c jwt.MapClaims, _ map[string]any) {
			c["more"] = strings.Repeat("x", 20<<10)
		}, false},
		"by another algorithm":     {func(_ jwt.MapClaims, h map[string]any) { h["alg"] = "RS256" }, false},
		"by none":                  {func(_ jwt.MapClaims, h map[string]any) { h["alg"] = "none" }, false},
		"by the secret":            {func(_ jwt.MapClaims, h map[string]any) { h["alg"] = "HS256" }, false},
		"without a key's id":       {func(_ jwt.MapClaims, h map[string]any) { delete(h, "kid") }, true},
		"with an unknown key's id": {func(_ jwt.MapClaims, h map[string]any) { h["kid"] = "k9" }, false},
	} {
		w.issuer.Lie(c.lie)
		_, err := w.finish()
		if c.fine && err != nil || !c.fine && !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	w.issuer.Lie(nil)
	w.issuer.SignWith(issuer.NewKey(t))
	if _, err := w.finish(); !errors.Is(err, oidc.ErrRefused) {
		t.Errorf("a key that is not the issuer's gives %v", err)
	}
}

func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	with := func(name, value string) url.Values {
		q := w.visit()
		q.Set(name, value)
		return q
	}
	spent := w.visit()
	if _, err := w.Finish(t.Context(), flow, spent); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		query url.Values
		want  error
	}{
		"another state":   {with("state", "other"), oidc.ErrRefused},
		"no state":        {with("state", ""), oidc.ErrRefused},
		"a replayed code": {spent, oidc.ErrRefused},
		"another code":    {with("code", "other"), oidc.ErrRefused},
		"no code":         {with("code", ""), oidc.ErrRefused},
		"another issuer":  {with("iss", "https://evil.example"), oidc.ErrRefused},
		"a no":            {with("error", "access_denied"), oidc.ErrDenied},
	} {
		if _, err := w.Finish(t.Context(), flow, c.query); !errors.Is(err, c.want) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	for name, change := range map[string]func(*oidc.Flow){
		"another verifier": func(f *oidc.Flow) { f.Verifier = strings.Repeat("w", 43) },
		"another redirect": func(f *oidc.Flow) { f.Redirect += "x" },
	} {
		f := flow
		change(&f)
		if _, err := w.Finish(t.Context(), f, w.visit()); !errors.Is(err, oidc.ErrRefused) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if _, err := w.Finish(t.Context(), oidc.Flow{}, url.Values{"code": {"x"}}); !errors.Is(err, oidc.ErrRefused) {
		t.Errorf("an empty flow gives %v", err)
	}
}

func TestRotatedKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must := func() {
		t.Helper()
		if _, err := w.finish(); err != nil {
			t.Fatalf("signing in gives %v", err)
		}
	}
	must()
	w.issuer.Rotate(t, "k2")
	must()
	must()
	if n := w.issuer.Asked("/keys"); n != 2 {
		t.Errorf("the keys were fetched %d times", n)
	}
	// A key that the issuer withdrew is refused within a day.
	old := w.issuer.Signer()
	w.issuer.Rotate(t, "k3")
	w.issuer.SignWith(old)
	w.issuer.Lie(func(_ jwt.MapClaims, h map[string]any) { h["kid"] = "k2" })
	must()
	w.clock.Add(24 * time.Hour)
	if _, err := w.finish(); !errors.Is(err, oidc.ErrRefused) {
		t.Errorf("a withdrawn key gives %v", err)
	}
	w.issuer.SignWith(nil)
	w.issuer.Lie(nil)
	must()
	// When the issuer's metadata cannot be fetched, the old stays in use.
	w.issuer.Break("/.well-known/openid-configuration")
	w.clock.Add(24 * time.Hour)
	must()
	// When the keys cannot be fetched, the token is not at fault.
	w.issuer.Break("/keys")
	w.issuer.Rotate(t, "k4")
	if _, err := w.finish(); err == nil || errors.Is(err, oidc.ErrRefused) {
		t.Errorf("keys that cannot be fetched give %v", err)
	}
}

func TestFailingIssuers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.issuer.Break("/.well-known/openid-configuration")
	for range 5 {
		if _, err := w.AuthURL(t.Context(), flow, false); err == nil {
			t.Fatal("there is an address of an issuer that fails")
		}
	}
	if n := w.issuer.Asked("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("it was asked %d times in a moment", n)
	}
	w.issuer.Break("")
	w.clock.Add(time.Minute)
	back := w.visit()
	w.issuer.Break("/token")
	_, err := w.Finish(t.Context(), flow, back)
	if err == nil || errors.Is(err, oidc.ErrRefused) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a failing exchange gives %v", err)
	}
	// Another name of the same server is another issuer.
	if _, err := w.provider(w.issuer.URL+"/").AuthURL(t.Context(), flow, false); err == nil {
		t.Error("a document of another issuer is believed")
	}
	// A private address that the owner did not open is not asked.
	closed := fetch.New(fetch.Options{})
	t.Cleanup(closed.Close)
	before := w.issuer.Asked("/.well-known/openid-configuration")
	p := oidc.New(oidc.Config{Issuer: w.issuer.URL, HTTP: closed.Guarded(time.Second, 1), Clock: w.clock})
	if _, err := p.AuthURL(t.Context(), flow, false); err == nil ||
		w.issuer.Asked("/.well-known/openid-configuration") != before {
		t.Errorf("a closed network gives %v", err)
	}
}

func TestAuthURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for choose, prompt := range map[bool]string{true: "login", false: ""} {
		to, err := w.AuthURL(t.Context(), flow, choose)
		if err != nil {
			t.Fatal(err)
		}
		u, _ := url.Parse(to)
		q := u.Query()
		for name, want := range map[string]string{
			"response_type": "code", "client_id": "client", "redirect_uri": flow.Redirect, "scope": "openid email",
			"state": flow.State,
			"nonce": flow.Nonce, "code_challenge_method": "S256", "prompt": prompt,
		} {
			if q.Get(name) != want {
				t.Errorf("%s is %q", name, q.Get(name))
			}
		}
		if q.Get("code_challenge") == "" || strings.Contains(to, flow.Verifier) || strings.Contains(to, "secret") {
			t.Errorf("the address is %s", to)
		}
	}
}
