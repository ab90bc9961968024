package api

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

type importJSON struct {
	Success           bool                `json:"success"`
	ID                string              `json:"id"`
	State             string              `json:"state"`
	Name              string              `json:"name"`
	Total             int                 `json:"total"`
	Done              int                 `json:"done"`
	Imported          int                 `json:"imported"`
	AlreadySubscribed int                 `json:"alreadySubscribed"`
	Failed            int                 `json:"failed"`
	Created           moment              `json:"createdAt"`
	Ended             moment              `json:"endedAt"`
	FeedIDs           []string            `json:"feedIds"`
	Errors            []importFailureJSON `json:"errors"`
}

type importFailureJSON struct {
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Code    string   `json:"code"`
	Error   string   `json:"error"` // R-110; the same as Message
	Message string   `json:"message"`
	Path    []string `json:"path"`
}

// The states of an import.
const (
	importPending    = "pending"
	importProcessing = "processing"
	importCompleted  = "completed"
	importFailed     = "failed"
)

// imported shapes an import. How far it is follows from the chunks that are done.
func imported(im *store.Import, lang string, whole bool) (importJSON, error) {
	out := importJSON{
		Success: im.Failed == "", ID: im.ID(), Name: im.Name, Created: moment(im.Created), Ended: moment(im.Ended),
		FeedIDs: []string{}, Errors: []importFailureJSON{},
	}
	switch {
	case im.Failed != "":
		out.State = importFailed
	case im.Ended > 0:
		out.State = importCompleted
	case len(im.Done) > 0:
		out.State = importProcessing
	default:
		out.State = importPending
	}
	add := func(packed []byte) (int, error) {
		list, err := store.UnpackFailures(packed)
		for _, f := range list {
			if whole {
				said := sayFailure(f, lang)
				out.Errors = append(out.Errors, importFailureJSON{f.URL, f.Title, f.Code, said, said, append([]string{}, f.Path...)})
			}
		}
		return len(list), err
	}
	n, err := add(im.Problems)
	if err != nil {
		return out, err
	}
	out.Total, out.Done, out.Failed = im.Total+n, n, n
	for i := range im.Done {
		c := &im.Done[i]
		if n, err = add(c.Failed); err != nil {
			return out, err
		}
		out.Done += c.N
		out.Imported += len(c.Made)
		out.AlreadySubscribed += c.Had
		out.Failed += n
		for _, id := range c.Made {
			if whole {
				out.FeedIDs = append(out.FeedIDs, strconv.Itoa(int(id)))
			}
		}
	}
	if im.Failed != "" && whole {
		said := sayFailure(store.ImportFailure{Code: im.Failed}, lang)
		out.Errors = append(out.Errors, importFailureJSON{Code: im.Failed, Error: said, Message: said, Path: []string{}})
	}
	return out, nil
}

// sayFailure gives the sentence of a failure: that of its code in the language, else as it was when it failed.
func sayFailure(f store.ImportFailure, lang string) string {
	w, ok := wordsOf(f.Code)
	said := w.say.in(lang)
	if !ok || said == "" || strings.Contains(said, "%") {
		return f.Message
	}
	return said
}

func (s *Server) answerImport(r *request, status int, im *store.Import) error {
	sp := speechOf(r.Context())
	sp.isUsed = true
	out, err := imported(im, sp.language, true)
	if err != nil {
		return err
	}
	return r.json(status, out)
}

func (s *Server) listImports(r *request) error {
	list, err := s.Store.Imports.List(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]importJSON, 0, len(list))
	for i := range list {
		im, err := imported(&list[i], english, false)
		if err != nil {
			return err
		}
		out = append(out, im)
	}
	return r.json(http.StatusOK, map[string]any{"imports": out})
}

// importID reads the import that a path names.
func (r *request) importID() (string, error) {
	id := r.PathValue("id")
	if !store.ValidImportID(id) {
		return "", fault.Newf(fault.NotFound, "import_not_found", "There is no such import, or it is no longer kept.")
	}
	return id, nil
}

func (s *Server) getImport(r *request) error {
	id, err := r.importID()
	if err != nil {
		return err
	}
	im, err := s.Store.Imports.One(r.Context(), r.user, id)
	if err != nil {
		return err
	}
	return s.answerImport(r, http.StatusOK, im)
}

func (s *Server) deleteImport(r *request) error {
	id, err := r.importID()
	if err != nil {
		return err
	}
	if err := s.Subscribe.RemoveImport(r.Context(), r.user, id); err != nil {
		return err
	}
	return r.noContent()
}
