// Package iconwire gives an app what decodes images. It is apart from wire because the API's function must not link
// the decoders: it only hands icons out, and its size is what a cold start waits for.
package iconwire

import (
	"github.com/ruri-reader/ruri/internal/content/thumb"
	"github.com/ruri-reader/ruri/internal/wire"
)

// Decode lets an app find icons, not only hand them out.
func Decode(app *wire.App) *wire.App {
	app.Icons.WithShrink(func(body []byte) ([]byte, bool, error) {
		made, err := thumb.Make(body)
		return made.PNG, made.Square, err
	})
	return app
}
