package webauthn

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The specification's own example of an ES256 credential without attestation (16.2, "none.ES256").
const (
	w3cAttestation = "a363666d74646e6f6e656761747453746d74a068617574684461746158a4bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b559000000008446ccb9ab1db374750b2367ff6f3a1f0020f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220"
	w3cCreate      = "7b2274797065223a22776562617574686e2e637265617465222c226368616c6c656e6765223a22414d4d507434557878475453746e63647134313759447742466938767049612d7077386f4f755657345441222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73652c22657874726144617461223a22636c69656e74446174614a534f4e206d617920626520657874656e6465642077697468206164646974696f6e616c206669656c647320696e20746865206675747572652c207375636820617320746869733a20426b5165446a646354427258426941774a544c453551227d"
	w3cChallenge   = "00c30fb78531c464d2b6771dab8d7b603c01162f2fa486bea70f283ae556e130"
	w3cID          = "f91f391db4c9b2fde0ea70189cba3fb63f579ba6122b33ad94ff3ec330084be4"
	w3cAuthData    = "bfabc37432958b063360d3ad6461c9c4735ae7f8edd46592a5e0f01452b2e4b51900000000"
	w3cGet         = "7b2274797065223a22776562617574686e2e676574222c226368616c6c656e6765223a224f63446e55685158756c5455506f334a5558543049393770767a7a59425039745a63685879617630314167222c226f726967696e223a2268747470733a2f2f6578616d706c652e6f7267222c2263726f73734f726967696e223a66616c73657d"
	w3cGetAsked    = "39c0e7521417ba54d43e8dc95174f423dee9bf3cd804ff6d65c857c9abf4d408"
	w3cSignature   = "3046022100f50a4e2e4409249c4a853ba361282f09841df4dd4547a13a87780218deffcd380221008480ac0f0b93538174f575bf11a1dd5d78c6e486013f937295ea13653e331e87"
)

func TestSpecificationExample(t *testing.T) {
	t.Parallel()
	p := Party{ID: "example.org", Origin: "https://example.org"}
	data, err := authDataOf(unhex(t, w3cAttestation))
	if err != nil {
		t.Fatal(err)
	}
	d, err := parseAuthData(data)
	if err != nil || hex.EncodeToString(d.credentialID) != w3cID ||
		hex.EncodeToString(d.aaguid[:]) != "8446ccb9ab1db374750b2367ff6f3a1f" {
		t.Fatalf("the data are %+v, %v", d, err)
	}
	if !d.has(flagPresent) || d.has(flagVerified) || !d.has(flagEligible) || !d.has(flagBackedUp) || d.signCount != 0 {
		t.Errorf("the flags are %08b, the count %d", d.flags, d.signCount)
	}
	if err := p.checkClientData(unhex(t, w3cCreate), "webauthn.create", unhex(t, w3cChallenge)); err != nil {
		t.Error(err)
	}
	if err := p.checkClientData(unhex(t, w3cGet), "webauthn.get", unhex(t, w3cGetAsked)); err != nil {
		t.Error(err)
	}
	// The example's person was not verified, which is what we ask for.
	if err := p.checkAuthData(d); err == nil || err.(*Refusal).Section != "7.2.17" {
		t.Errorf("an unverified person gives %v", err)
	}
	k, err := parseKey(d.publicKey)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(unhex(t, w3cGet))
	message, sig := slices.Concat(unhex(t, w3cAuthData), hash[:]), unhex(t, w3cSignature)
	if !k.verify(message, sig) {
		t.Error("the example's signature does not fit")
	}
	for i := range message {
		message[i] ^= 1
		if k.verify(message, sig) {
			t.Fatalf("it fits with byte %d changed", i)
		}
		message[i] ^= 1
	}
}

func TestCBOR(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		"00": true, "17": true, "1818": true, "190100": true, "1b0000000100000000": true, "20": true, "40": true,
		"4101": true, "4201": false,
		"5f4100ff": false, "60": true, "6161": true, "7f6161ff": false, "80": true, "8100": true, "9f00ff": false,
		"81818181": false, "8181818100": true, "818181818100": false, "8181818180": false,
		"a0": true, "a10000": true, "a200000001": true, "bf0000ff": false, "f4": true, "f5": true,
		"f6": true, "c000": false,
		"": false, "1c": false, "9bffffffffffffffff": false, "bb7fffffffffffffff": false,
	} {
		if _, _, err := cutValue(unhex(t, in)); (err == nil) != ok {
			t.Errorf("%s gives %v", in, err)
		}
	}
	var k coseKey
	for _, in := range []string{"a2010101", "a201010102", "a20101", "a1011bffffffffffffffff", "a1013bffffffffffffffff",
		"a10140", "a101f93c00", "a1010100"} {
		if err := decode(unhex(t, in), &k); err == nil {
			t.Errorf("%s is a key: %+v", in, k)
		}
	}
}

func TestInvalidKeys(t *testing.T) {
	t.Parallel()
	p256 := "a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220"
	if _, err := parseKey(unhex(t, p256)); err != nil {
		t.Fatal(err)
	}
	zero := hex.EncodeToString(make([]byte, 32))
	for name, s := range map[string]string{
		"a point beside the curve": p256[:len(p256)-2] + "21",
		"the zero point":           "a5010203262001215820" + zero + "225820" + zero,
		"another algorithm":        "a5010203382220" + p256[12:],
		"another curve":            "a5010203262002" + p256[14:],
		"a short EdDSA key":        "a401010327200621581f" + zero[2:],
		"a short RSA key":          "a401030339010020584001" + zero + zero[2:] + "2143010001",
		"a list":                   "80", "nothing": "", "two": "a0a0", "empty": "a0",
	} {
		if _, err := parseKey(unhex(t, s)); err == nil {
			t.Errorf("%s is a key", name)
		}
	}
	n := make([]byte, 256)
	n[0], n[255] = 0x80, 1
	for name, c := range map[string]struct{ n, e []byte }{
		"an even exponent": {n, []byte{2}}, "one": {n, []byte{1}},
		"a leading zero":  {append([]byte{0}, n...), []byte{1, 0, 1}},
		"an even modulus": {append(n[:255:255], 2), []byte{1, 0, 1}},
		"a huge one":      {make([]byte, 513), []byte{1, 0, 1}},
		"2047 bits":       {append([]byte{0x7f}, n[1:]...), []byte{1, 0, 1}},
		"a huge exponent": {n, []byte{0xff, 0xff, 0xff, 0xff}},
	} {
		if _, err := parseRSA(c.n, c.e); err == nil {
			t.Errorf("%s is a key", name)
		}
	}
}

// FuzzCBOR: a value is cut off inside the input, the same way again, and never with a panic.
func FuzzCBOR(f *testing.F) {
	f.Add(unhex(f, w3cAttestation))
	f.Add(unhex(f, "a2016101206141"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parseKey(b)
		_, _ = authDataOf(b)
		v, rest, err := cutValue(b)
		if err != nil {
			return
		}
		if len(v) == 0 || len(v)+len(rest) != len(b) {
			t.Fatalf("%d bytes and %d left of %d", len(v), len(rest), len(b))
		}
		if _, left, err := cutValue(v); err != nil || len(left) != 0 {
			t.Fatalf("the value alone gives %v, %d left", err, len(left))
		}
	})
}

// FuzzAuthData: authenticator data are refused or read whole; no byte beyond is touched.
func FuzzAuthData(f *testing.F) {
	data, _ := authDataOf(unhex(f, w3cAttestation))
	f.Add(data)
	f.Add(unhex(f, w3cAuthData))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := parseAuthData(b)
		if err != nil {
			return
		}
		if d.has(flagAttested) != (d.credentialID != nil) || len(d.credentialID) > maxCredentialID {
			t.Fatalf("the credential id has %d bytes with flags %08b", len(d.credentialID), d.flags)
		}
	})
}

// FuzzAnswer: no answer of a browser panics, and none passes for our challenge.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"type":"public-key","rawId":"AAAA","response":{"clientDataJSON":"e30","userHandle":"AA"}}`))
	p := Party{ID: "reader.example", Origin: "https://reader.example"}
	challenge := make([]byte, 32)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = p.Register(b, challenge)
		c, err := ReadClaim(b)
		if err != nil {
			return
		}
		kept := &Credential{ID: c.CredentialID,
			PublicKey: unhex(t,
				"a5010203262001215820afefa16f97ca9b2d23eb86ccb64098d20db90856062eb249c33a9b672f26df61225820930a56b87a2fca66334b03458abf879717c12cc68ed73290af2e2664796b9220")}
		if _, err := p.Assert(c, kept, challenge); err == nil {
			t.Fatal("a forged answer signs in")
		}
	})
}
