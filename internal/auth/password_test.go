package auth

import (
	"encoding/base64"
	"runtime"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	encoded, err := HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	again, err := HashPassword("correct horse")
	if err != nil || again == encoded {
		t.Errorf("the same password is hashed alike: %v", err)
	}
	parts := strings.Split(encoded, "$")
	with := func(i int, s string) string {
		p := append([]string(nil), parts...)
		p[i] = s
		return strings.Join(p, "$")
	}
	for name, c := range map[string]struct {
		encoded, password string
		want              bool
	}{
		"right":           {encoded, "correct horse", true},
		"wrong":           {encoded, "correct horsf", false},
		"empty":           {encoded, "", false},
		"no encoding":     {"", "", false},
		"another scheme":  {with(0, "argon2i"), "correct horse", false},
		"another salt":    {with(4, "AAAAAAAAAAAAAAAAAAAAAA"), "correct horse", false},
		"no passes":       {with(1, "0"), "correct horse", false},
		"endless passes":  {with(1, "4000000000"), "correct horse", false},
		"endless memory":  {with(2, "4000000000"), "correct horse", false},
		"not a number":    {with(2, "x"), "correct horse", false},
		"a cut key":       {with(5, parts[5][:20]), "correct horse", false},
		"no base64":       {with(5, strings.Repeat("*", 43)), "correct horse", false},
		"endless":         {encoded, strings.Repeat("x", 1<<20), false},
		"one part missed": {strings.Join(parts[:5], "$"), "correct horse", false},
	} {
		if got := CheckPassword(c.encoded, c.password); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPasswordLengthsAreOfCharacters(t *testing.T) {
	t.Parallel()
	for password, ok := range map[string]bool{
		"1234567": false, "12345678": true, "パスワード": false, "パスワードです八": true,
		strings.Repeat("あ", 256): true, strings.Repeat("x", 257): false,
	} {
		encoded, err := HashPassword(password)
		if ok != (err == nil) || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%d bytes: %v", len(password), err)
		}
		if ok && !CheckPassword(encoded, password) {
			t.Errorf("%d bytes are not recognised", len(password))
		}
	}
}

// TestDecoyCostsAsMuchAsARealOne: an encoding that CheckPassword refuses early would tell by time which
// addresses have an account.
func TestDecoyCostsAsMuchAsARealOne(t *testing.T) {
	// Not parallel: it watches the memory of the process.
	real, err := HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(decoy, "$"), strings.Split(real, "$")
	for i := range 4 {
		if a[i] != b[i] {
			t.Errorf("parameter %d is %s, a real one's is %s", i, a[i], b[i])
		}
	}
	for i := 4; i < 6; i++ {
		x, err := base64.RawStdEncoding.DecodeString(a[i])
		y, _ := base64.RawStdEncoding.DecodeString(b[i])
		if err != nil || len(x) != len(y) {
			t.Errorf("part %d has %d bytes, %v; a real one's %d", i, len(x), err, len(y))
		}
	}
	// The memory that argon2 fills is the sure sign that it ran.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	CheckPassword(decoy, "x")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n < argonMemory<<10 {
		t.Errorf("checking the decoy takes %d bytes of memory: argon2 did not run", n)
	}
}
