package webui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// moveBelow changes the three files that name addresses for a reader below a path of its host. Scripts are the same
// everywhere: they take the path from the page's data-base (web/src/data/base.ts), and the service worker from its own
// address.
func (h *handler) moveBelow() {
	base, index := h.base, h.files["index.html"]
	if base == "" || index == nil {
		return
	}
	before := digest(index.bodies[""])
	index.rewrite("<html ", `<html data-base="`+base+`" `, ` href="/`, ` href="`+base+`/`, ` src="/`, ` src="`+base+`/`)
	if manifest := h.files["app.webmanifest"]; manifest != nil {
		manifest.rewrite(`"/`, `"`+base+`/`)
	}
	// It keeps a page only if it has this digest.
	if worker := h.files["worker.js"]; worker != nil {
		worker.rewrite(before, digest(index.bodies[""]))
	}
}

// rewrite replaces texts, and compresses what comes of it.
func (f *file) rewrite(pairs ...string) {
	body := []byte(strings.NewReplacer(pairs...).Replace(string(f.bodies[""])))
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(body)
	_ = w.Close()
	f.bodies = map[string][]byte{"": body, "gzip": zipped.Bytes()}
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
