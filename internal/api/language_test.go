package api

import (
	"net/http"
	"testing"
)

// TestLanguageOf reads weights, ranges and nonsense (RFC 9110, 12.5.4).
func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"":                                  english,
		"ja":                                japanese,
		"ja-JP":                             japanese,
		"JA-jp, en;q=0.9":                   japanese,
		"en, ja":                            english,
		"ja;q=0.8, en;q=0.9":                english,
		"en;q=0.8 , ja ; q=0.9":             japanese,
		"en;q=0, ja;q=0.1":                  japanese,
		"en-US,en;q=0.5,ja;q=0.4":           english,
		"fr, de;q=0.9":                      english,
		"fr, ja;q=0.5, en;q=0.3":            japanese,
		"ja;q=0":                            english,
		"*":                                 english,
		"en;q=0, *;q=0.5":                   japanese,
		"ja;q=0.5, *":                       english,
		"ja;q=abc, en;q=0.1":                english,
		"ja;q=2":                            english,
		"ja;q=NaN":                          english,
		"jav":                               english,
		",,;q=1,ja;foo=bar;q=0.3, en;q=0.2": japanese,
	} {
		if got := languageOf(http.Header{"Accept-Language": {header}}); got != want {
			t.Errorf("%q gives %s, want %s", header, got, want)
		}
	}
	if got := languageOf(http.Header{"Accept-Language": {"en;q=0.1", "ja;q=0.2"}}); got != japanese {
		t.Error("several lines are one list")
	}
}

func FuzzLanguageOf(f *testing.F) {
	f.Add("ja;q=0.8, en;q=0.9, *;q=0.1")
	f.Fuzz(func(t *testing.T, header string) {
		if l := languageOf(http.Header{"Accept-Language": {header}}); l != english && l != japanese {
			t.Errorf("%q gives %q", header, l)
		}
	})
}
