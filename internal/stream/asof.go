package stream

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// seqs names a seq for each of some feeds: in the token of a list, the newest one that it covers.
type seqs map[reader.FeedID]reader.Seq

// asOf returns the token of a list that can be marked read: the newest seq of each of its feeds.
func (b *sideBar) asOf() string {
	out := make([]byte, 0, 4*len(b.all)+1)
	at := reader.FeedID(0)
	for _, x := range b.all {
		if b.has(x) {
			out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(x.id-at)), uint64(x.Feed.Seq))
			at = x.id
		}
	}
	form := byte(tokenForm)
	if packed := reader.Deflate(nil, out); len(packed) < len(out) {
		form, out = deflatedForm, packed
	}
	return base64.RawURLEncoding.EncodeToString(append([]byte{form}, out...))
}

func decodeSeqs(s string) (seqs, error) {
	d := readToken(s)
	p := readByFeed(d, func() reader.Seq { return readSeq(d) })
	if d.Bad {
		return nil, fault.Coded(fault.Invalid, "bad_as_of").At("asOf")
	}
	return p, nil
}
