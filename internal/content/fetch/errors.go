package fetch

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/ruri-reader/ruri/internal/fault"
)

// The codes of an Error. They are public and stable: stored with feeds, translated by the page.
const (
	CodeDNSFailure         = "dns_failure"
	CodeConnectionRefused  = "connection_refused"
	CodeConnectionReset    = "connection_reset"
	CodeNetworkUnreachable = "network_unreachable"
	CodeTimeout            = "timeout"
	CodeTLSFailure         = "tls_failure"
	CodeTruncatedBody      = "truncated_body"
	CodeCancelled          = "cancelled"
	CodeBadURL             = "bad_url"
	CodeBlockedAddress     = "blocked_address"
	CodeBlockedPort        = "blocked_port"
	CodeTooLarge           = "too_large"
	CodeBadRedirect        = "bad_redirect"
	CodeRedirectLoop       = "redirect_loop"
	CodeTooManyRedirects   = "too_many_redirects"
	CodeBadEncoding        = "bad_encoding"
	CodeBadResponse        = "bad_response"
)

// The categories of an Error.
const (
	CategoryNetwork = "network" // the way to the server, may heal by itself
	CategoryPolicy  = "policy"  // we do not want to
	CategoryHTTP    = "http"    // the server answered, but not in a usable way
)

// Codes is the one table of what can go wrong: category, kind at our own doors, and the sentence for a
// person, in which {host} and {detail} are filled in.
var codes = map[string]struct {
	category string
	kind     fault.Kind
	message  string
}{
	CodeDNSFailure:         {CategoryNetwork, fault.Unavailable, "No address was found for {host}: the name may be misspelt, or its DNS is down."},
	CodeConnectionRefused:  {CategoryNetwork, fault.Unavailable, "{host} refused the connection."},
	CodeConnectionReset:    {CategoryNetwork, fault.Unavailable, "{host} broke off the connection before the answer was complete."},
	CodeNetworkUnreachable: {CategoryNetwork, fault.Unavailable, "{host} could not be reached over the network."},
	CodeTimeout:            {CategoryNetwork, fault.Unavailable, "{host} did not answer in full within {detail}."},
	CodeTLSFailure:         {CategoryNetwork, fault.Unavailable, "No secure connection to {host} was possible: its certificate or encryption was not accepted."},
	CodeTruncatedBody:      {CategoryNetwork, fault.Unavailable, "The answer of {host} ended before it was complete."},
	CodeCancelled:          {CategoryNetwork, fault.Cancelled, "The request to {host} was cancelled."},
	CodeBadURL:             {CategoryPolicy, fault.Invalid, "This is not a web address that can be opened: {detail}."},
	CodeBlockedAddress:     {CategoryPolicy, fault.Forbidden, "{host} is at a private or reserved network address, which is not opened."},
	CodeBlockedPort:        {CategoryPolicy, fault.Forbidden, "{host} is at a port that is not opened: only {detail} are."},
	CodeTooLarge:           {CategoryPolicy, fault.TooLarge, "The answer of {host} is larger than {detail}."},
	CodeBadRedirect:        {CategoryHTTP, fault.Unavailable, "{host} redirects to something that is not a usable web address."},
	CodeRedirectLoop:       {CategoryHTTP, fault.Unavailable, "{host} redirects in a circle."},
	CodeTooManyRedirects:   {CategoryHTTP, fault.Unavailable, "{host} redirects more than {detail} times in a row."},
	CodeBadEncoding:        {CategoryHTTP, fault.Unavailable, "The answer of {host} is compressed in a way that cannot be read."},
	CodeBadResponse:        {CategoryHTTP, fault.Unavailable, "The answer of {host} is not valid HTTP."},
}

// Error says why an exchange gave no usable response. Message is one plain sentence for a person and names
// at most the host; Cause may name addresses and is for the log alone.
type Error struct {
	Code       string
	Category   string
	Message    string
	Host       string // of the hop that failed, "" when there is none
	Cause      error
	NoResponse bool // not one byte of an answer came from that host
}

func (e *Error) Error() string {
	s := "fetch: " + e.Code
	if e.Host != "" {
		s += ": " + e.Host
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Cause }

// As lets fault.KindOf and fault.CodeOf classify the error at our own doors.
func (e *Error) As(target any) bool {
	t, ok := target.(**fault.Error)
	if ok {
		*t = &fault.Error{Kind: codes[e.Code].kind, Code: e.Code, Op: "fetch", Message: e.Message, Cause: e.Cause}
	}
	return ok
}

// newError fills the sentence from the table.
func newError(code, host, detail string, cause error) *Error {
	row := codes[code]
	name := host
	if name == "" {
		name = "The server"
	}
	msg := strings.ReplaceAll(strings.ReplaceAll(row.message, "{host}", name), "{detail}", detail)
	return &Error{Code: code, Category: row.category, Message: msg, Host: host, Cause: cause}
}

// handshakeError marks a failure of TLS; the standard library has no common type for them.
type handshakeError struct{ error }

func (e handshakeError) Unwrap() error { return e.error }

// classify names the failure of a connection. answered says whether a byte of the response had come.
func classify(err error, answered bool) string {
	var (
		refused *refusal
		dns     *net.DNSError
		tls     handshakeError
		op      *net.OpError
		timeout net.Error
	)
	switch {
	case errors.As(err, &refused):
		return refused.code
	case errors.As(err, &dns):
		return CodeDNSFailure
	case errors.Is(err, syscall.ECONNREFUSED):
		return CodeConnectionRefused
	case broken(err):
		return CodeConnectionReset
	case errors.As(err, &timeout) && timeout.Timeout():
		return CodeTimeout
	case errors.As(err, &tls):
		return CodeTLSFailure
	case errors.As(err, &op) && op.Op == "dial":
		return CodeNetworkUnreachable
	case !answered:
		return CodeConnectionReset // net/http's unnamed ways to say that the server hung up
	}
	return CodeBadResponse
}

// broken tells a connection that was torn down by the other side.
func broken(err error) bool {
	for _, e := range []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
