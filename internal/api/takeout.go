package api

import (
	"bytes"
	"cmp"
	"net/http"
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

// maxTakeout bounds an imported archive.
const maxTakeout = 64 << 20

// exportMe streams an archive of all the user's data. It has no ETag and no length; a failure cuts it off, which zip
// readers notice.
func (s *Server) exportMe(r *request) error {
	h := r.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="ruri-`+s.Clock.Now().UTC().Format(time.DateOnly)+`.zip"`)
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		r.w.WriteHeader(http.StatusOK)
		return nil
	}
	err := s.Takeout.Export(r.Context(), r.user, r.w)
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

// importMe imports such an archive. It can be repeated: read state is imported after each feed's first crawl.
func (s *Server) importMe(r *request) error {
	b, err := r.body(s.upload(maxTakeout))
	if err != nil {
		return cmp.Or(tooLarge(err), error(fault.New(fault.Invalid, "bad_upload", "api: takeout", err)))
	}
	done, err := s.Takeout.Import(r.Context(), r.user, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	failed := mapped(done.Failed, func(f takeout.Failure) map[string]string {
		return map[string]string{"url": reader.ShownURL(f.URL), "code": f.Code, "message": f.Message}
	})
	return r.json(http.StatusOK, map[string]any{
		"feeds": done.Feeds, "subscribed": done.Subscribed, "feedsWaiting": done.Waiting, "items": done.Items,
		"itemsWaiting": done.ItemsWaiting, "rules": done.Rules, "failed": failed,
	})
}
