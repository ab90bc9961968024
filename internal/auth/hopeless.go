package auth

import (
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
)

// A password that everybody tries first protects nothing, however long it is. This is no measure of strength: it
// refuses patterns, the usual words and what is known of the person, with little else beside them.

const (
	// minOwn is how many characters a password must have that no pattern and no word explains.
	minOwn = 5
	// minRun is from how many characters on a row of neighbours is a pattern.
	minRun = 3
	// minDifferent is how many different characters a password has at least.
	minDifferent = 4
)

// rows are characters that follow each other: in the alphabet, among the digits, and on keyboards (QWERTY, QWERTZ,
// AZERTY).
var rows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
	"qsdfghjklm", "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
}

// usualWords are those that lists of stolen passwords begin with, and the names of this program.
var usualWords = []string{
	"password", "passwort", "motdepasse", "pass", "welcome", "letmein", "iloveyou", "admin", "administrator", "root", "user", "guest",
	"login", "secret", "changeme", "default", "master", "monkey", "dragon", "sunshine", "princess", "football", "baseball", "superman",
	"shadow", "trustno", "starwars", "whatever", "computer", "internet", "hello", "test", "sakura", "himitsu", "pasuwado", "パスワード", "ひみつ",
	"rurireader", "ruri", "reader", "feed",
}

// lookalikes are written in place of letters.
var lookalikes = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// hopeless tells why a password is one of the first that are guessed; nil where it is not.
func hopeless(password, email string) *fault.Error {
	lower := strings.ToLower(password)
	if isPattern([]rune(lower)) {
		return fault.Newf(fault.Invalid, "password_pattern", "This password is a pattern: characters that repeat, or that follow each other.").At("password")
	}
	if isExplained(lower, partsOf(email)) {
		return fault.Newf(fault.Invalid, "password_personal", "This password is little more than your e-mail address.").At("password")
	}
	if isExplained(lower, usualWords) {
		return fault.Newf(fault.Invalid, "password_usual", "This password is little more than a word that everybody tries first.").At("password")
	}
	return nil
}

// isPattern tells passwords of a few characters, of a short part that repeats, and of neighbours.
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

// inRuns counts the characters that stand in a run of neighbours: the same one, or one after the other in a row,
// forwards or backwards.
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

// steps tell, each for one row and direction, whether one character follows another.
var steps = func() []func(a, b rune) bool {
	list := []func(a, b rune) bool{func(a, b rune) bool { return a == b }}
	for _, row := range rows {
		list = append(list,
			func(a, b rune) bool { return strings.Contains(row, string([]rune{a, b})) },
			func(a, b rune) bool { return strings.Contains(row, string([]rune{b, a})) })
	}
	return list
}()

// isExplained tells whether nearly all of a password is words of a list, also with digits and signs in place of
// letters.
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

// partsOf are the words that somebody tries who knows an address: the longest first, for a shorter one would leave a
// rest of it.
func partsOf(email string) []string {
	parts := strings.FieldsFunc(strings.ToLower(email), func(r rune) bool { return strings.ContainsRune("@.-_+", r) })
	local, host, _ := strings.Cut(strings.ToLower(email), "@")
	parts = slices.DeleteFunc(append(parts, email, local, host), func(s string) bool { return len([]rune(s)) < minRun })
	slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return parts
}
