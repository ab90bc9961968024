package api

import (
	"net/http"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/storage/table"
)

func (s *Server) folderRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/folders", Handle: s.listFolders},
		{Method: "POST", Path: "/api/folders", Handle: s.addFolder},
		{Method: "PUT", Path: "/api/folders/order", Handle: s.orderFolders},
		{Method: "PATCH", Path: "/api/folders/{id}", Handle: s.changeFolder},
		{Method: "DELETE", Path: "/api/folders/{id}", Handle: s.deleteFolder},
	}
}

func (s *Server) labelRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/api/labels", Handle: s.listLabels},
		{Method: "POST", Path: "/api/labels", Handle: s.addLabel},
		{Method: "PUT", Path: "/api/labels/order", Handle: s.orderLabels},
		{Method: "PATCH", Path: "/api/labels/{id}", Handle: s.renameLabel},
		{Method: "DELETE", Path: "/api/labels/{id}", Handle: s.deleteLabel},
	}
}

type folderJSON struct {
	ID       string  `json:"id"`
	ParentID *string `json:"parentId"`
	Name     string  `json:"name"`
	Position int     `json:"position"`
}

type labelJSON struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Position int    `json:"position"`
}

// folders shapes a tree: parents before their children are not promised, positions are among siblings.
func folders(t *reader.Tree) []folderJSON {
	out := make([]folderJSON, 0, len(t.Folders))
	among := map[reader.FolderID]int{}
	for _, f := range t.Folders {
		out = append(out, folderJSON{
			ID: strconv.Itoa(int(f.ID)), ParentID: parentID(f.Parent), Name: f.Name, Position: among[f.Parent],
		})
		among[f.Parent]++
	}
	return out
}

func parentID(id reader.FolderID) *string {
	if id == 0 {
		return nil
	}
	s := strconv.Itoa(int(id))
	return &s
}

func labels(t *reader.Tree) []labelJSON {
	out := make([]labelJSON, 0, len(t.Labels))
	for i, l := range t.Labels {
		out = append(out, labelJSON{ID: strconv.Itoa(int(l.ID)), Name: l.Name, Position: i})
	}
	return out
}

// treeFor reads the user's tree where a subscription names folders: the latest, for answers to a change.
func (s *Server) treeFor(r *request, sub *store.SubscriptionRow) (reader.Tree, error) {
	if len(sub.Folders) == 0 {
		return reader.Tree{}, nil
	}
	return s.Store.Trees.Get(r.Context(), r.user, table.Consistent())
}

func folderID(s string) (reader.FolderID, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, fault.Newf(fault.NotFound, "folder_not_found", "There is no such folder.")
	}
	return reader.FolderID(n), nil
}

// parent reads the folder that another is to be in; null or empty is the top.
func parent(s *string) (reader.FolderID, error) {
	if s == nil || *s == "" {
		return 0, nil
	}
	return folderID(*s)
}

func labelID(s string) (reader.LabelID, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != s {
		return 0, fault.Newf(fault.NotFound, "label_not_found", "There is no such label.")
	}
	return reader.LabelID(n), nil
}

func (s *Server) listFolders(r *request) error {
	t, err := s.Store.Trees.Get(r.Context(), r.user)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"folders": folders(&t)})
}

// change changes the user's tree and answers with all folders, or all labels.
func (s *Server) changeFolders(r *request, status int, change func(*reader.Tree) error) error {
	t, err := s.Store.Trees.Change(r.Context(), r.user, change)
	if err != nil {
		return err
	}
	return r.json(status, map[string]any{"folders": folders(&t)})
}

func (s *Server) changeLabels(r *request, status int, change func(*reader.Tree) error) error {
	t, err := s.Store.Trees.Change(r.Context(), r.user, change)
	if err != nil {
		return err
	}
	return r.json(status, map[string]any{"labels": labels(&t)})
}

func (s *Server) addFolder(r *request) error {
	var in struct {
		Name     string  `json:"name" required:"true"`
		ParentID *string `json:"parentId"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	p, err := parent(in.ParentID)
	if err != nil {
		return err
	}
	var id reader.FolderID
	t, err := s.Store.Trees.Change(r.Context(), r.user, func(t *reader.Tree) (err error) {
		id, err = t.AddFolder(p, in.Name)
		return err
	})
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"id": strconv.Itoa(int(id)), "folders": folders(&t)})
}

// changeFolder renames a folder, moves it, or both.
func (s *Server) changeFolder(r *request) error {
	id, err := folderID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var in struct {
		Name     *string          `json:"name"`
		ParentID optional[string] `json:"parentId"`
		Position *int             `json:"position"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	if in.Name == nil && !in.ParentID.given && in.Position == nil {
		return fault.Newf(fault.Invalid, "nothing_to_change", "Give a name, a parent or a position.")
	}
	if p := in.Position; p != nil && (*p < 0 || *p > subscribe.MaxPosition) {
		return fault.Newf(fault.Invalid, "bad_position", "A position is a number from 0 to %d.", subscribe.MaxPosition).At("position")
	}
	to, err := parent(in.ParentID.value)
	if err != nil {
		return err
	}
	return s.changeFolders(r, http.StatusOK, func(t *reader.Tree) error {
		if in.Name != nil {
			if err := t.RenameFolder(id, *in.Name); err != nil {
				return err
			}
		}
		if !in.ParentID.given && in.Position == nil {
			return nil
		}
		f, _ := t.Folder(id) // one that is not there is MoveFolder's to refuse
		if !in.ParentID.given {
			to = f.Parent
		}
		position := len(t.Folders)
		if in.Position != nil {
			position = *in.Position
		}
		return t.MoveFolder(id, to, position)
	})
}

func (s *Server) deleteFolder(r *request) error {
	id, err := folderID(r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.changeFolders(r, http.StatusOK, func(t *reader.Tree) error { return t.DeleteFolder(id) })
}

func (s *Server) orderFolders(r *request) error {
	var in struct {
		ParentID *string  `json:"parentId"`
		IDs      []string `json:"ids" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	p, err := parent(in.ParentID)
	if err != nil {
		return err
	}
	ids := make([]reader.FolderID, 0, len(in.IDs))
	for _, s := range in.IDs {
		id, err := folderID(s)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	return s.changeFolders(r, http.StatusOK, func(t *reader.Tree) error { return t.OrderFolders(p, ids) })
}

func (s *Server) listLabels(r *request) error {
	t, err := s.Store.Trees.Get(r.Context(), r.user)
	if err != nil {
		return err
	}
	return r.json(http.StatusOK, map[string]any{"labels": labels(&t)})
}

func (s *Server) addLabel(r *request) error {
	var in struct {
		Name string `json:"name" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	var id reader.LabelID
	t, err := s.Store.Trees.Change(r.Context(), r.user, func(t *reader.Tree) (err error) {
		id, err = t.AddLabel(in.Name)
		return err
	})
	if err != nil {
		return err
	}
	return r.json(http.StatusCreated, map[string]any{"id": strconv.Itoa(int(id)), "labels": labels(&t)})
}

func (s *Server) renameLabel(r *request) error {
	id, err := labelID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var in struct {
		Name string `json:"name" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	return s.changeLabels(r, http.StatusOK, func(t *reader.Tree) error { return t.RenameLabel(id, in.Name) })
}

// deleteLabel takes a label away, and then off its items; those keep their place in every other list. The label's
// number is not given out again, so what a failure or a very great number leaves shows nowhere.
func (s *Server) deleteLabel(r *request) error {
	id, err := labelID(r.PathValue("id"))
	if err != nil {
		return err
	}
	t, err := s.Store.Trees.Change(r.Context(), r.user, func(t *reader.Tree) error { return t.DeleteLabel(id) })
	if err != nil {
		return err
	}
	for range maxLabelRounds {
		if done, err := s.Streams.RemoveLabel(r.Context(), r.user, id); done || err != nil {
			if err != nil {
				return err
			}
			break
		}
	}
	return r.json(http.StatusOK, map[string]any{"labels": labels(&t)})
}

// maxLabelRounds bounds how much of a label one request takes off its items.
const maxLabelRounds = 4

func (s *Server) orderLabels(r *request) error {
	var in struct {
		IDs []string `json:"ids" required:"true"`
	}
	if err := r.decode(&in); err != nil {
		return err
	}
	ids := make([]reader.LabelID, 0, len(in.IDs))
	for _, s := range in.IDs {
		id, err := labelID(s)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	return s.changeLabels(r, http.StatusOK, func(t *reader.Tree) error { return t.OrderLabels(ids) })
}
