package greader

import (
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
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
		f, _ := n.Folder(id)
		if strings.HasPrefix(to, from+separator) { // not into itself
			parent, leaf = 0, to
		}
		if parent != f.Parent {
			if err := t.MoveFolder(id, parent, len(t.Folders)); err != nil {
				return err
			}
		}
		return t.RenameFolder(id, leaf)
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

// maxLabelRounds bounds the work of one request.
const maxLabelRounds = 4

// disableTag deletes a folder with the folders in it, else a label. Feeds stay.
func (s *server) disableTag(r *request) error {
	name, ok := labelOf(tagOf(r))
	if !ok {
		return fault.Coded(fault.NotFound, "not_found")
	}
	var label reader.LabelID
	_, err := s.Store.Trees.Change(r.Context(), r.caller.User, func(t *library.Tree) error {
		n := namesOf(*t)
		if id := n.folders[name]; id != 0 {
			label = 0
			return t.DeleteFolder(id)
		}
		label = n.LabelNamed(name)
		return t.DeleteLabel(label)
	})
	if err != nil {
		return err
	}
	// What is left of a label after a failure, or beyond the rounds, is shown nowhere: its number is not used again.
	for done, round := label == 0, 0; !done && round < maxLabelRounds; round++ {
		if done, err = s.Streams.RemoveLabel(r.Context(), r.caller.User, label); err != nil {
			return err
		}
	}
	return r.ok()
}
