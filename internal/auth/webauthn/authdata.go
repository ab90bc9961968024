package webauthn

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"

	"github.com/fxamacker/cbor/v2"
)

// The flags of authenticator data (6.1).
const (
	flagPresent    = 1 << 0 // UP
	flagVerified   = 1 << 2 // UV
	flagEligible   = 1 << 3 // BE
	flagBackedUp   = 1 << 4 // BS
	flagAttested   = 1 << 6 // AT
	flagExtensions = 1 << 7 // ED
)

type authData struct {
	rpIDHash     [32]byte
	flags        byte
	signCount    uint32
	aaguid       [16]byte
	credentialID []byte // nil without attested credential data
	publicKey    []byte // its COSE_Key, encoded
}

func (d *authData) has(flag byte) bool { return d.flags&flag != 0 }

// parseAuthData reads authenticator data (6.1) to its last byte.
func parseAuthData(b []byte) (*authData, error) {
	if len(b) < 37 || len(b) > maxAuthData {
		return nil, refuse("6.1", "the authenticator data has %d bytes", len(b))
	}
	d := &authData{flags: b[32], signCount: binary.BigEndian.Uint32(b[33:])}
	copy(d.rpIDHash[:], b)
	b = b[37:]
	if d.has(flagAttested) { // 6.5.1
		if len(b) < 18 {
			return nil, refuse("6.5.1", "the attested credential data is too short")
		}
		copy(d.aaguid[:], b)
		n := int(binary.BigEndian.Uint16(b[16:]))
		b = b[18:]
		if n == 0 || n > maxCredentialID || n > len(b) {
			return nil, refuse("6.5.1", "the credential's id has %d bytes", n)
		}
		d.credentialID, b = b[:n:n], b[n:]
		var err error
		if d.publicKey, b, err = cutValue(b); err != nil {
			return nil, err
		}
	}
	if d.has(flagExtensions) { // none is requested, but some authenticators send credProtect anyway
		v, rest, err := cutValue(b)
		if err != nil {
			return nil, err
		}
		if !isMap(v) {
			return nil, refuse("6.1", "the extensions are not a map")
		}
		b = rest
	}
	if len(b) != 0 {
		return nil, refuse("6.1", "%d bytes are left after the authenticator data", len(b))
	}
	return d, nil
}

// checkAuthData checks the RP ID and the requirements of a sign-in without a password: user presence and user
// verification by PIN or fingerprint (7.1, steps 13 to 18; 7.2, steps 15 to 19).
func (p Party) checkAuthData(d *authData) error {
	hash := sha256.Sum256([]byte(p.ID))
	if subtle.ConstantTimeCompare(hash[:], d.rpIDHash[:]) != 1 {
		return refuse("7.2.15", "the RP ID differs")
	}
	if !d.has(flagPresent) {
		return refuse("7.2.16", "the user was not present")
	}
	if !d.has(flagVerified) {
		return refuse("7.2.17", "the user was not verified")
	}
	if d.has(flagBackedUp) && !d.has(flagEligible) {
		return refuse("6.1.3", "a credential that may not be backed up is backed up")
	}
	return nil
}

// authDataOf returns the authenticator data of an attestation object (6.5.4).
func authDataOf(attestation []byte) ([]byte, error) {
	if len(attestation) > maxAttestation {
		return nil, refuse("6.5.4", "the attestation object has %d bytes", len(attestation))
	}
	var o struct {
		Format    *string         `cbor:"fmt"`
		Statement cbor.RawMessage `cbor:"attStmt"`
		Data      []byte          `cbor:"authData"`
	}
	if err := decode(attestation, &o); err != nil {
		return nil, err
	}
	const emptyMap = 0xa0
	switch {
	case o.Format == nil || !isMap(o.Statement) || o.Data == nil:
		return nil, refuse("6.5.4", "this is not an attestation object")
	case *o.Format == "none" && o.Statement[0] != emptyMap: // 8.7
		return nil, refuse("8.7", "attestation \"none\" has a statement")
	}
	return o.Data, nil
}
