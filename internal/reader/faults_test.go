package reader

import (
	"slices"
	"testing"
)

//
func TestFaultCodes(t *testing.T) {
	t.Parallel()
	categories := []string{CategoryNetwork, CategoryHTTP, CategoryParse, CategoryStorage, CategoryPolicy}
	for _, code := range FaultCodes() {
		if !slices.Contains(categories, CategoryOf(code)) {
			t.Errorf("%s: category %q", code, CategoryOf(code))
		}
	}
	for _, code := range []string{
		"dns_failure", "connection_refused", "connection_reset", "timeout", "tls_failure", "too_large",
		"redirect_loop", "too_many_redirects", "blocked_address", "blocked_port", "bad_url", "bad_encoding",
		"truncated_body", "http_401", "http_403", "http_404", "http_410", "http_429", "http_5xx", "http_other",
		"not_a_feed", "html_page", "empty_body", "truncated", "bad_xml", "bad_json", "too_deep",
		"network_unreachable", "row_too_large",
	} {
		if !slices.Contains(FaultCodes(), code) {
			t.Errorf("%s has no entry", code)
		}
	}
	if got := CategoryOf("never_heard_of"); got != CategoryNetwork {
		t.Errorf("the category of an unknown code is %q", got)
	}
}

func TestHTTPCode(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		401: "http_401", 403: "http_403", 404: "http_404", 410: "http_410", 429: "http_429",
		500: "http_5xx", 503: "http_5xx", 599: "http_5xx", 400: "http_400", 418: "http_418", 204: "http_204",
		402: "http_402", 499: "http_499", 0: "http_other", 99: "http_other", 600: "http_other", 999: "http_other",
	} {
		if got := HTTPCode(status, false); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
		if CategoryOf(HTTPCode(status, false)) != CategoryHTTP {
			t.Errorf("%d is not of http", status)
		}
	}
	if a, b := HTTPCode(403, true), HTTPCode(503, true); a != CodeChallenged || b != CodeHTTP5xx {
		t.Errorf("with a challenge: %s, %s", a, b)
	}
}

func TestStatusOf(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"http_418": "418", "http_404": "404", "http_5xx": "", "http_other": "", "http_4": "", "http_+18": "",
		"timeout": "",
	} {
		if got := StatusOf(code); got != want {
			t.Errorf("%s: %q", code, got)
		}
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for o, want := range map[Outcome][2]bool{
		OutcomeChanged: {true, true}, OutcomeUnchanged: {true, true}, OutcomeNotModified: {true, true},
		OutcomeTruncated: {false, true}, OutcomeFailed: {false, true}, OutcomeDeferred: {}, OutcomeSkipped: {},
		OutcomeLost: {},
	} {
		if o.Succeeded() != want[0] || o.Polled() != want[1] {
			t.Errorf("%s: %v %v", o, o.Succeeded(), o.Polled())
		}
	}
}
