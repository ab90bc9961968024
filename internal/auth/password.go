package auth

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Argon2id (RFC 9106) with the second parameter set of OWASP's list: 19 MiB, 2 passes, 1 lane. The RFC's 64 MiB would
// not fit into a small function.
const (
	argonTime    = 2
	argonMemory  = 19 << 10 // KiB
	argonThreads = 1
	argonKey     = 32
	minPassword  = 8
	maxPassword  = 256
)

// decoy is checked for unknown users, so that the answer takes as long.
const decoy = "argon2id$2$19456$1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// HashPassword encodes a password as argon2id$time$KiB$threads$salt$key.
func HashPassword(password string) (string, error) {
	if wrong := checkLength(password); wrong != nil {
		return "", wrong
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonKey)
	return fmt.Sprintf("argon2id$%d$%d$%d$%s$%s", argonTime, argonMemory, argonThreads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// checkPassword returns why a new password is not accepted for a user with this address, nil if it is.
func checkPassword(password, email string) *fault.Error {
	if wrong := checkLength(password); wrong != nil {
		return wrong
	}
	return checkGuessable(password, email)
}

func checkLength(password string) *fault.Error {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		return fault.Coded(fault.Invalid, "bad_password", minPassword, maxPassword).At("password")
	}
	return nil
}

// CheckPassword compares in constant time. Unknown encodings never match.
func CheckPassword(encoded, password string) bool {
	var t, m uint32
	var p uint8
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[0] != "argon2id" || len(password) > 4*maxPassword {
		return false
	}
	if _, err := fmt.Sscanf(strings.Join(parts[1:4], " "), "%d %d %d", &t, &m, &p); err != nil {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	want, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || t < 1 || t > 10 || m > 256<<10 || p < 1 || p > 16 || len(want) != argonKey {
		return false
	}
	got := argon2.IDKey([]byte(password), salt, t, m, p, argonKey)
	return subtle.ConstantTimeCompare(got, want) == 1
}
