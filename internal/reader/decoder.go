package reader

import "encoding/binary"

// Decoder reads what was appended with binary.AppendUvarint, binary.AppendVarint and AppendText. After an error, Bad is
// set and Rest is empty; what was read means nothing then.
type Decoder struct {
	Rest []byte
	Bad  bool
}

// Fail records an error.
func (d *Decoder) Fail() { d.Rest, d.Bad = nil, true }

// Uvarint reads an unsigned number that is at most so large.
func (d *Decoder) Uvarint(most uint64) uint64 {
	n, size := binary.Uvarint(d.Rest)
	if size <= 0 || n > most {
		d.Fail()
		return 0
	}
	d.Rest = d.Rest[size:]
	return n
}

// Varint reads a signed number.
func (d *Decoder) Varint() int64 {
	n, size := binary.Varint(d.Rest)
	if size <= 0 {
		d.Fail()
		return 0
	}
	d.Rest = d.Rest[size:]
	return n
}

// Text reads what AppendText wrote.
func (d *Decoder) Text() string {
	n := d.Uvarint(uint64(len(d.Rest)))
	if d.Bad || n > uint64(len(d.Rest)) {
		d.Fail()
		return ""
	}
	s := string(d.Rest[:n])
	d.Rest = d.Rest[n:]
	return s
}

// AppendText appends a text after its length in bytes.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
