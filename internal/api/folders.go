package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func (s *Server) folderRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/folders", Handle: s.listFolders},
		{Method: "POST", Path: "/api/folders", Handle: with(s.addFolder)},
		{Method: "PUT", Path: "/api/folders/order", Handle: with(s.orderFolders)},
		{Method: "PATCH", Path: "/api/folders/{id}", ID: pathFolder, Handle: with(s.changeFolder)},
		{Method: "DELETE", Path: "/api/folders/{id}", ID: pathFolder, Handle: s.deleteFolder},
	}
}

func (s *Server) labelRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/labels", Handle: s.listLabels},
		{Method: "POST", Path: "/api/labels", Handle: with(s.addLabel)},
		{Method: "PUT", Path: "/api/labels/order", Handle: with(s.orderLabels)},
		{Method: "PATCH", Path: "/api/labels/{id}", ID: pathLabel, Handle: with(s.renameLabel)},
		{Method: "DELETE", Path: "/api/labels/{id}", ID: pathLabel, Handle: s.deleteLabel},
		{Method: "PUT", Path: "/api/read-later", Handle: s.addReadLater},
		{Method: "POST", Path: "/api/read-later", Heavy: true, Handle: with(s.savePage)},
	}
}

type folderJSON struct {
	ID       numberJSON  `json:"id"`
	ParentID *numberJSON `json:"parentId"`
	Name     string      `json:"name"`
	Position int         `json:"position"`
}

type labelJSON struct {
	ID          numberJSON `json:"id"`
	Name        string     `json:"name"`
	Position    int        `json:"position"`
	IsReadLater bool       `json:"isReadLater"`
}

// folders shapes a tree's folders, in no particular order; positions are among siblings.
func folders(t library.Tree) []folderJSON {
	out := make([]folderJSON, 0, len(t.Folders))
	among := map[reader.FolderID]int{}
	for _, f := range t.Folders {
		out = append(out, folderJSON{
			ID: numberJSON(f.ID), ParentID: orNull(numberJSON(f.Parent)), Name: f.Name, Position: among[f.Parent],
		})
		among[f.Parent]++
	}
	return out
}

func labels(t library.Tree) []labelJSON {
	out := make([]labelJSON, len(t.Labels))
	for i, l := range t.Labels {
		out[i] = labelJSON{ID: numberJSON(l.ID), Name: l.Name, Position: i, IsReadLater: l.ReadLater}
	}
	return out
}

// treeFor reads the latest tree of the user if a subscription has folders, for answers to a change.
func (s *Server) treeFor(r *request, sub *store.SubscriptionRow) (library.Tree, error) {
	if len(sub.Folders) == 0 {
		return library.Tree{}, nil
	}
	return s.Store.Trees.Get(r.Context(), r.user, table.Consistent())
}

// parent parses a parent folder; null or empty is the top level.
func parent(s *string) (reader.FolderID, error) {
	if s == nil || *s == "" {
		return 0, nil
	}
	return parseFolderID(*s)
}

func (s *Server) listFolders(r *request) error {
	t, err := s.Store.Trees.Get(r.Context(), r.user)
	return answerOne(r, http.StatusOK, "folders", t, folders, err)
}

// changeFolders changes the user's tree and answers with all folders.
func (s *Server) changeFolders(r *request, change func(*library.Tree) error) error {
	t, err := s.Store.Trees.Change(r.Context(), r.user, change)
	return answerOne(r, http.StatusOK, "folders", t, folders, err)
}

// changeLabels changes the user's tree and answers with all labels.
func (s *Server) changeLabels(r *request, change func(*library.Tree) error) error {
	t, err := s.Store.Trees.Change(r.Context(), r.user, change)
	return answerOne(r, http.StatusOK, "labels", t, labels, err)
}

func (s *Server) addFolder(r *request, in struct {
	Name     string  `json:"name" required:"true"`
	ParentID *string `json:"parentId"`
}) error {
	p, err := parent(in.ParentID)
	if err != nil {
		return err
	}
	var id reader.FolderID
	t, err := s.Store.Trees.Change(r.Context(), r.user, func(t *library.Tree) (err error) {
		id, err = t.AddFolder(p, in.Name)
		return err
	})
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"id": numberJSON(id), "folders": folders(t)})
}

// changeFolder renames a folder, moves it, or both.
func (s *Server) changeFolder(r *request, in struct {
	Name     *string          `json:"name"`
	ParentID optional[string] `json:"parentId"`
	Position *int             `json:"position"`
}) error {
	c := library.FolderChange{Name: in.Name, Position: in.Position}
	if in.ParentID.given {
		to, err := parent(in.ParentID.value)
		if err != nil {
			return err
		}
		c.Parent = &to
	}
	return s.changeFolders(r, func(t *library.Tree) error { return t.ChangeFolder(r.folder, c) })
}

func (s *Server) deleteFolder(r *request) error {
	t, err := s.library.DeleteFolder(r.Context(), r.user, r.folder)
	return answerOne(r, http.StatusOK, "folders", t, folders, err)
}

func (s *Server) orderFolders(r *request, in struct {
	ParentID *string  `json:"parentId"`
	IDs      []string `json:"ids" required:"true"`
}) error {
	p, err := parent(in.ParentID)
	if err != nil {
		return err
	}
	ids, err := parseIDs(in.IDs, parseFolderID)
	if err != nil {
		return err
	}
	return s.changeFolders(r, func(t *library.Tree) error { return t.OrderFolders(p, ids) })
}

func (s *Server) listLabels(r *request) error {
	t, err := s.Store.Trees.Get(r.Context(), r.user)
	return answerOne(r, http.StatusOK, "labels", t, labels, err)
}

func (s *Server) addLabel(r *request, in struct {
	Name string `json:"name" required:"true"`
}) error {
	var id reader.LabelID
	t, err := s.Store.Trees.Change(r.Context(), r.user, func(t *library.Tree) (err error) {
		id, err = t.AddLabel(in.Name)
		return err
	})
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"id": numberJSON(id), "labels": labels(t)})
}

func (s *Server) renameLabel(r *request, in struct {
	Name string `json:"name" required:"true"`
}) error {
	return s.changeLabels(r, func(t *library.Tree) error { return t.RenameLabel(r.label, in.Name) })
}

func (s *Server) deleteLabel(r *request) error {
	t, err := s.library.DeleteLabel(r.Context(), r.user, r.label)
	return answerOne(r, http.StatusOK, "labels", t, labels, err)
}

func (s *Server) orderLabels(r *request, in struct {
	IDs []string `json:"ids" required:"true"`
}) error {
	ids, err := parseIDs(in.IDs, parseLabelID)
	if err != nil {
		return err
	}
	return s.changeLabels(r, func(t *library.Tree) error { return t.OrderLabels(ids) })
}
