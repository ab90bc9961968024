// Package iconwire decodes images for package icon. It is apart from wire because the API's function must not link the
// decoders: it only serves icons, and its size decides how long a cold start takes.
package iconwire

import "github.com/ruri-reader/ruri/internal/content/favicon"

// Shrink is the icon.Shrink of programs that look for icons.
func Shrink(body []byte) (png []byte, side int, err error) {
	made, err := favicon.Make(body)
	return made.PNG, made.Side, err
}
