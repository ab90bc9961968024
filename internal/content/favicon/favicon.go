// Package favicon makes a small PNG of an untrusted image: PNG, JPEG, GIF, WebP, BMP or ICO, recognised by
// their first bytes and never by what a server calls them. A drawing (SVG) stays as it is, if it is simple.
//
// Nothing is decoded before its size is known, for a few hundred bytes can claim to be an image of gigabytes.
package favicon

import (
	"bytes"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

const (
	// Side is the greatest width and height of the result.
	Side = 64
	// MaxBytes is the largest body that is looked at.
	MaxBytes = 2 << 20
	// maxPixels bounds what is decoded: a progressive JPEG takes twelve bytes for each, 48 MB at most.
	maxPixels = 4 << 20
	maxSide   = 1 << 14
	// minSide is the smallest image that is worth showing; below are counters' dots.
	minSide = 8
)

// ErrUnusable is any image that cannot be shown: of another kind, broken, too large or too small.
var ErrUnusable = errors.New("favicon: not an image that can be shown")

// Made is a small image.
type Made struct {
	Body        []byte
	ContentType string // image/png or image/svg+xml
	// Side is its width and height, zero where the original's sides differ by half or more: that is a banner, no icon.
	// A drawing has no pixels and counts as a little less than a sharp image (31).
	Side int
}

// Make reads an image and shrinks it to fit Side by Side. It is made square with transparent borders, keeps its
// proportions, and is never enlarged.
func Make(body []byte) (Made, error) {
	if len(body) > MaxBytes {
		return Made{}, ErrUnusable
	}
	if made, err := drawing(body); err == nil {
		return made, nil
	}
	src, err := decode(body)
	if err != nil {
		return Made{}, err
	}
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	if min(w, h) < minSide {
		return Made{}, ErrUnusable
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	img := shrink(src)
	if err := enc.Encode(&out, img); err != nil {
		return Made{}, ErrUnusable
	}
	made := Made{Body: out.Bytes(), ContentType: "image/png"}
	if !isBanner(float64(w), float64(h)) {
		made.Side = img.Bounds().Dx()
	}
	return made, nil
}

func isBanner(w, h float64) bool { return 2*max(w, h) > 3*min(w, h) }

// format is a kind of image, by its first bytes; '?' stands for any byte.
type format struct {
	magic  string
	config func([]byte) (image.Config, error)
	decode func([]byte) (image.Image, error)
}

var formats = [...]format{
	{"\x89PNG\r\n\x1a\n", reading(png.DecodeConfig), reading(png.Decode)},
	{"\xff\xd8\xff", reading(jpeg.DecodeConfig), reading(jpeg.Decode)},
	{"GIF8?a", reading(gif.DecodeConfig), reading(gif.Decode)}, // the first frame
	{"RIFF????WEBPVP8", reading(webp.DecodeConfig), reading(webp.Decode)},
	{"BM", reading(bmp.DecodeConfig), reading(bmp.Decode)},
}

func reading[T any](f func(r io.Reader) (T, error)) func([]byte) (T, error) {
	return func(b []byte) (T, error) { return f(bytes.NewReader(b)) }
}

func (f *format) is(body []byte) bool {
	if len(body) < len(f.magic) {
		return false
	}
	for i := range len(f.magic) {
		if f.magic[i] != '?' && f.magic[i] != body[i] {
			return false
		}
	}
	return true
}

// decode reads an image of any kind that is known.
func decode(body []byte) (image.Image, error) {
	for i := range formats {
		if formats[i].is(body) {
			return formats[i].read(body)
		}
	}
	return decodeICO(body)
}

func (f *format) read(body []byte) (image.Image, error) {
	c, err := f.config(body)
	if err != nil || !fits(c.Width, c.Height) {
		return nil, ErrUnusable
	}
	img, err := f.decode(body)
	if err != nil || !fits(img.Bounds().Dx(), img.Bounds().Dy()) {
		return nil, ErrUnusable
	}
	return img, nil
}

func fits(w, h int) bool { return w > 0 && h > 0 && w <= maxSide && h <= maxSide && w*h <= maxPixels }

// shrink returns the image in a square of at most Side.
func shrink(src image.Image) image.Image {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	longest := max(w, h)
	side := min(longest, Side)
	dw, dh := max(1, (w*side+longest/2)/longest), max(1, (h*side+longest/2)/longest)
	dst := image.NewNRGBA(image.Rect(0, 0, side, side))
	at := image.Pt((side-dw)/2, (side-dh)/2)
	draw.CatmullRom.Scale(dst, image.Rectangle{at, at.Add(image.Pt(dw, dh))}, src, b, draw.Src, nil)
	return dst
}
