package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault/texts"
)

// language returns the language for texts in the answer, and sets Content-Language.
func (r *request) language() string {
	lang := languageOf(r.Request.Header)
	r.Header().Set("Content-Language", lang)
	return lang
}

// languageOf chooses from Accept-Language (RFC 9110, 12.5.4): the highest quality wins, of equals the first; a
// range matches what begins with it (RFC 4647, 3.3.1). English is the default.
func languageOf(h http.Header) string {
	best, bestQ := texts.English, 0.0
	other := 0.0 // the quality of "*"
	named := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Language"), ","), ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := quality(params)
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		switch primary {
		case texts.English, texts.Japanese:
			if old, ok := named[primary]; !ok || q > old {
				named[primary] = q
			}
			if q > bestQ {
				best, bestQ = primary, q
			}
		case "*":
			other = q
		}
	}
	// "*" matches the languages that are not named: English before Japanese.
	if other > bestQ {
		for _, l := range []string{texts.English, texts.Japanese} {
			if _, ok := named[l]; !ok {
				return l
			}
		}
	}
	return best
}

// quality parses a weight from 0 to 1: 1 when there is none, 0 when it is invalid.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
