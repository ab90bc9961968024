package api

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/takeout"
)

func (s *Server) importRoutes() []Route {
	return []Route{
		{Method: "POST", Path: "/api/import/opml", Heavy: true, Handle: s.importOPML},
		{Method: "GET", Path: "/api/export/opml", Handle: s.exportOPML},
		{Method: "POST", Path: "/api/import/starred", Heavy: true, Handle: s.importStarred},
		{Method: "GET", Path: "/api/export/starred", Handle: s.exportStarred},
		{Method: "POST", Path: "/api/import/reader", Handle: s.importReader},
		{Method: "GET", Path: "/api/imports", Handle: s.listImports},
		{Method: "GET", Path: "/api/imports/{id}", ID: pathImport, Handle: s.getImport},
		{Method: "PUT", Path: "/api/imports/{id}/parts/{n}", Account: true, Heavy: true, ID: pathImport,
			Handle: s.putArchivePart},
		{Method: "DELETE", Path: "/api/imports/{id}", ID: pathImport, Handle: s.deleteImport},
	}
}

type importJSON struct {
	Success           bool                `json:"success"`
	ID                string              `json:"id"`
	Kind              string              `json:"kind"`
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
	Archive           *archiveJSON        `json:"archive"`
}

// archiveJSON is the state of an import of an archive.
type archiveJSON struct {
	Feeds        int `json:"feeds"`
	Subscribed   int `json:"subscribed"`
	Waiting      int `json:"feedsWaiting"`
	Items        int `json:"items"`
	ItemsWaiting int `json:"itemsWaiting"`
	Rules        int `json:"rules"`
}

type importFailureJSON struct {
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Code    string   `json:"code"`
	Error   string   `json:"error"` // R-110; the same as Message
	Message string   `json:"message"`
	Action  string   `json:"action"`
	Path    []string `json:"path"`
}

// imported shapes an import. Its progress is that of its finished chunks.
func imported(im *store.Import, lang string) (importJSON, error) {
	out := importJSON{
		Success: im.Failed == "", ID: im.ID(), Name: im.Name, Created: moment(im.Created), Ended: moment(im.Ended),
		FeedIDs: []string{}, Errors: []importFailureJSON{}, Kind: "list",
	}
	if im.Kind != "" {
		out.Kind, out.Archive = im.Kind, &archiveJSON{}
	}
	switch {
	case im.Failed != "":
		out.State = "failed"
	case im.Ended > 0:
		out.State = "completed"
	case len(im.Done) > 0:
		out.State = "processing"
	default:
		out.State = "pending"
	}
	add := func(packed []byte) (int, error) {
		list, err := store.UnpackFailures(packed)
		for _, f := range list {
			out.Errors = append(out.Errors, importFailure(&f, lang))
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
		out.Failed += n + c.More
		for _, id := range c.Made {
			out.FeedIDs = append(out.FeedIDs, strconv.Itoa(int(id)))
		}
		if a := out.Archive; a != nil {
			a.Feeds += len(c.Made) + c.Had
			a.Subscribed += len(c.Made)
			a.Waiting += c.Waiting
			a.Items += c.Items
			a.ItemsWaiting += c.ItemsWaiting
			a.Rules += c.Rules
		}
	}
	if im.Failed != "" {
		out.Errors = append(out.Errors, importFailure(&store.ImportFailure{URL: out.address(), Code: im.Failed}, lang))
	}
	return out, nil
}

// address identifies a whole import.
func (i *importJSON) address() string {
	if i.Kind == store.KindReader {
		return i.Name
	}
	return ""
}

func importFailure(f *store.ImportFailure, lang string) importFailureJSON {
	t := texts.Entry(f.Code)
	message := cmp.Or(t.Message.In(lang), codeMessage(lang, f.Code, ""))
	return importFailureJSON{
		URL: f.URL, Title: f.Title, Code: f.Code, Error: message, Message: message, Action: t.Action.In(lang),
		Path: notNil(f.Path),
	}
}

func (s *Server) answerImport(r *request, status int, im *store.Import) error {
	out, err := imported(im, r.language())
	if err != nil {
		return err
	}
	return r.json(status, out)
}

// importReader begins to move in from another reader, by its API.
func (s *Server) importReader(r *request) error {
	var from takeout.Reader
	if err := r.decode(&from, takeout.MaxReader, false); err != nil {
		return err
	}
	im, err := s.Takeout.MoveIn(r.Context(), r.user, &from)
	if err != nil {
		return err
	}
	return s.answerImport(r, http.StatusAccepted, im)
}

func (s *Server) listImports(r *request) error {
	list, err := s.Store.Imports.List(r.Context(), r.user)
	if err != nil {
		return err
	}
	out := make([]importJSON, 0, len(list))
	for i := range list {
		im, err := imported(&list[i], texts.English)
		if err != nil {
			return err
		}
		im.FeedIDs, im.Errors = []string{}, []importFailureJSON{} // GET of one import has them
		out = append(out, im)
	}
	return r.json(http.StatusOK, map[string]any{"imports": out})
}

// pathImport checks the id of an import in a path.
func pathImport(r *request) error {
	if !store.ValidImportID(r.PathValue("id")) {
		return fault.Coded(fault.NotFound, "import_not_found")
	}
	return nil
}

func (s *Server) getImport(r *request) error {
	im, err := s.Store.Imports.One(r.Context(), r.user, r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.answerImport(r, http.StatusOK, im)
}

func (s *Server) deleteImport(r *request) error {
	return r.done(s.Subscribe.RemoveImport(r.Context(), r.user, r.PathValue("id")))
}
