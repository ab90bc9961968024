package webauthn

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"math/big"
)

// The algorithms that we ask for (5.8.5; IANA "COSE Algorithms"), in the order of our liking.
const (
	EdDSA int64 = -8
	ES256 int64 = -7
	RS256 int64 = -257
)

// Algorithms lists them for the options of a registration.
func Algorithms() []int64 { return []int64{EdDSA, ES256, RS256} }

// Labels of a COSE_Key (RFC 9052, 7.1; RFC 9053, 7; RFC 8230, 4).
const (
	labelKty = 1
	labelAlg = 3
	labelCrv = -1 // OKP and EC2; of RSA, n
	labelX   = -2 // OKP and EC2; of RSA, e
	labelY   = -3
)

// key checks signatures of one algorithm, which the key itself fixes: nothing in an assertion chooses it.
type key interface {
	verify(message, signature []byte) bool
}

type (
	edKey struct{ ed25519.PublicKey }
	ecKey struct{ *ecdsa.PublicKey }
	rsKey struct{ *rsa.PublicKey }
)

func (k edKey) verify(m, sig []byte) bool { return ed25519.Verify(k.PublicKey, m, sig) }

// verify takes signatures in ASN.1 DER (6.5.5).
func (k ecKey) verify(m, sig []byte) bool {
	sum := sha256.Sum256(m)
	return ecdsa.VerifyASN1(k.PublicKey, sum[:], sig)
}

func (k rsKey) verify(m, sig []byte) bool {
	sum := sha256.Sum256(m)
	return rsa.VerifyPKCS1v15(k.PublicKey, crypto.SHA256, sum[:], sig) == nil
}

// parseKey reads a COSE_Key whose algorithm and kind belong together (5.8.5, 6.5.6).
func parseKey(b []byte) (key, error) {
	v, rest, err := decodeCBOR(b)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[any]any)
	if !ok || len(rest) != 0 {
		return nil, refuse("6.5.6", "the public key is no COSE_Key")
	}
	kty, _ := m[int64(labelKty)].(int64)
	alg, _ := m[int64(labelAlg)].(int64)
	crv, _ := m[int64(labelCrv)].(int64)
	x, _ := m[int64(labelX)].([]byte)
	switch {
	case kty == 1 && alg == EdDSA && crv == 6 && len(x) == ed25519.PublicKeySize:
		return edKey{x}, nil
	case kty == 2 && alg == ES256 && crv == 1:
		y, _ := m[int64(labelY)].([]byte)
		if len(x) != 32 || len(y) != 32 {
			return nil, refuse("6.5.6", "the point's coordinates have %d and %d bytes", len(x), len(y))
		}
		k, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
		if err != nil {
			return nil, refuse("6.5.6", "the point is not on the curve")
		}
		return ecKey{k}, nil
	case kty == 3 && alg == RS256:
		n, _ := m[int64(labelCrv)].([]byte)
		return parseRSA(n, x)
	}
	return nil, refuse("5.8.5", "the key's kind %d with algorithm %d was not asked for", kty, alg)
}

// parseRSA takes moduli of 2048 to 4096 bits: shorter ones are weak, longer ones cost a function's time.
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
