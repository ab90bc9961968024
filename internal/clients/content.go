package clients

import (
	"html"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
)

// body is what a program shows of an item: its sanitised body, or the snippet where there is none.
func body(h *store.Header, b stream.Body) string {
	if b.HTML != "" || h.Snippet == "" {
		return b.HTML
	}
	return "<p>" + html.EscapeString(h.Snippet) + "</p>"
}

// ItemCount is how many items of a feed a user can see: rules hide some.
func ItemCount(x *stream.Subscribed) int {
	return x.ItemCount() - x.State.Hid.Count(reader.Seq(x.Feed.Floor)+1, reader.Seq(x.Feed.Seq))
}
