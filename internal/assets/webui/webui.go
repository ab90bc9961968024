// Package webui serves the single-page application that web/ builds: files with a hash in their name are cacheable for
// ever, all others are revalidated by their ETag, and index.html is served for every path that the page routes itself.
// It compresses nothing: the build writes a .br and a .gz next to each text file.
package webui

import (
	"errors"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	forever    = "public, max-age=31536000, immutable"
	revalidate = "no-cache"

	notBuilt = "The page was not built: run make web.\n"
)

// file is one file of the build. It is read when it is first asked for, and then kept: a start needs none of them.
type file struct {
	contentType string
	cache       string
	content     func() content
}

// content is what a file holds with its compressed forms: a build is about a megabyte of plain files.
type content struct {
	bodies map[string][]byte // by content coding; "" is the plain one
	etag   string
}

type handler struct {
	base  string
	files map[string]*file // by path without the leading slash
}

// New serves the build in fsys (rooted at its index.html), which does not change, for browsers that see it below a
// path of the host (base, without a slash at its end; requests do not have it). Without an index.html every response
// is 503 and names the command that builds the page.
func New(fsys fs.FS, base string) http.Handler {
	codings := map[string][]string{} // of each path
	// Unreadable folders are not served; an embedded build has none.
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !hidden(name) {
			plain, coding := variant(name)
			codings[plain] = append(codings[plain], coding)
		}
		return nil
	})
	h := &handler{base: base, files: map[string]*file{}}
	for name, forms := range codings {
		if !slices.Contains(forms, "") { // a compressed form alone is not for every client
			continue
		}
		h.files[name] = &file{contentType: contentType(name), cache: cachePolicy(name),
			content: sync.OnceValue(func() content { return readContent(fsys, name, forms) })}
	}
	h.moveBelow()
	return h
}

// suffixes of the names of compressed forms, by content coding.
var suffixes = map[string]string{"br": ".br", "gzip": ".gz"}

func readContent(fsys fs.FS, name string, codings []string) content {
	bodies := map[string][]byte{}
	for _, coding := range codings {
		if body, err := fs.ReadFile(fsys, name+suffixes[coding]); err == nil { // an embedded file can always be read
			bodies[coding] = body
		}
	}
	return newContent(bodies)
}

func newContent(bodies map[string][]byte) content {
	return content{bodies, digest(bodies[""])[:20]}
}

// hidden reports whether a file is not to be served.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return true
		}
	}
	return false
}

func variant(name string) (base, coding string) {
	for coding, suffix := range suffixes {
		if b, ok := strings.CutSuffix(name, suffix); ok {
			return b, coding
		}
	}
	return name, ""
}

// cachePolicy: Vite puts everything with a hash in its name under assets/, and nothing else there.
func cachePolicy(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return forever
	}
	return revalidate
}

// types: the system's table differs from machine to machine.
var types = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff2":       "font/woff2",
}

func contentType(name string) string {
	if t, ok := types[path.Ext(name)]; ok {
		return t
	}
	return "application/octet-stream"
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	SecurityHeaders(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "Only GET and HEAD are supported.\n")
		return
	}
	index := h.files["index.html"]
	if index == nil {
		plain(w, http.StatusServiceUnavailable, notBuilt)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if f := h.files[name+"/index.html"]; f != nil {
		if !strings.HasSuffix(r.URL.Path, "/") {
			http.Redirect(w, r, h.base+"/"+name+"/", http.StatusMovedPermanently)
			return
		}
		serve(w, r, f, http.StatusOK)
		return
	}
	if f, ok := h.files[name]; ok && name != "index.html" {
		serve(w, r, f, http.StatusOK)
		return
	}
	if name == "index.html" || isRoute(name) {
		serve(w, r, index, http.StatusOK)
		return
	}
	if path.Ext(name) != "" || strings.HasPrefix(name, "assets/") {
		// A missing file: the page in its place would break as script or image.
		plain(w, http.StatusNotFound, "There is no such file.\n")
		return
	}
	// The page says itself that the path does not exist.
	serve(w, r, index, http.StatusNotFound)
}

// isRoute reports whether the page routes a path; web/src/data/routes.ts is the grammar.
func isRoute(name string) bool {
	parts := strings.Split(name, "/")
	switch parts[0] {
	case "", "login", "signup", "stats", "rules", "welcome", "add":
		return len(parts) == 1
	case "subscriptions":
		return len(parts) == 1 || len(parts) == 2 && isID(parts[1])
	case "settings":
		return len(parts) == 1 || len(parts) == 2 && parts[1] != "" &&
			strings.Trim(parts[1], "abcdefghijklmnopqrstuvwxyz") == ""
	case "all", "starred", "recent", "search", "today":
		return isItem(parts[1:])
	case "feed", "folder", "label", "saved":
		return len(parts) > 1 && isID(parts[1]) && isItem(parts[2:])
	case "watches":
		return len(parts) == 1 || len(parts) == 2 && (parts[1] == "new" || isID(parts[1])) ||
			len(parts) == 3 && isID(parts[1]) && (parts[2] == "edit" || parts[2] == "trend")
	case "explore": // before it was at my/popular; the page changes the address
		return isPopular(parts[1:])
	case "my":
		return len(parts) > 1 && parts[1] == "popular" && isPopular(parts[2:])
	}
	return false
}

func isPopular(rest []string) bool {
	return len(rest) == 0 || strings.Contains(" hot rising new tags ", " "+rest[0]+" ") && isItem(rest[1:])
}

func isItem(rest []string) bool {
	return len(rest) == 0 || len(rest) == 2 && rest[0] == "i" && isID(rest[1])
}

func isID(s string) bool {
	if s == "" || len(s) > 16 {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

func serve(w http.ResponseWriter, r *http.Request, f *file, status int) {
	h := w.Header()
	c := f.content()
	coding := ""
	if len(c.bodies) > 1 {
		h.Set("Vary", "Accept-Encoding")
		coding = accepted(r.Header.Get("Accept-Encoding"), c.bodies)
	}
	// Each coding has an ETag of its own: they are different representations (RFC 9110, 8.8.3).
	etag := `"` + c.etag + `"`
	if coding != "" {
		etag = `"` + c.etag + "-" + coding + `"`
		h.Set("Content-Encoding", coding)
	}
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", etag)
	if status == http.StatusOK && matches(r.Header.Get("If-None-Match"), etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := c.bodies[coding]
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// accepted returns the best coding that the client accepts (RFC 9110, 12.5.3): a coding with q=0 is refused.
func accepted(header string, bodies map[string][]byte) string {
	refused, listed := map[string]bool{}, map[string]bool{}
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.ToLower(strings.TrimSpace(part)), ";")
		name = strings.TrimSpace(name)
		if q, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q="); ok {
			if v, err := strconv.ParseFloat(q, 64); err == nil && v == 0 {
				refused[name] = true
				continue
			}
		}
		listed[name] = true
	}
	for _, coding := range []string{"br", "gzip"} {
		if _, there := bodies[coding]; there && !refused[coding] && (listed[coding] || listed["*"]) {
			return coding
		}
	}
	return ""
}

func matches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		if tag == "*" || tag == etag {
			return true
		}
	}
	return false
}

func plain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}

// File describes how one file of the build is served.
type File struct {
	Name         string `json:"name"`
	ContentType  string `json:"contentType"`
	CacheControl string `json:"cacheControl"`
}

// Files lists what New serves, without compressed forms, index.html last: uploaded in this order, no page is served
// before its parts.
func Files(fsys fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || hidden(name) {
			return err
		}
		if base, coding := variant(name); coding == "" {
			files = append(files, File{base, contentType(base), cachePolicy(base)})
		}
		return nil
	})
	rank := func(f File) int {
		switch {
		case f.Name == "index.html":
			return 2
		case f.CacheControl == forever:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(files, func(a, b File) int { return rank(a) - rank(b) })
	if err == nil && (len(files) == 0 || files[len(files)-1].Name != "index.html") {
		err = errors.New(strings.TrimSpace(notBuilt))
	}
	return files, err
}
