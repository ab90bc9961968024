package clients

import (
	"html"

	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// body is the text of an item in a program: its sanitised body, or the snippet where there is none.
func body(h *store.Header, b stream.Body) string {
	if b.HTML != "" || h.Snippet == "" {
		return b.HTML
	}
	return "<p>" + html.EscapeString(h.Snippet) + "</p>"
}
