// Package miniflux is Miniflux's REST API, version 1, as far as it has a meaning here: folders are its categories,
// subscriptions its feeds, items its entries. Requests for anything else are answered as Miniflux answers a user
// without the permission. Ids of entries have 53 bits.
package miniflux

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/ruri-reader/ruri/internal/clients"
	"github.com/ruri-reader/ruri/internal/fault/texts"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/stream"
)

// New returns the handler of /v1/ and of /healthcheck, which needs no password.
func New(s *clients.Services) http.Handler {
	h := &handler{Services: s, mux: http.NewServeMux()}
	for pattern, handle := range map[string]func(*request) error{
		"GET /v1/me":                                     (*request).me,
		"GET /v1/users":                                  (*request).forbidden,
		"POST /v1/users":                                 (*request).forbidden,
		"GET /v1/users/{name}":                           (*request).forbidden,
		"PUT /v1/users/{user}":                           (*request).forbidden,
		"DELETE /v1/users/{user}":                        (*request).forbidden,
		"PUT /v1/users/{user}/mark-all-as-read":          (*request).markAll,
		"GET /v1/categories":                             (*request).categories,
		"POST /v1/categories":                            (*request).addCategory,
		"PUT /v1/categories/{category}":                  (*request).changeCategory,
		"DELETE /v1/categories/{category}":               (*request).removeCategory,
		"GET /v1/categories/{category}/feeds":            (*request).categoryFeeds,
		"PUT /v1/categories/{category}/refresh":          (*request).refreshCategory,
		"GET /v1/categories/{category}/entries":          (*request).entries,
		"GET /v1/categories/{category}/entries/{id}":     (*request).entry,
		"PUT /v1/categories/{category}/mark-all-as-read": (*request).markCategory,
		"POST /v1/discover":                              (*request).discover,
		"GET /v1/feeds":                                  (*request).feeds,
		"POST /v1/feeds":                                 (*request).addFeed,
		"GET /v1/feeds/counters":                         (*request).counters,
		"PUT /v1/feeds/refresh":                          (*request).refreshAll,
		"GET /v1/feeds/{feed}":                           (*request).feed,
		"PUT /v1/feeds/{feed}":                           (*request).changeFeed,
		"DELETE /v1/feeds/{feed}":                        (*request).removeFeed,
		"GET /v1/feeds/{feed}/icon":                      (*request).feedIcon,
		"PUT /v1/feeds/{feed}/refresh":                   (*request).refreshFeed,
		"PUT /v1/feeds/{feed}/mark-all-as-read":          (*request).markFeed,
		"GET /v1/feeds/{feed}/entries":                   (*request).entries,
		"GET /v1/feeds/{feed}/entries/{id}":              (*request).entry,
		"POST /v1/feeds/{feed}/entries/import":           (*request).forbidden,
		"GET /v1/entries":                                (*request).entries,
		"PUT /v1/entries":                                (*request).changeEntries,
		"GET /v1/entries/ids":                            (*request).entryIDs,
		"GET /v1/entries/{id}":                           (*request).entry,
		"PUT /v1/entries/{id}":                           (*request).forbidden,
		"PUT /v1/entries/{id}/bookmark":                  (*request).toggleStar,
		"PUT /v1/entries/{id}/star":                      (*request).toggleStar,
		"POST /v1/entries/{id}/save":                     (*request).save,
		"GET /v1/entries/{id}/fetch-content":             (*request).fetchContent,
		"GET /v1/icons/{icon}":                           (*request).icon,
		"GET /v1/enclosures/{enclosure}":                 (*request).enclosure,
		"PUT /v1/enclosures/{enclosure}":                 (*request).changeEnclosure,
		"GET /v1/export":                                 (*request).export,
		"POST /v1/import":                                (*request).importFeeds,
		"PUT /v1/flush-history":                          (*request).flushHistory,
		"DELETE /v1/flush-history":                       (*request).flushHistory,
		"GET /v1/api-keys":                               (*request).keys,
		"POST /v1/api-keys":                              (*request).forbidden,
		"DELETE /v1/api-keys/{key}":                      (*request).forbidden,
		"GET /v1/integrations/status":                    (*request).integrations,
		"GET /v1/version":                                (*request).version,
	} {
		h.mux.HandleFunc(pattern, h.with(handle))
	}
	h.mux.HandleFunc("GET /healthcheck", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("OK")) })
	h.mux.HandleFunc("/v1/", h.with(func(*request) error { return notFound() }))
	return h
}

type handler struct {
	*clients.Services
	mux *http.ServeMux
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// request is one request of a user.
type request struct {
	*handler
	*http.Request
	w    http.ResponseWriter
	user reader.UserID
	mail string
}

// with identifies the user by X-Auth-Token or by basic authentication, and answers errors.
func (h *handler) with(handle func(*request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		r := &request{handler: h, Request: hr.WithContext(stream.Settled(hr.Context())), w: w}
		err := r.identify()
		if err == nil {
			err = handle(r)
		}
		if err != nil {
			r.fail(err)
		}
	}
}

func (r *request) identify() error {
	var who clients.Caller
	var err error
	if token := r.Request.Header.Get("X-Auth-Token"); token != "" {
		who, err = r.Bearer(r.Context(), token)
	} else {
		r.w.Header().Set("WWW-Authenticate", `Basic realm="Restricted"`)
		name, password, given := r.BasicAuth()
		if !given || name == "" || password == "" {
			return &failure{http.StatusUnauthorized, "access unauthorized"}
		}
		who, _, err = r.Login(r.Context(), name, password)
	}
	r.user, r.mail = who.User, who.Email
	return err
}

// maxBody bounds a body of JSON: one that names 10,000 entries fits.
const maxBody = 1 << 20

// decode reads a JSON body. Unknown members are ignored: many of Miniflux's settings have no counterpart.
func (r *request) decode(into any) error {
	body, err := clients.Body(r.Request, maxBody)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return bad(err.Error())
	}
	return nil
}

// path parses a number of the path.
func (r *request) path(name, what string) (int64, error) {
	n, err := strconv.ParseInt(r.PathValue(name), 10, 64)
	if err != nil || n <= 0 {
		return 0, bad("invalid " + what + " ID")
	}
	return n, nil
}

// answer answers with JSON.
func (r *request) answer(status int, v any) error {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	r.w.Header().Set("Content-Type", "application/json")
	r.w.WriteHeader(status)
	_, _ = r.w.Write(body.Bytes())
	return nil
}

// done answers without content, unless the operation failed.
func (r *request) done(err error) error {
	if err == nil {
		r.w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// failure is an answer that is an error.
type failure struct {
	status  int
	message string
}

func (f *failure) Error() string { return f.message }

func bad(message string) error { return &failure{http.StatusBadRequest, message} }

func notFound() error { return &failure{http.StatusNotFound, "resource not found"} }

// forbidden answers requests that nobody may make through this API: changes of accounts and keys, or of an entry's
// text.
func (r *request) forbidden() error { return &failure{http.StatusForbidden, "access forbidden"} }

// fail answers with an error. Programs know few statuses, so that most are 400.
func (r *request) fail(err error) {
	var f *failure
	if !errors.As(err, &f) {
		err = clients.OfSite(err)
		f = &failure{status: clients.Status(r.w, r.Request, err)}
		switch f.status {
		case http.StatusUnauthorized:
			f.message = "access unauthorized"
		case http.StatusNotFound:
			f.message = "resource not found"
		case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge:
			f.status, f.message = http.StatusBadRequest, texts.EnglishMessage(err)
		default:
			f.message = strings.ToLower(http.StatusText(f.status))
		}
	}
	_ = r.answer(f.status, struct {
		Message string `json:"error_message"`
	}{f.message})
}
