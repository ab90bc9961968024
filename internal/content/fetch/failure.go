package fetch

import (
	"errors"
	"io"
	"net/url"
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
	return &Error{Code: code, Host: u.Host, Cause: err, NoResponse: !answered}
}

// failBody is fail for errors that come after the headers.
func (x *exchange) failBody(u *url.URL, err error) *Error {
	switch {
	case x.ctx.Err() != nil:
		return x.fail(u, err, true)
	case errors.Is(err, errTooLarge):
		return &Error{Code: CodeTooLarge, Host: u.Host, Cause: err}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Code: CodeTruncatedBody, Host: u.Host, Cause: err}
	}
	if _, ok := errors.AsType[wireError](err); ok {
		return x.fail(u, err, true)
	}
	return &Error{Code: CodeBadEncoding, Host: u.Host, Cause: err}
}
