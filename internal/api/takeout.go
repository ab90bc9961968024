package api

import (
	"bytes"
	"cmp"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
)

// removeMe takes away all that is the user's (G-42, G-60). It takes a sign-in of the last minutes, for it cannot be
// undone; an address that is given as confirmation must be the account's. The owner says so besides, for the reader is
// without one then until the next start makes another. Asked again after a failure it goes on, also when the account is
// gone already.
func (s *Server) removeMe(r *request) error {
	q := r.URL.Query()
	a, err := s.Auth.Account(r.Context(), r.user)
	switch {
	case fault.Is(err, fault.Unauthenticated): // half removed before: what is left is taken away
	case err != nil:
		return err
	default:
		if c := q.Get("confirm"); c != "" {
			if email, err := auth.NormaliseEmail(c); err != nil || !strings.EqualFold(email, a.Email) {
				return fault.Newf(fault.Invalid, "bad_confirmation", "This is not the address of the account.").At("confirm")
			}
		}
		if a.Owner && q.Get("owner") != "true" {
			return fault.Newf(fault.Conflict, "owner_removal", "You are the owner of this reader: it would have none.")
		}
	}
	if err := s.Takeout.Remove(r.Context(), r.user, r.session.ID); err != nil {
		return err
	}
	s.dropSession(r)
	return r.noContent()
}

// maxTakeout bounds an archive that is brought in.
const maxTakeout = 64 << 20

// exportMe sends all that is the user's, as it is read: nobody waits for the end of it, and nothing holds it whole. So
// it has no tag and no length, and a failure on the way cuts it off, which every reader of archives notices.
func (s *Server) exportMe(r *request) error {
	h := r.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="ruri-`+s.Clock.Now().UTC().Format("2006-01-02")+`.zip"`)
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

// importMe brings such an archive in. Sent again it does what was left: read state after each feed's first crawl.
func (s *Server) importMe(r *request) error {
	b, err := r.body(s.upload(maxTakeout))
	if err != nil {
		return cmp.Or(tooLarge(err), error(fault.New(fault.Invalid, "bad_upload", "api: takeout", err)))
	}
	done, err := s.Takeout.Import(r.Context(), r.user, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	failed := make([]map[string]string, 0, len(done.Failed))
	for _, f := range done.Failed {
		failed = append(failed, map[string]string{"url": reader.ShownURL(f.URL), "code": f.Code, "message": f.Message})
	}
	return r.json(http.StatusOK, map[string]any{
		"feeds": done.Feeds, "subscribed": done.Subscribed, "feedsWaiting": done.Waiting, "items": done.Items,
		"itemsWaiting": done.ItemsWaiting, "rules": done.Rules, "failed": failed,
	})
}
