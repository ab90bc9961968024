package api

import (
	"encoding/json"
	"net/http"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/ruri-reader/ruri/docs"
)

// openAPIJSON is docs/openapi.yaml as JSON, made at the first request.
var openAPIJSON = sync.OnceValues(func() ([]byte, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(docs.OpenAPI, &doc); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
})

func (s *Server) openAPI(r *request) error {
	body, err := openAPIJSON()
	if err != nil {
		return err
	}
	return r.bytes(http.StatusOK, "application/json; charset=utf-8", body)
}
