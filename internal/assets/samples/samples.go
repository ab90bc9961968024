// Package samples has what a new installation is tried out with, served from the binary over HTTP: six small feeds, one
// of each kind that the product reads, and a shop whose things can be watched. They are fetched and shown like those of
// any other site.
package samples

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
)

// Prefix is the path under which everything of this package is served.
const Prefix = "/samples/"

// Feed describes a sample feed.
type Feed struct {
	Path        string // below the server's address: "/samples/the-quiet-web.atom"
	Title       string
	ContentType string // media type, as served
	Lang        string
	Items       int
}

// List returns the sample feeds in the order in which they are listed.
func List() []Feed {
	return []Feed{
		{Prefix + "kami-to-gamen.xml", "紙と画面のあいだ", "application/rss+xml", "ja", 7},
		{Prefix + "the-quiet-web.atom", "The Quiet Web", "application/atom+xml", "en", 7},
		{Prefix + "kisetsu-no-dougu.rdf", "季節の道具箱", "application/rdf+xml", "ja", 5},
		{Prefix + "small-tools.json", "Small Tools", "application/feed+json", "en", 6},
		{Prefix + "three-small-sounds.xml", "Small Sounds", "application/rss+xml", "en", 5},
		{Prefix + "undated-notebook.xml", "An Undated Notebook / 日付のない手帖", "application/rss+xml", "en", 5},
	}
}

// content has the files as they are served, with {base} for the server's address. A page a/NAME/N is the file
// a/NAME/N.html. Dates and identities are fixed, so that every start serves the same bytes.
//
//go:embed content
var content embed.FS

// mediaTypes by extension. The RSS 1.0 feed is in EUC-JP and, like many old feeds, names its charset only in the
// document.
var mediaTypes = map[string]string{
	".xml":  "application/rss+xml; charset=utf-8",
	".atom": "application/atom+xml; charset=utf-8",
	".rdf":  "application/rdf+xml",
	".json": "application/feed+json; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".wav":  "audio/wav",
}

// modified is the Last-Modified date of all files.
var modified = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)

// Handler serves the sample feeds, their items' pages and sounds, the shop, and an index page, under Prefix. baseURL
// returns the server's address as the client sees it ("http://127.0.0.1:8080"). Responses have an ETag, those of files
// a Last-Modified date, and conditional requests and ranges work.
func Handler(baseURL func(*http.Request) string, now clock.Clock) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if strings.HasPrefix(r.URL.Path, ShopPath) {
			serveShop(w, r, now.Now())
			return
		}
		name := file(r.URL.Path)
		body, err := content.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		body = bytes.ReplaceAll(body, []byte("{base}"), []byte(strings.TrimSuffix(baseURL(r), "/")))
		send(w, r, mediaTypes[path.Ext(name)], modified, body)
	})
}

func send(w http.ResponseWriter, r *http.Request, mediaType string, modified time.Time, body []byte) {
	sum := sha256.Sum256(body)
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; style-src 'self'; media-src 'self'")
	h.Set("ETag", `"`+hex.EncodeToString(sum[:10])+`"`)
	http.ServeContent(w, r, "", modified, bytes.NewReader(body))
}

// file returns the name in content of the file for a path; it may not exist.
func file(address string) string {
	name := strings.TrimPrefix(address, Prefix)
	switch {
	case name == address: // not below Prefix
		return ""
	case name == "":
		name = "index.html"
	case strings.HasPrefix(name, "a/"):
		name += ".html"
	}
	return "content/" + name
}
