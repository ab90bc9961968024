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
	if status := fault.KindOf(err).Status(); status != http.StatusForbidden {
		return status
	}
	return http.StatusUnauthorized // programs know no other refusal
}

// Fail answers an error with its status and the status's text.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	status := Status(w, r, err)
	http.Error(w, http.StatusText(status), status)
}
