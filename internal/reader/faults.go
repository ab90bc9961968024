package reader

import "slices"

// The categories of faults: where the cause lies.
const (
	CategoryNetwork = "network" // no answer came
	CategoryHTTP    = "http"    // the answer was a refusal
	CategoryParse   = "parse"   // the answer was not a feed
	CategoryStorage = "storage" // our own stores failed
	CategoryPolicy  = "policy"  // we do not do that
)

// The codes of faults. They are public and stable.
const (
	CodeDNSFailure         = "dns_failure"
	CodeConnectionRefused  = "connection_refused"
	CodeConnectionReset    = "connection_reset"
	CodeNetworkUnreachable = "network_unreachable"
	CodeTimeout            = "timeout"
	CodeTLSFailure         = "tls_failure"
	CodeTruncatedBody      = "truncated_body"
	CodeBadEncoding        = "bad_encoding"

	CodeHTTP401          = "http_401"
	CodeHTTP403          = "http_403"
	CodeHTTP404          = "http_404"
	CodeHTTP410          = "http_410"
	CodeHTTP429          = "http_429"
	CodeHTTP5xx          = "http_5xx"
	CodeHTTPOther        = "http_other"
	CodeRedirectLoop     = "redirect_loop"
	CodeTooManyRedirects = "too_many_redirects"

	CodeNotAFeed  = "not_a_feed"
	CodeHTMLPage  = "html_page"
	CodeEmptyBody = "empty_body"
	CodeTruncated = "truncated"
	CodeBadXML    = "bad_xml"
	CodeBadJSON   = "bad_json"
	CodeTooDeep   = "too_deep"

	CodeStorageUnavailable = "storage_unavailable"
	CodeStorageFull        = "storage_full"
	CodeRowTooLarge        = "row_too_large"

	CodeBlockedAddress = "blocked_address"
	CodeBlockedPort    = "blocked_port"
	CodeBadURL         = "bad_url"
	CodeTooLarge       = "too_large"
	CodeStoppedParse   = "stopped_parse"  // ten unreadable bodies in a row
	CodeStoppedErrors  = "stopped_errors" // ten failures in a row over a week

	CodeUnknown = "unknown_error"
)

// Fault is what a code means to a person: what happened, and what can be done about it. The texts are
// the English source; a client may have its own by code.
type Fault struct {
	Code     string
	Category string
	Message  string
	Action   string
}

const (
	waitAndSee  = "Nothing to do: it is tried again by itself, less and less often."
	checkTheURL = "Open the address in a browser; if the feed has moved, unsubscribe and add the new address."
	tellAuthor  = "Tell the publisher. The feed is tried again by itself."
	resumeFeed  = "Open the address in a browser, then resume the feed or unsubscribe."
)

// faults is the one table; each message is one sentence.
var faults = [...]Fault{
	{CodeDNSFailure, CategoryNetwork, "The host name of this feed could not be found.", "Check the spelling of the address. If the site still exists, it is tried again by itself."},
	{CodeConnectionRefused, CategoryNetwork, "The server refused the connection.", waitAndSee},
	{CodeConnectionReset, CategoryNetwork, "The server broke off the connection.", waitAndSee},
	{CodeNetworkUnreachable, CategoryNetwork, "The server could not be reached.", waitAndSee},
	{CodeTimeout, CategoryNetwork, "The server did not answer within ten seconds.", waitAndSee},
	{CodeTLSFailure, CategoryNetwork, "No secure connection to the server could be made, often because its certificate is wrong or expired.", tellAuthor},
	{CodeTruncatedBody, CategoryNetwork, "The connection ended before the whole feed had arrived.", waitAndSee},
	{CodeBadEncoding, CategoryNetwork, "The server sent compressed data that cannot be unpacked.", tellAuthor},

	{CodeHTTP401, CategoryHTTP, "The server wants a name and a password for this feed (401).", "If you have an address with a personal key, add that one; then unsubscribe from this."},
	{CodeHTTP403, CategoryHTTP, "The server does not allow this feed to be fetched (403).", "Open the address in a browser: if it works there, ask the publisher to let feed readers in, then resume the feed."},
	{CodeHTTP404, CategoryHTTP, "There is no feed at this address any more (404).", "Look for the new address on the site and add it, or resume the feed if it is back."},
	{CodeHTTP410, CategoryHTTP, "The publisher has removed this feed for good (410).", "Unsubscribe. Items you starred are kept."},
	{CodeHTTP429, CategoryHTTP, "The server asks to be visited less often (429).", "Nothing to do: the next visit waits as long as the server asked."},
	{CodeHTTP5xx, CategoryHTTP, "The server has a fault of its own.", waitAndSee},
	{CodeHTTPOther, CategoryHTTP, "The server answered in a way that a feed should not.", checkTheURL},
	{CodeRedirectLoop, CategoryHTTP, "The address leads round in a circle.", checkTheURL},
	{CodeTooManyRedirects, CategoryHTTP, "The address leads on to other addresses more than five times.", checkTheURL},

	{CodeNotAFeed, CategoryParse, "What is at this address is not a feed.", checkTheURL},
	{CodeHTMLPage, CategoryParse, "At this address is a web page, not a feed.", "Add the address of the page instead: the feeds it names are then found."},
	{CodeEmptyBody, CategoryParse, "The server sent an empty answer instead of a feed.", waitAndSee},
	{CodeTruncated, CategoryParse, "The feed broke off in the middle; the items that had arrived were kept.", "Nothing to do: it is fetched again by itself. If this lasts, tell the publisher."},
	{CodeBadXML, CategoryParse, "The feed has an error in its XML and cannot be read.", tellAuthor},
	{CodeBadJSON, CategoryParse, "The feed has an error in its JSON and cannot be read.", tellAuthor},
	{CodeTooDeep, CategoryParse, "The feed is nested deeper than any real feed is.", tellAuthor},

	{CodeStorageUnavailable, CategoryStorage, "The reader could not store the feed; the publisher is not to blame.", "Nothing to do: it is tried again by itself. If it lasts, the owner of this reader finds the cause in its log."},
	{CodeStorageFull, CategoryStorage, "The reader has no room left to store the feed.", "The owner of this reader must free some space; after that it goes on by itself."},
	{CodeRowTooLarge, CategoryStorage, "The feed's items are larger than the reader can store.", "Tell the owner of this reader."},

	{CodeBlockedAddress, CategoryPolicy, "The address leads into a private network, where this reader does not go.", "Use a public address, or let the owner of this reader allow that network."},
	{CodeBlockedPort, CategoryPolicy, "The address uses a port that this reader does not visit.", "Use an address with the usual port of the web."},
	{CodeBadURL, CategoryPolicy, "The address is not one of the web (http or https).", "Check the spelling of the address."},
	{CodeTooLarge, CategoryPolicy, "The feed is larger than 5 MB.", "Ask the publisher for a feed with fewer items."},
	{CodeStoppedParse, CategoryParse, "Ten times in a row what came from this address could not be read as a feed.", resumeFeed},
	{CodeStoppedErrors, CategoryNetwork, "For more than a week, ten times in a row, this feed could not be fetched.", resumeFeed},

	{CodeUnknown, CategoryNetwork, "The feed could not be fetched for an unknown reason.", waitAndSee},
}

// FaultOf looks a code up. A code without an entry gives CodeUnknown's text under its own name, so a
// feed that fails always has a sentence.
func FaultOf(code string) Fault {
	for i := range faults {
		if faults[i].Code == code {
			return faults[i]
		}
	}
	f := faults[len(faults)-1]
	f.Code = code
	return f
}

// FaultCodes lists all codes, sorted.
func FaultCodes() []string {
	out := make([]string, len(faults))
	for i := range faults {
		out[i] = faults[i].Code
	}
	slices.Sort(out)
	return out
}

// HTTPCode gives the code of a status that is no success (RFC 9110, 15).
func HTTPCode(status int) string {
	switch {
	case status == 401:
		return CodeHTTP401
	case status == 403:
		return CodeHTTP403
	case status == 404:
		return CodeHTTP404
	case status == 410:
		return CodeHTTP410
	case status == 429:
		return CodeHTTP429
	case status >= 500 && status <= 599:
		return CodeHTTP5xx
	}
	return CodeHTTPOther
}
