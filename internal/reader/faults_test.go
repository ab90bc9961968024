package reader

import (
	"slices"
	"strings"
	"testing"
)

//
func TestFaultTable(t *testing.T) {
	t.Parallel()
	categories := []string{CategoryNetwork, CategoryHTTP, CategoryParse, CategoryStorage, CategoryPolicy}
	seen := map[string]bool{}
	for _, code := range FaultCodes() {
		f := FaultOf(code)
		if f.Code != code || seen[code] {
			t.Errorf("%s: twice or mislabelled", code)
		}
		seen[code] = true
		if !slices.Contains(categories, f.Category) {
			t.Errorf("%s: category %q", code, f.Category)
		}
		if strings.Count(f.Message, ". ") != 0 || !strings.HasSuffix(f.Message, ".") || len(f.Message) < 20 {
			t.Errorf("%s: the message is not one sentence: %q", code, f.Message)
		}
		if !strings.HasSuffix(f.Action, ".") {
			t.Errorf("%s: action %q", code, f.Action)
		}
	}
	for _, code := range []string{
		"dns_failure", "connection_refused", "connection_reset", "timeout", "tls_failure", "too_large",
		"redirect_loop", "too_many_redirects", "blocked_address", "blocked_port", "bad_url", "bad_encoding",
		"truncated_body", "http_401", "http_403", "http_404", "http_410", "http_429", "http_5xx", "http_other",
		"not_a_feed", "html_page", "empty_body", "truncated", "bad_xml", "bad_json", "too_deep",
		"network_unreachable", "row_too_large",
	} {
		if !seen[code] {
			t.Errorf("%s has no entry", code)
		}
	}
	if f := FaultOf("never_heard_of"); f.Code != "never_heard_of" || f.Message == "" || f.Action == "" {
		t.Errorf("unknown code: %+v", f)
	}
}

func TestHTTPCode(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{
		401: "http_401", 403: "http_403", 404: "http_404", 410: "http_410", 429: "http_429",
		500: "http_5xx", 503: "http_5xx", 599: "http_5xx", 400: "http_other", 418: "http_other", 204: "http_other", 0: "http_other",
	} {
		if got := HTTPCode(status); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
		if FaultOf(HTTPCode(status)).Category != CategoryHTTP {
			t.Errorf("%d is not of http", status)
		}
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for o, want := range map[Outcome][2]bool{
		OutcomeChanged: {true, true}, OutcomeUnchanged: {true, true}, OutcomeNotModified: {true, true},
		OutcomeTruncated: {false, true}, OutcomeFailed: {false, true}, OutcomeDeferred: {}, OutcomeSkipped: {}, OutcomeLost: {},
	} {
		if o.Succeeded() != want[0] || o.Polled() != want[1] {
			t.Errorf("%s: %v %v", o, o.Succeeded(), o.Polled())
		}
	}
}
