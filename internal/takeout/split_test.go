package takeout

import (
	"fmt"
	"testing"
)

// TestMonthsAreSplit: a watch with a long history takes several lines, none of them much longer than it may be.
func TestMonthsAreSplit(t *testing.T) {
	t.Parallel()
	ten := make([]byte, 10)
	months := map[string][]byte{"2026-01": ten, "2026-03": ten, "2026-02": ten, "2026-04": make([]byte, 40)}
	for most, want := range map[int]string{
		100: "[4]", 20: "[2 1 1]", 30: "[3 1]", 5: "[1 1 1 1]",
	} {
		var sizes []int
		for _, share := range split(months, most) {
			sizes = append(sizes, len(share))
		}
		if fmt.Sprint(sizes) != want {
			t.Errorf("shares of %d bytes have %v months, want %s", most, sizes, want)
		}
	}
	if n := len(split(nil, 10)); n != 1 {
		t.Errorf("no months make %d shares", n)
	}
}
