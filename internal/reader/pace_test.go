package reader_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
)

func TestMinutes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang       string
		characters int
		want       int
	}{
		{"en", 0, 0}, {"en", -1, 0}, {"en", 1, 1}, {"en", 1799, 1}, {"en", 1800, 2}, {"", 9600, 8},
		{"ja", 4000, 8}, {"ja-JP", 3749, 7}, {"JA", 3750, 8}, {"zh-Hans", 4000, 8}, {"jav", 4000, 3},
	} {
		if got := reader.Minutes(c.lang, c.characters); got != c.want {
			t.Errorf("%q, %d characters: %d minutes, want %d", c.lang, c.characters, got, c.want)
		}
	}
}
