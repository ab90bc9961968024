package webauthn

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
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
	publicKey    []byte // its COSE_Key, undecoded
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
			return nil, refuse("6.5.1", "the attested credential data is cut")
		}
		copy(d.aaguid[:], b)
		n := int(binary.BigEndian.Uint16(b[16:]))
		b = b[18:]
		if n == 0 || n > maxCredentialID || n > len(b) {
			return nil, refuse("6.5.1", "the credential's id has %d bytes", n)
		}
		d.credentialID, b = b[:n:n], b[n:]
		_, rest, err := decodeCBOR(b)
		if err != nil {
			return nil, err
		}
		d.publicKey, b = b[:len(b)-len(rest):len(b)-len(rest)], rest
	}
	if d.has(flagExtensions) { // nothing was asked for, but some authenticators send credProtect all the same
		v, rest, err := decodeCBOR(b)
		if err != nil {
			return nil, err
		}
		if _, isMap := v.(map[any]any); !isMap {
			return nil, refuse("6.1", "the extensions are no map")
		}
		b = rest
	}
	if len(b) != 0 {
		return nil, refuse("6.1", "%d bytes are left after the authenticator data", len(b))
	}
	return d, nil
}

// checkAuthData holds it against us and against what a way in without a password needs: presence and the
// person's own PIN or finger (7.1, steps 13 to 18; 7.2, steps 15 to 19).
func (p Party) checkAuthData(d *authData) error {
	hash := sha256.Sum256([]byte(p.ID))
	if subtle.ConstantTimeCompare(hash[:], d.rpIDHash[:]) != 1 {
		return refuse("7.2.15", "the RP ID is another")
	}
	if !d.has(flagPresent) {
		return refuse("7.2.16", "nobody was present")
	}
	if !d.has(flagVerified) {
		return refuse("7.2.17", "the person was not verified")
	}
	if d.has(flagBackedUp) && !d.has(flagEligible) {
		return refuse("6.1.3", "a credential that may not be backed up is backed up")
	}
	return nil
}

// authDataOf takes the authenticator data out of an attestation object (6.5.4).
func authDataOf(attestation []byte) ([]byte, error) {
	if len(attestation) > maxAttestation {
		return nil, refuse("6.5.4", "the attestation object has %d bytes", len(attestation))
	}
	v, rest, err := decodeCBOR(attestation)
	if err != nil {
		return nil, err
	}
	m, ok := v.(map[any]any)
	format, hasFormat := m["fmt"].(string)
	statement, hasStatement := m["attStmt"].(map[any]any)
	data, hasData := m["authData"].([]byte)
	switch {
	case !ok || len(rest) != 0 || !hasFormat || !hasStatement || !hasData:
		return nil, refuse("6.5.4", "this is no attestation object")
	case format == "none" && len(statement) != 0: // 8.7
		return nil, refuse("8.7", "attestation \"none\" comes with a statement")
	}
	return data, nil
}
