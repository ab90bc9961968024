package api

import (
	"net/http"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault/texts"
)

// Weights, ranges and invalid values (RFC 9110, 12.5.4).
func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"":                                  texts.English,
		"ja":                                texts.Japanese,
		"ja-JP":                             texts.Japanese,
		"JA-jp, en;q=0.9":                   texts.Japanese,
		"en, ja":                            texts.English,
		"ja;q=0.8, en;q=0.9":                texts.English,
		"en;q=0.8 , ja ; q=0.9":             texts.Japanese,
		"en;q=0, ja;q=0.1":                  texts.Japanese,
		"en-US,en;q=0.5,ja;q=0.4":           texts.English,
		"fr, de;q=0.9":                      texts.English,
		"fr, ja;q=0.5, en;q=0.3":            texts.Japanese,
		"ja;q=0":                            texts.English,
		"*":                                 texts.English,
		"en;q=0, *;q=0.5":                   texts.Japanese,
		"ja;q=0.5, *":                       texts.English,
		"ja;q=abc, en;q=0.1":                texts.English,
		"ja;q=2":                            texts.English,
		"ja;q=NaN":                          texts.English,
		"jav":                               texts.English,
		",,;q=1,ja;foo=bar;q=0.3, en;q=0.2": texts.Japanese,
	} {
		if got := languageOf(http.Header{"Accept-Language": {header}}); got != want {
			t.Errorf("%q gives %s, want %s", header, got, want)
		}
	}
	if got := languageOf(http.Header{"Accept-Language": {"en;q=0.1", "ja;q=0.2"}}); got != texts.Japanese {
		t.Error("several lines are one list")
	}
}

func FuzzLanguageOf(f *testing.F) {
	f.Add("ja;q=0.8, en;q=0.9, *;q=0.1")
	f.Fuzz(func(t *testing.T, header string) {
		if l := languageOf(http.Header{"Accept-Language": {header}}); l != texts.English && l != texts.Japanese {
			t.Errorf("%q gives %q", header, l)
		}
	})
}
