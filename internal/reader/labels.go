package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
)

// MaxLabel is the highest number of a label: four digits of a row's key.
const MaxLabel LabelID = 9999

// ErrBadLabels tells that bytes are not the canonical encoding of labels.
var ErrBadLabels = errors.New("not canonical labels")

// LabelSets holds, for each label, the items of one feed that have it: in rising order of the label's
// number an unsigned varint (how far above the one before), a varint (how many bytes follow) and the set.
// Nil is no label at all; equal contents are equal bytes, for no set is empty. Values are never changed in
// place. Damaged bytes end the walk: what cannot be read is not there.
type LabelSets []byte

// All walks the labels in order of their numbers.
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

// Of gives the items that have a label.
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

// With gives the labels with another set for one of them; an empty set takes it away. Numbers that no label
// has are ignored.
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

// Check verifies bytes from outside: canonical, and no member beyond last.
func (l LabelSets) Check(last Seq) error {
	var again LabelSets
	for n, set := range l.All() {
		if set.Check(last) != nil {
			return ErrBadLabels
		}
		again = again.With(n, set)
	}
	if !bytes.Equal(again, l) {
		return ErrBadLabels
	}
	return nil
}
