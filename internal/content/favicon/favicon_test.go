package favicon

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"golang.org/x/image/bmp"
)

var red = color.NRGBA{200, 30, 10, 255}

func painted(w, h int, c color.Color) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

func encoded(t testing.TB, img image.Image, how string) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch how {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "bmp":
		err = bmp.Encode(&b, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// webpOf builds a lossless WebP of one colour: each of the five codes has one symbol, so that pixels take no bit.
func webpOf(side int, c color.NRGBA) []byte {
	var bits, n uint
	data := []byte{0x2f}
	put := func(v, count uint) {
		bits |= v << n
		for n += count; n >= 8; n -= 8 {
			data = append(data, byte(bits))
			bits >>= 8
		}
	}
	put(uint(side-1), 14)
	put(uint(side-1), 14)
	put(0, 4+3) // no alpha, version 0; no transform, no colour cache, one group of codes
	for _, symbol := range []byte{c.G, c.R, c.B, 0xFF, 0} {
		put(0b101, 3) // a simple code, one symbol, of eight bits
		put(uint(symbol), 8)
	}
	put(0, 7)
	if len(data)%2 == 1 {
		data = append(data, 0)
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(12+len(data)))
	return append(binary.LittleEndian.AppendUint32(append(out, "WEBPVP8L"...), uint32(len(data))), data...)
}

// ico builds a file with one entry.
func ico(side, bits byte, data []byte) []byte {
	b := []byte{0, 0, 1, 0, 1, 0, side, side, 0, 0, 1, 0, bits, 0}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(data)))
	b = binary.LittleEndian.AppendUint32(b, icoHeader+icoEntry)
	return append(b, data...)
}

// bitmap writes a bitmap of an icon in one colour, whose left half the mask hides.
func bitmap(side, bits int, c color.NRGBA, alpha byte) []byte {
	b := append([]byte(nil), make([]byte, dibHeader)...)
	binary.LittleEndian.PutUint32(b, dibHeader)
	binary.LittleEndian.PutUint32(b[4:], uint32(side))
	binary.LittleEndian.PutUint32(b[8:], uint32(2*side))
	binary.LittleEndian.PutUint16(b[12:], 1)
	binary.LittleEndian.PutUint16(b[14:], uint16(bits))
	if bits <= 8 {
		for range 1 << bits {
			b = append(b, c.B, c.G, c.R, 0)
		}
	}
	for range side {
		row := make([]byte, (side*bits+31)/32*4)
		switch bits {
		case 24:
			for x := range side {
				copy(row[3*x:], []byte{c.B, c.G, c.R})
			}
		case 32:
			for x := range side {
				copy(row[4*x:], []byte{c.B, c.G, c.R, alpha})
			}
		}
		b = append(b, row...)
	}
	for range side {
		row := make([]byte, (side+31)/32*4)
		for x := range side / 2 {
			row[x/8] |= 0x80 >> (x % 8)
		}
		b = append(b, row...)
	}
	return b
}

func near(a, b color.Color) bool {
	ar, ag, ab, aa := a.RGBA()
	br, bg, bb, ba := b.RGBA()
	for _, d := range []int{int(ar) - int(br), int(ag) - int(bg), int(ab) - int(bb), int(aa) - int(ba)} {
		if d > 0x800 || d < -0x800 {
			return false
		}
	}
	return true
}

// G-11: every usual kind of image becomes a PNG of at most 64 by 64, told by its bytes alone.
func TestMake(t *testing.T) {
	t.Parallel()
	big := painted(200, 200, red)
	tests := []struct {
		name   string
		body   []byte
		side   int
		square bool
		at     image.Point
		want   color.Color
	}{
		{"png", encoded(t, big, "png"), 64, true, image.Pt(32, 32), red},
		{"small png", encoded(t, painted(16, 16, red), "png"), 16, true, image.Pt(8, 8), red},
		{"jpeg", encoded(t, big, "jpeg"), 64, true, image.Pt(32, 32), red},
		{"gif", encoded(t, painted(32, 32, color.White), "gif"), 32, true, image.Pt(3, 3), color.White},
		{"bmp", encoded(t, big, "bmp"), 64, true, image.Pt(32, 32), red},
		{"webp", webpOf(100, red), 64, true, image.Pt(8, 8), red},
		{"banner", encoded(t, painted(400, 100, red), "png"), 64, false, image.Pt(32, 32), red},
		{"banner's border", encoded(t, painted(400, 100, red), "png"), 64, false, image.Pt(32, 2), color.NRGBA{}},
		{"ico with a png", ico(0, 32, encoded(t, painted(256, 256, red), "png")), 64, true, image.Pt(9, 9), red},
		{"ico 32", ico(32, 32, bitmap(32, 32, red, 255)), 32, true, image.Pt(1, 1), red},
		{"ico 32 without alpha", ico(32, 32, bitmap(32, 32, red, 0)), 32, true, image.Pt(1, 1), color.NRGBA{}},
		{"ico 24", ico(48, 24, bitmap(48, 24, red, 0)), 48, true, image.Pt(40, 9), red},
		{"ico 24, hidden", ico(48, 24, bitmap(48, 24, red, 0)), 48, true, image.Pt(2, 9), color.NRGBA{}},
		{"ico 8", ico(16, 8, bitmap(16, 8, red, 0)), 16, true, image.Pt(12, 9), red},
		{"ico 4", ico(16, 4, bitmap(16, 4, red, 0)), 16, true, image.Pt(12, 9), red},
		{"ico 1", ico(16, 1, bitmap(16, 1, red, 0)), 16, true, image.Pt(12, 9), red},
	}
	for _, tt := range tests {
		made, err := Make(tt.body)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		img, err := png.Decode(bytes.NewReader(made.Body))
		if err != nil || img.Bounds() != image.Rect(0, 0, tt.side, tt.side) || (made.Side > 0) != tt.square ||
			made.Side > 0 && made.Side != tt.side {
			t.Errorf("%s: %v, side %d, %v", tt.name, img.Bounds(), made.Side, err)
			continue
		}
		if got := img.At(tt.at.X, tt.at.Y); !near(got, tt.want) {
			t.Errorf("%s: %v at %v, want %v", tt.name, got, tt.at, tt.want)
		}
	}
}

// Of the entries the one that shows best is taken, and a broken one passed over.
func TestICOChoosesTheBest(t *testing.T) {
	t.Parallel()
	sides := []byte{16, 32, 128, 64, 96}
	var dir, data []byte
	for _, side := range sides {
		body := encoded(t, painted(int(side), int(side), color.NRGBA{side, 0, 0, 255}), "png")
		if side == 64 {
			body = body[:20]
		}
		dir = append(dir, side, side, 0, 0, 1, 0, 32, 0)
		dir = binary.LittleEndian.AppendUint32(dir, uint32(len(body)))
		dir = binary.LittleEndian.AppendUint32(dir, uint32(icoHeader+icoEntry*len(sides)+len(data)))
		data = append(data, body...)
	}
	img, err := decodeICO(append(append([]byte{0, 0, 1, 0, byte(len(sides)), 0}, dir...), data...))
	if err != nil || img.Bounds().Dx() != 96 {
		t.Errorf("took %v, %v", img, err)
	}
}

// A few bytes that claim to be an enormous image, and what is no image, are refused before anything is decoded.
func TestMakeRefuses(t *testing.T) {
	t.Parallel()
	bomb := encoded(t, painted(8, 8, red), "png")
	binary.BigEndian.PutUint32(bomb[16:], 60_000)
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	far := ico(16, 32, bitmap(16, 32, red, 255))
	binary.LittleEndian.PutUint32(far[18:], 1<<31)
	wide := bitmap(16, 32, red, 255)
	binary.LittleEndian.PutUint32(wide[4:], 1<<30)
	for name, body := range map[string][]byte{
		"nothing": nil, "text": []byte("<html>"),
		"bomb": bomb, "cut": encoded(t, painted(99, 99, red), "png")[:60],
		"a dot":               encoded(t, painted(1, 1, red), "gif"),
		"ico without entries": {0, 0, 1, 0, 0, 0}, "ico that points far": far,
		"ico with a wide bitmap": ico(16, 32, wide),
		"cursor":                 append([]byte{0, 0, 2, 0}, ico(16, 32, nil)[4:]...),
		"too long":               make([]byte, MaxBytes+1),
	} {
		if made, err := Make(body); !errors.Is(err, ErrUnusable) || made.Body != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzICO: whatever the directory says, no byte outside of the file is read, and what comes out is a picture.
func FuzzICO(f *testing.F) {
	f.Add(ico(16, 32, bitmap(16, 32, red, 255)))
	f.Add(ico(16, 1, bitmap(16, 1, red, 0)))
	f.Add(ico(16, 24, encoded(f, painted(16, 16, red), "png")))
	f.Fuzz(func(t *testing.T, b []byte) {
		img, err := decodeICO(b)
		if err == nil && !fits(img.Bounds().Dx(), img.Bounds().Dy()) {
			t.Fatalf("an image of %v", img.Bounds())
		}
	})
}

// FuzzMake: any bytes give a PNG of at most 64 by 64, a drawing that is as it was, or an error.
func FuzzMake(f *testing.F) {
	for _, how := range []string{"png", "jpeg", "gif", "bmp"} {
		f.Add(encoded(f, painted(16, 16, red), how))
	}
	f.Add(webpOf(16, red))
	f.Add([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>a{}</style><use mask="a"/></svg>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		made, err := Make(b)
		if err != nil {
			return
		}
		if made.ContentType == "image/svg+xml" {
			if !bytes.Equal(made.Body, b) || len(b) > maxSVG {
				t.Fatalf("%q", made.Body)
			}
			return
		}
		c, err := png.DecodeConfig(bytes.NewReader(made.Body))
		if err != nil || c.Width > Side || c.Height != c.Width {
			t.Fatalf("%+v, %v", c, err)
		}
	})
}
