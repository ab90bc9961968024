package reader_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/reader"
)

// TestNotesAgainstAModel adds notes on random days, and compares with a list.
func TestNotesAgainstAModel(t *testing.T) {
	t.Parallel()
	type dated struct {
		day reader.Day
		reader.Note
	}
	rnd := rand.New(rand.NewPCG(15, 4))
	var notes reader.Notes
	var model []dated
	full := 0
	for day := reader.Day(20_000); day < 20_400; day += reader.Day(rnd.IntN(3)) {
		var list []reader.Note
		for range rnd.IntN(6) {
			kind := reader.NoteKind(1 + rnd.IntN(3))
			one := reader.Note{Kind: kind, Text: strings.Repeat("あb", rnd.IntN(20))}
			if kind == reader.Clicked {
				one = reader.Note{Kind: kind, Item: reader.ItemID(rnd.Uint64())}
			}
			list = append(list, one)
		}
		before := slices.Clone(notes)
		next, added := notes.Add(day, list)
		if !slices.Equal(before, notes) {
			t.Fatal("Add changed the notes that it was given")
		}
		model = slices.DeleteFunc(model, func(d dated) bool { return d.day+reader.NoteDays < day })
		if added {
			for _, one := range list {
				model = append(model, dated{day, one})
			}
		} else {
			full++
		}
		var got []dated
		for d, one := range next.All() {
			got = append(got, dated{d, one})
		}
		if !slices.Equal(got, model) || len(next) > reader.MaxNotes {
			t.Fatalf("day %d: %v in %d bytes, want %v", day, got, len(next), model)
		}
		notes = next
	}
	if full == 0 || full > 300 {
		t.Errorf("there was no room %d times", full)
	}
}

func TestNoteText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" Ｇｏ  GO ": "go go", "": "", "\t ": "", "ﾗｽﾄ": "ラスト", strings.Repeat("桜", 41): strings.Repeat("桜", 40),
		strings.Repeat("a", 39) + " b": strings.Repeat("a", 39),
	} {
		if got := reader.NoteText(in); got != want || reader.NoteText(got) != got {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func FuzzNotes(f *testing.F) {
	some, _ := reader.Notes(nil).Add(20_000,
		[]reader.Note{{Kind: reader.Clicked, Item: 7}, {Kind: reader.Searched, Text: "桜"}})
	f.Add([]byte(some), "Ｇｏ")
	f.Add([]byte{1, 9, 9}, "")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		text = reader.NoteText(text)
		if utf8.RuneCountInString(text) > reader.MaxNoteText {
			t.Errorf("%q is too long", text)
		}
		kept := reader.Notes(b).Since(0)
		if again := kept.Since(0); !slices.Equal(again, kept) {
			t.Errorf("%x became %x", kept, again)
		}
		if next, _ := reader.Notes(b).Add(1, []reader.Note{{Kind: reader.Searched, Text: text}}); len(next) >
			max(len(b), reader.MaxNotes) {
			t.Errorf("%d bytes", len(next))
		}
	})
}
