package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"
)

// fail turns the error of a connection into ours; the end of the time comes before all else.
func (x *exchange) fail(u *url.URL, err error, answered bool) *Error {
	var code string
	switch {
	case x.caller.Err() != nil:
		code = CodeCancelled
	case x.ctx.Err() != nil:
		code = CodeTimeout
	default:
		code = classify(err, answered)
	}
	detail := ""
	switch code {
	case CodeTimeout:
		detail = seconds(x.c.opt.Timeout)
	case CodeBlockedPort:
		detail = openPorts
	}
	e := newError(code, u.Host, detail, err)
	e.NoResponse = !answered
	return e
}

// failBody is fail for errors that come after the headers.
func (x *exchange) failBody(u *url.URL, err error) *Error {
	switch {
	case x.ctx.Err() != nil:
		return x.fail(u, err, true)
	case errors.Is(err, errTooLarge):
		return newError(CodeTooLarge, u.Host, size(x.limit), err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return newError(CodeTruncatedBody, u.Host, "", err)
	}
	var wire wireError
	if errors.As(err, &wire) {
		return x.fail(u, err, true)
	}
	return newError(CodeBadEncoding, u.Host, "", err)
}

func seconds(d time.Duration) string {
	if d == time.Second {
		return "1 second"
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%.3g MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}
