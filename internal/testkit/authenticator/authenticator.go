// Package authenticator is a passkey's other side for tests: it makes keys and answers as browsers pass them on
// (W3C Web Authentication Level 3), with an encoder of its own, and lies on request.
package authenticator

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
)

// Flags of authenticator data (6.1).
const (
	Present    byte = 1
	Verified   byte = 4
	Eligible   byte = 8
	BackedUp   byte = 16
	Attested   byte = 64
	Extensions byte = 128
)

// Passkey is one credential, and what it says the next time.
type Passkey struct {
	ID, UserHandle []byte
	RPID, Origin   string
	Flags          byte // with Present and Verified at first
	Count          uint32
	// What is sent in place of the truth; zero means the truth.
	Type, CrossOrigin string
	Format            string // of the attestation; "" = none
	Trailing          []byte // after the authenticator data
	alg               int64
	signer            crypto.Signer
}

// New makes a passkey of an algorithm: -8 EdDSA, -7 ES256, -257 RS256.
func New(t testing.TB, alg int64, rpID, origin string, userHandle []byte) *Passkey {
	t.Helper()
	p := &Passkey{ID: make([]byte, 32), UserHandle: userHandle, RPID: rpID, Origin: origin,
		Flags: Present | Verified, alg: alg}
	_, _ = rand.Read(p.ID)
	var err error
	switch alg {
	case -8:
		_, p.signer, err = ed25519.GenerateKey(rand.Reader)
	case -7:
		p.signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		p.signer, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Key is the public key as COSE_Key.
func (p *Passkey) Key() []byte {
	switch k := p.signer.Public().(type) {
	case ed25519.PublicKey:
		return slices.Concat([]byte{0xa4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21}, Bytes(k))
	case *ecdsa.PublicKey:
		point, _ := k.Bytes()
		return slices.Concat([]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21}, Bytes(point[1:33]), []byte{0x22},
			Bytes(point[33:]))
	case *rsa.PublicKey:
		return slices.Concat([]byte{0xa4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20}, Bytes(k.N.Bytes()),
			[]byte{0x21, 0x43, 1, 0, 1})
	}
	return nil
}

// Register answers navigator.credentials.create.
func (p *Passkey) Register(challenge []byte) []byte {
	attested := slices.Concat(make([]byte, 16), binary.BigEndian.AppendUint16(nil, uint16(len(p.ID))), p.ID, p.Key())
	data := p.authData(p.Flags|Attested, attested)
	format, statement := "none", []byte{0xa0}
	if p.Format != "" {
		format, statement = p.Format, slices.Concat([]byte{0xa2, 0x63}, []byte("alg"), []byte{0x26, 0x63},
			[]byte("sig"), Bytes([]byte{1, 2, 3}))
	}
	object := slices.Concat([]byte{0xa3, 0x63}, []byte("fmt"), text(format), text("attStmt"), statement,
		text("authData"), Bytes(data))
	return p.answer(map[string]any{
		"clientDataJSON": b64(p.clientData("webauthn.create", challenge)), "attestationObject": b64(object),
		"transports": []string{"internal", "hybrid"},
	})
}

// Assert answers navigator.credentials.get.
func (p *Passkey) Assert(challenge []byte) []byte {
	data, client := p.authData(p.Flags, nil), p.clientData("webauthn.get", challenge)
	hash := sha256.Sum256(client)
	return p.answer(map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data),
		"signature":  b64(p.sign(slices.Concat(data, hash[:]))),
		"userHandle": b64(p.UserHandle),
	})
}

func (p *Passkey) sign(message []byte) []byte {
	var hash crypto.Hash
	if p.alg != -8 {
		sum := sha256.Sum256(message)
		message, hash = sum[:], crypto.SHA256
	}
	sig, err := p.signer.Sign(rand.Reader, message, hash)
	if err != nil {
		panic(err)
	}
	return sig
}

func (p *Passkey) authData(flags byte, more []byte) []byte {
	hash := sha256.Sum256([]byte(p.RPID))
	return slices.Concat(hash[:], []byte{flags}, binary.BigEndian.AppendUint32(nil, p.Count), more, p.Trailing)
}

func (p *Passkey) clientData(kind string, challenge []byte) []byte {
	if p.Type != "" {
		kind = p.Type
	}
	m := map[string]any{"type": kind, "challenge": b64(challenge), "origin": p.Origin,
		"crossOrigin": p.CrossOrigin != ""}
	if p.CrossOrigin != "" {
		m["topOrigin"] = p.CrossOrigin
	}
	b, _ := json.Marshal(m)
	return b
}

func (p *Passkey) answer(response map[string]any) []byte {
	b, _ := json.Marshal(map[string]any{
		"id": b64(p.ID), "rawId": b64(p.ID), "type": "public-key", "response": response,
		"authenticatorAttachment": "platform", "clientExtensionResults": map[string]any{},
	})
	return b
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Bytes writes a CBOR byte string.
func Bytes(b []byte) []byte { return slices.Concat(head(2, len(b)), b) }

func text(s string) []byte { return slices.Concat(head(3, len(s)), []byte(s)) }

func head(major byte, n int) []byte {
	switch {
	case n < 24:
		return []byte{major<<5 | byte(n)}
	case n < 256:
		return []byte{major<<5 | 24, byte(n)}
	}
	return []byte{major<<5 | 25, byte(n >> 8), byte(n)}
}
