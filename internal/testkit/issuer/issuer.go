// Package issuer is an OpenID Connect provider for tests that lies on request: about the issuer, the audience, the
// nonce, the time, the key. What an honest one does is tried against a real server (testkit/doubles.OIDC).
package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Issuer is one provider with one client, "client" with the secret "secret".
type Issuer struct {
	URL   string
	clock clock.Clock

	mu sync.Mutex
	// Who signs in next.
	subject, email string
	verified       any
	lie            func(claims jwt.MapClaims, header map[string]any)
	signer         *ecdsa.PrivateKey // signs in place of the published one
	published      *ecdsa.PrivateKey
	kid, broken    string
	codes          map[string]request
	asked          map[string]int
}

type request struct{ nonce, challenge, redirect string }

// New starts a provider.
func New(t testing.TB, c clock.Clock) *Issuer {
	t.Helper()
	i := &Issuer{clock: c, subject: "1001", email: "anna@example.org", verified: true, codes: map[string]request{},
		asked: map[string]int{}}
	i.Rotate(t, "k1")
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", i.document)
	mux.HandleFunc("/auth", i.authorize)
	mux.HandleFunc("/token", i.token)
	mux.HandleFunc("/keys", i.keys)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		i.asked[r.URL.Path]++
		broken := i.broken == r.URL.Path
		i.mu.Unlock()
		if broken {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	i.URL = s.URL
	return i
}

// Person sets who signs in from now on.
func (i *Issuer) Person(subject, email string, verified any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.subject, i.email, i.verified = subject, email, verified
}

// Lie changes claims and header of each token before it is signed; nil for the truth.
func (i *Issuer) Lie(f func(claims jwt.MapClaims, header map[string]any)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.lie = f
}

// Break makes a path fail; "" none.
func (i *Issuer) Break(path string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.broken = path
}

// Asked returns how often a path was requested.
func (i *Issuer) Asked(path string) int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked[path]
}

// Rotate publishes a new key and signs with it.
func (i *Issuer) Rotate(t testing.TB, kid string) {
	t.Helper()
	k := NewKey(t)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.published, i.kid = k, kid
}

// SignWith makes tokens be signed by a key that is not published; nil for the published one.
func (i *Issuer) SignWith(k *ecdsa.PrivateKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signer = k
}

// Signer returns the key that is published now.
func (i *Issuer) Signer() *ecdsa.PrivateKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.published
}

// NewKey makes a key for ES256.
func NewKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (i *Issuer) document(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token",
		"jwks_uri":                 i.URL + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"ES256"},
	})
}

// authorize says yes at once.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != "client" || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	code := "code-" + strconv.Itoa(len(i.asked)+len(i.codes)) + "-" + rand.Text()
	i.codes[code] = request{q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")}
	i.mu.Unlock()
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	i.mu.Lock()
	defer i.mu.Unlock()
	c, ok := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	if !ok || id != "client" || secret != "secret" || c.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) ||
		c.redirect != r.PostFormValue("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = fmt.Fprint(w, `{"error":"invalid_grant"}`)
		return
	}
	now := i.clock.Now()
	claims := jwt.MapClaims{
		"iss": i.URL, "aud": "client", "sub": i.subject, "nonce": c.nonce, "iat": now.Unix(), "exp": now.Unix() + 600,
		"email": i.email, "email_verified": i.verified,
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["kid"] = i.kid
	if i.lie != nil {
		i.lie(claims, t.Header)
	}
	signer := i.signer
	if signer == nil {
		signer = i.published
	}
	signed, err := t.SignedString(signer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": signed})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	point, err := i.published.PublicKey.Bytes()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	b64 := base64.RawURLEncoding.EncodeToString
	answer(w, map[string]any{"keys": []any{map[string]any{
		"kty": "EC", "crv": "P-256", "use": "sig", "kid": i.kid, "x": b64(point[1:33]), "y": b64(point[33:]),
	}}})
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
