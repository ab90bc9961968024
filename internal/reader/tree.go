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

// FolderID numbers a folder within its user's tree; zero means the top. Numbers are not used again, so that a reference
// to a deleted folder means none.
type FolderID int32

// LabelID numbers a label, like FolderID a folder.
type LabelID int32

// Folder is one folder: its position among its siblings is their order in Tree.Folders.
type Folder struct {
	ID, Parent FolderID
	Name       string
}

// Label can be put on items; the order is that of Tree.Labels.
type Label struct {
	ID   LabelID
	Name string
}

// Tree is a user's nested folders, and labels. Operations change it in place, or leave it unchanged and return a fault.
// The zero value is an empty tree.
type Tree struct {
	Folders []Folder
	Labels  []Label
	// The highest numbers ever used.
	LastFolder FolderID
	LastLabel  LabelID
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

// Has reports whether a folder exists.
func (t *Tree) Has(id FolderID) bool { return t.folder(id) >= 0 }

// Path returns the names from the top down; nil when the folder does not exist.
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

// Paths returns the paths of those of some folders that exist.
func (t *Tree) Paths(ids []FolderID) (paths [][]string) {
	for _, id := range ids {
		if t.Has(id) {
			paths = append(paths, t.Path(id))
		}
	}
	return paths
}

// Children returns the folders directly in one, or at the top, in order.
func (t *Tree) Children(parent FolderID) []Folder {
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
func (t *Tree) Around(ids []FolderID) []FolderID {
	var out []FolderID
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

// Within returns a folder and all its descendants; nil when it does not exist.
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

// Find returns the folder of a name in another, zero when there is none.
func (t *Tree) Find(parent FolderID, name string) FolderID {
	for _, f := range t.Folders {
		if f.Parent == parent && f.Name == name {
			return f.ID
		}
	}
	return 0
}

func folderGone() error {
	return fault.Coded(fault.NotFound, "folder_not_found")
}

func folderExists() error { return fault.Coded(fault.Conflict, "folder_exists") }

// AddFolder appends a folder to its parent's.
func (t *Tree) AddFolder(parent FolderID, name string) (FolderID, error) {
	name, err := Name(name)
	switch {
	case err != nil:
		return 0, err
	case parent != 0 && !t.Has(parent):
		return 0, folderGone()
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
		if name = cleanName(name); Shows(name) {
			if _, err := Name(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Ensure returns the folder at a path of names, creating what is missing; names that are not visible are left out.
// Beyond the limits, and at a name that CheckPath refuses, it returns the deepest folder that it reached.
func (t *Tree) Ensure(path []string) FolderID {
	at := FolderID(0)
	for _, name := range path {
		if name = cleanName(name); !Shows(name) {
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

// RenameFolder renames a folder.
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
		return folderExists()
	}
	t.Folders[i].Name = name
	return nil
}

// MoveFolder moves a folder with its contents into another or to the top, before the sibling at position (from 0); a
// position beyond them is the end.
func (t *Tree) MoveFolder(id, parent FolderID, position int) error {
	i := t.folder(id)
	switch {
	case i < 0, parent != 0 && !t.Has(parent):
		return folderGone()
	case slices.Contains(t.Within(id), parent):
		return fault.Coded(fault.Invalid, "folder_in_itself").At("parentId")
	case t.depth(parent)+t.height(id) > MaxFolderDepth:
		return tooDeep()
	}
	f := t.Folders[i]
	if same := t.Find(parent, f.Name); same != 0 && same != id {
		return folderExists()
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

// DeleteFolder deletes a folder and its descendants. Subscriptions keep their references, which then mean nothing.
func (t *Tree) DeleteFolder(id FolderID) error {
	gone := t.Within(id)
	if len(gone) == 0 {
		return folderGone()
	}
	t.Folders = slices.DeleteFunc(slices.Clone(t.Folders), func(f Folder) bool { return slices.Contains(gone, f.ID) })
	return nil
}

// OrderFolders orders the folders directly in one: those named first, then the others as they were.
func (t *Tree) OrderFolders(parent FolderID, ids []FolderID) error {
	for _, id := range ids {
		if !t.Has(id) {
			return folderGone()
		}
	}
	next, err := reorder(t.Children(parent), func(f Folder) FolderID { return f.ID }, ids)
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
