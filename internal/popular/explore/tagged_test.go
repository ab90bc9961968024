package explore

import (
	"bytes"
	"testing"

	"github.com/ruri-reader/ruri/internal/content/tags"
)

// What can be decoded is encoded to what decodes to the same.
func FuzzTagged(f *testing.F) {
	t := newTagged(1795238651)
	t.put(7, t.item(3, 1795230000, "https://example.org/3",
		[]tags.Tag{{Name: "Rust", Score: 0.5}, {Name: "東京", Score: 1}}))
	t.put(7, t.item(5, 1795200000, "", nil))
	t.put(9, t.item(1, 1795230060, "https://example.org/4", []tags.Tag{{Name: "rust", Score: 0.25}}))
	t.feeds[9].last, t.feeds[9].usual = 4, tags.Usual{"news": true}
	f.Add(t.pack())
	f.Fuzz(func(t *testing.T, b []byte) {
		one, err := unpackTagged(b)
		if err != nil {
			return
		}
		packed := one.pack()
		two, err := unpackTagged(packed)
		if err != nil || !bytes.Equal(two.pack(), packed) {
			t.Fatalf("%v: %q became %q", err, b, packed)
		}
	})
}
