package webui

import (
	"embed"
	"io/fs"
)

// dist is written by `npm run build` in web/. Only .gitkeep is committed, so that the module compiles before the page
// is built.
//
//go:embed all:dist
var dist embed.FS

// Embedded returns the page that was built into this binary, rooted at its index.html.
func Embedded() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil { // only for a malformed path
		panic(err)
	}
	return sub
}
