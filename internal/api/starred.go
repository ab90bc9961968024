package api

import (
	"net/http"
	"time"

	pages "github.com/ruri-reader/ruri/internal/content/page"
	"github.com/ruri-reader/ruri/internal/content/starred"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
)

// importStarred imports the starred items of another reader's export.
func (s *Server) importStarred(r *request) error {
	body, err := s.file(r, fault.Coded(fault.TooLarge, "starred_too_large", s.upload(maxFile)>>20))
	if err != nil {
		return err
	}
	leave, err := pages.Turn(r.Context())
	if err != nil {
		return err
	}
	list, err := starred.Decode(body)
	leave()
	if err != nil {
		return err
	}
	done, err := s.Streams.ImportStars(r.Context(), r.user, list.Items)
	if err != nil {
		return err
	}
	type failed struct {
		Place   int    `json:"place"`
		Title   string `json:"title"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	errors := mapped(list.Problems, func(p starred.Problem) failed { return failed(p) })
	for _, l := range done.Refused { // a label of many entries
		errors = append(errors, failed{0, l.Name, fault.CodeOf(l.Err), texts.EnglishMessage(l.Err)})
	}
	return r.json(http.StatusOK, map[string]any{
		"success": true, "imported": done.Imported, "alreadyStarred": done.Had, "notStarred": list.NotStarred,
		"failed": len(list.Problems) + list.More + len(done.Refused), "errors": errors,
	})
}

// maxExport is the size from which an export continues in another request: an answer of Lambda has at most 6 MB.
const maxExport = 4 << 20

// exportStarred answers the starred items in Google Reader's format. A long list comes in parts: the continuation of
// one is the cursor of the next.
func (s *Server) exportStarred(r *request) error {
	var before reader.ItemID
	if c := r.URL.Query().Get("cursor"); c != "" {
		var err error
		if before, err = reader.ParseItemID(c); err != nil {
			return fault.New(fault.Invalid, "bad_cursor", "api: export", err)
		}
	}
	buf := buffer()
	defer giveBack(buf)
	// Without a date, so that the same stars have the same ETag.
	w, err := starred.NewWriter(buf, "Ruri Reader", time.Time{})
	if err != nil {
		return err
	}
	last, err := s.Streams.ExportStars(r.Context(), r.user, before, func(it starred.Item) (bool, error) {
		err := w.Item(it)
		return buf.Len() < maxExport, err
	})
	if err != nil {
		return err
	}
	continuation := ""
	if last > 0 {
		continuation = last.String()
	}
	if err := w.Close(continuation); err != nil {
		return err
	}
	r.Header().Set("Content-Disposition", `attachment; filename="ruri-starred.json"`)
	return r.bytes(http.StatusOK, jsonType, buf.Bytes())
}
