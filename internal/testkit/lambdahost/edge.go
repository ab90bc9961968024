package lambdahost

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Edge is a CloudFront distribution as far as a browser can tell: which path goes to which origin, the function at
// the viewer's request, methods, compression, and the response headers policy. It caches nothing.
type Edge struct {
	Origins      map[string]http.Handler      // by the id of the distribution
	Hosts        map[string]string            // the origins' own names, by which they are asked unless the viewer's is sent on
	Sent         map[string]map[string]string // by the id of an origin: the headers that it gets besides
	Behaviours   []Behaviour                  // in their order; the last, with the pattern "*", is the default
	RootObject   string
	Distribution string
}

// Behaviour is a cache behaviour.
type Behaviour struct {
	Pattern  string // with * and ?
	Origin   string
	Methods  []string
	Protocol string // allow-all, https-only or redirect-to-https
	Compress bool
	Function *EdgeFunction // at the viewer's request; none when nil
	Headers  []EdgeHeader
	Forward  Forward
}

// Forward is what an origin request policy sends on of the viewer's request; the zero value is no policy.
type Forward struct {
	Headers string   // none, whitelist, allViewer, allViewerAndWhitelistCloudFront or allExcept
	Listed  []string // headers that Headers speaks of
	Cookies string   // all, or none
	Queries string
}

// sends tells whether a header of the viewer reaches the origin. CloudFront asks with conditions and ranges of its own
// where it caches.
func (f Forward) sends(name string) bool {
	listed := slices.ContainsFunc(f.Listed, func(l string) bool { return strings.EqualFold(l, name) })
	switch {
	case strings.EqualFold(name, "Cookie"):
		return f.Cookies == "all"
	case f.Headers == "allViewer", f.Headers == "allViewerAndWhitelistCloudFront":
		return true
	case f.Headers == "allExcept":
		return !listed
	case f.Headers == "whitelist" && listed:
		return true
	}
	return slices.Contains([]string{"Accept-Encoding", "If-None-Match", "If-Modified-Since", "Range"}, http.CanonicalHeaderKey(name))
}

// viewerAddress is a header that CloudFront makes where a policy lists it, whatever a viewer sends.
const viewerAddress = "Cloudfront-Viewer-Address"

// apply makes the request to the origin of the viewer's.
func (f Forward) apply(out *http.Request, host string) {
	for name := range out.Header {
		if !f.sends(name) {
			out.Header.Del(name)
		}
	}
	out.Header.Del(viewerAddress)
	if slices.ContainsFunc(f.Listed, func(l string) bool { return strings.EqualFold(l, viewerAddress) }) && f.Headers != "allExcept" {
		out.Header.Set(viewerAddress, out.RemoteAddr)
	}
	if f.Queries != "all" {
		out.URL.RawQuery = ""
	}
	if !f.sends("Host") {
		out.Host = host
	}
}

// EdgeHeader is a header of a response headers policy: set where the origin did not, or always.
type EdgeHeader struct {
	Name, Value string
	Override    bool
}

// The sizes that CloudFront compresses.
const minPacked, maxPacked = 1000, 10_000_000

// ServeHTTP implements http.Handler.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := e.behaviour(r.URL.EscapedPath())
	if r.TLS == nil && b.Protocol != "allow-all" && b.Protocol != "" {
		if b.Protocol == "https-only" {
			e.refuse(w, http.StatusForbidden)
			return
		}
		http.Redirect(w, r, "https://"+r.Host+r.URL.RequestURI(), http.StatusMovedPermanently)
		return
	}
	if len(b.Methods) > 0 && !slices.Contains(b.Methods, r.Method) {
		e.refuse(w, http.StatusForbidden)
		return
	}
	out := r.Clone(r.Context())
	if b.Function != nil {
		uri, header, err := b.Function.Run(r)
		if err != nil {
			e.refuse(w, http.StatusServiceUnavailable) // FunctionExecutionError
			return
		}
		if uri != r.URL.EscapedPath() {
			out.URL.Path, out.URL.RawPath = uri, ""
		}
		out.Header = header
	}
	if out.URL.Path == "/" && e.RootObject != "" {
		out.URL.Path = "/" + e.RootObject
	}
	b.Forward.apply(out, e.Hosts[b.Origin])
	viewer, _, _ := net.SplitHostPort(r.RemoteAddr)
	out.Header.Set("Via", "2.0 edge.cloudfront.net (CloudFront)")
	out.Header.Set("X-Amz-Cf-Id", requestID())
	out.Header.Set("X-Forwarded-For", strings.TrimPrefix(strings.Join(append(r.Header.Values("X-Forwarded-For"), viewer), ", "), ", "))
	for _, h := range []string{"Connection", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Connection", "Expect"} {
		out.Header.Del(h)
	}
	for name, value := range e.Sent[b.Origin] {
		out.Header.Set(name, value)
	}
	a := &edgeAnswer{w: w, r: r, b: b, status: http.StatusOK}
	e.Origins[b.Origin].ServeHTTP(a, out)
	a.finish()
}

// behaviour is the first whose pattern fits the path as it was sent.
func (e *Edge) behaviour(path string) Behaviour {
	for _, b := range e.Behaviours[:len(e.Behaviours)-1] {
		if patternFits(b.Pattern, path) {
			return b
		}
	}
	return e.Behaviours[len(e.Behaviours)-1]
}

// patternFits is CloudFront's matching: * is any text, slashes too, ? one character, letters as they are.
func patternFits(pattern, path string) bool {
	expr := regexp.QuoteMeta("/" + strings.TrimPrefix(pattern, "/"))
	expr = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(expr)
	return regexp.MustCompile("^" + expr + "$").MatchString(path)
}

func (e *Edge) refuse(w http.ResponseWriter, status int) {
	w.Header().Set("X-Cache", "Error from cloudfront")
	http.Error(w, http.StatusText(status), status)
}

// edgeAnswer keeps an origin's answer until it can be packed and given its headers.
type edgeAnswer struct {
	w      http.ResponseWriter
	r      *http.Request
	b      Behaviour
	status int
	body   bytes.Buffer
}

func (a *edgeAnswer) Header() http.Header         { return a.w.Header() }
func (a *edgeAnswer) WriteHeader(status int)      { a.status = status }
func (a *edgeAnswer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *edgeAnswer) finish() {
	h := a.w.Header()
	for _, header := range a.b.Headers {
		if header.Override || h.Get(header.Name) == "" {
			h.Set(header.Name, header.Value)
		}
	}
	h.Set("X-Cache", "Miss from cloudfront")
	h.Set("Via", "1.1 edge.cloudfront.net (CloudFront)")
	body := a.body.Bytes()
	if a.b.Compress && a.status == http.StatusOK && len(body) >= minPacked && len(body) <= maxPacked && h.Get("Content-Encoding") == "" &&
		packable(h.Get("Content-Type")) && strings.Contains(a.r.Header.Get("Accept-Encoding"), "gzip") {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body)
		_ = z.Close()
		body = packed.Bytes()
		h.Set("Content-Encoding", "gzip")
		h.Add("Vary", "Accept-Encoding")
		if tag := h.Get("Etag"); strings.HasPrefix(tag, `"`) {
			h.Set("Etag", "W/"+tag) // as CloudFront weakens the tag of what it packs
		}
	}
	if a.status != http.StatusNotModified && a.status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(len(body)))
	}
	if a.r.Method == http.MethodHead && len(body) == 0 {
		h.Del("Content-Length")
	}
	a.w.WriteHeader(a.status)
	if a.r.Method != http.MethodHead {
		_, _ = a.w.Write(body)
	}
}

// packable are the content types that CloudFront compresses, those of them that a reader has.
func packable(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return slices.Contains([]string{
		"application/javascript", "application/json", "application/manifest+json", "application/rss+xml", "application/wasm",
		"application/x-javascript", "application/xml", "font/otf", "font/ttf", "image/svg+xml", "text/css", "text/csv",
		"text/html", "text/javascript", "text/plain", "text/x-component", "text/xml", "application/atom+xml",
	}, strings.TrimSpace(strings.ToLower(kind)))
}

// Tag is an entity tag of bytes, as an origin without one of its own would need.
func Tag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}
