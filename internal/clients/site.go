package clients

import (
	"errors"

	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/subscribe"
)

// OfSite returns fault.Invalid for an error of the site that a person wants to follow, and other errors unchanged: no
// fault of ours, and nothing that goes away by itself.
func OfSite(err error) error {
	code := ""
	if none, ok := errors.AsType[*subscribe.NoFeedError](err); ok {
		code = none.Code
	} else if answered, ok := errors.AsType[*subscribe.HTTPError](err); ok {
		code = answered.Code
	} else if failed, ok := errors.AsType[*fetch.Error](err); ok {
		code = failed.Code
	}
	if code == "" {
		return err
	}
	return fault.New(fault.Invalid, code, "clients: site", err)
}
