package push

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"
)

func raw(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64url.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of RFC 8291, section 5 and appendix A, byte for byte.
func TestExampleOfRFC8291(t *testing.T) {
	t.Parallel()
	public, err := ecdh.P256().NewPublicKey(
		raw(t, "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"))
	if err != nil {
		t.Fatal(err)
	}
	private, err := ecdh.P256().NewPrivateKey(raw(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := encrypt([]byte("When I grow up, I want to be a watermelon"), public,
		raw(t, "BTBZMqHH6r4Tts7J_aSIgg"), private, raw(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJ" +
		"SPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru" +
		"3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
	if text := base64url.EncodeToString(got); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

// The key pair follows from the secret; two processes make the same token; it is signed with the key that push services
// are told, is for their origin, and is valid for less than a day (RFC 8292).
func TestTokens(t *testing.T) {
	t.Parallel()
	seed := sha256.Sum256([]byte("secret"))
	one, err := identityOf(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	other, _ := identityOf(seed[:])
	at := time.Date(2026, 11, 28, 11, 59, 0, 0, time.UTC)
	token := func(i *identity, at time.Time) string {
		text, err := i.authorization("https://push.example:8443/send/x?y", "https://reader.example", at)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := token(one, at)
	if text != token(other, at.Add(-11*time.Hour)) {
		t.Error("two processes make different tokens within a slot")
	}
	if text == token(one, at.Add(time.Hour)) {
		t.Error("the next slot has the same token")
	}
	jwt, key, _ := strings.Cut(strings.TrimPrefix(text, "vapid t="), ", k=")
	parts := strings.Split(jwt, ".")
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err := json.Unmarshal(raw(t, parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	left := time.Unix(claims.Exp, 0).Sub(at)
	if claims.Aud != "https://push.example:8443" || claims.Sub != "https://reader.example" || left < time.Hour ||
		left >= 24*time.Hour {
		t.Errorf("claims %+v, valid for %v", claims, left)
	}
	sum, sig := sha256.Sum256([]byte(parts[0]+"."+parts[1])), raw(t, parts[2])
	r, s := new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])
	if key != one.public || len(sig) != 64 || !ecdsa.Verify(&one.private.PublicKey, sum[:], r, s) {
		t.Error("the signature is not that of the key")
	}
	// A seed that is no key of the curve leads to another one.
	if _, err := identityOf(bytes.Repeat([]byte{0xff}, 32)); err != nil {
		t.Error(err)
	}
}

// decrypt is what a browser does with a message.
func decrypt(t *testing.T, body []byte, private *ecdh.PrivateKey, auth []byte) []byte {
	t.Helper()
	n := int(body[20])
	salt, point, sealed := body[:16], body[21:21+n], body[21+n:]
	sender, err := ecdh.P256().NewPublicKey(point)
	if err != nil {
		t.Fatal(err)
	}
	shared, _ := private.ECDH(sender)
	info := "WebPush: info\x00" + string(private.PublicKey().Bytes()) + string(point)
	ikm, _ := hkdf.Key(sha256.New, shared, auth, info, 32)
	key, _ := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, _ := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	block, _ := aes.NewCipher(key)
	gcm, _ := cipher.NewGCM(block)
	plain, err := gcm.Open(nil, nonce, sealed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(plain, []byte{2})
}
