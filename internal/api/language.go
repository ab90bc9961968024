package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
)

// Languages of the sentences that people read. English is the source and the default.
const (
	english  = "en"
	japanese = "ja"
)

// speech is the language of one answer, and whether any of its sentences was said: then the answer is told to be
// in that language (Content-Language). An answer is made by one goroutine.
type speech struct {
	language string
	isUsed   bool
}

type speechKey struct{}

func withSpeech(ctx context.Context, sp *speech) context.Context {
	return context.WithValue(ctx, speechKey{}, sp)
}

// speechOf gives the language of the answer that is being made, English outside a request.
func speechOf(ctx context.Context) *speech {
	if sp, ok := ctx.Value(speechKey{}).(*speech); ok {
		return sp
	}
	return &speech{language: english}
}

// languageOf chooses from Accept-Language (RFC 9110, 12.5.4): the highest quality wins, of equals the first; a
// range matches what begins with it (RFC 4647, 3.3.1). What we do not speak is answered in English.
func languageOf(h http.Header) string {
	best, bestQ := english, 0.0
	other := 0.0 // the quality of "*"
	named := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Language"), ","), ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := quality(params)
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		switch primary {
		case english, japanese:
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
	// "*" stands for the languages that are not named: English before Japanese, unless it was refused.
	if other > bestQ {
		for _, l := range []string{english, japanese} {
			if _, ok := named[l]; !ok {
				return l
			}
		}
	}
	return best
}

// quality reads a weight, from 0 to 1; 1 when there is none, 0 when it cannot be read.
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
