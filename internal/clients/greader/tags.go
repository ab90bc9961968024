package greader

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

// renameTag renames a folder, else a label. The new name of a folder is where it is moved, too.
func (s *server) renameTag(r *request) error {
	from, named := labelOf(tagOf(r))
	to, ok := labelOf(asLabel(r.form.Get("dest")))
	if !named || !ok {
		return fault.Coded(fault.NotFound, "not_found")
	}
	_, err := s.Store.Trees.Change(r.Context(), r.caller.User, func(t *library.Tree) error {
		n := namesOf(*t)
		id := n.folders[from]
		if id == 0 {
			return t.RenameLabel(n.LabelNamed(from), to)
		}
		if n.folders[to] == id {
			return nil
		}
		parent, leaf := n.place(to)
		if strings.HasPrefix(to, from+separator) { // not into itself
			parent, leaf = 0, to
		}
		return t.ChangeFolder(id, library.FolderChange{Name: &leaf, Parent: &parent})
	})
	if err != nil {
		return err
	}
	return r.ok()
}

// tagOf returns the folder or label that a request is about.
func tagOf(r *request) string {
	if s := r.form.Get("s"); s != "" {
		return s
	}
	return asLabel(r.form.Get("t"))
}

// asLabel returns the stream of a folder or label that may be given by its name alone.
func asLabel(name string) string {
	if name == "" || strings.Contains(name, "/") {
		return name
	}
	return labelPrefix + name
}

// disableTag deletes a folder, else a label. Feeds stay.
func (s *server) disableTag(r *request) error {
	name, ok := labelOf(tagOf(r))
	if !ok {
		return fault.Coded(fault.NotFound, "not_found")
	}
	t, err := s.Store.Trees.Get(r.Context(), r.caller.User, table.Consistent())
	if err != nil {
		return err
	}
	if n := namesOf(t); n.folders[name] != 0 {
		_, err = s.Library.DeleteFolder(r.Context(), r.caller.User, n.folders[name])
	} else {
		_, err = s.Library.DeleteLabel(r.Context(), r.caller.User, n.LabelNamed(name))
	}
	if err != nil {
		return err
	}
	return r.ok()
}
