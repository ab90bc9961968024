// Package greader answers the Google Reader API, as far as the readers that still speak it use it: at the root of the
// server and below /api/greader.php. Answers are JSON, whatever output is asked for, except below /reader/atom/, and
// plain text for errors and changes.
package greader

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/lru"
)

const (
	base     = "/reader/api/0/"
	atomBase = "/reader/atom/"
)

type server struct {
	*clients.Services
	added *lru.Cache[addedFeed, time.Time]
}

// New returns the handler of /accounts/, /reader/ and /check/. The paths below /api/greader.php come to it without
// that.
func New(s *clients.Services) http.Handler {
	return &server{s, lru.New[addedFeed, time.Time](maxAdded)}
}

// request is a request with its user.
type request struct {
	w http.ResponseWriter
	*http.Request
	form   url.Values // of the address and the body
	rest   string     // of the path, behind that of the route
	caller clients.Caller
	token  string // that the caller is known by
}

// route is one operation.
type route struct {
	handle func(*server, *request) error
	post   bool // changes something: not for GET
	raw    bool // the body is no form
}

// routes are the operations below base.
var routes = map[string]route{
	"token":                  {handle: (*server).giveToken},
	"user-info":              {handle: (*server).userInfo},
	"tag/list":               {handle: (*server).listTags},
	"subscription/list":      {handle: (*server).listSubscriptions},
	"unread-count":           {handle: (*server).unreadCounts},
	"preference/list":        {handle: constant(`{"prefs":[]}`)},
	"preference/stream/list": {handle: constant(`{"streamprefs":{}}`)},
	"friend/list":            {handle: constant(`{"friends":[]}`)},
	"stream/contents":        {handle: (*server).streamContents},
	"stream/items/ids":       {handle: (*server).itemIDs},
	"stream/items/contents":  {handle: (*server).itemContents},
	"edit-tag":               {handle: (*server).editTag, post: true},
	"mark-all-as-read":       {handle: (*server).markAll, post: true},
	"rename-tag":             {handle: (*server).renameTag, post: true},
	"disable-tag":            {handle: (*server).disableTag, post: true},
	"subscription/edit":      {handle: (*server).editSubscription, post: true},
	"subscription/quickadd":  {handle: (*server).quickAdd},
	"subscription/export":    {handle: (*server).export},
	"subscription/import":    {handle: (*server).importList, post: true, raw: true},
}

func constant(json string) func(*server, *request) error {
	return func(_ *server, r *request) error { return r.bytes(jsonType, []byte(json)) }
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	r := &request{w: w, Request: hr}
	w.Header().Set("Cache-Control", "private, no-cache")
	if err := s.serve(r); err != nil {
		r.fail(err)
	}
}

func (s *server) serve(r *request) error {
	path := r.URL.Path
	switch path {
	case "/accounts/ClientLogin", "/accounts/ClientLogin/":
		return s.logIn(r)
	case "/check/compatibility":
		return s.check(r)
	case "", "/": // of the alias: what somebody sees who opens the address that clients are given
		return s.check(r)
	}
	if strings.HasPrefix(path, iconBase) {
		return s.icon(r, path)
	}
	if rest, isAtom := strings.CutPrefix(path, atomBase); isAtom {
		r.rest = rest
		return s.run(r, route{handle: (*server).streamAtom})
	}
	name, ok := strings.CutPrefix(path, base)
	route, found := routes[strings.TrimSuffix(name, "/")]
	if rest, isStream := strings.CutPrefix(name, "stream/contents/"); isStream {
		route, found, r.rest = routes["stream/contents"], true, rest
	}
	if !ok || !found {
		return fault.Coded(fault.NotFound, "not_found")
	}
	return s.run(r, route)
}

func (s *server) run(r *request, route route) (err error) {
	if route.post && r.Method != http.MethodPost {
		r.w.Header().Set("Allow", http.MethodPost)
		return r.text(http.StatusMethodNotAllowed, "POST only\n")
	}
	if route.raw {
		r.form = r.URL.Query()
	} else if r.form, err = clients.Form(r.Request); err != nil {
		return err
	}
	if err := s.authenticate(r); err != nil {
		return err
	}
	return route.handle(s, r)
}
