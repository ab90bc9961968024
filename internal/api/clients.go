package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/clients/fever"
	"github.com/ruri-reader/ruri/internal/clients/greader"
	"github.com/ruri-reader/ruri/internal/clients/miniflux"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
)

const (
	// syncsPerMinute limits the requests of a user's reader apps, separately from those of the page. A first sync may
	// be one request for each of thousands of feeds; each is cheap.
	syncsPerMinute = 3000
	// maxSync bounds the body of an app's request: mostly ids, at most a list of feeds.
	maxSync = 10 << 20
	// The answer of a function on Lambda may have 6 MB, in base64 when it is compressed: a third of the text, mostly.
	// Where that is not enough, the request is served again with half the room.
	roomOnLambda, roomOnLambdaZipped = 5 << 20, 10 << 20
	leastRoom                        = 1 << 20
	maxOnLambda                      = 6<<20 - 64<<10 // without status and headers
	roomElsewhere                    = 64 << 20
)

// dialect is an API that other reader apps speak. It is no part of our own, so it has no routes in the OpenAPI
// document.
type dialect struct {
	name    string
	paths   []string // a path with a slash at its end is that of all below it
	below   string   // prefix that is cut off the path
	handler func(*clients.Services) http.Handler
}

var dialects = []dialect{
	{"greader", []string{"/accounts/", "/reader/", "/check/", "/api/greader.php", "/api/greader.php/"},
		"/api/greader.php", greader.New},
	{"fever", []string{"/fever", "/fever/", "/api/fever.php", "/api/fever.php/"}, "", fever.New},
	{"miniflux", []string{"/v1/", "/healthcheck"}, "", miniflux.New},
}

// oneSlash leaves one slash at the beginning of a path: apps put theirs behind an address that may end with one.
func oneSlash(path string) string {
	for strings.HasPrefix(path, "//") {
		path = path[1:]
	}
	return path
}

func (d *dialect) serves(path string) bool {
	path = oneSlash(path)
	for _, p := range d.paths {
		if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// ServesClients reports whether a path is one of other reader apps. These paths may have the address of a feed in them,
// which a http.ServeMux would take for a path to be cleaned.
func ServesClients(path string) bool {
	for i := range dialects {
		if dialects[i].serves(path) {
			return true
		}
	}
	return false
}

// clients serves the dialects before everything else.
func (s *Server) clients(next http.Handler) http.Handler {
	services := &clients.Services{
		Store: s.Store, Library: s.library, Streams: s.Streams, Subscribe: s.Subscribe, Auth: s.Auth, Clock: s.Clock,
		Version: s.Version, Icons: s.Icons, FullText: s.FullText, Find: s.Find,
		Origin: func(r *http.Request) string { return s.address(&request{Request: r}) }, Room: roomOf,
	}
	handlers := make([]http.Handler, len(dialects))
	for i, d := range dialects {
		handlers[i] = d.handler(services)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range dialects {
			if d := &dialects[i]; d.serves(r.URL.Path) {
				s.visit(d, handlers[i], &request{w: w.(*response), Request: r, id: w.Header().Get("X-Request-Id")})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// visit serves one request of another reader's app. The answer gets an ETag and is compressed, as our own.
func (s *Server) visit(d *dialect, handler http.Handler, r *request) {
	r.w.route = r.Method + " " + d.name
	if s.Proxies.EdgeOnly && !s.Proxies.fromEdge(r.Request) {
		s.fail(r, fault.Coded(fault.Forbidden, "edge_only"))
		return
	}
	if allowAnyOrigin(r.Header(), r.Method) {
		r.w.WriteHeader(http.StatusNoContent)
		return
	}
	if strings.HasPrefix(r.Request.UserAgent(), "Liferea/") {
		// After a 304 for the list of subscriptions, or for the ids of a feed, Liferea does not ask for stars and new
		// items.
		r.Request.Header.Del("If-None-Match")
	}
	address := s.Proxies.clientAddress(r.Request)
	ctx, cancel := context.WithTimeout(logs.WithRequest(r.Context(), r.id), deadline)
	defer cancel()
	var leave func() // from the user's turn
	defer func() {
		if leave != nil {
			leave()
		}
	}()
	v := &clients.Visit{
		Address: address, Agent: r.Request.UserAgent(),
		Stranger: func() error { return waiting(s.limits.addresses.take(network(address))) },
		Guest: func(u reader.UserID) error {
			err := s.limits.syncs.take(string(u))
			if err == nil && leave == nil { // not yet: a request may be served again
				leave, err = s.answers.enter(ctx, string(u))
			}
			return waiting(err)
		},
		Costly: func(kind clients.Costly, u reader.UserID) error {
			return waiting(s.limits.costly(kind).take(string(u)))
		},
	}
	in := r.WithContext(clients.With(stream.Syncing(ctx), v))
	var sent bytes.Buffer // the body, where the request may have to be served again
	in.Body = http.MaxBytesReader(r.w, in.Body, maxSync)
	if s.MaxUpload > 0 {
		in.Body = io.NopCloser(io.TeeReader(in.Body, &sent))
	}
	path := oneSlash(in.URL.Path)
	for d.below != "" && strings.HasPrefix(path, d.below) { // twice where an app adds it to an address that has it
		path = oneSlash(path[len(d.below):])
	}
	if path != in.URL.Path {
		u := *in.URL
		u.Path, u.RawPath = path, ""
		in.URL = &u
	}
	out, room := answered{header: r.Header()}, s.room(r.Request)
	handler.ServeHTTP(&out, withRoom(in, room))
	for ; room > leastRoom && !s.fits(out.body.Bytes(), r.Request); room /= 2 {
		out.status = 0
		out.body.Reset()
		in.Body = io.NopCloser(bytes.NewReader(sent.Bytes()))
		handler.ServeHTTP(&out, withRoom(in, room/2))
	}
	r.w.user = v.User
	if v.Err != nil {
		if r.w.code = fault.CodeOf(v.Err); out.status >= http.StatusInternalServerError {
			r.w.err = v.Err
		}
	}
	if out.status == http.StatusNoContent || out.status == http.StatusNotModified {
		r.w.WriteHeader(out.status)
		return
	}
	kind := cmp.Or(r.Header().Get("Content-Type"), "text/plain; charset=utf-8")
	if err := r.bytes(cmp.Or(out.status, http.StatusOK), kind, out.body.Bytes()); err != nil {
		s.fail(r, err)
	}
}

// allowAnyOrigin lets pages of other origins call, and reports whether a request only asks for that: apps that run in a
// browser keep the password themselves, and no cookie counts here.
func allowAnyOrigin(h http.Header, method string) (isPreflight bool) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, Retry-After")
	if method != http.MethodOptions {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, If-None-Match, X-Auth-Token")
	h.Set("Access-Control-Max-Age", "600")
	return true
}

// costly are the limits that the page's requests of this kind have, too.
func (l *limits) costly(kind clients.Costly) *buckets {
	switch kind {
	case clients.Search:
		return l.searches
	case clients.Page:
		return l.texts
	case clients.Refresh:
		return l.refreshes
	}
	return l.adds
}

// waiting is the error of a limit as the dialects know it.
func waiting(err error) error {
	if l := (*limited)(nil); errors.As(err, &l) {
		return clients.LimitedError(l.wait)
	}
	return err
}

// room is the size up to which an answer is not compressed.
func (s *Server) room(r *http.Request) int {
	switch {
	case s.MaxUpload == 0: // no gateway
		return roomElsewhere
	case zips(r):
		return roomOnLambdaZipped
	}
	return roomOnLambda
}

func zips(r *http.Request) bool {
	return acceptsGzip(strings.Join(r.Header.Values("Accept-Encoding"), ","))
}

// fits reports whether the answer to a request can be passed on: Lambda's answers are JSON, with text as it is and
// anything compressed in base64.
func (s *Server) fits(body []byte, r *http.Request) bool {
	if s.MaxUpload == 0 || base64.StdEncoding.EncodedLen(len(body)) < maxOnLambda {
		return true
	}
	if !zips(r) {
		return len(body)+bytes.Count(body, []byte(`"`))+bytes.Count(body, []byte(`\`))+
			bytes.Count(body, []byte("\n")) < maxOnLambda
	}
	buf := buffer()
	defer giveBack(buf)
	return zipInto(buf, body) != nil || base64.StdEncoding.EncodedLen(buf.Len()) < maxOnLambda
}

type roomKey struct{}

func withRoom(r *http.Request, room int) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), roomKey{}, room))
}

func roomOf(r *http.Request) int {
	room, _ := r.Context().Value(roomKey{}).(int)
	return room
}

// answered keeps an answer until it is complete.
type answered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *answered) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answered) WriteHeader(status int) { a.status = cmp.Or(a.status, status) }

func (a *answered) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
