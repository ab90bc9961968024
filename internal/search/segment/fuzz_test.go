package segment

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search/query"
)

// example is a small segment, and where its tail begins.
func example(t testing.TB) (file []byte, tail int) {
	t.Helper()
	p := &Part{Covered: []Covered{{1, 3, 3}, {7, 1, 0}}, Replaces: []query.Ref{{Feed: 1, Seq: 2}}}
	for i, s := range []string{"Go 言語 の update", "東京都", "c++ and c"} {
		p.Documents = append(p.Documents, Document{Feed: 1, Seq: reader.Seq(i + 1), Stamp: 9, Sort: int64(i),
			Record: []byte{1, 2}, Item: query.Item{Title: s}})
	}
	file, n, err := Build(p)
	if err != nil {
		t.Fatal(err)
	}
	return file, len(file) - n
}

// sealTail adds a trailer, as if the tail had been written.
func sealTail(body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(body[:len(body):len(body)], uint32(len(body)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return append(b, magic...)
}

// FuzzTail reads any tail behind the texts and terms of a segment: it is opened and merged, or refused as damaged.
func FuzzTail(f *testing.F) {
	file, at := example(f)
	newer, _, err := Build(&Part{Documents: []Document{{Feed: 1, Seq: 2, Stamp: 9}},
		Replaces: []query.Ref{{Feed: 1, Seq: 2}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file[at : len(file)-trailerBytes])
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := Open(body, len(body)); err != nil && !IsDamaged(err) {
			t.Fatal(err)
		}
		whole := append(file[:at:at], sealTail(body)...)
		tail, err := OpenFile(whole)
		if err == nil && tail.Bytes() > 8*len(body)+1000 {
			t.Fatalf("%d bytes became %d", len(body), tail.Bytes())
		}
		for _, old := range [][][]byte{{whole}, {whole, newer}} {
			merged, _, err := Merge(old, Options{Keep: func(_ reader.FeedID, seq reader.Seq) bool { return seq != 3 }})
			if err != nil && !IsDamaged(err) {
				t.Fatal(err)
			}
			if err == nil {
				if err := Verify(merged); err != nil {
					t.Fatalf("what was merged is damaged: %v", err)
				}
			}
		}
		if err := Verify(whole); err != nil && !IsDamaged(err) {
			t.Fatal(err)
		}
	})
}

// FuzzTerms reads any block of terms.
func FuzzTerms(f *testing.F) {
	file, _ := example(f)
	tail, err := OpenFile(file)
	if err != nil {
		f.Fatal(err)
	}
	at := tail.Term(0)
	f.Add(file[at.At+crcBytes:at.At+at.Size], uint64(0), uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, body []byte, lo, hi uint64) {
		if _, err := ReadTerms(body); err != nil && !IsDamaged(err) {
			t.Fatal(err)
		}
		block := append(unsealed(nil), body...)
		seal(block)
		terms, err := ReadTerms(block)
		if err == nil {
			err = terms.Collect(Range{Key{hi: lo}, Key{hi, hi}}, 3, NewSet(3))
		}
		if err != nil && !IsDamaged(err) {
			t.Fatal(err)
		}
	})
}

// FuzzTexts reads any block of texts, packed or not.
func FuzzTexts(f *testing.F) {
	file, _ := example(f)
	tail, err := OpenFile(file)
	if err != nil {
		f.Fatal(err)
	}
	at := tail.Text(0)
	f.Add(file[at.At+crcBytes:at.At+at.Size], 2)
	f.Add([]byte("\x02ab\x01c\xff\xff\xff\xff\xff\x0f"), 1)
	f.Fuzz(func(t *testing.T, body []byte, place int) {
		block := append(unsealed(nil), body...)
		seal(block)
		for _, b := range [][]byte{body, block, appendTexts(nil, body)} {
			texts, err := ReadTexts(b)
			if err == nil {
				_, _, err = texts.Get(min(max(place, 0), maxInBlock))
			}
			if err != nil && !IsDamaged(err) {
				t.Fatal(err)
			}
		}
	})
}
