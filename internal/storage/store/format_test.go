package store

import (
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
)

// TestFormatsThatDiffer: each direction says what to do, and names both versions.
func TestFormatsThatDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stored, ours int
		code, says   string
	}{{1, 1, "", ""}, {2, 1, "data_newer", "Start that version"}, {1, 2, "data_older", "ruri restore"}} {
		err := compareFormats(c.stored, c.ours, "0.9.0", "0.5.0")
		if (err == nil) != (c.code == "") || err != nil && fault.CodeOf(err) != c.code {
			t.Errorf("%d for %d: %v", c.stored, c.ours, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "0.9.0") ||
			!strings.Contains(err.Error(), "0.5.0")) {
			t.Errorf("%d for %d: %v", c.stored, c.ours, err)
		}
	}
}
