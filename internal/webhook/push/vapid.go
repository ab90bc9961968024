package push

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/url"
	"time"
)

// Push services know the installation by its key pair (VAPID, RFC 8292). The pair follows from the secret that signs
// sessions, so that it is kept where that is, and every process has the same one.
type identity struct {
	private *ecdsa.PrivateKey
	public  string // as browsers and push services get it
}

var base64url = base64.RawURLEncoding

// identity returns the key pair.
func (s *Service) identity(ctx context.Context) (*identity, error) {
	seed, err := s.Key(ctx, "push messages")
	if err != nil {
		return nil, err
	}
	return identityOf(seed)
}

// identityOf makes the key pair of a seed. Of 2^32 seeds one is no key: then its hash is the seed.
func identityOf(seed []byte) (*identity, error) {
	for {
		if private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed); err == nil {
			point, err := private.PublicKey.Bytes()
			return &identity{private, base64url.EncodeToString(point)}, err
		}
		next := sha256.Sum256(seed)
		seed = next[:]
	}
}

// tokenSlot is how long a token is used: Apple wants a new one at most hourly, and none may be valid for over a day.
const tokenSlot = 12 * time.Hour

// authorization is the header with the token for a push service. Signatures are deterministic (RFC 6979), and the token
// expires at the end of a slot, so that all processes use the same one.
func (i *identity) authorization(endpoint, contact string, now time.Time) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{u.Scheme + "://" + u.Host, now.Truncate(tokenSlot).Add(2*tokenSlot - time.Hour).Unix(), contact})
	if err != nil {
		return "", err
	}
	text := base64url.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + base64url.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	der, err := i.private.Sign(nil, sum[:], crypto.SHA256)
	if err != nil {
		return "", err
	}
	var sig struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &sig); err != nil {
		return "", err
	}
	raw := append(sig.R.FillBytes(make([]byte, 32)), sig.S.FillBytes(make([]byte, 32))...)
	return "vapid t=" + text + "." + base64url.EncodeToString(raw) + ", k=" + i.public, nil
}
