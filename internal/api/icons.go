package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// iconPath is where the icon of a hash is; its content never changes.
func iconPath(hash []byte) *string {
	if len(hash) == 0 {
		return nil
	}
	path := "/api/icons/" + store.IconName(hash)
	return &path
}

// icon hands out the small image of a feed. Its name is the hash of its bytes, so it is kept for good; it is not
// compressed, and the same whoever asks.
func (s *Server) icon(r *request) error {
	name := r.PathValue("name")
	h := r.Header()
	if s.Icons == nil {
		return fault.Newf(fault.NotFound, "icon_not_found", "There is no such icon.")
	}
	png, err := s.Icons.Get(r.Context(), name)
	if err != nil {
		return err
	}
	tag := `"` + name[:32] + `"`
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", tag)
	if matches(r.list("If-None-Match"), tag) {
		r.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", "image/png")
	r.w.WriteHeader(http.StatusOK)
	_, err = r.w.Write(png)
	return err
}
