package webauthn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"math/big"
	"slices"
)

// The algorithms that we request (5.8.5; IANA "COSE Algorithms"), in order of preference.
const (
	EdDSA int64 = -8
	ES256 int64 = -7
	RS256 int64 = -257
)

// Algorithms lists them for the options of a registration.
func Algorithms() []int64 { return []int64{EdDSA, ES256, RS256} }

// coseKey is a COSE_Key (RFC 9052, 7.1; RFC 9053, 7; RFC 8230, 4).
type coseKey struct {
	Kty int64  `cbor:"1,keyasint"`
	Alg int64  `cbor:"3,keyasint"`
	Crv any    `cbor:"-1,keyasint"` // OKP and EC2: int64; RSA: n, []byte
	X   []byte `cbor:"-2,keyasint"` // RSA: e
	Y   []byte `cbor:"-3,keyasint"`
}

// key verifies signatures of one algorithm, which the key itself determines: nothing in an assertion chooses it.
type key interface {
	verify(message, signature []byte) bool
}

type (
	edKey struct{ ed25519.PublicKey }
	ecKey struct{ *ecdsa.PublicKey }
	rsKey struct{ *rsa.PublicKey }
)

func (k edKey) verify(m, sig []byte) bool { return ed25519.Verify(k.PublicKey, m, sig) }

// verify accepts signatures in ASN.1 DER (6.5.5).
func (k ecKey) verify(m, sig []byte) bool {
	sum := sha256.Sum256(m)
	return ecdsa.VerifyASN1(k.PublicKey, sum[:], sig)
}

func (k rsKey) verify(m, sig []byte) bool {
	sum := sha256.Sum256(m)
	return rsa.VerifyPKCS1v15(k.PublicKey, crypto.SHA256, sum[:], sig) == nil
}

// parseKey decodes a COSE_Key whose algorithm and type belong together (5.8.5, 6.5.6).
func parseKey(b []byte) (key, error) {
	var k coseKey
	if err := decode(b, &k); err != nil {
		return nil, err
	}
	curve, _ := k.Crv.(int64)
	switch {
	case k.Kty == 1 && k.Alg == EdDSA && curve == 6 && len(k.X) == ed25519.PublicKeySize:
		return edKey{k.X}, nil
	case k.Kty == 2 && k.Alg == ES256 && curve == 1:
		if len(k.X) != 32 || len(k.Y) != 32 {
			return nil, refuse("6.5.6", "the point's coordinates have %d and %d bytes", len(k.X), len(k.Y))
		}
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, k.X, k.Y))
		if err != nil {
			return nil, refuse("6.5.6", "the point is not on the curve")
		}
		return ecKey{public}, nil
	case k.Kty == 3 && k.Alg == RS256:
		n, _ := k.Crv.([]byte)
		return parseRSA(n, k.X)
	}
	return nil, refuse("5.8.5", "the key's type %d with algorithm %d was not requested", k.Kty, k.Alg)
}

// parseRSA accepts moduli of 2048 to 4096 bits: shorter ones are weak, longer ones slow.
func parseRSA(n, e []byte) (key, error) {
	if len(n) < 256 || len(n) > 512 || n[0] == 0 || len(e) == 0 || len(e) > 4 {
		return nil, refuse("6.5.6", "the RSA key has %d bytes", len(n))
	}
	exponent := 0
	for _, c := range e {
		exponent = exponent<<8 | int(c)
	}
	if exponent < 3 || exponent%2 == 0 || exponent > 1<<31-1 {
		return nil, refuse("6.5.6", "the RSA exponent is %d", exponent)
	}
	k := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: exponent}
	if k.N.BitLen() < 2048 || k.N.Bit(0) == 0 {
		return nil, refuse("6.5.6", "the RSA modulus is weak")
	}
	return rsKey{k}, nil
}
