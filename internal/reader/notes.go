package reader

import (
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NoteKind is what a person did.
type NoteKind uint8

// The kinds.
const (
	Clicked   NoteKind = iota + 1 // the original of an item
	TagOpened                     // the list of a tag
	Searched
)

// Note is one thing that a person did, for statistics.
type Note struct {
	Kind NoteKind
	Item ItemID // that was clicked
	Text string // the tag, or the words of the search
}

// Notes are a person's activity of the last days, oldest first. They are in a row that reading writes anyway, until the
// night has added them to the sums of their days. Values are never changed in place.
type Notes []byte

const (
	// NoteDays is the number of days for which notes are kept, not counting today.
	NoteDays = 3
	// MaxNotes bounds the bytes of all notes of a row.
	MaxNotes = 300
	// MaxNoteText bounds the text of a note, in characters.
	MaxNoteText = 40
)

// NoteText is a text as notes have it: in one form, whatever the case and the width of its letters, and not long.
func NoteText(s string) string {
	s = strings.Join(strings.Fields(strings.ToLower(norm.NFKC.String(s))), " ")
	for n := range s {
		if utf8.RuneCountInString(s[:n]) == MaxNoteText {
			return strings.TrimSpace(s[:n])
		}
	}
	return s
}

// Add returns the notes with those of today, without those that are too old. It reports false when there is no room for
// all: then none was added.
func (n Notes) Add(today Day, list []Note) (Notes, bool) {
	kept := n.Since(today)
	out := slices.Clip(kept)
	for _, one := range list {
		out = out.with(today, one)
	}
	if len(out) > MaxNotes {
		return kept, false
	}
	return out, true
}

// Since returns the notes without those that are too old today.
func (n Notes) Since(today Day) (out Notes) {
	for day, one := range n.All() {
		if day+NoteDays >= today {
			out = out.with(day, one)
		}
	}
	return out
}

func (n Notes) with(day Day, one Note) Notes {
	n = append(binary.AppendUvarint(n, uint64(day)), byte(one.Kind))
	if one.Kind == Clicked {
		return binary.AppendUvarint(n, uint64(one.Item))
	}
	return AppendText(n, one.Text)
}

// All iterates over the notes with their days. Damaged bytes end the walk.
func (n Notes) All() iter.Seq2[Day, Note] {
	return func(yield func(Day, Note) bool) {
		for d := (Decoder{Rest: string(n)}); d.More(); {
			day, one := Day(d.AtMost(math.MaxInt32)), Note{Kind: NoteKind(d.AtMost(uint64(Searched)))}
			if one.Kind == Clicked {
				one.Item = ItemID(d.Uvarint())
			} else {
				one.Text = d.Text()
			}
			if d.Bad || !yield(day, one) {
				return
			}
		}
	}
}
