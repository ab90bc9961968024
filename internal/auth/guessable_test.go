package auth

import (
	"strings"
	"testing"
)

// G-81
func TestGuessablePasswords(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"aaaaaaaaaaaa": "password_pattern", "abababababab": "password_pattern", "111222111222": "password_pattern",
		"12345678": "password_pattern", "87654321": "password_pattern", "1234567890": "password_pattern",
		"abcdefgh": "password_pattern",
		"ABCDEFGH": "password_pattern", "qwertyuiop": "password_pattern", "poiuytrewq": "password_pattern",
		"asdfghjkl": "password_pattern",
		"qwertzui":  "password_pattern", "azertyuiop": "password_pattern", "1qaz2wsx": "password_pattern",
		"abcd1234":   "password_pattern",
		"qwerty123!": "password_pattern", "testtest": "password_pattern", "aaabbbcccddd": "password_pattern",
		"ああああああああ": "password_pattern",
		"password": "password_usual", "Password1": "password_usual", "p@ssw0rd": "password_usual",
		"password2024": "password_usual",
		"Welcome1!":    "password_usual", "letmein!!": "password_usual", "passwordpassword": "password_usual",
		"ruri-reader": "password_usual",
		"rurireader1": "password_usual", "adminadmin": "password_usual", "パスワード123": "password_usual",
		"iloveyou2":  "password_usual",
		"anna.smith": "password_personal", "annasmith1": "password_personal", "Smith2024": "password_personal",
		"anna.smith@example.org": "password_personal", "examplee": "password_personal",

		"correct horse": "", "correct horse battery staple": "", "battery staple": "", "a long password": "",
		"another long password": "",
		"Tr0ub4dor&3":           "", "x7#kQ9!m": "", "annas rote katze": "", "ほととぎす鳴きつる": "", "the first password": "",
		"mississippi river": "",
		"abc9X!kQ":          "", "9f8a7b6c5d4e": "", "reader of novels": "",
	} {
		got := ""
		if wrong := checkGuessable(password, "anna.smith@example.org"); wrong != nil {
			got = wrong.Code
		}
		if got != want {
			t.Errorf("%q is refused as %q, want %q", password, got, want)
		}
	}
	if wrong := checkGuessable("annasmith1", "ben@example.net"); wrong != nil {
		t.Errorf("somebody else's name is %s", wrong.Code)
	}
	if wrong := checkGuessable("x7#kQ9!m", ""); wrong != nil {
		t.Errorf("without an address it is %s", wrong.Code)
	}
}

// What is written by no rule must not make the check slow or fail.
func FuzzGuessable(f *testing.F) {
	f.Add("aaaaaaaaaaaa", "a@b.c")
	f.Add(strings.Repeat("qwerty", 40), "@")
	f.Fuzz(func(t *testing.T, password, email string) {
		a, b := checkGuessable(password, email), checkGuessable(password, email)
		if (a == nil) != (b == nil) {
			t.Errorf("%q is judged in two ways", password)
		}
	})
}
