// Package readerapps is an installation for tests of the APIs of other reader apps: publishers, a crawler, and the API
// as Lambda's HTTP API passes requests to it, over storage in memory and a clock that is turned by hand.
package readerapps

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
	"github.com/ruri-reader/ruri/internal/testkit/lambdahost"
	"github.com/ruri-reader/ruri/internal/wire/lambda"
)

// World is an installation with one user, who has an app password.
type World struct {
	*flow.Env
	Streams  *stream.Service
	Auth     *auth.Service
	Handler  http.Handler
	Email    string
	Password string
}

// New starts an installation.
func New(t testing.TB, seed uint64) *World {
	w := &World{Env: flow.New(t, seed, 1), Email: "a@example.org"}
	w.serve()
	w.Password = w.AppPassword(flow.User)
	return w
}

// serve starts the API over the main process.
func (w *World) serve() {
	p, blobs, log := w.Main(), blob.New(w.Blobs), slog.New(slog.DiscardHandler)
	w.Streams = stream.New(p.Store, blobs, w.Clock)
	w.Auth = auth.New(p.Store.Accounts, w.Clock, auth.Options{})
	handler := api.New(api.Options{
		Store: p.Store, Streams: w.Streams, Subscribe: p.Subscribe, Crawler: p.Crawler, Auth: w.Auth, Clock: w.Clock,
		Log: log, Version: "test", MaxUpload: 4 << 20,
		Find:  find.New(w.Streams, search.New(p.Store, blobs, w.Clock), nil, search.Titles),
		Icons: icon.New(p.Store, blobs, nil, nil, nil, w.Clock, log, nil),
	})
	w.Handler = lambdahost.InProcess("example.com", lambda.Requests(handler))
}

// Restart replaces the process by one with empty caches.
func (w *World) Restart() {
	w.Env.Restart()
	w.serve()
}

// AppPassword makes an app password.
func (w *World) AppPassword(u reader.UserID) string {
	w.T.Helper()
	password, err := w.Auth.NewToken(context.Background(), u, "an app", auth.ScopeSync, time.Time{})
	if err != nil {
		w.T.Fatal(err)
	}
	return password
}

// Another makes another user with an app password.
func (w *World) Another(u reader.UserID, email string) (password string) {
	w.T.Helper()
	if err := w.Store().Accounts.Create(context.Background(), u, store.Account{Email: email}); err != nil {
		w.T.Fatal(err)
	}
	return w.AppPassword(u)
}

// listed is after what time all that has arrived is in the lists that programs continue.
const listed = 4 * time.Minute

// Follow subscribes the user to a new publisher with some items, in a folder, and waits until they are listed.
func (w *World) Follow(url string, items int, path ...string) *store.FeedRow {
	w.T.Helper()
	w.Web.Site(url, items)
	f := w.Add(url, subscribe.Options{Folder: path})
	w.Advance(listed)
	return f
}

// Publish lets a publisher list new items, crawls it, and waits until they are listed.
func (w *World) Publish(f *store.FeedRow, n int) {
	w.T.Helper()
	w.Advance(15 * time.Minute)
	w.Web.Of(f.URL).Publish(w.Now(), n)
	w.poll(f)
	w.Advance(listed)
}

// Do serves a request.
func (w *World) Do(method, path, contentType, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		r = httptest.NewRequest(method, path, http.NoBody)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, r)
	return rec
}
