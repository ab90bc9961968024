package reader

import (
	"bytes"
	"errors"
)

// Operations and checks that only tests need.

// UnreadSeqs returns the unread seqs in (floor, last], newest first when desc.
func (r ReadState) UnreadSeqs(floor, last Seq, desc bool) (out []Seq) {
	if desc {
		for at := r.LastUnread(floor, last); at > 0; at = r.LastUnread(floor, at-1) {
			out = append(out, at)
		}
		return out
	}
	for at := r.FirstUnread(floor, last); at > 0; at = r.FirstUnread(at, last) {
		out = append(out, at)
	}
	return out
}

// MarkRead returns the state with the seqs read.
func (r ReadState) MarkRead(seqs ...Seq) ReadState {
	d := r.draft()
	for _, seq := range seqs {
		d.read(seq, seq)
	}
	return d.done()
}

// MarkUnread returns the state with the seqs unread.
func (r ReadState) MarkUnread(seqs ...Seq) ReadState {
	d := r.draft()
	for _, seq := range seqs {
		d.unread(seq, seq)
	}
	return d.done()
}

// MarkReadRange returns the state with the seqs of a range read, both ends inclusive.
func (r ReadState) MarkReadRange(from, to Seq) ReadState {
	d := r.draft()
	d.read(from, to)
	return d.done()
}

// MarkUnreadRange returns the state with the seqs of a range unread, both ends inclusive.
func (r ReadState) MarkUnreadRange(from, to Seq) ReadState {
	d := r.draft()
	d.unread(from, to)
	return d.done()
}

// AddRange returns the set with a range of seqs added, both ends inclusive.
func (s SeqSet) AddRange(from, to Seq) SeqSet { return encode(0, insert(decode(0, s), from, to)) }

var errNotCanonical = errors.New("not canonical")

// Check reports an error unless the state is canonical and has read nothing beyond last.
func (r ReadState) Check(last Seq) error {
	if r.Upto > MaxSeq || memberOf(r.Upto, r.Runs, r.Upto+1) {
		return errNotCanonical
	}
	return checkRuns(r.Upto, r.Runs, last)
}

// Check reports an error unless the set is canonical and has no member beyond last.
func (s SeqSet) Check(last Seq) error { return checkRuns(0, s, last) }

// Check reports an error unless the labels are canonical and no item is beyond last.
func (l LabelSets) Check(last Seq) error {
	var again LabelSets
	for n, set := range l.All() {
		if set.Check(last) != nil {
			return errNotCanonical
		}
		again = again.With(n, set)
	}
	if !bytes.Equal(again, l) {
		return errNotCanonical
	}
	return nil
}

func checkRuns(base Seq, b []byte, last Seq) error {
	if b == nil {
		return nil
	}
	// The shorter form is never longer than the bitmap of the whole span, which bounds what decoding costs.
	if last <= base || len(b) > 7+int(last-base)/8 {
		return errNotCanonical
	}
	set := decode(base, b)
	if len(set) == 0 || set[len(set)-1].To > last || !bytes.Equal(encode(base, set), b) {
		return errNotCanonical
	}
	return nil
}
