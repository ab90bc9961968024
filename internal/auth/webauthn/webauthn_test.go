package webauthn_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/auth/webauthn"
	"github.com/ruri-reader/ruri/internal/testkit/authenticator"
)

var (
	party     = webauthn.Party{ID: "reader.example", Origin: "https://reader.example"}
	challenge = bytes.Repeat([]byte{7}, 32)
)

func passkey(t *testing.T, alg int64) (*authenticator.Passkey, *webauthn.Credential) {
	t.Helper()
	p := authenticator.New(t, alg, party.ID, party.Origin, []byte("anna"))
	c, err := party.Register(p.Register(challenge), challenge)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

func assert(t *testing.T, answer []byte, c *webauthn.Credential) (webauthn.Use, error) {
	t.Helper()
	claim, err := webauthn.ReadClaim(answer)
	if err != nil {
		return webauthn.Use{}, err
	}
	return party.Assert(claim, c, challenge)
}

func section(err error) string {
	var r *webauthn.Refusal
	if errors.As(err, &r) {
		return r.Section
	}
	return ""
}

func TestPasskeysOfEachAlgorithm(t *testing.T) {
	t.Parallel()
	for _, alg := range webauthn.Algorithms() {
		p, c := passkey(t, alg)
		if !bytes.Equal(c.ID, p.ID) || !bytes.Equal(c.PublicKey, p.Key()) || len(c.Transports) != 2 {
			t.Errorf("%d: the credential is %+v", alg, c)
		}
		answer := p.Assert(challenge)
		claim, err := webauthn.ReadClaim(answer)
		if err != nil || string(claim.UserHandle) != "anna" || !bytes.Equal(claim.CredentialID, p.ID) {
			t.Fatalf("%d: the claim is %+v, %v", alg, claim, err)
		}
		if use, err := party.Assert(claim, c, challenge); err != nil || use != (webauthn.Use{}) {
			t.Errorf("%d: the sign-in gives %+v, %v", alg, use, err)
		}
		other, _ := passkey(t, alg)
		other.ID = p.ID
		if _, err := assert(t, other.Assert(challenge), c); section(err) != "7.2.21" {
			t.Errorf("%d: a signature by another key gives %v", alg, err)
		}
	}
}

// TestForgedResponses has what a browser or an authenticator that is not ours may say, at both ceremonies.
func TestForgedResponses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lie     func(*authenticator.Passkey)
		section string // where the specification refuses it; "" = nowhere
	}{
		"the truth":        {func(*authenticator.Passkey) {}, ""},
		"another ceremony": {func(p *authenticator.Passkey) { p.Type = "payment.get" }, "7.2.11"},
		"another site":     {func(p *authenticator.Passkey) { p.Origin = "https://evil.example" }, "7.2.13"},
		"a site below": {func(p *authenticator.Passkey) {
			p.Origin = "https://x.reader.example"
		}, "7.2.13"},
		"another port": {func(p *authenticator.Passkey) {
			p.Origin = "https://reader.example:8443"
		}, "7.2.13"},
		"no TLS": {func(p *authenticator.Passkey) { p.Origin = "http://reader.example" }, "7.2.13"},
		"inside another page": {func(p *authenticator.Passkey) {
			p.CrossOrigin = "https://evil.example"
		}, "7.2.14"},
		"another RP ID":            {func(p *authenticator.Passkey) { p.RPID = "example" }, "7.2.15"},
		"nobody present":           {func(p *authenticator.Passkey) { p.Flags &^= authenticator.Present }, "7.2.16"},
		"nobody verified":          {func(p *authenticator.Passkey) { p.Flags &^= authenticator.Verified }, "7.2.17"},
		"backed up, not eligible":  {func(p *authenticator.Passkey) { p.Flags |= authenticator.BackedUp }, "6.1.3"},
		"bytes after the end":      {func(p *authenticator.Passkey) { p.Trailing = []byte{0} }, "6.1"},
		"extensions that are none": {func(p *authenticator.Passkey) { p.Flags |= authenticator.Extensions }, "CTAP 8"},
		"an extension nobody asked": {func(p *authenticator.Passkey) {
			p.Flags |= authenticator.Extensions
			p.Trailing = []byte{0xa1, 0x61, 'x', 0xf5}
		}, ""},
		"extensions that are a list": {
			func(p *authenticator.Passkey) { p.Flags |= authenticator.Extensions; p.Trailing = []byte{0x80} }, "6.1",
		},
	} {
		p, kept := passkey(t, webauthn.EdDSA)
		c.lie(p)
		if _, err := party.Register(p.Register(challenge), challenge); section(err) != c.section {
			t.Errorf("%s, registering: %v, want %q", name, err, c.section)
		}
		if _, err := assert(t, p.Assert(challenge), kept); section(err) != c.section {
			t.Errorf("%s, signing in: %v, want %q", name, err, c.section)
		}
	}
}

func TestChallenges(t *testing.T) {
	t.Parallel()
	p, kept := passkey(t, webauthn.ES256)
	for name, c := range map[string]struct{ asked, answered []byte }{
		"another's": {challenge, bytes.Repeat([]byte{8}, 32)}, "none": {nil, nil},
		"a short one": {challenge[:15], challenge[:15]},
		"a part":      {challenge, challenge[:16]},
	} {
		if _, err := party.Register(p.Register(c.answered), c.asked); section(err) != "7.2.12" {
			t.Errorf("%s, registering: %v", name, err)
		}
		claim, err := webauthn.ReadClaim(p.Assert(c.answered))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := party.Assert(claim, kept, c.asked); section(err) != "7.2.12" {
			t.Errorf("%s, signing in: %v", name, err)
		}
	}
	// An answer to one ceremony is none to the other.
	if _, err := assert(t, p.Register(challenge), kept); err == nil {
		t.Error("a registration signs in")
	}
}

func TestCounters(t *testing.T) {
	t.Parallel()
	p, kept := passkey(t, webauthn.ES256)
	for _, c := range []struct {
		kept, sent uint32
		regressed  bool
	}{{0, 0, false}, {0, 5, false}, {5, 6, false}, {5, 5, true}, {5, 4, true}, {5, 0, true},
		{1<<32 - 2, 1<<32 - 1, false}} {
		kept.SignCount, p.Count = c.kept, c.sent
		use, err := assert(t, p.Assert(challenge), kept)
		if err != nil || use.Regressed != c.regressed || use.SignCount != c.sent {
			t.Errorf("%d after %d gives %+v, %v", c.sent, c.kept, use, err)
		}
	}
}

func TestBackupEligibilityStays(t *testing.T) {
	t.Parallel()
	p, kept := passkey(t, webauthn.ES256)
	p.Flags |= authenticator.Eligible | authenticator.BackedUp
	if _, err := assert(t, p.Assert(challenge), kept); section(err) != "7.2.18" {
		t.Errorf("a changed eligibility gives %v", err)
	}
	kept.Eligible = true
	if use, err := assert(t, p.Assert(challenge), kept); err != nil || !use.BackedUp {
		t.Errorf("the backup is told as %+v, %v", use, err)
	}
}

// TestAttestationIsNotVerified: none was asked for; a statement that comes is neither believed nor held against it,
// but "none" has none (8.7).
func TestAttestationIsNotVerified(t *testing.T) {
	t.Parallel()
	p := authenticator.New(t, webauthn.ES256, party.ID, party.Origin, []byte("anna"))
	p.Format = "packed"
	if _, err := party.Register(p.Register(challenge), challenge); err != nil {
		t.Errorf("a packed attestation gives %v", err)
	}
	p.Format = "none"
	if _, err := party.Register(p.Register(challenge), challenge); section(err) != "8.7" {
		t.Errorf("a statement with none gives %v", err)
	}
}

func TestMalformedResponses(t *testing.T) {
	t.Parallel()
	p, _ := passkey(t, webauthn.ES256)
	good := string(p.Assert(challenge))
	for name, s := range map[string]string{
		"nothing": "", "no JSON": "x", "a list": "[]",
		"another type": strings.Replace(good, "public-key", "password", 1),
		"padding":      strings.Replace(good, `"rawId":"`, `"rawId":"=`, 1),
		"a long id":    `{"type":"public-key","rawId":"` + strings.Repeat("A", 4*400) + `"}`,
		"no handle":    strings.Replace(good, `"userHandle"`, `"other"`, 1),
	} {
		if _, err := webauthn.ReadClaim([]byte(s)); err == nil {
			t.Errorf("%s is read", name)
		}
	}
	var m map[string]any
	if err := json.Unmarshal(p.Register(challenge), &m); err != nil {
		t.Fatal(err)
	}
	m["rawId"] = "AAAA"
	text, _ := json.Marshal(m)
	if _, err := party.Register(text, challenge); section(err) != "6.5.2" {
		t.Errorf("an id beside the attested one gives %v", err)
	}
}
