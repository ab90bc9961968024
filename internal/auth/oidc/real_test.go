package oidc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/auth/oidc"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/testkit/doubles"
)

// TestAgainstARealProvider signs in at a certified provider, by its own pages.
func TestAgainstARealProvider(t *testing.T) {
	t.Parallel()
	issuer := doubles.OIDC(t)
	redirect := "http://127.0.0.1:1/auth/oidc/callback"
	body, _ := json.Marshal(map[string]any{"redirect_uris": []string{redirect}})
	resp, err := http.Post(issuer+"/reg", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err := json.Unmarshal(text, &client); err != nil || client.Secret == "" {
		t.Fatalf("the client is %s, %v", text, err)
	}
	guarded := fetch.New(fetch.Options{AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(guarded.Close)
	p := oidc.New(oidc.Config{
		Issuer: issuer, ClientID: client.ID, HTTP: guarded.Guarded(10*time.Second, 64<<10), Clock: clock.System{},
		Secret: func(context.Context) (string, error) { return client.Secret, nil },
	})
	for person, want := range map[string]oidc.Identity{
		"anna":             {Issuer: issuer, Subject: "anna", Email: "anna@example.org"},
		"berta-unverified": {Issuer: issuer, Subject: "berta-unverified", Unverified: true},
	} {
		f := oidc.Flow{State: "s-" + person, Nonce: "n-" + person,
			Verifier: "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv", Redirect: redirect}
		to, err := p.AuthURL(t.Context(), f, false)
		if err != nil {
			t.Fatal(err)
		}
		jar, _ := cookiejar.New(nil)
		back := doubles.SignIn(t, &http.Client{Jar: jar}, to, redirect, person)
		id, err := p.Finish(t.Context(), f, back.Query())
		if err != nil || *id != want {
			t.Errorf("%s is %+v, %v", person, id, err)
		}
		if _, err := p.Finish(t.Context(), f, back.Query()); err == nil {
			t.Errorf("%s: the code works twice", person)
		}
	}
	// The person may say no.
	f := oidc.Flow{State: "s", Nonce: "n", Verifier: "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv",
		Redirect: redirect}
	_, err = p.Finish(t.Context(), f, url.Values{"state": {"s"}, "iss": {issuer}, "error": {"access_denied"}})
	if err == nil {
		t.Error("a no signs in")
	}
}
