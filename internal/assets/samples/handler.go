package samples

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Handler serves the sample feeds, their items' pages and sounds, and the page that names them, under
// Prefix. baseURL gives the address of the server as the client sees it, without a slash at its end
// ("http://127.0.0.1:8080"). Every answer has an ETag and a Last-Modified date and answers 304.
func Handler(baseURL func(*http.Request) string) http.Handler {
	h := &handler{baseURL: baseURL}
	return http.HandlerFunc(h.serve)
}

type handler struct {
	baseURL func(*http.Request) string

	mu   sync.Mutex
	base string
	site map[string]*resource // of that base; one is all a server has
}

// resource is one thing that is served, in both codings.
type resource struct {
	contentType  string
	modified     time.Time
	plain, gzip  []byte
	etag, etagGz string
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	res := h.resources(strings.TrimSuffix(h.baseURL(r), "/"))[r.URL.Path]
	if res == nil {
		http.NotFound(w, r)
		return
	}
	res.serve(w, r)
}

// resources gives the site for a base address; it is made once for each new one.
func (h *handler) resources(base string) map[string]*resource {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.site == nil || h.base != base {
		h.base, h.site = base, build(base)
	}
	return h.site
}

func (res *resource) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", res.contentType)
	header.Set("Cache-Control", "no-cache") // ask, and get a 304
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; media-src 'self'")
	body, etag := res.plain, res.etag
	if res.gzip != nil {
		header.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Get("Accept-Encoding")) {
			body, etag = res.gzip, res.etagGz
			header.Set("Content-Encoding", "gzip")
			header.Set("Content-Length", strconv.Itoa(len(body)))
			r = withoutRange(r)
		}
	}
	header.Set("ETag", etag)
	http.ServeContent(w, r, "", res.modified, bytes.NewReader(body))
}

// withoutRange asks for the whole: a part of a compressed document serves nobody.
func withoutRange(r *http.Request) *http.Request {
	if r.Header.Get("Range") == "" {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del("Range")
	return r
}

// acceptsGzip reads an Accept-Encoding header (RFC 9110, 12.5.3).
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(strings.ToLower(header), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		q, ok := strings.CutPrefix(strings.TrimSpace(weight), "q=")
		if !ok {
			return true
		}
		v, err := strconv.ParseFloat(q, 64)
		return err == nil && v > 0
	}
	return false
}

// build makes everything there is to serve.
func build(base string) map[string]*resource {
	site := map[string]*resource{}
	latest := founded
	for _, c := range channels() {
		f := formats[c.format]
		contentType := f.mediaType
		if f.charset != "" {
			contentType += "; charset=" + f.charset
		}
		site[c.path()] = compressed(contentType, c.updated(), c.set(base))
		for _, it := range c.items {
			when := it.date
			if when.IsZero() {
				when = founded
			}
			site[c.page(it)] = compressed(htmlType, when, itemPage(c, it))
			if len(it.tone) > 0 {
				site[c.sound(it)] = plain("audio/wav", when, sound(it.tone))
			}
		}
		if c.updated().After(latest) {
			latest = c.updated()
		}
	}
	site[Prefix] = compressed(htmlType, latest, indexPage())
	site[Prefix+"style.css"] = compressed("text/css; charset=utf-8", founded, []byte(style))
	return site
}

func plain(contentType string, modified time.Time, body []byte) *resource {
	sum := sha256.Sum256(body)
	tag := hex.EncodeToString(sum[:10])
	return &resource{contentType: contentType, modified: modified.UTC(), plain: body, etag: `"` + tag + `"`, etagGz: `"` + tag + `-gzip"`}
}

func compressed(contentType string, modified time.Time, body []byte) *resource {
	res := plain(contentType, modified, body)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		panic(err) // into memory
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	res.gzip = b.Bytes()
	return res
}
