package store

import (
	"encoding/binary"
	"slices"

	"github.com/ruri-reader/ruri/internal/reader"
)

// keptEdits is how many of a feed's edited deltas are named one by one.
const keptEdits = 16

// NoteEdits counts edits of deltas, in the write that follows them on condition of SameEdits.
func (f *FeedRow) NoteEdits(firsts []reader.Seq) {
	if len(firsts) == 0 {
		return
	}
	f.Edits += uint32(len(firsts))
	all := append(f.editedSeqs(), firsts...)
	var packed []byte
	last := reader.Seq(0)
	for _, seq := range all[max(0, len(all)-keptEdits):] {
		packed = binary.AppendVarint(packed, int64(seq)-int64(last))
		last = seq
	}
	f.EditedSeqs = packed
}

// NoteEditOfAll counts an edit that may have changed every delta of the feed.
func (f *FeedRow) NoteEditOfAll() {
	f.Edits++
	f.EditedSeqs = nil // fewer names than edits: EditedSince answers all
}

// EditedSince returns the first seqs of deltas edited after the first so many edits; all if any may have been, after
// too many edits or during a replay.
func (f *FeedRow) EditedSince(covered uint32) (firsts []reader.Seq, all bool) {
	if f.Edited < 0 {
		return nil, true
	}
	if covered >= f.Edits { // also of a row that is older than the covered ones
		return nil, false
	}
	named := f.editedSeqs()
	n := int(f.Edits - covered)
	if n > len(named) {
		return nil, true
	}
	firsts = named[len(named)-n:]
	slices.Sort(firsts)
	return slices.Compact(firsts), false
}

// editedSeqs unpacks the named edits, the newest last.
func (f *FeedRow) editedSeqs() (list []reader.Seq) {
	r := reader.Decoder{Rest: string(f.EditedSeqs)}
	last := int64(0)
	for r.More() {
		if last += r.Varint(); r.Bad {
			return nil
		}
		list = append(list, reader.Seq(last))
	}
	return list
}
