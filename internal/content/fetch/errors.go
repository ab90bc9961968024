package fetch

import (
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/ruri-reader/ruri/internal/fault"
)

// The codes of an Error. They are public and stable: stored with feeds, their texts are in fault/texts.
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

// kinds has the fault.Kind of codes that are not fault.Unavailable.
var kinds = map[string]fault.Kind{
	CodeCancelled:      fault.Cancelled,
	CodeBadURL:         fault.Invalid,
	CodeBlockedAddress: fault.Forbidden,
	CodeBlockedPort:    fault.Forbidden,
	CodeTooLarge:       fault.TooLarge,
}

// Error is the reason why an exchange gave no usable response. Its text for users is that of the code (fault/texts);
// Cause may name addresses and is for the log alone.
type Error struct {
	Code       string
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

// As lets fault.KindOf and fault.CodeOf classify the error.
func (e *Error) As(target any) bool {
	t, ok := target.(**fault.Error)
	if ok {
		kind, listed := kinds[e.Code]
		if !listed {
			kind = fault.Unavailable
		}
		*t = fault.New(kind, e.Code, "fetch", e.Cause)
	}
	return ok
}

// handshakeError marks a failure of TLS; the standard library has no common type for them.
type handshakeError struct{ error }

func (e handshakeError) Unwrap() error { return e.error }

// classify returns the code of a failed connection. answered: a byte of the response had arrived.
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
		return CodeConnectionReset // net/http's untyped errors for a server that hung up
	}
	return CodeBadResponse
}

// broken reports a connection that was torn down by the other side.
func broken(err error) bool {
	for _, e := range []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
