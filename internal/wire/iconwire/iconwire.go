// Package iconwire decodes images for package icon. It is apart from wire because the API's function must not link the
// decoders: it only serves icons, and its size decides how long a cold start takes.
package iconwire

import (
	"github.com/ruri-reader/ruri/internal/content/favicon"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
)

// Shrink is the icon.Shrink of programs that look for icons.
func Shrink(body []byte) (i icon.Image, side int, err error) {
	made, err := favicon.Make(body)
	return icon.Image{Body: made.Body, ContentType: made.ContentType}, made.Side, err
}
