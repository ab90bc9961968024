package reader

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Categories of faults.
const (
	CategoryNetwork = "network" // no response
	CategoryHTTP    = "http"    // an error response
	CategoryParse   = "parse"   // a response that is not a feed
	CategoryStorage = "storage" // our own storage failed
	CategoryPolicy  = "policy"  // forbidden by our own rules
)

// Codes of faults, public and stable.
const (
	CodeDNSFailure         = "dns_failure"
	CodeConnectionRefused  = "connection_refused"
	CodeConnectionReset    = "connection_reset"
	CodeNetworkUnreachable = "network_unreachable"
	CodeTimeout            = "timeout"
	CodeTLSFailure         = "tls_failure"
	CodeTruncatedBody      = "truncated_body"
	CodeBadEncoding        = "bad_encoding"

	CodeHTTP204          = "http_204"
	CodeHTTP300          = "http_300"
	CodeHTTP401          = "http_401"
	CodeHTTP402          = "http_402"
	CodeHTTP403          = "http_403"
	CodeHTTP404          = "http_404"
	CodeHTTP410          = "http_410"
	CodeHTTP429          = "http_429"
	CodeHTTP451          = "http_451"
	CodeHTTP5xx          = "http_5xx"
	CodeHTTPOther        = "http_other" // of a status without a line here, the status takes the place of "other"
	CodeRedirectLoop     = "redirect_loop"
	CodeTooManyRedirects = "too_many_redirects"

	CodeNotAFeed  = "not_a_feed"
	CodeHTMLPage  = "html_page"
	CodeEmptyBody = "empty_body"
	CodeTruncated = "truncated"
	CodeBadXML    = "bad_xml"
	CodeBadJSON   = "bad_json"
	CodeTooDeep   = "too_deep"

	// Of watches: why a page that lists things shows none.
	CodeListingEmpty   = "listing_empty"   // nothing was found, and the page does not say why
	CodeListingChanged = "listing_changed" // far less was found than usual
	CodeMadeInBrowser  = "made_in_browser" // scripts make the list
	CodeChallenge      = "challenge"       // the site asks for proof of a human
	CodePageUnreadable = "page_unreadable" // no page, or one beyond the limits
	CodeLayoutInvalid  = "layout_unusable" // the watch's settings cannot be used
	CodeAdapterMissing = "adapter_missing" // the installation no longer has the watch's adapter
	CodeChallenged     = "challenged"      // a 403 with such a challenge
	CodeRobots         = "robots"          // robots.txt keeps programs from the page

	CodeStorageUnavailable = "storage_unavailable"
	CodeStorageFull        = "storage_full"
	CodeRowTooLarge        = "row_too_large"

	CodeRowDamaged = "row_damaged" // the stored row of the feed cannot be read

	CodeBlockedAddress = "blocked_address"
	CodeBlockedPort    = "blocked_port"
	CodeBadURL         = "bad_url"
	CodeTooLarge       = "too_large"
	CodeStoppedParse   = "stopped_parse"  // ten unreadable bodies in a row
	CodeStoppedErrors  = "stopped_errors" // ten failures in a row over a week

	CodeUnknown = "unknown_error"
)

// categories has the category of every code.
var categories = map[string]string{
	CodeDNSFailure:         CategoryNetwork,
	CodeConnectionRefused:  CategoryNetwork,
	CodeConnectionReset:    CategoryNetwork,
	CodeNetworkUnreachable: CategoryNetwork,
	CodeTimeout:            CategoryNetwork,
	CodeTLSFailure:         CategoryNetwork,
	CodeTruncatedBody:      CategoryNetwork,
	CodeBadEncoding:        CategoryNetwork,
	CodeHTTP204:            CategoryHTTP,
	CodeHTTP300:            CategoryHTTP,
	CodeHTTP401:            CategoryHTTP,
	CodeHTTP402:            CategoryHTTP,
	CodeHTTP403:            CategoryHTTP,
	CodeHTTP404:            CategoryHTTP,
	CodeHTTP410:            CategoryHTTP,
	CodeHTTP429:            CategoryHTTP,
	CodeHTTP451:            CategoryHTTP,
	CodeHTTP5xx:            CategoryHTTP,
	CodeHTTPOther:          CategoryHTTP,
	CodeRedirectLoop:       CategoryHTTP,
	CodeTooManyRedirects:   CategoryHTTP,
	CodeNotAFeed:           CategoryParse,
	CodeHTMLPage:           CategoryParse,
	CodeEmptyBody:          CategoryParse,
	CodeTruncated:          CategoryParse,
	CodeBadXML:             CategoryParse,
	CodeBadJSON:            CategoryParse,
	CodeTooDeep:            CategoryParse,
	CodeListingEmpty:       CategoryParse,
	CodeListingChanged:     CategoryParse,
	CodeMadeInBrowser:      CategoryParse,
	CodeChallenge:          CategoryPolicy,
	CodePageUnreadable:     CategoryParse,
	CodeLayoutInvalid:      CategoryPolicy,
	CodeAdapterMissing:     CategoryPolicy,
	CodeChallenged:         CategoryHTTP,
	CodeRobots:             CategoryPolicy,
	CodeStorageUnavailable: CategoryStorage,
	CodeStorageFull:        CategoryStorage,
	CodeRowTooLarge:        CategoryStorage,
	CodeRowDamaged:         CategoryStorage,
	CodeBlockedAddress:     CategoryPolicy,
	CodeBlockedPort:        CategoryPolicy,
	CodeBadURL:             CategoryPolicy,
	CodeTooLarge:           CategoryPolicy,
	CodeStoppedParse:       CategoryParse,
	CodeStoppedErrors:      CategoryNetwork,
	CodeUnknown:            CategoryNetwork,
}

// CategoryOf returns the category of a code. That of an unknown code is the one of CodeUnknown.
func CategoryOf(code string) string {
	if category, ok := categories[code]; ok {
		return category
	}
	if StatusOf(code) != "" {
		return CategoryHTTP
	}
	return categories[CodeUnknown]
}

// FaultCodes returns all codes, sorted.
func FaultCodes() []string { return slices.Sorted(maps.Keys(categories)) }

// ofStatus begins the codes of HTTP statuses.
const ofStatus = "http_"

// HTTPCode returns the code of an HTTP status other than success (RFC 9110, 15); isChallenge is said of an answer that
// asks for proof of a human.
func HTTPCode(status int, isChallenge bool) string {
	switch {
	case status == 403 && isChallenge:
		return CodeChallenged
	case status >= 500 && status <= 599:
		return CodeHTTP5xx
	case status >= 100 && status <= 499:
		return ofStatus + strconv.Itoa(status)
	}
	return CodeHTTPOther
}

// StatusOf returns the status that a code names, "" for other codes.
func StatusOf(code string) string {
	status, ok := strings.CutPrefix(code, ofStatus)
	if _, err := strconv.ParseUint(status, 10, 16); !ok || err != nil || len(status) != 3 {
		return ""
	}
	return status
}
