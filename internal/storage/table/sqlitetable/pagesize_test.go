package sqlitetable

import (
	"path/filepath"
	"testing"
)

// TestPagesHaveTheSizeThatLimitsCount: MaxBytes is given to the engine as a number of pages.
func TestPagesHaveTheSizeThatLimitsCount(t *testing.T) {
	t.Parallel()
	d, err := Open(filepath.Join(t.TempDir(), "ruri.db"), Options{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for pragma, want := range map[string]int64{"page_size": pageSize, "max_page_count": 1 << 20 / pageSize} {
		if n, err := d.w.c.number("PRAGMA " + pragma); err != nil || n != want {
			t.Errorf("%s is %d, %v; want %d", pragma, n, err, want)
		}
	}
}
