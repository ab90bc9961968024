package oidc

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
)

// key is one of an issuer's, with the algorithm that alone it is for.
type key struct {
	id, alg string
	public  any
}

// jwk is what we need of a JSON Web Key (RFC 7517, 4; RFC 7518, 6; RFC 8037, 2).
type jwk struct {
	Kty string `json:"kty"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Crv string `json:"crv"`
	N   string `json:"n"`
	E   string `json:"e"`
	X   string `json:"x"`
	Y   string `json:"y"`
}

const maxKeys = 64

// parseKeys reads a key set. Keys that are not for us (of another kind, for encrypting, weak, broken) are passed
// over (RFC 7517, 5).
func parseKeys(body []byte) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("oidc: keys: %w", err)
	}
	out := []key{}
	for _, raw := range set.Keys[:min(len(set.Keys), maxKeys)] {
		var j jwk
		if json.Unmarshal(raw, &j) != nil || j.Use != "" && j.Use != "sig" {
			continue
		}
		if alg, public := j.public(); public != nil && (j.Alg == "" || j.Alg == alg) {
			out = append(out, key{j.Kid, alg, public})
		}
	}
	return out, nil
}

// public gives the key with its algorithm: one for each kind, so that no token can choose.
func (j *jwk) public() (alg string, public any) {
	x, y := field(j.X), field(j.Y)
	switch {
	case j.Kty == "RSA":
		n, e := field(j.N), field(j.E)
		if len(n) < 256 || len(n) > 1024 || len(e) == 0 || len(e) > 4 {
			return "", nil
		}
		k := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		if k.N.BitLen() < 2048 || k.N.Bit(0) == 0 || k.E < 3 || k.E%2 == 0 || k.E > 1<<31-1 {
			return "", nil
		}
		return "RS256", k
	case j.Kty == "EC" && j.Crv == "P-256" && len(x) == 32 && len(y) == 32:
		k, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
		if err != nil {
			return "", nil
		}
		return "ES256", k
	case j.Kty == "OKP" && j.Crv == "Ed25519" && len(x) == ed25519.PublicKeySize:
		return "EdDSA", ed25519.PublicKey(x)
	}
	return "", nil
}

func field(s string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return nil
	}
	return b
}

// find picks by id and algorithm. A token without an id is believed only where one key fits (OpenID Connect Core,
// 10.1).
func find(keys []key, kid, alg string) any {
	var found any
	for _, k := range keys {
		if k.alg != alg || kid != "" && k.id != kid {
			continue
		}
		if found != nil {
			return nil
		}
		found = k.public
	}
	return found
}
