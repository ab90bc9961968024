package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// Joined pieces are one gzip member that any client decodes, whatever their sizes and their order.
func TestJoinedGzip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var want, body bytes.Buffer
		j := newJoiner(&body)
		for range r.IntN(6) {
			plain := []byte(strings.Repeat("a feed of many words ", r.IntN(3000)))
			for range r.IntN(50) {
				if len(plain) > 0 {
					plain[r.IntN(len(plain))] = byte(r.Uint32())
				}
			}
			p := newPiece(plain)
			p.deflated = deflate(plain)
			if again, err := p.inflate([]byte("x")); err != nil || string(again[1:]) != string(plain) {
				t.Fatalf("%d bytes inflate to %d: %v", len(plain), len(again)-1, err)
			}
			j.add(&p)
			want.Write(plain)
		}
		for _, isLast := range []bool{false, true} {
			text := make([]byte, r.IntN(2)*r.IntN(70000))
			if err := j.text(text, isLast); err != nil {
				t.Fatal(err)
			}
			want.Write(text)
		}
		z, err := gzip.NewReader(&body)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, want.Bytes()) || body.Len() != 0 {
			t.Fatalf("round %d: %d bytes of %d, %d left: %v", round, len(got), want.Len(), body.Len(), err)
		}
	}
}
