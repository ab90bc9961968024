package library_test

import (
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
)

// A title that a person gives is whole or refused; one of a file is cut. Empty, it stands for the publisher's.
func TestTitles(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("題", library.MaxTitle+1)
	for in, want := range map[string]string{"": "", " \t": "", " a  b ": "a b", long[3:]: long[3:]} {
		if got, err := library.Title(in); err != nil || got != want || library.CutTitle(in) != want {
			t.Errorf("%q became %q, %v", in, got, err)
		}
	}
	for in, cut := range map[string]string{long: long[3:], "a\x00b": "ab", "\u200b": ""} {
		if got, err := library.Title(in); err == nil || library.CutTitle(in) != cut {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// TestWhatANameMayBe: what shows nothing is no name, whatever it is made of. (G-62)
func TestWhatANameMayBe(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", " \t\n", "\u3000", "\u200b", "\u200b \u200d\ufeff", "\u2060", "\u00ad", "\u115f\u1160", "\u3164", "\uffa0",
		"\u034f", "\ufe0f",
		"\u202e", "\U000e0020", "\u2800 \u2800", "a\x00b", "\x00", "a\x7f", "a\u0085b\x1b", "a\xffb",
		strings.Repeat("あ", 121),
	} {
		if name, err := library.Name(bad); fault.CodeOf(err) != "bad_name" {
			t.Errorf("%q became %q, %v", bad, name, err)
		}
		var tree library.Tree
		if _, err := tree.AddLabel(bad); fault.CodeOf(err) != "bad_name" {
			t.Errorf("a label %q: %v", bad, err)
		}
	}
	for in, want := range map[string]string{
		"  a \t b ": "a b", "か\u3099": "が", "👩\u200d💻": "👩\u200d💻", "\ue000": "\ue000", "-": "-",
		"می\u200cخواهم":          "می\u200cخواهم",
		strings.Repeat("あ", 120): strings.Repeat("あ", 120),
	} {
		if got, err := library.Name(in); err != nil || got != want {
			t.Errorf("%q became %q, %v", in, got, err)
		}
	}
	var tree library.Tree
	if at := tree.Ensure([]string{"\u200b", "a\x00b", "\u3164"}); strings.Join(tree.Path(at), "/") != "ab" {
		t.Errorf("a list's folders became %q", tree.Path(at))
	}
	bad := library.Tree{Folders: []library.Folder{{ID: 1, Name: "\u200b"}}, LastFolder: 1}
	if bad.Sound() {
		t.Error("a tree with an invisible name is read")
	}
}
