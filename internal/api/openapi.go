package api

import (
	"net/http"

	"github.com/ruri-reader/ruri/docs"
)

func (s *Server) openAPI(r *request) error {
	return r.bytes(http.StatusOK, "application/json; charset=utf-8", docs.OpenAPI)
}
