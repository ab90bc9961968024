// Package webauthn verifies authenticators' responses when a passkey is registered and when it is used: Web
// Authentication Level 3 (W3C, https://www.w3.org/TR/webauthn-3/), the relying party's side of sections 7.1 and 7.2. It
// keeps no state; challenges, users and counters are stored by the caller.
//
// Attestation statements are not requested and not verified (7.1, step 21 with conveyance "none"), and there are no
// extensions.
package webauthn

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// Party is the relying party: the reader at one address.
type Party struct {
	ID     string // the RP ID, a host name without port (5.1.2)
	Origin string // as browsers write it: scheme://host[:port]
}

// Credential is the stored part of a passkey.
type Credential struct {
	ID        []byte
	PublicKey []byte // COSE_Key as the authenticator sent it
	SignCount uint32
	AAGUID    [16]byte // the authenticator's model, zero if unknown
	// Eligible: may be copied to other devices; BackedUp: has been (6.1.3).
	Eligible, BackedUp bool
	Transports         []string
}

// Refusal is the reason why a response was refused, with the section of the specification.
type Refusal struct{ Section, Why string }

func (r *Refusal) Error() string { return "webauthn " + r.Section + ": " + r.Why }

func refuse(section, format string, args ...any) error {
	return &Refusal{section, fmt.Sprintf(format, args...)}
}

// Bounds of the input. A credential id has at most 1023 bytes (7.1, step 25).
const (
	maxClientData   = 8 << 10
	maxAttestation  = 48 << 10
	maxAuthData     = 8 << 10
	maxSignature    = 1 << 10
	maxCredentialID = 1023
	maxTransports   = 8
)

// b64 is base64url without padding, as browsers write bytes in JSON (5.1.8, 5.1.9).
type b64 []byte

func (b *b64) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s)
	*b = raw
	return err
}

// answer is a PublicKeyCredential as toJSON writes it: RegistrationResponseJSON and AuthenticationResponseJSON
// in one. Other members are ignored.
type answer struct {
	RawID    b64    `json:"rawId"`
	Type     string `json:"type"`
	Response struct {
		ClientData  b64      `json:"clientDataJSON"`
		Attestation b64      `json:"attestationObject"`
		AuthData    b64      `json:"authenticatorData"`
		Signature   b64      `json:"signature"`
		UserHandle  b64      `json:"userHandle"`
		Transports  []string `json:"transports"`
	} `json:"response"`
}

func parseAnswer(text []byte) (*answer, error) {
	a := new(answer)
	if err := json.Unmarshal(text, a); err != nil {
		return nil, refuse("5.1", "the credential is not the JSON of toJSON(): %v", err)
	}
	if a.Type != "public-key" {
		return nil, refuse("5.8.2", "the credential's type is %.20q", a.Type)
	}
	if len(a.RawID) == 0 || len(a.RawID) > maxCredentialID {
		return nil, refuse("5.8.3", "the credential's id has %d bytes", len(a.RawID))
	}
	return a, nil
}

// Register verifies the answer to navigator.credentials.create (7.1). The caller has to check that the credential id is
// not in use (step 26).
func (p Party) Register(text, challenge []byte) (*Credential, error) {
	a, err := parseAnswer(text)
	if err != nil {
		return nil, err
	}
	if err := p.checkClientData(a.Response.ClientData, "webauthn.create", challenge); err != nil {
		return nil, err
	}
	raw, err := authDataOf(a.Response.Attestation)
	if err != nil {
		return nil, err
	}
	d, err := parseAuthData(raw)
	if err != nil {
		return nil, err
	}
	if err := p.checkAuthData(d); err != nil {
		return nil, err
	}
	if d.credentialID == nil {
		return nil, refuse("6.5.2", "there is no attested credential data")
	}
	if subtle.ConstantTimeCompare(d.credentialID, a.RawID) != 1 {
		return nil, refuse("6.5.2", "the credential's id differs from the attested one")
	}
	if _, err := parseKey(d.publicKey); err != nil {
		return nil, err
	}
	return &Credential{
		ID: d.credentialID, PublicKey: d.publicKey, SignCount: d.signCount, AAGUID: d.aaguid,
		Eligible: d.has(flagEligible), BackedUp: d.has(flagBackedUp), Transports: transports(a.Response.Transports),
	}, nil
}

// Claim is the unverified content of an assertion; the credential is looked up by it.
type Claim struct {
	CredentialID []byte
	UserHandle   []byte // the user id; always present with discoverable credentials (7.2, step 6)
	answer       *answer
}

// ReadClaim reads the answer to navigator.credentials.get without verifying it.
func ReadClaim(text []byte) (*Claim, error) {
	a, err := parseAnswer(text)
	if err != nil {
		return nil, err
	}
	if n := len(a.Response.UserHandle); n == 0 || n > 64 { // 5.4.3
		return nil, refuse("7.2.6", "the user handle has %d bytes", n)
	}
	return &Claim{CredentialID: a.RawID, UserHandle: a.Response.UserHandle, answer: a}, nil
}

// Use is the change of a credential by a verified assertion.
type Use struct {
	SignCount uint32
	BackedUp  bool
	// Regressed reports that a counter in use did not grow: the key may have been copied
	// (6.1.1). Such a sign-in must be refused.
	Regressed bool
}

// Assert verifies a claim with the stored credential (7.2).
func (p Party) Assert(c *Claim, kept *Credential, challenge []byte) (Use, error) {
	r := &c.answer.Response
	if subtle.ConstantTimeCompare(c.CredentialID, kept.ID) != 1 {
		return Use{}, refuse("7.2.7", "this is another credential")
	}
	if err := p.checkClientData(r.ClientData, "webauthn.get", challenge); err != nil {
		return Use{}, err
	}
	d, err := parseAuthData(r.AuthData)
	if err != nil {
		return Use{}, err
	}
	if err := p.checkAuthData(d); err != nil {
		return Use{}, err
	}
	if d.has(flagEligible) != kept.Eligible {
		return Use{}, refuse("7.2.18", "the backup eligibility changed")
	}
	k, err := parseKey(kept.PublicKey)
	if err != nil {
		return Use{}, err
	}
	hash := sha256.Sum256(r.ClientData)
	if len(r.Signature) > maxSignature || !k.verify(slices.Concat(r.AuthData, hash[:]), r.Signature) {
		return Use{}, refuse("7.2.21", "the signature is wrong")
	}
	return Use{
		SignCount: d.signCount, BackedUp: d.has(flagBackedUp),
		Regressed: kept.SignCount != 0 && d.signCount <= kept.SignCount,
	}, nil
}

// transports returns the known values among those that the browser reported: a hint for later requests (5.8.4).
func transports(in []string) []string {
	var out []string
	for _, s := range in {
		known := slices.Contains([]string{"usb", "nfc", "ble", "smart-card", "hybrid", "internal"}, s)
		if known && !slices.Contains(out, s) && len(out) < maxTransports {
			out = append(out, s)
		}
	}
	return out
}
