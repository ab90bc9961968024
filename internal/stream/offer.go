package stream

import (
	"html"
	"unicode/utf8"

	"github.com/ruri-reader/ruri/internal/content/sanitize"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// offerBody makes the content of a watch's event from its header: price, seller, image and link. Nothing else of the
// page is kept.
func offerBody(h *store.Header) Body {
	text := ""
	if h.Snippet != "" {
		text += "<p>" + html.EscapeString(h.Snippet) + "</p>"
	}
	if h.Author != "" {
		text += "<p>" + html.EscapeString(h.Author) + "</p>"
	}
	if h.Image != "" {
		text += `<p><img src="` + html.EscapeString(h.Image) + `" alt="` + html.EscapeString(h.Title) + `"></p>`
	}
	if h.Link != "" {
		text += `<p><a href="` + html.EscapeString(h.Link) + `">` + html.EscapeString(h.Title) + "</a></p>"
	}
	clean := sanitize.HTML(text, h.Link)
	return Body{State: ContentSummary, HTML: clean, Characters: utf8.RuneCountInString(sanitize.Text(clean))}
}
