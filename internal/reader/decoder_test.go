package reader

import (
	"encoding/binary"
	"testing"
)

// FuzzDecoder: numbers are read as encoding/binary reads them, and nothing is read after damage.
func FuzzDecoder(f *testing.F) {
	for _, s := range []string{"", "\x05hello", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01x",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02x", "\x80\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, n := binary.Uvarint(b)
		d := Decoder{Rest: string(b)}
		got := d.Uvarint()
		if d.Bad != (n <= 0) || n > 0 && (got != want || d.Rest != string(b[n:])) || n <= 0 && got != 0 {
			t.Fatalf("%d, %q left, bad %v; binary has %d, %d", got, d.Rest, d.Bad, want, n)
		}
		signed, m := binary.Varint(b)
		d = Decoder{Rest: string(b)}
		if got := d.Varint(); m > 0 && got != signed {
			t.Fatalf("%d, binary has %d", got, signed)
		}
		for d = (Decoder{Rest: string(b)}); d.More(); {
			left := len(d.Rest)
			_ = d.Text()
			if len(d.Rest) >= left {
				t.Fatal("it reads nothing")
			}
		}
		if d.Bad && (d.Text() != "" || d.Count() != 0 || d.Byte() != 0 || d.Varint() != 0 || d.Done()) {
			t.Fatal("something was read after damage")
		}
	})
}
