// Package docs carries the documents that the program itself serves.
package docs

import _ "embed"

// OpenAPI is the description of the HTTP API (OpenAPI 3.1, YAML).
//
//go:embed openapi.yaml
var OpenAPI []byte
