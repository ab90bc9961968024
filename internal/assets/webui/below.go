package webui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
)

// moveBelow changes the three files that name addresses for a reader below a path of its host. Scripts are the same
// everywhere: they take the path from the page's data-base (web/src/data/base.ts), and the service worker from its own
// address.
func (h *handler) moveBelow() {
	index := h.files["index.html"]
	if h.base == "" || index == nil {
		return
	}
	plain := index.content
	index.rewrite("<html ", `<html data-base="`+h.base+`" `,
		` href="/`, ` href="`+h.base+`/`, ` src="/`, ` src="`+h.base+`/`)
	if manifest := h.files["app.webmanifest"]; manifest != nil {
		manifest.rewrite(`"/`, `"`+h.base+`/`)
	}
	// It keeps a page only if it has this digest.
	if worker := h.files["worker.js"]; worker != nil {
		worker.rewrite(digest(plain().bodies[""]), digest(index.content().bodies[""]))
	}
}

// rewrite replaces texts, and compresses what comes of it.
func (f *file) rewrite(pairs ...string) {
	plain := f.content
	f.content = sync.OnceValue(func() content {
		body := []byte(strings.NewReplacer(pairs...).Replace(string(plain().bodies[""])))
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(body)
		_ = w.Close()
		return newContent(map[string][]byte{"": body, "gzip": zipped.Bytes()})
	})
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
