package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// iconPath returns the path of an icon by its hash; null without one.
func iconPath(hash []byte) *string {
	if len(hash) == 0 {
		return nil
	}
	path := "/api/icons/" + store.IconName(hash)
	return &path
}

// icon answers the icon of a feed. Its name is the hash of its content, so clients may keep it forever.
func (s *Server) icon(r *request) error {
	name := r.PathValue("name")
	h := r.Header()
	if s.Icons == nil {
		return fault.Coded(fault.NotFound, "icon_not_found")
	}
	i, err := s.Icons.Get(r.Context(), name)
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
	h.Set("Content-Type", i.ContentType)
	h.Set("Content-Security-Policy", icon.Policy)
	r.w.WriteHeader(http.StatusOK)
	_, err = r.w.Write(i.Body)
	return err
}
