// Package api is the HTTP face: routes, JSON shapes, and the rules of the wire (sessions, ETags,
// compression, errors). It holds no business rule; docs/openapi.yaml describes it and a test holds the
// two together. The same handler serves behind API Gateway and on one machine.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/webhook"
)

// Refresher polls feeds on request.
type Refresher interface {
	Run(ctx context.Context, j job.Job, parts int) (crawl.Report, error)
	NextAllowed(ctx context.Context, f *store.FeedRow, part int) (time.Time, error)
}

// Icons hands out the small images of feeds, by name.
type Icons interface {
	Get(ctx context.Context, name string) (png []byte, err error)
}

// Options are the parts that a server is made of.
type Options struct {
	Store     *store.Store
	Streams   *stream.Service
	FullText  FullText // nil: there is none
	Hubs      Hubs     // nil: there are none
	Subscribe *subscribe.Service
	Webhooks  *webhook.Service
	Crawler   Refresher
	Takeout   *takeout.Service
	Auth      *auth.Service
	Clock     clock.Clock
	Log       *slog.Logger
	Version   string
	Parts     int // of hosts; 0 follows the number of feeds
	// Secure marks cookies for HTTPS only; off on loopback.
	Secure bool
	// BaseURL is where people reach the reader, as an origin, when that is not what requests name as host.
	BaseURL string
	// Origins besides the server's own that may call with credentials.
	Origins []string
	// Proxies say whose word counts about where requests come from.
	Proxies Proxies
	// MaxUpload is the largest body that reaches this process, where what is before it bounds it; 0 has no such bound.
	MaxUpload int64
	// RateAddress and RateUser are the requests a minute of an address that is not signed in and of a user; 0 has no
	// bound.
	RateAddress, RateUser int
	// Queue has the dead letters; nil hides them.
	Queue DeadLetters
	// Icons of feeds; nil: none are handed out.
	Icons Icons
	// WriteBudget is how many write units a day may cost; 0 follows the number of feeds.
	WriteBudget int
	// Billed tells that the table's writes cost money.
	Billed bool
	// Sampler thins out the lines of requests that found nothing new, Metrics counts requests, Told is called
	// when one has ended. Each may be nil.
	Sampler *logs.Sampler
	Metrics *metrics.Set
	Told    func()
}

// Server answers the API.
type Server struct {
	Options
	limits *limits
	spent  *spent
}

// New makes the handler for /api/, /auth/ and /healthz.
func New(o Options) http.Handler {
	s := &Server{Options: o, limits: newLimits(o.Clock, o.RateAddress, o.RateUser), spent: newSpent(o.Store.Table().Meter(), o.Clock)}
	mux := http.NewServeMux()
	for _, r := range s.Routes() {
		mux.Handle(r.Method+" "+r.Path, s.handler(r))
	}
	mux.HandleFunc("/", s.unknown)
	return s.outer(mux)
}

// Route is one operation. Paths are those of the OpenAPI document.
type Route struct {
	Method, Path string
	Public       bool // answers without a session
	Owner        bool // answers the owner alone; a token needs the scope admin
	Account      bool // is about the account itself: needs a session, or a token of the scope admin
	Person       bool // needs a session: no program's token opens it
	Fresh        bool // makes what outlives the session, or cannot be taken back: the session must have begun a moment ago
	Uncounted    bool // not counted against an address: machines ask it all the time
	Handle       func(*request) error
}

// needs is the scope that opens a route to a token.
func (r Route) needs() auth.Scopes {
	switch {
	case r.Owner || r.Account:
		return auth.Admin
	case unsafe(r.Method):
		return auth.Write
	}
	return auth.Read
}

// Routes lists every operation, by subject; a test compares it with the OpenAPI document.
func (s *Server) Routes() []Route {
	return slices.Concat(
		s.systemRoutes(), s.signInRoutes(), s.accountRoutes(), s.feedRoutes(), s.discoveryRoutes(), s.subscriptionRoutes(),
		s.itemRoutes(), s.ruleRoutes(), s.transferRoutes(), s.pushRoutes(), s.hubRoutes(), s.statsRoutes(),
	)
}

func (s *Server) systemRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/healthz", Public: true, Uncounted: true, Handle: s.health},
		{Method: "GET", Path: "/api/openapi.json", Public: true, Handle: s.openAPI},
	}
}

func (s *Server) health(r *request) error {
	return r.json(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}
