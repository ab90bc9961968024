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

	"github.com/ruri-reader/ruri/internal/content/opml"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// importOPML imports a short list at once. A long one is imported by the worker; GET /api/imports/{id} has its
// progress.
func (s *Server) importOPML(r *request) error {
	body, err := s.file(r, fault.Coded(fault.TooLarge, "opml_too_large", s.upload(maxFile)>>20))
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

// upload returns the largest upload that is possible within a limit: the gateway in front may pass on less.
func (s *Server) upload(limit int64) int64 {
	if s.MaxUpload > 0 {
		return min(limit, s.MaxUpload)
	}
	return limit
}

// maxFile bounds the body of an import: a file and the form around it.
const maxFile = opml.MaxBytes + 64<<10

// file reads the file of an import: the multipart field "file", or the raw body. tooLarge is the error beyond maxFile.
func (s *Server) file(r *request, tooLarge error) ([]byte, error) {
	body, err := r.body(s.upload(maxFile))
	if _, isLarge := errors.AsType[*oversized](err); isLarge {
		return nil, tooLarge
	}
	if err != nil {
		return nil, badUpload(err)
	}
	kind, params, _ := mime.ParseMediaType(r.Request.Header.Get("Content-Type"))
	if !strings.HasPrefix(kind, "multipart/") {
		return body, nil
	}
	for m := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; {
		p, err := m.NextPart()
		if err != nil {
			return nil, badUpload(err)
		}
		if p.FormName() != "file" {
			continue
		}
		if body, err = io.ReadAll(p); err != nil {
			return nil, badUpload(err)
		}
		return body, nil
	}
}

func badUpload(cause error) error {
	return fault.New(fault.Invalid, "bad_upload", "api: upload", cause).At("file")
}

func (s *Server) exportOPML(r *request) error {
	feeds, err := s.Subscribe.Export(r.Context(), r.user)
	if err != nil {
		return err
	}
	if r.session == nil { // API tokens get no passwords of private feeds
		for i := range feeds {
			feeds[i].XMLURL = reader.ShownURL(feeds[i].XMLURL)
		}
	}
	// Without a date, so that the same subscriptions have the same ETag.
	body := opml.Encode("Ruri Reader", feeds, time.Time{})
	r.Header().Set("Content-Disposition", `attachment; filename="ruri-subscriptions.opml"`)
	return r.bytes(http.StatusOK, "text/x-opml; charset=utf-8", body)
}
