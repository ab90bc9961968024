// Package fault defines the kinds of failure that callers distinguish, with their HTTP statuses, and gives each error a
// stable public code. The retries of a message are in worker, and those of a request in the storage seams.
//
// Anything that is not a *fault.Error counts as Internal; its text never leaves the server.
package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Kind is the class of a failure.
type Kind uint8

// The kinds are final: a new situation is a new code of one of these.
const (
	Internal        Kind = iota // our own fault, or unclassified
	Invalid                     // the request or the input is wrong
	Unauthenticated             // not signed in
	Forbidden                   // signed in, not allowed
	NotFound                    // no such thing
	Conflict                    // a condition failed: the row or resource has changed
	TooLarge                    // over a documented limit of size
	RateLimited                 // throttled: try again later
	Unavailable                 // a dependency failed or timed out: try again later
	Cancelled                   // the caller went away or its deadline passed
)

var kindNames = [...]string{
	"internal", "invalid", "unauthenticated", "forbidden", "not_found",
	"conflict", "too_large", "rate_limited", "unavailable", "cancelled",
}

var statuses = [...]int{
	http.StatusInternalServerError, http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden,
	http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests,
	http.StatusServiceUnavailable, http.StatusServiceUnavailable,
}

// Status returns the HTTP status of an answer with an error of the kind.
func (k Kind) Status() int {
	if int(k) < len(statuses) {
		return statuses[k]
	}
	return http.StatusInternalServerError
}

// String returns the kind's name, for logs.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "internal"
}

// Error is a classified failure. Code is stable and public (snake_case); Args are the values in its text (package
// texts). Op is the operation ("table: get"), Message an English detail and Cause the underlying error: these are for
// logs and operators. Field is the wrong field of a request, Parts are the failures when there are several.
type Error struct {
	Kind    Kind
	Code    string
	Op      string
	Message string
	Args    []any
	Field   string
	Parts   []*Error
	Cause   error
}

// New makes an error of a kind with a public code.
func New(kind Kind, code, op string, cause error) *Error {
	return &Error{Kind: kind, Code: code, Op: op, Cause: cause}
}

// Coded makes an error for the caller of an operation: its code and the values in the code's text (package texts).
func Coded(kind Kind, code string, values ...any) *Error {
	return &Error{Kind: kind, Code: code, Args: values}
}

// Newf makes an error with an English message for the operator: it appears in logs and on the command line, never in an
// answer of the API.
func Newf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// At sets the field of the request that the error is about.
func (e *Error) At(field string) *Error {
	e.Field = field
	return e
}

// Several joins the errors of a request: nil for none, the error itself for one.
func Several(parts ...*Error) error {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &Error{Kind: parts[0].Kind, Code: "several_fields", Parts: parts}
}

func (e *Error) Error() string {
	s := e.Code
	if s == "" {
		s = e.Kind.String()
	}
	if e.Op != "" {
		s = e.Op + ": " + s
	}
	if e.Message != "" {
		s += ": " + e.Message
	} else if len(e.Args) > 0 {
		s += fmt.Sprintf(" %v", e.Args)
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of an error, which must not be nil.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Cancelled
	}
	return Internal
}

// Is reports whether err is of the kind; false for nil.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Ignore returns nil for an error of the kind, and other errors unchanged.
func Ignore(err error, kind Kind) error {
	if Is(err, kind) {
		return nil
	}
	return err
}

// CodeOf returns the public code; without one, the name of the kind.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Code != "" {
		return e.Code
	}
	return KindOf(err).String()
}
