package popular

import (
	"errors"
	"fmt"
	"time"
)

// ErrTooLong says that a call had more URLs than the provider takes, or than are sent at all.
var ErrTooLong = errors.New("popular: no such long request is taken")

// RateLimitedError says that the provider wants to be left alone for a while.
type RateLimitedError struct{ After time.Duration }

func (e *RateLimitedError) Error() string {
	return fmt.Sprintf("popular: the provider asks to wait %s", e.After)
}
