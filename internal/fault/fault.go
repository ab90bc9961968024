// Package fault names the few kinds of failure that callers must tell apart, and carries with each
// error the stable code that programs see. It decides nothing about HTTP or retries by itself: one
// table in this package maps a kind to both, so that no second copy can disagree.
//
// Anything that is not a *fault.Error counts as Internal; its text never leaves the server.
package fault

import (
	"context"
	"errors"
	"fmt"
)

// Kind is the class of a failure.
type Kind uint8

// The kinds are final: a new situation is a new code of one of these.
const (
	Internal        Kind = iota // a fault of ours, or unclassified
	Invalid                     // the request or the input is wrong
	Unauthenticated             // nobody is signed in
	Forbidden                   // signed in, not allowed
	NotFound                    // no such thing
	Conflict                    // a condition failed: the row or resource is not as the caller thought
	TooLarge                    // over a documented limit of size
	RateLimited                 // throttled: later will do
	Unavailable                 // a dependency failed or timed out: later may do
	Cancelled                   // the caller went away or its deadline passed
)

var kindNames = [...]string{
	"internal", "invalid", "unauthenticated", "forbidden", "not_found",
	"conflict", "too_large", "rate_limited", "unavailable", "cancelled",
}

// String gives the kind's name, for logs.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "internal"
}

// Error is a classified failure. Code is stable and public (snake_case); Op says where ("table: get");
// Message, when set, is a sentence for a person in English and Args are the values in it, from which other
// languages make theirs; Cause is for the log alone. Field names the field of a request that is wrong, Parts
// are the single failures when there are several.
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

// Newf makes an error whose message is meant for a person.
func Newf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Args: args}
}

// At names the field of the request that the error is about.
func (e *Error) At(field string) *Error {
	e.Field = field
	return e
}

// Several joins what is wrong with a request: nil when nothing is, the one error when there is one.
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
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Cause }

// KindOf classifies any error; nil has no kind and must not be asked.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Cancelled
	}
	return Internal
}

// Is reports whether err is of the kind; a nil error is of none.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// CodeOf gives the public code, "internal" when there is none.
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) && e.Code != "" {
		return e.Code
	}
	return KindOf(err).String()
}
