package reader

import (
	"encoding/binary"
	"iter"
)

// MaxLabel is the highest number of a label: four digits of a row's key.
const MaxLabel LabelID = 9999

// LabelSets holds, for each label, the items of one feed that have it: in rising order of the label's number an
// unsigned varint (the difference to the number before), a varint (the length of the set) and the set. Nil has no
// label; no set is empty, so equal contents are equal bytes. Values are never changed in place. Damaged bytes end the
// walk.
type LabelSets []byte

// All iterates over the labels in order of their numbers.
func (l LabelSets) All() iter.Seq2[LabelID, SeqSet] {
	return func(yield func(LabelID, SeqSet) bool) {
		b, at := []byte(l), uint64(0)
		for len(b) > 0 {
			gap, k := uvarint(b)
			if k <= 0 || gap > uint64(MaxLabel) || gap == 0 {
				return
			}
			n, m := uvarint(b[k:])
			if m <= 0 || n > uint64(len(b)-k-m) {
				return
			}
			if at += gap; at > uint64(MaxLabel) {
				return
			}
			b = b[k+m:]
			if !yield(LabelID(at), SeqSet(b[:n:n])) {
				return
			}
			b = b[n:]
		}
	}
}

// Of returns the items that have a label.
func (l LabelSets) Of(label LabelID) SeqSet {
	for n, set := range l.All() {
		if n == label {
			return set
		}
	}
	return nil
}

// On lists the labels of one item, in order of their numbers.
func (l LabelSets) On(seq Seq) []LabelID {
	var out []LabelID
	for n, set := range l.All() {
		if set.Has(seq) {
			out = append(out, n)
		}
	}
	return out
}

// With returns the labels with another set for one of them; an empty set removes it. Invalid numbers are ignored.
func (l LabelSets) With(label LabelID, set SeqSet) LabelSets {
	if label <= 0 || label > MaxLabel {
		return l
	}
	out := make([]byte, 0, len(l)+len(set)+4)
	at, done := LabelID(0), false
	put := func(n LabelID, s SeqSet) {
		if len(s) > 0 {
			out = binary.AppendUvarint(out, uint64(n-at))
			out = binary.AppendUvarint(out, uint64(len(s)))
			out, at = append(out, s...), n
		}
	}
	for n, s := range l.All() {
		if !done && n >= label {
			put(label, set)
			done = true
		}
		if n != label {
			put(n, s)
		}
	}
	if !done {
		put(label, set)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
