package favicon

import (
	"encoding/binary"
	"image"
	"image/color"
	"slices"
)

// An ICO file is a directory of images, each a PNG or a bitmap without its file header: 6 bytes (0, 1, count), then
// 16 for each entry (width, height, colours, 0, planes, bits, size, offset), all little-endian. A width of 0 stands
// for 256. The bitmap's height counts its mask too; rows lie bottom up, padded to four bytes.

const (
	icoHeader, icoEntry = 6, 16
	dibHeader           = 40
	maxEntries          = 64
	icoSide             = 1024 // PNG entries may be larger than the 256 that the directory can say
)

type entry struct {
	side, bits int
	data       []byte
}

func decodeICO(b []byte) (image.Image, error) {
	if len(b) < icoHeader || binary.LittleEndian.Uint16(b) != 0 || binary.LittleEndian.Uint16(b[2:]) != 1 {
		return nil, ErrUnusable
	}
	n := min(int(binary.LittleEndian.Uint16(b[4:])), maxEntries, (len(b)-icoHeader)/icoEntry)
	var entries []entry
	for i := range n {
		e := b[icoHeader+i*icoEntry:]
		size, off := binary.LittleEndian.Uint32(e[8:]), binary.LittleEndian.Uint32(e[12:])
		if uint64(off)+uint64(size) > uint64(len(b)) {
			continue
		}
		side := int(e[0])
		if side == 0 {
			side = 256
		}
		entries = append(entries, entry{side, int(binary.LittleEndian.Uint16(e[6:])), b[off : off+size]})
	}
	// The smallest that need not be enlarged, or else the largest; of equals the one with more colours.
	slices.SortStableFunc(entries, func(x, y entry) int {
		if x.side != y.side {
			if x.side >= Side && y.side >= Side {
				return x.side - y.side
			}
			return y.side - x.side
		}
		return y.bits - x.bits
	})
	for _, e := range entries {
		if img, err := e.decode(); err == nil {
			return img, nil
		}
	}
	return nil, ErrUnusable
}

func (e entry) decode() (image.Image, error) {
	if formats[0].is(e.data) {
		img, err := formats[0].read(e.data)
		if err != nil || img.Bounds().Dx() > icoSide || img.Bounds().Dy() > icoSide {
			return nil, ErrUnusable
		}
		return img, nil
	}
	return decodeDIB(e.data)
}

// dib is a bitmap of an icon: pixels, then a mask whose set bits are transparent.
type dib struct {
	w, h, bits int
	palette    []byte // blue, green, red, 0
	xor, and   []byte
	xorRow     int // bytes of a row
	andRow     int
}

func readDIB(b []byte) (d dib, ok bool) {
	if len(b) < dibHeader {
		return d, false
	}
	header := binary.LittleEndian.Uint32(b)
	d.w, d.h = int(int32(binary.LittleEndian.Uint32(b[4:]))), int(int32(binary.LittleEndian.Uint32(b[8:])))/2
	d.bits = int(binary.LittleEndian.Uint16(b[14:]))
	compression, used := binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[32:])
	if header < dibHeader || uint64(header) > uint64(len(b)) || d.w < 1 || d.h < 1 || d.w > 256 || d.h > 256 ||
		compression != 0 {
		return d, false
	}
	b = b[header:]
	switch d.bits {
	case 1, 4, 8:
		colours := 1 << d.bits
		if used > 0 {
			colours = int(min(used, uint32(colours)))
		}
		if len(b) < 4*colours {
			return d, false
		}
		d.palette, b = b[:4*colours], b[4*colours:]
	case 24, 32:
	default:
		return d, false
	}
	d.xorRow, d.andRow = (d.w*d.bits+31)/32*4, (d.w+31)/32*4
	if len(b) < d.xorRow*d.h {
		return d, false
	}
	d.xor, d.and = b[:d.xorRow*d.h], b[d.xorRow*d.h:]
	if len(d.and) < d.andRow*d.h {
		d.and = nil // some writers leave it out
	}
	return d, true
}

func decodeDIB(b []byte) (image.Image, error) {
	d, ok := readDIB(b)
	if !ok {
		return nil, ErrUnusable
	}
	img := image.NewNRGBA(image.Rect(0, 0, d.w, d.h))
	visible := false
	for y := range d.h {
		row := d.xor[(d.h-1-y)*d.xorRow:]
		for x := range d.w {
			c := d.at(row, x)
			visible = visible || c.A > 0
			img.SetNRGBA(x, y, c)
		}
	}
	// With 32 bits the pixels have their own transparency; where all have none, that field was not used.
	if d.bits == 32 && visible {
		return img, nil
	}
	for y := range d.h {
		for x := range d.w {
			c := img.NRGBAAt(x, y)
			c.A = 0xFF
			if d.and != nil && d.and[(d.h-1-y)*d.andRow+x/8]>>(7-x%8)&1 == 1 {
				c = color.NRGBA{}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img, nil
}

// at reads pixel x of a row.
func (d *dib) at(row []byte, x int) color.NRGBA {
	switch d.bits {
	case 24:
		return color.NRGBA{row[3*x+2], row[3*x+1], row[3*x], 0xFF}
	case 32:
		return color.NRGBA{row[4*x+2], row[4*x+1], row[4*x], row[4*x+3]}
	}
	perByte := 8 / d.bits
	i := int(row[x/perByte]>>(8-d.bits*(x%perByte+1))) & (1<<d.bits - 1)
	if 4*i+3 >= len(d.palette) {
		return color.NRGBA{A: 0xFF}
	}
	return color.NRGBA{d.palette[4*i+2], d.palette[4*i+1], d.palette[4*i], 0xFF}
}
