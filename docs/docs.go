// Package docs carries the documents that the program itself serves.
package docs

import _ "embed"

// OpenAPI is the description of the HTTP API (OpenAPI 3.1) as JSON: openapi.yaml, which people write and
// read, without a YAML parser in the functions. A test holds the two together; after a change,
// `go test ./docs -update` writes the JSON anew.
//
//go:embed openapi.json
var OpenAPI []byte
