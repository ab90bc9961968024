package reader

import (
	"slices"

	"github.com/ruri-reader/ruri/internal/fault"
)

// The bounds of a user's tree: all of it is one row, far below what a row may hold.
const (
	MaxFolders     = 500
	MaxLabels      = 200
	MaxFolderDepth = 16
)

// FolderID numbers a folder within its user's tree; zero is none, that is the top. Numbers are not given out again,
// so that what still names a folder that is gone is in no folder.
type FolderID int32

// LabelID numbers a label as FolderID does a folder.
type LabelID int32

// Folder is one folder: its place among those of the same parent is its order in Tree.Folders.
type Folder struct {
	ID, Parent FolderID
	Name       string
}

// Label is what items can be marked with; the order is that of Tree.Labels.
type Label struct {
	ID   LabelID
	Name string
}

// Tree is how a user orders subscriptions and items: nested folders, and labels. Operations change it in place or
// leave it as it was and give a fault. The zero value is an empty tree.
type Tree struct {
	Folders []Folder
	Labels  []Label
	// The highest numbers ever given out.
	LastFolder FolderID
	LastLabel  LabelID
}

// Clone gives a copy that shares nothing.
func (t *Tree) Clone() Tree {
	c := *t
	c.Folders, c.Labels = slices.Clone(t.Folders), slices.Clone(t.Labels)
	return c
}

// Folder finds a folder by number.
func (t *Tree) Folder(id FolderID) (Folder, bool) {
	if i := t.folder(id); i >= 0 {
		return t.Folders[i], true
	}
	return Folder{}, false
}

func (t *Tree) folder(id FolderID) int {
	return slices.IndexFunc(t.Folders, func(f Folder) bool { return f.ID == id })
}

// Has tells whether a folder is there.
func (t *Tree) Has(id FolderID) bool { return t.folder(id) >= 0 }

// Path gives the names from the outside in; nil when the folder is not there.
func (t *Tree) Path(id FolderID) []string {
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

// Children gives the folders directly in one, or at the top, in order.
func (t *Tree) Children(parent FolderID) []Folder {
	var out []Folder
	for _, f := range t.Folders {
		if f.Parent == parent {
			out = append(out, f)
		}
	}
	return out
}

// Within gives a folder and all folders in it, however deep.
func (t *Tree) Within(id FolderID) []FolderID {
	if !t.Has(id) {
		return nil
	}
	out := []FolderID{id}
	for i := 0; i < len(out); i++ {
		for _, f := range t.Folders {
			if f.Parent == out[i] {
				out = append(out, f.ID)
			}
		}
	}
	return out
}

// depth counts the levels down to a folder: 1 at the top, 0 for no folder.
func (t *Tree) depth(id FolderID) int {
	n := 0
	for i := t.folder(id); i >= 0 && n <= MaxFolderDepth; i = t.folder(t.Folders[i].Parent) {
		n++
	}
	return n
}

// height counts the levels from a folder down to its deepest.
func (t *Tree) height(id FolderID) int {
	h := 0
	for _, f := range t.Folders {
		if f.Parent == id {
			h = max(h, t.height(f.ID))
		}
	}
	return h + 1
}

// Find gives the folder of a name in another, zero when there is none.
func (t *Tree) Find(parent FolderID, name string) FolderID {
	for _, f := range t.Folders {
		if f.Parent == parent && f.Name == name {
			return f.ID
		}
	}
	return 0
}

func folderGone() error {
	return fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
}

// AddFolder makes a folder at the end of its parent's.
func (t *Tree) AddFolder(parent FolderID, name string) (FolderID, error) {
	name, err := Name(name)
	switch {
	case err != nil:
		return 0, err
	case parent != 0 && !t.Has(parent):
		return 0, folderGone()
	case t.Find(parent, name) != 0:
		return 0, fault.Newf(fault.Conflict, "folder_exists", "There is already a folder of this name here.")
	case len(t.Folders) >= MaxFolders:
		return 0, fault.Newf(fault.Conflict, "folder_limit", "There are %d folders, the most there may be. Delete one to make room.", MaxFolders)
	case t.depth(parent) >= MaxFolderDepth:
		return 0, tooDeep()
	}
	t.LastFolder++
	t.Folders = append(t.Folders, Folder{ID: t.LastFolder, Parent: parent, Name: name})
	return t.LastFolder, nil
}

func tooDeep() error {
	return fault.Newf(fault.Invalid, "folder_too_deep", "Folders are nested at most %d deep.", MaxFolderDepth).At("parentId")
}

// Ensure finds the folder at a path of names, making what is missing. Names are cut as CutName does. Where there is
// no room for a further folder, or the path is too deep, what it reaches is the deepest folder that there is.
func (t *Tree) Ensure(path []string) FolderID {
	at := FolderID(0)
	for _, name := range path {
		name = CutName(name)
		if name == "" {
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

// RenameFolder gives a folder another name.
func (t *Tree) RenameFolder(id FolderID, name string) error {
	i := t.folder(id)
	if i < 0 {
		return folderGone()
	}
	name, err := Name(name)
	if err != nil {
		return err
	}
	if same := t.Find(t.Folders[i].Parent, name); same != 0 && same != id {
		return fault.Newf(fault.Conflict, "folder_exists", "There is already a folder of this name here.")
	}
	t.Folders[i].Name = name
	return nil
}

// MoveFolder puts a folder, with all in it, into another or to the top, before the folder that stands at position
// (from 0) among its new siblings; a position beyond them is the end.
func (t *Tree) MoveFolder(id, parent FolderID, position int) error {
	i := t.folder(id)
	switch {
	case i < 0, parent != 0 && !t.Has(parent):
		return folderGone()
	case slices.Contains(t.Within(id), parent):
		return fault.Newf(fault.Invalid, "folder_in_itself", "A folder cannot be moved into itself.").At("parentId")
	case t.depth(parent)+t.height(id) > MaxFolderDepth:
		return tooDeep()
	}
	f := t.Folders[i]
	if same := t.Find(parent, f.Name); same != 0 && same != id {
		return fault.Newf(fault.Conflict, "folder_exists", "There is already a folder of this name here.")
	}
	f.Parent = parent
	rest := slices.Delete(slices.Clone(t.Folders), i, i+1)
	at, seen := len(rest), 0
	for j, o := range rest {
		if o.Parent != parent {
			continue
		}
		if seen == max(position, 0) {
			at = j
			break
		}
		seen++
	}
	t.Folders = slices.Insert(rest, at, f)
	return nil
}

// DeleteFolder takes a folder and those in it away. Feeds are not touched: they are in the folders that they name
// and that are there.
func (t *Tree) DeleteFolder(id FolderID) error {
	gone := t.Within(id)
	if len(gone) == 0 {
		return folderGone()
	}
	t.Folders = slices.DeleteFunc(slices.Clone(t.Folders), func(f Folder) bool { return slices.Contains(gone, f.ID) })
	return nil
}

// OrderFolders puts the folders directly in one into an order: those named first, then the others as they were.
func (t *Tree) OrderFolders(parent FolderID, ids []FolderID) error {
	for i, id := range ids {
		f, ok := t.Folder(id)
		if !ok {
			return folderGone()
		}
		if f.Parent != parent || slices.Contains(ids[:i], id) {
			return fault.Newf(fault.Invalid, "bad_order", "An order names each thing of one list once.").At("ids")
		}
	}
	// The siblings change places among themselves; the others stay where they are.
	next := make([]Folder, 0, len(ids))
	for _, id := range ids {
		f, _ := t.Folder(id)
		next = append(next, f)
	}
	for _, f := range t.Children(parent) {
		if !slices.Contains(ids, f.ID) {
			next = append(next, f)
		}
	}
	folders := slices.Clone(t.Folders)
	for i := range folders {
		if folders[i].Parent == parent {
			folders[i], next = next[0], next[1:]
		}
	}
	t.Folders = folders
	return nil
}
