package auth

import (
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// Passwords that are guessed first are refused, however long they are: patterns, common words, and parts of the
// person's own address, with little added. This does not measure strength.

const (
	// minOwn is the least number of characters of a password outside of patterns and known words.
	minOwn = 5
	// minRun is the length from which a run of neighbouring characters counts as a pattern.
	minRun = 3
	// minDifferent is the least number of different characters in a password.
	minDifferent = 4
)

// rows of neighbouring characters: the alphabet, the digits, and keyboards (QWERTY, QWERTZ, AZERTY).
var rows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop",
	"yxcvbnm", "azertyuiop",
	"qsdfghjklm", "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
}

// usualWords are the most frequent ones in lists of leaked passwords, and this program's names.
var usualWords = []string{
	"password", "passwort", "motdepasse", "pass", "welcome", "letmein", "iloveyou", "admin", "administrator", "root",
	"user", "guest",
	"login", "secret", "changeme", "default", "master", "monkey", "dragon", "sunshine", "princess", "football",
	"baseball", "superman",
	"shadow", "trustno", "starwars", "whatever", "computer", "internet", "hello", "test", "sakura", "himitsu",
	"pasuwado", "パスワード", "ひみつ",
	"rurireader", "ruri", "reader", "feed",
}

// lookalikes replace letters.
var lookalikes = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a",
	"$", "s", "!", "i")

// checkGuessable returns why a password would be guessed early, nil if it would not.
func checkGuessable(password, email string) *fault.Error {
	lower := strings.ToLower(password)
	if isPattern([]rune(lower)) {
		return fault.Coded(fault.Invalid, "password_pattern").At("password")
	}
	if isExplained(lower, partsOf(email)) {
		return fault.Coded(fault.Invalid, "password_personal").At("password")
	}
	if isExplained(lower, usualWords) {
		return fault.Coded(fault.Invalid, "password_usual").At("password")
	}
	return nil
}

// isPattern reports whether a password has few different characters, repeats a short part, or consists of neighbours.
func isPattern(p []rune) bool {
	different := slices.Clone(p)
	slices.Sort(different)
	if len(slices.Compact(different)) < minDifferent {
		return true
	}
	for n := 1; n <= len(p)/2 && n < minOwn; n++ {
		if slices.Equal(p[n:], p[:len(p)-n]) {
			return true
		}
	}
	return len(p)-inRuns(p) < minOwn
}

// inRuns counts the characters in runs of equal characters or neighbours, forwards or backwards.
func inRuns(p []rune) int {
	sum := 0
	for i := 0; i < len(p); {
		longest := 1
		for _, step := range steps {
			n := 1
			for i+n < len(p) && step(p[i+n-1], p[i+n]) {
				n++
			}
			longest = max(longest, n)
		}
		if longest >= minRun {
			sum += longest
		}
		i += longest
	}
	return sum
}

// steps report, each for one row and direction, whether one character follows another.
var steps = func() []func(a, b rune) bool {
	list := []func(a, b rune) bool{func(a, b rune) bool { return a == b }}
	for _, row := range rows {
		list = append(list,
			func(a, b rune) bool { return strings.Contains(row, string([]rune{a, b})) },
			func(a, b rune) bool { return strings.Contains(row, string([]rune{b, a})) })
	}
	return list
}()

// isExplained reports whether a password is little more than words of a list, also with lookalikes in place of letters.
func isExplained(password string, words []string) bool {
	for _, p := range []string{password, lookalikes.Replace(password)} {
		rest := p
		for _, w := range words {
			rest = strings.ReplaceAll(rest, w, "")
		}
		if len(rest) < len(p) && len([]rune(rest)) < minOwn {
			return true
		}
	}
	return false
}

// partsOf returns the parts of an address, the longest first, because removing a shorter one would leave a rest.
func partsOf(email string) []string {
	parts := strings.FieldsFunc(strings.ToLower(email), func(r rune) bool { return strings.ContainsRune("@.-_+", r) })
	local, host, _ := strings.Cut(strings.ToLower(email), "@")
	parts = slices.DeleteFunc(append(parts, email, local, host), func(s string) bool { return len([]rune(s)) < minRun })
	slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return parts
}
