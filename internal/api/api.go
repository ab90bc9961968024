// Package api is the HTTP API: middleware (logging, CORS, authorization), routes, handlers and JSON shapes. It has no
// business rules. A test compares it with docs/openapi.yaml. The same handler serves behind API Gateway and in the
// single binary.
//
// To add an endpoint, add a Route and its handler to the file of the resource, and describe it in docs/openapi.yaml.
package api

import (
	"log/slog"
	"net/http"
	"slices"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/budget"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/crawl/websub"
	"github.com/ruri-reader/ruri/internal/library"
	"github.com/ruri-reader/ruri/internal/lru"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/popular/usage"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
	"github.com/ruri-reader/ruri/internal/watching"
	"github.com/ruri-reader/ruri/internal/webhook"
	"github.com/ruri-reader/ruri/internal/webhook/push"
)

// Options are a server's dependencies and settings.
type Options struct {
	Store     *store.Store
	Streams   *stream.Service
	FullText  *fulltext.Service // nil: there is none
	Hubs      *websub.Service   // nil: there are none
	Subscribe *subscribe.Service
	Webhooks  *webhook.Service
	Push      *push.Service
	Crawler   *crawl.Crawler
	Takeout   *takeout.Service
	Find      *find.Service    // nil: nothing can be searched
	Popular   *popular.Service // nil: there are no bookmark counts
	Explore   *explore.Service
	Watching  *watching.Service
	Usage     *usage.Service
	Assist    *assist.Service
	Budget    *budget.Guard // nil: there is no limit
	DemoShop  string        // its address, for trying out watches; empty: there is none
	Auth      *auth.Service
	Clock     clock.Clock
	Log       *slog.Logger
	Version   string
	Parts     int // of hosts; 0 follows the number of feeds
	// Secure marks cookies for HTTPS only; off on loopback.
	Secure bool
	// BaseURL is the public address of the reader, where it differs from the Host header. It may have a path.
	BaseURL string
	// Origins besides the server's own that may call with credentials.
	Origins []string
	Proxies Proxies
	// MaxUpload is the largest body that the gateway in front passes on; 0: no limit.
	MaxUpload int64
	// RateAddress and RateUser limit the requests a minute of an address without a user, and of a user; 0: no limit.
	RateAddress, RateUser int
	Queue                 DeadLetters   // nil: there are none
	Icons                 *icon.Service // nil: there are none
	// WriteBudget is the budget of write units a day; 0 follows the number of feeds.
	WriteBudget int
	// Billed: the table's writes cost money.
	Billed bool
	// Sampler thins out the log lines of requests that found nothing new, Metrics counts requests, AfterRequest is
	// called when one has ended. Each may be nil.
	Sampler      *logs.Sampler
	Metrics      *metrics.Set
	AfterRequest func()
}

// Server has the handlers of the API.
type Server struct {
	Options
	library        *library.Service
	path           string // of the base URL
	limits         *limits
	answers, heavy turns // by user
	held           held
	spent          *spent
	lists          *feedLists
	public         *publicLists
	shares         *publicLists // by the hash of the token
}

// New returns the handler of /api/, /auth/, /websub/, /popular, /healthz and the paths of other reader apps
// (ServesClients).
func New(o Options) http.Handler { return newServer(o).router() }

func newServer(o Options) *Server {
	if o.Budget == nil {
		o.Budget = budget.New(o.Store, o.Clock, budget.Options{})
	}
	return &Server{
		Options: o, library: o.Store.Library(o.Streams, o.Webhooks), path: PathOf(o.BaseURL),
		limits:  newLimits(o.Clock, o.RateAddress, o.RateUser),
		answers: turns{atOnce: answersAtOnce}, heavy: turns{atOnce: 1}, held: held{most: mostHeld},
		spent:  newSpent(o.Store.Table().Meter(), o.Clock),
		lists:  &feedLists{byKey: lru.New[listKey, *feedList](maxListed)},
		public: &publicLists{lists: lru.New[string, publicList](publicBytes)},
		shares: &publicLists{lists: lru.New[string, publicList](publicBytes)},
	}
}

func (s *Server) router() http.Handler {
	mux := http.NewServeMux()
	for _, r := range s.Routes() {
		mux.Handle(r.Method+" "+r.Path, s.handler(r))
	}
	mux.HandleFunc("/", s.unknown(mux))
	return s.logged(s.clients(s.cors(mux)))
}

// Routes lists every operation, by subject; a test compares it with the OpenAPI document.
func (s *Server) Routes() []Route {
	return slices.Concat(
		s.systemRoutes(), s.signInRoutes(), s.accountRoutes(), s.feedRoutes(), s.discoveryRoutes(),
		s.subscriptionRoutes(), s.todayRoutes(),
		s.itemRoutes(), s.assistRoutes(), s.entryRoutes(), s.publicRoutes(), s.shareRoutes(),
		s.searchRoutes(), s.watchRoutes(), s.ruleRoutes(),
		s.importRoutes(), s.webhookRoutes(), s.pushRoutes(), s.hubRoutes(), s.statsRoutes(),
	)
}

func (s *Server) systemRoutes() []Route {
	return []Route{
		{Method: "GET", Path: "/healthz", Public: true, Uncounted: true, Handle: s.health},
		{Method: "GET", Path: "/api/openapi.json", Public: true, Handle: s.openAPI},
	}
}

func (s *Server) health(r *request) error {
	return r.json(http.StatusOK, map[string]string{"status": "ok", "version": s.Version,
		"client": s.Proxies.clientAddress(r.Request)})
}
