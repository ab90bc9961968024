package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/opml"
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
	body, err := s.file(r)
	if mb, is := beyond(err); is {
		return fault.Newf(fault.TooLarge, "opml_too_large", "The file is larger than %d MB, the most that one import takes.", mb)
	}
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

// upload is how much of a file of at most so many bytes reaches us: where a request is handed over as one event, it may
// be less.
func (s *Server) upload(limit int64) int64 {
	if s.MaxUpload > 0 {
		return min(limit, s.MaxUpload)
	}
	return limit
}

// file reads the file of an import: the multipart field "file", or the raw body. Of one that is too large
// beyond gives the limit.
func (s *Server) file(r *request) ([]byte, error) {
	const inForm = 64 << 10 // what a form has around the file
	body, err := r.body(s.upload(opml.DefaultBytes + inForm))
	if _, is := beyond(err); is {
		return nil, err
	}
	if err != nil {
		return nil, badUpload("The upload could not be read.")
	}
	kind, params, _ := mime.ParseMediaType(r.Request.Header.Get("Content-Type"))
	if !strings.HasPrefix(kind, "multipart/") {
		return body, nil
	}
	for m := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		p, err := m.NextPart()
		if err != nil {
			return nil, badUpload("The upload has no field named file.")
		}
		if p.FormName() != "file" {
			continue
		}
		if body, err = io.ReadAll(p); err != nil {
			return nil, badUpload("The upload could not be read.")
		}
		return body, nil
	}
}

func beyond(err error) (mb int64, is bool) {
	var large *oversized
	if is = errors.As(err, &large); is {
		mb = large.limit >> 20
	}
	return mb, is
}

func badUpload(message string) error {
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
