package extract

import (
	"encoding/binary"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// doubleByte is a charset of one and two bytes as a table, made of x/text's decoder when first needed:
// ten times as fast, and a crawl meets such feeds all the time.
type doubleByte struct {
	single [128]uint16      // of bytes 80..FF alone; 0: a lead byte, or nothing
	pair   [128][256]uint16 // of lead and trail; 0: nothing, or outside the plane
}

var doubleBytes = []struct {
	enc   encoding.Encoding
	table func() *doubleByte
}{
	{japanese.ShiftJIS, tableOf(japanese.ShiftJIS)},
	{japanese.EUCJP, tableOf(japanese.EUCJP)},
	{korean.EUCKR, tableOf(korean.EUCKR)},
	{simplifiedchinese.GBK, tableOf(simplifiedchinese.GBK)},
	{simplifiedchinese.GB18030, tableOf(simplifiedchinese.GB18030)},
	{traditionalchinese.Big5, tableOf(traditionalchinese.Big5)},
}

func tableOf(e encoding.Encoding) func() *doubleByte {
	return sync.OnceValue(func() *doubleByte {
		t := new(doubleByte)
		d := e.NewDecoder()
		for lead := range 128 {
			if r := oneRune(d, []byte{byte(lead | 0x80)}); r != 0 {
				t.single[lead] = r
				continue
			}
			for trail := 0x40; trail < 0xff; trail++ {
				t.pair[lead][trail] = oneRune(d, []byte{byte(lead | 0x80), byte(trail)})
			}
		}
		return t
	})
}

// oneRune decodes b if it is one character of the basic plane, else gives 0.
func oneRune(d *encoding.Decoder, b []byte) uint16 {
	var out [16]byte
	d.Reset()
	wrote, _, err := d.Transform(out[:], b, true)
	if err != nil {
		return 0
	}
	r, n := utf8.DecodeRune(out[:wrote])
	if n != wrote || r == utf8.RuneError || r < 0x80 || r > 0xffff {
		return 0
	}
	return uint16(r)
}

// decode returns UTF-8, or false when b has anything the table has not (damage, or longer sequences): then
// x/text's decoder is asked.
func (t *doubleByte) decode(b []byte) ([]byte, bool) {
	out := make([]byte, 0, len(b)+len(b)/2+64)
	for i := 0; i < len(b); {
		j := i
		for j+8 <= len(b) && binary.LittleEndian.Uint64(b[j:])&0x8080808080808080 == 0 {
			j += 8
		}
		for j < len(b) && b[j] < 0x80 {
			j++
		}
		out = append(out, b[i:j]...)
		for i = j; i < len(b) && b[i] >= 0x80; {
			lead := b[i] & 0x7f
			r := t.single[lead]
			if r != 0 {
				i++
			} else {
				if i+1 >= len(b) {
					return nil, false
				}
				if r = t.pair[lead][b[i+1]]; r == 0 {
					return nil, false
				}
				i += 2
			}
			out = utf8.AppendRune(out, rune(r))
		}
	}
	return out, true
}
