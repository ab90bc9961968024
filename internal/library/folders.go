package library

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// The bounds of a user's folders: with the labels they are one row.
const (
	MaxFolders     = 500
	MaxFolderDepth = 16
	// MaxFoldersOfFeed limits the folders of one feed.
	MaxFoldersOfFeed = 20
	// MaxPosition is the last place in a list that may be asked for.
	MaxPosition = 1_000_000
)

// Folder is one folder: its position among its siblings is their order in Tree.Folders.
type Folder struct {
	ID     reader.FolderID `json:"id"`
	Parent reader.FolderID `json:"parent,omitempty"`
	Name   string          `json:"name"`
}

// Tree is a user's nested folders, and labels. Operations change it in place, or leave it unchanged and return a fault.
// The zero value is an empty tree.
type Tree struct {
	Folders []Folder `json:"folders,omitempty"`
	Labels  []Label  `json:"labels,omitempty"`
	// The highest numbers ever used.
	LastFolder reader.FolderID `json:"lastFolder,omitempty"`
	LastLabel  reader.LabelID  `json:"lastLabel,omitempty"`
}

// Folder finds a folder by number.
func (t *Tree) Folder(id reader.FolderID) (Folder, bool) {
	if i := t.folder(id); i >= 0 {
		return t.Folders[i], true
	}
	return Folder{}, false
}

func (t *Tree) folder(id reader.FolderID) int {
	return slices.IndexFunc(t.Folders, func(f Folder) bool { return f.ID == id })
}

// Has reports whether a folder exists.
func (t *Tree) Has(id reader.FolderID) bool { return t.folder(id) >= 0 }

// Path returns the names from the top down; nil when the folder does not exist.
func (t *Tree) Path(id reader.FolderID) []string {
	var path []string
	for range MaxFolderDepth {
		i := t.folder(id)
		if i < 0 {
			break
		}
		path = append(path, t.Folders[i].Name)
		id = t.Folders[i].Parent
	}
	slices.Reverse(path)
	return path
}

// Paths returns the paths of those of some folders that exist.
func (t *Tree) Paths(ids []reader.FolderID) (paths [][]string) {
	for _, id := range ids {
		if t.Has(id) {
			paths = append(paths, t.Path(id))
		}
	}
	return paths
}

// Children returns the folders directly in one, or at the top, in order.
func (t *Tree) Children(parent reader.FolderID) []Folder {
	var out []Folder
	for _, f := range t.Folders {
		if f.Parent == parent {
			out = append(out, f)
		}
	}
	return out
}

// Around returns those of some folders that exist, each once, and then the folders around them: the page shows a feed
// in all of these.
func (t *Tree) Around(ids []reader.FolderID) []reader.FolderID {
	var out []reader.FolderID
	for _, id := range ids {
		if t.Has(id) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for i := 0; i < len(out); i++ {
		f, _ := t.Folder(out[i])
		if t.Has(f.Parent) && !slices.Contains(out, f.Parent) {
			out = append(out, f.Parent)
		}
	}
	return out
}

// Within returns a folder and all its descendants. The error is FolderGone.
func (t *Tree) Within(id reader.FolderID) ([]reader.FolderID, error) {
	if !t.Has(id) {
		return nil, FolderGone()
	}
	out := []reader.FolderID{id}
	for i := 0; i < len(out); i++ {
		for _, f := range t.Folders {
			if f.Parent == out[i] {
				out = append(out, f.ID)
			}
		}
	}
	return out, nil
}

// depth counts the levels down to a folder: 1 at the top, 0 for no folder.
func (t *Tree) depth(id reader.FolderID) int {
	n := 0
	for i := t.folder(id); i >= 0 && n <= MaxFolderDepth; i = t.folder(t.Folders[i].Parent) {
		n++
	}
	return n
}

// height counts the levels from a folder down to its deepest.
func (t *Tree) height(id reader.FolderID) int {
	h := 0
	for _, f := range t.Folders {
		if f.Parent == id {
			h = max(h, t.height(f.ID))
		}
	}
	return h + 1
}

// Find returns the folder of a name in another, zero when there is none.
func (t *Tree) Find(parent reader.FolderID, name string) reader.FolderID {
	for _, f := range t.Folders {
		if f.Parent == parent && f.Name == name {
			return f.ID
		}
	}
	return 0
}

// FolderGone is the error for a folder that does not exist.
func FolderGone() *fault.Error { return fault.Coded(fault.NotFound, "folder_not_found") }

func folderExists() error { return fault.Coded(fault.Conflict, "folder_exists") }

// AddFolder appends a folder to its parent's.
func (t *Tree) AddFolder(parent reader.FolderID, name string) (reader.FolderID, error) {
	name, err := Name(name)
	switch {
	case err != nil:
		return 0, err
	case parent != 0 && !t.Has(parent):
		return 0, FolderGone()
	case t.Find(parent, name) != 0:
		return 0, folderExists()
	case len(t.Folders) >= MaxFolders:
		return 0, fault.Coded(fault.Conflict, "folder_limit", MaxFolders)
	case t.depth(parent) >= MaxFolderDepth:
		return 0, tooDeep()
	}
	t.LastFolder++
	t.Folders = append(t.Folders, Folder{ID: t.LastFolder, Parent: parent, Name: name})
	return t.LastFolder, nil
}

func tooDeep() error {
	return fault.Coded(fault.Invalid, "folder_too_deep", MaxFolderDepth).At("parentId")
}

// CheckPath refuses a path of names from elsewhere when one is too long: cut, it would be another folder's.
func CheckPath(path []string) error {
	for _, name := range path {
		if name = cleanName(name); reader.Shows(name) {
			if _, err := Name(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ensure returns the folder at a path of names, creating what is missing; names that are not visible are left out.
// Beyond the limits, and at a name that CheckPath refuses, it returns the deepest folder that it reached.
func (t *Tree) Ensure(path []string) reader.FolderID {
	at := reader.FolderID(0)
	for _, name := range path {
		if name = cleanName(name); !reader.Shows(name) {
			continue
		}
		next := t.Find(at, name)
		if next == 0 {
			var err error
			if next, err = t.AddFolder(at, name); err != nil {
				return at
			}
		}
		at = next
	}
	return at
}

// EnsureFolder returns the folder of a name in another, and makes one where there is none.
func (t *Tree) EnsureFolder(parent reader.FolderID, name string) (reader.FolderID, error) {
	name, err := Name(name)
	if err != nil {
		return 0, err
	}
	if id := t.Find(parent, name); id != 0 {
		return id, nil
	}
	return t.AddFolder(parent, name)
}

// FolderChange is another name, parent or place of a folder; nil leaves it as it is.
type FolderChange struct {
	Name   *string
	Parent *reader.FolderID // zero: the top
	// Position is the place among its siblings, from 0; beyond them is the end, which is also where a folder comes that
	// moves without one.
	Position *int
}

// ChangeFolder renames a folder, or moves it with its contents, or both.
func (t *Tree) ChangeFolder(id reader.FolderID, c FolderChange) (err error) {
	i := t.folder(id)
	switch {
	case c == FolderChange{}:
		return fault.Coded(fault.Invalid, "nothing_to_change")
	case c.Position != nil && (*c.Position < 0 || *c.Position > MaxPosition):
		return fault.Coded(fault.Invalid, "bad_position", MaxPosition).At("position")
	case i < 0:
		return FolderGone()
	}
	f := t.Folders[i]
	if c.Parent != nil {
		f.Parent = *c.Parent
	}
	if c.Name != nil {
		if f.Name, err = Name(*c.Name); err != nil {
			return err
		}
	}
	inside, _ := t.Within(id)
	switch same := t.Find(f.Parent, f.Name); {
	case f.Parent != 0 && !t.Has(f.Parent):
		return FolderGone()
	case slices.Contains(inside, f.Parent):
		return fault.Coded(fault.Invalid, "folder_in_itself").At("parentId")
	case t.depth(f.Parent)+t.height(id) > MaxFolderDepth:
		return tooDeep()
	case same != 0 && same != id:
		return folderExists()
	}
	if c.Parent == nil && c.Position == nil {
		t.Folders[i] = f
		return nil
	}
	rest := slices.Delete(slices.Clone(t.Folders), i, i+1)
	at, before := len(rest), 0
	for j, o := range rest {
		if o.Parent != f.Parent || c.Position == nil {
			continue
		}
		if before == *c.Position {
			at = j
			break
		}
		before++
	}
	t.Folders = slices.Insert(rest, at, f)
	return nil
}

// DeleteFolder deletes a folder. The folders in it move up into its place, numbered where a name is taken there.
// Service.DeleteFolder moves its feeds, too: a reference to a deleted folder means nothing.
func (t *Tree) DeleteFolder(id reader.FolderID) error {
	i := t.folder(id)
	if i < 0 {
		return FolderGone()
	}
	parent, inside := t.Folders[i].Parent, t.Children(id)
	t.Folders = slices.Delete(slices.Clone(t.Folders), i, i+1)
	for n, f := range inside {
		at := t.folder(f.ID)
		t.Folders = slices.Delete(t.Folders, at, at+1)
		if at < i {
			i--
		}
		f.Parent, f.Name = parent, t.free(parent, f.Name)
		t.Folders = slices.Insert(t.Folders, i+n, f)
	}
	return nil
}

// free returns a name that no folder of a parent has: the one given, or with a number behind it.
func (t *Tree) free(parent reader.FolderID, name string) string {
	out := name
	for n := 2; t.Find(parent, out) != 0; n++ {
		number := fmt.Sprintf(" (%d)", n)
		out = strings.TrimSpace(reader.Cut(name, maxNameRunes-len(number))) + number
	}
	return out
}

// Merge adds the folders of some paths, and labels, of another installation. It returns an error for each that could
// not be added.
func (t *Tree) Merge(paths [][]string, labels []string) (failed []error) {
	for _, path := range paths {
		if err := CheckPath(path); err != nil {
			failed = append(failed, err)
		}
		t.Ensure(path)
	}
	for _, name := range labels {
		if _, err := t.EnsureLabel(name); err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

// OrderFolders orders the folders directly in one: those named first, then the others as they were.
func (t *Tree) OrderFolders(parent reader.FolderID, ids []reader.FolderID) error {
	for _, id := range ids {
		if !t.Has(id) {
			return FolderGone()
		}
	}
	next, err := reorder(t.Children(parent), func(f Folder) reader.FolderID { return f.ID }, ids)
	if err != nil {
		return err
	}
	// The siblings change places among themselves; the others stay where they are.
	folders := slices.Clone(t.Folders)
	for i := range folders {
		if folders[i].Parent == parent {
			folders[i], next = next[0], next[1:]
		}
	}
	t.Folders = folders
	return nil
}

// reorder returns a list with the elements of some ids first, in their order. Each id must be one of the list, and only
// once.
func reorder[T any, ID comparable](list []T, idOf func(T) ID, ids []ID) ([]T, error) {
	rank := map[ID]int{} // negative for those that come first
	for i, id := range ids {
		if rank[id] < 0 || !slices.ContainsFunc(list, func(x T) bool { return idOf(x) == id }) {
			return nil, fault.Coded(fault.Invalid, "bad_order").At("ids")
		}
		rank[id] = i - len(ids)
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b T) int { return rank[idOf(a)] - rank[idOf(b)] })
	return out, nil
}
