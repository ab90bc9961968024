package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/opml"
	"github.com/ruri-reader/ruri/internal/reader"
)

func (s *Server) transferRoutes() []Route {
	return []Route{
		{Method: "POST", Path: "/api/import/opml", Handle: s.importOPML},
		{Method: "GET", Path: "/api/export/opml", Handle: s.exportOPML},
		{Method: "POST", Path: "/api/import/starred", Handle: s.importStarred},
		{Method: "GET", Path: "/api/export/starred", Handle: s.exportStarred},
		{Method: "GET", Path: "/api/imports", Handle: s.listImports},
		{Method: "GET", Path: "/api/imports/{id}", Handle: s.getImport},
		{Method: "DELETE", Path: "/api/imports/{id}", Handle: s.deleteImport},
	}
}

// importOPML answers when the list is taken: a short one is subscribed to by then, a long one is worked through by
// messages, and GET /api/imports/{id} tells how far it is.
func (s *Server) importOPML(r *request) error {
	body, err := r.upload()
	if err != nil {
		return err
	}
	im, err := s.Subscribe.StartImport(r.Context(), r.user, body)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if im.Ended == 0 {
		status = http.StatusAccepted
	}
	return s.answerImport(r, status, im)
}

// upload reads an OPML file: the multipart field "file", or the raw body.
func (r *request) upload() ([]byte, error) {
	var src io.Reader = http.MaxBytesReader(r.w, r.Body, opml.DefaultBytes+64<<10)
	kind, _, _ := mime.ParseMediaType(r.Request.Header.Get("Content-Type"))
	if strings.HasPrefix(kind, "multipart/") {
		r.Body = io.NopCloser(src)
		m, err := r.MultipartReader()
		if err != nil {
			return nil, fault.Newf(fault.Invalid, "bad_upload", "The upload could not be read.").At("file")
		}
		for {
			p, err := m.NextPart()
			if err != nil {
				return nil, uploadError(err, "The upload has no field named file.")
			}
			if p.FormName() == "file" {
				src = p
				break
			}
		}
	}
	body, err := io.ReadAll(src)
	if err != nil {
		return nil, uploadError(err, "The upload could not be read.")
	}
	return body, nil
}

func uploadError(err error, message string) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return fault.Newf(fault.TooLarge, "opml_too_large", "The file is larger than %d MB.", opml.DefaultBytes>>20)
	}
	return fault.Newf(fault.Invalid, "bad_upload", "%s", message).At("file")
}

func (s *Server) exportOPML(r *request) error {
	feeds, err := s.Subscribe.Export(r.Context(), r.user)
	if err != nil {
		return err
	}
	if r.session == nil { // a program's token must not carry the passwords of private feeds away
		for i := range feeds {
			feeds[i].XMLURL = reader.ShownURL(feeds[i].XMLURL)
		}
	}
	// No date in it: the same subscriptions are the same bytes, and the same ETag.
	body := opml.Encode("Ruri Reader", feeds, time.Time{})
	r.Header().Set("Content-Disposition", `attachment; filename="ruri-subscriptions.opml"`)
	return r.bytes(http.StatusOK, "text/x-opml; charset=utf-8", body)
}
