package clients

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
)

// LimitedError is fault.RateLimited with the time to wait.
func LimitedError(wait time.Duration) error {
	return fault.New(fault.RateLimited, "rate_limited", "clients", &auth.TooManyError{RetryAfter: wait})
}

// Status returns the HTTP status for an error, and sets Retry-After where it is known. An error of our own side gets
// into the log line of the request, never into the answer.
func Status(w http.ResponseWriter, r *http.Request, err error) int {
	visit(r.Context()).Err = err
	if many, ok := errors.AsType[*auth.TooManyError](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(many.RetryAfter.Seconds()))))
		return http.StatusTooManyRequests
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated, fault.Forbidden:
		return http.StatusUnauthorized
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.Unavailable, fault.Cancelled:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// Fail answers an error with its status and the status's text.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	status := Status(w, r, err)
	http.Error(w, http.StatusText(status), status)
}
