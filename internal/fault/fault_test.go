package fault_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

func TestStatusOfKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[fault.Kind]int{
		fault.Internal: 500, fault.Invalid: 400, fault.Unauthenticated: 401, fault.Forbidden: 403, fault.NotFound: 404,
		fault.Conflict: 409, fault.TooLarge: 413, fault.RateLimited: 429, fault.Unavailable: 503, fault.Cancelled: 503,
		fault.Cancelled + 1: 500,
	} {
		if got := kind.Status(); got != want {
			t.Errorf("%v is %d, want %d", kind, got, want)
		}
	}
}
