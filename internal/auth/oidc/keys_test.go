package oidc

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

var b64 = base64.RawURLEncoding.EncodeToString

const p256 = `"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"`

func TestKeySets(t *testing.T) {
	t.Parallel()
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ed, _, _ := ed25519.GenerateKey(rand.Reader)
	rsaKey := func(n, e string) string { return fmt.Sprintf(`"kty":"RSA","n":"%s","e":"%s"`, n, e) }
	n := b64(r.N.Bytes())
	for name, c := range map[string]struct{ key, alg string }{
		"RFC 7515's P-256":       {p256, "ES256"},
		"for signing":            {p256 + `,"use":"sig","alg":"ES256"`, "ES256"},
		"for encrypting":         {p256 + `,"use":"enc"`, ""},
		"for another algorithm":  {p256 + `,"alg":"ES384"`, ""},
		"beside the curve":       {strings.Replace(p256, "4Etl6", "5Etl6", 1), ""},
		"another curve":          {strings.Replace(p256, "P-256", "P-384", 1), ""},
		"RSA":                    {rsaKey(n, "AQAB"), "RS256"},
		"RSA for PSS":            {rsaKey(n, "AQAB") + `,"alg":"PS256"`, ""},
		"weak RSA":               {rsaKey(b64(r.N.Bytes()[:128]), "AQAB"), ""},
		"RSA with exponent one":  {rsaKey(n, "AQ"), ""},
		"RSA without exponent":   {rsaKey(n, ""), ""},
		"RSA with a huge one":    {rsaKey(n, b64(make([]byte, 5))), ""},
		"Ed25519":                {`"kty":"OKP","crv":"Ed25519","x":"` + b64(ed) + `"`, "EdDSA"},
		"a short Ed25519":        {`"kty":"OKP","crv":"Ed25519","x":"` + b64(ed[:31]) + `"`, ""},
		"a secret":               {`"kty":"oct","k":"AAAA"`, ""},
		"base64 that is none":    {`"kty":"OKP","crv":"Ed25519","x":"!"`, ""},
		"a member of other type": {`"kty":5`, ""},
	} {
		keys, err := parseKeys([]byte(`{"keys":[{"kid":"a",` + c.key + `}]}`))
		if err != nil || len(keys) > 1 || (len(keys) == 1) != (c.alg != "") {
			t.Errorf("%s gives %v, %v", name, keys, err)
			continue
		}
		if len(keys) == 1 && (keys[0].alg != c.alg || keys[0].id != "a") {
			t.Errorf("%s is %+v", name, keys[0])
		}
	}
	if _, err := parseKeys([]byte("x")); err == nil {
		t.Error("what is no JSON is a key set")
	}
	if keys, err := parseKeys([]byte(`{"keys":[` + strings.Repeat("{"+p256+"},", 500) + "{" + p256 + "}]}")); err != nil || len(keys) != maxKeys {
		t.Errorf("of 501 keys %d are kept, %v", len(keys), err)
	}
}

func TestKeysAreFound(t *testing.T) {
	t.Parallel()
	keys := []key{{"a", "ES256", 1}, {"b", "ES256", 2}, {"c", "RS256", 3}, {"a", "RS256", 4}}
	for in, want := range map[[2]string]any{
		{"a", "ES256"}: 1, {"a", "RS256"}: 4, {"b", "ES256"}: 2, {"b", "RS256"}: nil, {"", "ES256"}: nil, {"x", "ES256"}: nil,
	} {
		if got := find(keys, in[0], in[1]); got != want {
			t.Errorf("%v finds %v", in, got)
		}
	}
	if got := find(keys[2:3], "", "RS256"); got != 3 {
		t.Errorf("the only key gives %v", got)
	}
}

// FuzzKeys: whatever an issuer sends, what is kept is a key of the algorithm that it is kept for.
func FuzzKeys(f *testing.F) {
	f.Add([]byte(`{"keys":[{` + p256 + `}]}`))
	f.Add([]byte(`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},null,5]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		keys, _ := parseKeys(b)
		for _, k := range keys {
			switch k.alg {
			case "RS256":
				if r := k.public.(*rsa.PublicKey); r.N.BitLen() < 2048 || r.E < 3 {
					t.Fatal("a weak key was kept")
				}
			case "ES256", "EdDSA":
			default:
				t.Fatalf("a key for %q was kept", k.alg)
			}
		}
	})
}

// FuzzDocument: a discovery document is of the issuer that was asked and keeps to its scheme, or is refused.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"issuer":"https://a.example","authorization_endpoint":"https://a.example/a","token_endpoint":"https://a.example/t","jwks_uri":"https://a.example/k"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := parseDocument("https://a.example", b)
		if err == nil && (d.Issuer != "https://a.example" || !strings.HasPrefix(strings.ToLower(d.Token), "https://") || !strings.HasPrefix(strings.ToLower(d.Keys), "https://")) {
			t.Fatalf("%+v is believed", d)
		}
	})
}
