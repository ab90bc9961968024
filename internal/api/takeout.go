package api

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/takeout"
)

// removeMe deletes the account and all data of the user (G-42, G-60). A confirmation must be the account's e-mail
// address; the owner confirms with owner=true. It can be repeated after a failure, even if the account itself is
// already deleted.
func (s *Server) removeMe(r *request) error {
	q := r.URL.Query()
	a, err := s.Auth.Account(r.Context(), r.user)
	switch {
	case fault.Is(err, fault.Unauthenticated): // partly deleted before
	case err != nil:
		return err
	default:
		if c := q.Get("confirm"); c != "" {
			if email, err := auth.NormaliseEmail(c); err != nil || !strings.EqualFold(email, a.Email) {
				return fault.Coded(fault.Invalid, "bad_confirmation").At("confirm")
			}
		}
		if a.Owner && q.Get("owner") != "true" {
			return fault.Coded(fault.Conflict, "owner_removal")
		}
	}
	if err := s.Takeout.Remove(r.Context(), r.user, r.session.ID); err != nil {
		return err
	}
	s.dropSession(r)
	return r.done(nil)
}

// maxTakeout bounds an archive that is sent in one request.
const maxTakeout = 64 << 20

// nextPart is the header with the cursor of the next part of an export.
const nextPart = "X-Next-Part"

// exportMe answers an archive of all the user's data: the part that "part" asks for, or without it all of it. It has no
// ETag; a failure cuts it off, which zip readers notice.
func (s *Server) exportMe(r *request) error {
	h := r.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="ruri-`+s.Clock.Now().UTC().Format(time.DateOnly)+`.zip"`)
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		r.w.WriteHeader(http.StatusOK)
		return nil
	}
	part := r.URL.Query().Get("part")
	err := s.exportParts(r, part)
	switch {
	case err == nil:
		return nil
	case r.w.bytes == 0:
		h.Del("Content-Disposition")
		return err
	}
	s.Log.Error("an export broke off", "request_id", r.id, "error", err)
	panic(http.ErrAbortHandler)
}

// timeOfPart is the time for making and sending a part of a whole archive.
const timeOfPart = time.Minute

func (s *Server) exportParts(r *request, part string) error {
	buf := buffer()
	defer giveBack(buf)
	ctx, onward := r.Context(), context.WithoutCancel(r.Context())
	isWhole, cursor := part == "", part
	if part == "first" {
		cursor = ""
	}
	for {
		buf.Reset()
		next, err := s.Takeout.ExportPart(ctx, r.user, cursor, buf)
		switch {
		case err != nil:
			return err
		case !isWhole && next != "":
			r.Header().Set(nextPart, next)
		case isWhole && next != "" && s.MaxUpload > 0: // the gateway passes on no more than a part
			return fault.Coded(fault.TooLarge, "export_in_parts")
		}
		if _, err := r.w.Write(buf.Bytes()); err != nil || !isWhole || next == "" {
			return err
		}
		// A long archive is more than one operation: each part has its own time.
		_ = http.NewResponseController(r.w).SetWriteDeadline(s.Clock.Now().Add(timeOfPart))
		ctx, cursor = onward, next //nolint:fatcontext // the same one for all further parts
	}
}

// importMe imports such an archive: a short one at once, a long one in the background. With "size" it begins the upload
// of one in parts. It can be repeated: read state is imported after each feed's first crawl.
func (s *Server) importMe(r *request) error {
	if q := r.URL.Query(); q.Has("size") {
		size, err := strconv.ParseInt(q.Get("size"), 10, 64)
		if err != nil {
			return fault.Coded(fault.Invalid, "bad_upload").At("size")
		}
		im, err := s.Takeout.Begin(r.Context(), r.user, size)
		if err != nil {
			return err
		}
		return s.answerImport(r, http.StatusAccepted, im)
	}
	most := s.upload(maxTakeout)
	if r.ContentLength > most {
		_, err := r.body(most)
		return uploadError(cmp.Or(err, error(&oversized{most})))
	}
	done, im, err := s.Takeout.Receive(r.Context(), r.user, &bounded{r.Body, most, most})
	if err != nil {
		return uploadError(err)
	}
	if im != nil {
		return s.answerImport(r, http.StatusAccepted, im)
	}
	failed := mapped(done.Failed, func(f takeout.Failure) map[string]string {
		return map[string]string{"url": reader.ShownURL(f.URL), "code": f.Code, "message": f.Message}
	})
	return r.json(http.StatusOK, map[string]any{
		"feeds": done.Feeds, "subscribed": len(done.Made), "feedsWaiting": done.Waiting, "items": done.Items,
		"itemsWaiting": done.ItemsWaiting, "rules": done.Rules, "failed": failed,
	})
}

// bounded reads a body of at most limit bytes.
type bounded struct {
	io.Reader
	left, limit int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &oversized{b.limit}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fault.New(fault.Invalid, "bad_upload", "api: takeout", err)
	}
	return n, err
}

// uploadError returns the public error of an upload.
func uploadError(err error) error {
	return cmp.Or(tooLarge(err), err)
}

// putArchivePart takes a part of an archive; the last one starts the import.
func (s *Server) putArchivePart(r *request) error {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		return fault.Coded(fault.Invalid, "bad_upload")
	}
	b, err := r.body(takeout.PartSize)
	if err != nil {
		return cmp.Or(tooLarge(err), error(fault.New(fault.Invalid, "bad_upload", "api: takeout", err)))
	}
	im, err := s.Takeout.Part(r.Context(), r.user, r.PathValue("id"), n, b)
	if err != nil {
		return err
	}
	return s.answerImport(r, http.StatusAccepted, im)
}
