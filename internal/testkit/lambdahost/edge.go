package lambdahost

import (
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Edge is a CloudFront distribution as far as a browser can observe: which path goes to which origin, the function at
// the viewer's request, methods, and the response headers policy. It neither
// caches nor compresses.
type Edge struct {
	Origins map[string]http.Handler // by the id of the distribution
	// the origins' own names, by which they are asked unless the viewer's is sent on
	Hosts        map[string]string
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

// sends reports whether a header of the viewer reaches the origin. CloudFront asks with conditions and ranges of its
// own where it caches.
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
	return slices.Contains([]string{"Accept-Encoding", "If-None-Match", "If-Modified-Since", "Range"},
		http.CanonicalHeaderKey(name))
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
	if slices.ContainsFunc(f.Listed, func(l string) bool {
		return strings.EqualFold(l, viewerAddress)
	}) && f.Headers != "allExcept" {
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

// ServeHTTP implements http.Handler.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := e.behaviour(r.URL.EscapedPath())
	if len(b.Methods) > 0 && !slices.Contains(b.Methods, r.Method) {
		refuseStatus(w, http.StatusForbidden)
		return
	}
	out := r.Clone(r.Context())
	if b.Function != nil {
		uri, header, err := b.Function.Run(r)
		if err != nil {
			refuseStatus(w, http.StatusServiceUnavailable) // FunctionExecutionError
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
	out.Header.Set("X-Forwarded-For",
		strings.TrimPrefix(strings.Join(append(r.Header.Values("X-Forwarded-For"), viewer), ", "), ", "))
	for _, h := range []string{"Connection", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Connection", "Expect"} {
		out.Header.Del(h)
	}
	for name, value := range e.Sent[b.Origin] {
		out.Header.Set(name, value)
	}
	e.Origins[b.Origin].ServeHTTP(&edgeResponse{ResponseWriter: w, headers: b.Headers}, out)
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

func refuseStatus(w http.ResponseWriter, status int) {
	http.Error(w, http.StatusText(status), status)
}

// edgeResponse adds the headers of a response headers policy.
type edgeResponse struct {
	http.ResponseWriter
	headers []EdgeHeader
	written bool
}

// WriteHeader implements http.ResponseWriter.
func (w *edgeResponse) WriteHeader(status int) {
	w.written = true
	for _, h := range w.headers {
		if h.Override || w.Header().Get(h.Name) == "" {
			w.Header().Set(h.Name, h.Value)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *edgeResponse) Write(p []byte) (int, error) {
	if !w.written {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}
