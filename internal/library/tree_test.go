package library_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
)

// outline draws a tree: each folder as its names with slashes, and _ for a space, in the order of a side bar.
func outline(t *library.Tree) string {
	var out []string
	var walk func(reader.FolderID)
	walk = func(parent reader.FolderID) {
		for _, f := range t.Children(parent) {
			out = append(out, strings.ReplaceAll(strings.Join(t.Path(f.ID), "/"), " ", "_"))
			walk(f.ID)
		}
	}
	walk(0)
	return strings.Join(out, " ")
}

// planted makes A (1), A/B (2), A/B/C (3), D (4), A/E (5).
func planted(t *testing.T) *library.Tree {
	t.Helper()
	tree := new(library.Tree)
	for _, path := range [][]string{{"A", "B", "C"}, {"D"}, {"A", "E"}} {
		tree.Ensure(path)
	}
	if got := outline(tree); got != "A A/B A/B/C A/E D" {
		t.Fatal(got)
	}
	return tree
}

// Folders are nested, ordered, renamed and deleted (R-105, G-63).
func TestTreeOperations(t *testing.T) {
	t.Parallel()
	add := func(parent reader.FolderID, name string) func(*library.Tree) error {
		return func(t *library.Tree) error { _, err := t.AddFolder(parent, name); return err }
	}
	change := func(id reader.FolderID, c library.FolderChange) func(*library.Tree) error {
		return func(t *library.Tree) error { return t.ChangeFolder(id, c) }
	}
	rename := func(id reader.FolderID, name string) func(*library.Tree) error {
		return change(id, library.FolderChange{Name: &name})
	}
	move := func(id, parent reader.FolderID, at int) func(*library.Tree) error {
		return change(id, library.FolderChange{Parent: &parent, Position: &at})
	}
	top, name, e := reader.FolderID(0), "Z", "E"
	order := func(parent reader.FolderID, ids ...reader.FolderID) func(*library.Tree) error {
		return func(t *library.Tree) error { return t.OrderFolders(parent, ids) }
	}
	for _, c := range []struct {
		name string
		do   func(*library.Tree) error
		want string // the outline, or the code of the fault
	}{
		{"add at the top", add(0, " New  one\n"), "A A/B A/B/C A/E D New_one"},
		{"add inside", add(4, "A"), "A A/B A/B/C A/E D D/A"},
		{"composed as others write it", add(0, "か\u3099"), "A A/B A/B/C A/E D が"},
		{"a name that is there", add(1, "B"), "folder_exists"},
		{"a parent that is not", add(9, "B"), "folder_not_found"},
		{"no name", add(0, " \t"), "bad_name"},
		{"a long name", add(0, strings.Repeat("長", 121)), "bad_name"},
		{"a control character", add(0, "a\x01b"), "bad_name"},
		{"not text", add(0, "a\xffb"), "bad_name"},
		{"rename", rename(2, "Z"), "A A/Z A/Z/C A/E D"},
		{"rename to itself", rename(2, "B"), "A A/B A/B/C A/E D"},
		{"rename to a sibling", rename(2, "E"), "folder_exists"},
		{"rename what is not there", rename(9, "E"), "folder_not_found"},
		{"move to the top", move(2, 0, 1), "A A/E B B/C D"},
		{"move to the end", move(2, 0, 99), "A A/E D B B/C"},
		{"move to the front", move(4, 1, 0), "A A/D A/B A/B/C A/E"},
		{"move within its parent", move(2, 1, 1), "A A/E A/B A/B/C D"},
		{"move into itself", move(1, 1, 0), "folder_in_itself"},
		{"move into what is in it", move(1, 3, 0), "folder_in_itself"},
		{"move to nowhere", move(1, 9, 0), "folder_not_found"},
		{"move before the front", move(1, 0, -1), "bad_position"},
		{"move far beyond the end", move(1, 0, library.MaxPosition+1), "bad_position"},
		{"move without a place", change(5, library.FolderChange{Parent: &top}), "A A/B A/B/C D E"},
		{"move under another name", change(2, library.FolderChange{Parent: &top, Name: &name}), "A A/E D Z Z/C"},
		{"a name that is free where it goes", change(2, library.FolderChange{Parent: &top, Name: &e}), "A A/E D E E/C"},
		{"change nothing", change(2, library.FolderChange{}), "nothing_to_change"},
		{"delete: what is in it moves up", func(t *library.Tree) error { return t.DeleteFolder(2) }, "A A/C A/E D"},
		{"delete at the top", func(t *library.Tree) error { return t.DeleteFolder(1) }, "B B/C E D"},
		{"delete what is not there", func(t *library.Tree) error { return t.DeleteFolder(9) }, "folder_not_found"},
		{"order", order(0, 4, 1), "D A A/B A/B/C A/E"},
		{"order some", order(1, 5), "A A/E A/B A/B/C D"},
		{"order one twice", order(1, 5, 5), "bad_order"},
		{"order what is elsewhere", order(1, 4), "bad_order"},
	} {
		tree := planted(t)
		before := outline(tree)
		err := c.do(tree)
		if err != nil {
			if fault.CodeOf(err) != c.want || outline(tree) != before {
				t.Errorf("%s: %v, %s", c.name, err, outline(tree))
			}
			continue
		}
		if got := outline(tree); got != c.want || !tree.Sound() {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	tree := planted(t)
	if err := tree.DeleteFolder(4); err != nil {
		t.Fatal(err)
	}
	if id, err := tree.AddFolder(0, "D"); err != nil || id != 6 {
		t.Errorf("a number was given out again: %d, %v", id, err)
	}
	if got, _ := tree.Within(1); !slices.Equal(got, []reader.FolderID{1, 2, 5, 3}) {
		t.Errorf("within A: %v", got)
	}
}

func TestTreeBounds(t *testing.T) {
	t.Parallel()
	tree := new(library.Tree)
	deep := make([]string, library.MaxFolderDepth+5)
	for i := range deep {
		deep[i] = "level"
	}
	at := tree.Ensure(deep)
	if len(tree.Path(at)) != library.MaxFolderDepth {
		t.Errorf("%d levels", len(tree.Path(at)))
	}
	if _, err := tree.AddFolder(at, "deeper"); fault.CodeOf(err) != "folder_too_deep" {
		t.Error(err)
	}
	// x/y is two levels high: it does not fit below the last but one.
	x, err := tree.AddFolder(0, "x")
	if err == nil {
		_, err = tree.AddFolder(x, "y")
	}
	if err != nil {
		t.Fatal(err)
	}
	last, _ := tree.Folder(at)
	if err := tree.ChangeFolder(x, library.FolderChange{Parent: &last.Parent}); fault.CodeOf(err) != "folder_too_deep" {
		t.Error(err)
	}
	long := []string{"a", " ", strings.Repeat("長", 121)}
	if id := tree.Ensure(long); fault.CodeOf(library.CheckPath(long)) != "bad_name" ||
		library.CheckPath(long[:2]) != nil || strings.Join(tree.Path(id), "/") != "a" {
		t.Errorf("a long name: %v", tree.Path(id))
	}
	for i := range library.MaxFolders {
		tree.Ensure([]string{"many", strconv.Itoa(i)})
	}
	if len(tree.Folders) != library.MaxFolders || !tree.Sound() {
		t.Errorf("%d folders", len(tree.Folders))
	}
	if _, err := tree.AddFolder(0, "one more"); fault.CodeOf(err) != "folder_limit" {
		t.Error(err)
	}
	if id := tree.Ensure([]string{"many", "one more"}); strings.Join(tree.Path(id), "/") != "many" {
		t.Errorf("no room: %v", tree.Path(id))
	}
	for i := range library.MaxLabels + 1 {
		_, err = tree.AddLabel(strconv.Itoa(i))
	}
	if fault.CodeOf(err) != "label_limit" || len(tree.Labels) != library.MaxLabels {
		t.Errorf("%d labels, %v", len(tree.Labels), err)
	}
	if n := len(tree.Encode()); n > 24<<10 {
		t.Errorf("the tree is %d bytes", n)
	}
}

// What moves up out of a deleted folder keeps its order, and all that is in it. A name that is taken there gets a
// number.
func TestDeletedFoldersContents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("長", 120)
	for _, c := range []struct {
		paths, deleted, want string
	}{
		{"X A A/1 A/2 A/2/in Y", "A", "X 1 2 2/in Y"},
		{"A/1 X A/2 A/1/in", "A", "1 1/in 2 X"},
		{"X/1 Y X/A X/A/2 X/A/1/in", "X/A", "X X/1 X/2 X/1_(2) X/1_(2)/in Y"},
		{"1 1_(2) A/1", "A", "1 1_(2) 1_(3)"},
		{"A/A A/B", "A", "A B"}, // its own name is free then
		{long + " A/" + long, "A", long + " " + strings.Repeat("長", 116) + "_(2)"},
	} {
		tree, at := new(library.Tree), map[string]reader.FolderID{}
		for _, path := range strings.Fields(c.paths) {
			at[path] = tree.Ensure(strings.Split(strings.ReplaceAll(path, "_", " "), "/"))
		}
		gone := at[c.deleted]
		if gone == 0 {
			gone = tree.Find(0, c.deleted)
		}
		before := len(tree.Folders)
		err := tree.DeleteFolder(gone)
		if got := outline(tree); err != nil || got != c.want || !tree.Sound() ||
			len(tree.Folders) != before-1 {
			t.Errorf("%s without %s: %s, %v", c.paths, c.deleted, got, err)
		}
	}
}

// Labels are made, renamed, ordered and deleted.
func TestTreeLabels(t *testing.T) {
	t.Parallel()
	words := func(t *library.Tree) string {
		var out []string
		for _, l := range t.Labels {
			out = append(out, l.Name)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		name string
		do   func(*library.Tree) error
		want string
	}{
		{"add", func(t *library.Tree) error { _, err := t.AddLabel(" d "); return err }, "a b c d"},
		{"add again", func(t *library.Tree) error { _, err := t.AddLabel("b"); return err }, "label_exists"},
		{"rename", func(t *library.Tree) error { return t.RenameLabel(2, "z") }, "a z c"},
		{"rename to another", func(t *library.Tree) error { return t.RenameLabel(2, "c") }, "label_exists"},
		{"rename what is not there", func(t *library.Tree) error { return t.RenameLabel(9, "c") }, "label_not_found"},
		{"rename to nothing", func(t *library.Tree) error { return t.RenameLabel(1, "") }, "bad_name"},
		{"delete", func(t *library.Tree) error { return t.DeleteLabel(1) }, "b c"},
		{"delete what is not there", func(t *library.Tree) error { return t.DeleteLabel(4) }, "label_not_found"},
		{"order", func(t *library.Tree) error { return t.OrderLabels([]reader.LabelID{3}) }, "c a b"},
		{"order twice", func(t *library.Tree) error { return t.OrderLabels([]reader.LabelID{3, 3}) }, "bad_order"},
		{"order what is not there", func(t *library.Tree) error {
			return t.OrderLabels([]reader.LabelID{7})
		}, "label_not_found"},
	} {
		tree := new(library.Tree)
		for _, name := range []string{"a", "b", "c"} {
			if _, err := tree.AddLabel(name); err != nil {
				t.Fatal(err)
			}
		}
		var got string
		if err := c.do(tree); err != nil {
			got = fault.CodeOf(err)
		} else {
			got = words(tree)
		}
		if got != c.want || !tree.Sound() {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Whatever is done, the tree is sound and its bytes read as it was.
func TestTreeStaysSound(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	var tree library.Tree
	any := func() reader.FolderID { return reader.FolderID(rng.IntN(int(tree.LastFolder) + 2)) }
	name := func() string { return string(rune('a' + rng.IntN(12))) }
	done := map[bool]int{}
	for i := range 2000 {
		var err error
		switch k := rng.IntN(10); {
		case k < 4:
			_, err = tree.AddFolder(any(), name())
		case k < 5:
			to := name()
			err = tree.ChangeFolder(any(), library.FolderChange{Name: &to})
		case k < 7:
			to, at := any(), rng.IntN(4)
			err = tree.ChangeFolder(any(), library.FolderChange{Parent: &to, Position: &at})
		case k < 8:
			err = tree.OrderFolders(any(), []reader.FolderID{any(), any()})
		case k < 9:
			_, err = tree.AddLabel(name())
		default:
			if err = tree.DeleteLabel(reader.LabelID(rng.IntN(int(tree.LastLabel) + 1))); rng.IntN(4) == 0 {
				err = tree.DeleteFolder(any())
			}
		}
		done[err == nil]++
		if !tree.Sound() {
			t.Fatalf("step %d: %+v", i, tree)
		}
		back, err := library.DecodeTree(tree.Encode())
		if err != nil || outline(&back) != outline(&tree) || len(back.Labels) != len(tree.Labels) ||
			back.LastFolder != tree.LastFolder {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if done[true] < 500 || done[false] < 500 {
		t.Errorf("operations that did something: %v", done)
	}
}

// TestReadLaterLabel: one label is that of items to read later, whatever its name becomes, until it is deleted.
func TestReadLaterLabel(t *testing.T) {
	t.Parallel()
	tree := library.Tree{}
	old, _ := tree.AddLabel("Read later")
	id, err := tree.EnsureReadLater("Read later")
	if err != nil || id != old || tree.ReadLater() != old {
		t.Fatalf("%d, %v: %+v", id, err, tree)
	}
	if err := tree.RenameLabel(id, "Tonight"); err != nil {
		t.Fatal(err)
	}
	if again, err := tree.EnsureReadLater("あとで読む"); err != nil || again != id ||
		len(tree.Labels) != 1 {
		t.Errorf("%d, %v: %+v", again, err, tree)
	}
	back, err := library.DecodeTree(tree.Encode())
	if err != nil || back.ReadLater() != id {
		t.Errorf("%v: %+v", err, back)
	}
	if err := tree.DeleteLabel(id); err != nil || tree.ReadLater() != 0 {
		t.Errorf("%v: %+v", err, tree)
	}
	if next, err := tree.EnsureReadLater("あとで読む"); err != nil || next == id {
		t.Errorf("%d, %v: %+v", next, err, tree)
	}
}

// FuzzTree: bytes are refused, or are a sound tree whose bytes are read again.
func FuzzTree(f *testing.F) {
	tree := library.Tree{}
	tree.Ensure([]string{"A", "長い名前"})
	_, _ = tree.AddLabel("label")
	f.Add(tree.Encode())
	f.Add([]byte{1, 1, 0, 1, 1, 1, 1, 'a', 0})
	f.Add([]byte{1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		tree, err := library.DecodeTree(b)
		if err != nil {
			return
		}
		if !tree.Sound() {
			t.Errorf("read what is not sound: %+v", tree)
		}
		again, err := library.DecodeTree(tree.Encode())
		if err != nil || outline(&again) != outline(&tree) {
			t.Errorf("%v: %+v", err, tree)
		}
	})
}
