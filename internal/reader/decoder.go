package reader

import "encoding/binary"

// Decoder reads what was appended with binary.AppendUvarint, binary.AppendVarint and AppendText. After an error, Bad is
// set, Rest is empty, and whatever is read is zero: callers check once. Texts share the record's memory.
type Decoder struct {
	Rest string
	Bad  bool
}

// Fail records an error.
func (d *Decoder) Fail() { d.Rest, d.Bad = "", true }

// Done reports whether the whole record was read without an error.
func (d *Decoder) Done() bool { return !d.Bad && d.Rest == "" }

// More reports whether there is more to read; not after an error, so that loops over damaged records end.
func (d *Decoder) More() bool { return d.Rest != "" }

// Byte reads one byte.
func (d *Decoder) Byte() byte {
	if d.Rest == "" {
		d.Fail()
		return 0
	}
	b := d.Rest[0]
	d.Rest = d.Rest[1:]
	return b
}

// Uvarint reads an unsigned number.
func (d *Decoder) Uvarint() uint64 {
	var n uint64
	for i := 0; i < len(d.Rest) && i < binary.MaxVarintLen64; i++ {
		b := d.Rest[i]
		if i == binary.MaxVarintLen64-1 && b > 1 {
			break // more than 64 bits
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.Rest = d.Rest[i+1:]
			return n
		}
	}
	d.Fail()
	return 0
}

// AtMost reads an unsigned number; a larger one is an error.
func (d *Decoder) AtMost(most uint64) uint64 {
	n := d.Uvarint()
	if n > most {
		d.Fail()
		return 0
	}
	return n
}

// Varint reads a signed number.
func (d *Decoder) Varint() int64 {
	u := d.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Count reads a number of elements of at least one byte each, so that a damaged record cannot cause a huge allocation.
func (d *Decoder) Count() int {
	n := d.Uvarint()
	if n > uint64(len(d.Rest)) {
		d.Fail()
		return 0
	}
	return int(n)
}

// Text reads what AppendText wrote.
func (d *Decoder) Text() string {
	n := d.Count()
	s := d.Rest[:n]
	d.Rest = d.Rest[n:]
	return s
}

// AppendText appends a text after its length in bytes.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
