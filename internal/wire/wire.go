// Package wire constructs the parts of a process, in order of their dependencies. The two backends, one machine and
// AWS, differ only in the storage that they pass in (packages localwire and awswire).
package wire

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/crawl/budget"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/crawl/orchestrate"
	"github.com/ruri-reader/ruri/internal/crawl/websub"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/popular"
	"github.com/ruri-reader/ruri/internal/popular/explore"
	"github.com/ruri-reader/ruri/internal/popular/usage"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/search"
	"github.com/ruri-reader/ruri/internal/search/find"
	"github.com/ruri-reader/ruri/internal/search/indexing"
	"github.com/ruri-reader/ruri/internal/search/texts"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/takeout/movein"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/telemetry/metrics"
	"github.com/ruri-reader/ruri/internal/watching"
	"github.com/ruri-reader/ruri/internal/webhook"
	"github.com/ruri-reader/ruri/internal/webhook/push"
	"github.com/ruri-reader/ruri/internal/worker"
)

// Seams are the storage and the environment of one backend.
type Seams struct {
	Table *table.Table
	Blobs *blob.Bucket
	Queue *queue.Queue
	Clock clock.Clock
	Log   *slog.Logger
	// Samples is the server's own address when it serves sample feeds: the guard's one exception.
	Samples netip.AddrPort
	// Progress is called after each feed of a run.
	Progress func(done, total int)
	Secure   bool
	// Billed says that writes to the table cost money, so that a day has a budget of them.
	Billed bool
	// Secrets reads the secrets that the settings name; nil where settings hold the secrets themselves.
	Secrets config.SecretReader
	// Sign signs requests to services of AWS; nil without keys. Region is that of the stack.
	Sign   assist.Sign
	Region string
	// ExpireBlobs removes raw bodies past their retention, where no lifecycle of a bucket does.
	ExpireBlobs bool
	// EMF receives CloudWatch's embedded metrics if the settings name a namespace; may be nil.
	EMF io.Writer
	// Patience is the time that a crawl waits for another that holds its part of hosts; 0: it fails at once.
	Patience time.Duration
	// MaxUpload is the largest body of a request that reaches the process; 0 where it reads from the network itself.
	MaxUpload int64
	// Shrink decodes icons; nil in programs that do not look for them.
	Shrink icon.Shrink
	// NoIndexJobs says that the process indexes the items of its crawls itself, and that queued index jobs may never be
	// taken.
	NoIndexJobs bool
	// Fetch replaces the guarded client where publishers are simulated; nil otherwise.
	Fetch fetch.Fetcher
}

// App is the parts of one process.
type App struct {
	Config       config.Config
	Version      string
	Clock        clock.Clock
	Log          *slog.Logger
	Store        *store.Store
	Blobs        *blob.Bucket
	Queue        *queue.Queue
	Orchestrator *orchestrate.Orchestrator
	Crawler      *crawl.Crawler
	Subscribe    *subscribe.Service
	Streams      *stream.Service
	Find         *find.Service
	Explore      *explore.Service
	Watching     *watching.Service
	Usage        *usage.Service
	Search       *search.Service
	Takeout      *takeout.Service
	Cleanup      *cleanup.Service
	Webhooks     *webhook.Service
	Push         *push.Service
	Auth         *auth.Service
	Icons        *icon.Service
	Hubs         *websub.Service
	Indexing     *indexing.Service
	Popular      *popular.Service
	Assist       *assist.Service
	Budget       *budget.Guard
	client       fetch.Fetcher
	report       *reporter
	seams        Seams
	secure       bool
}

// Close closes idle connections to publishers. The drivers are closed by the package that opened them.
func (a *App) Close() {
	if guarded, ok := a.client.(*fetch.Client); ok {
		guarded.Close()
	}
}

// Build constructs the parts.
func Build(c config.Config, version string, s Seams) *App {
	st := store.New(s.Table, s.Clock)
	st.OnDamage(func(k table.Key, err error) {
		s.Log.Error("a row is damaged; others are served without it", "pk", k.PK, "sk", k.SK, "error", err)
	})
	report := &reporter{Seams: s, sampler: logs.NewSampler(sampled), counts: metrics.New(), namespace: c.EMF}
	client := s.Fetch
	if client == nil {
		client = fetch.New(fetch.Options{
			Version: version, ProjectURL: c.ProjectURL, AllowNets: c.AllowNets, Samples: s.Samples,
			HostLock: new(fetch.HostLocks), Clock: s.Clock,
		})
	}
	secure := s.Secure || strings.HasPrefix(c.BaseURL, "https://")
	a := &App{
		Config: c, Version: version, Clock: s.Clock, Log: s.Log, Store: st, Blobs: s.Blobs, Queue: s.Queue,
		Auth: auth.New(st.Accounts, s.Clock, auth.Options{
			SessionSecret: func(ctx context.Context) (string, error) { return c.SessionSecret.Reveal(ctx, s.Secrets) },
			Policy:        auth.Policy{Idle: c.SessionIdle, Life: c.SessionLife, Addresses: c.SessionAddress},
			Providers:     providers(c, s, client),
			TestTokens:    !secure,
		}),
		client: client, report: report, seams: s, secure: secure,
	}
	read := texts.New(s.Blobs)
	a.Subscribe = subscribe.New(subscribe.Deps{
		Store: st, Fetch: client, Queue: s.Queue, Clock: s.Clock, Files: s.Blobs, Log: s.Log,
		Parts: c.Parts, OwnerCap: c.MaxFeeds, UserCap: c.MaxFeedsUser,
	})
	a.Budget = budget.New(st, s.Clock, budget.Options{
		Limit: c.MonthlyLimit, Region: s.Region, OnDemand: c.OnDemand, Log: s.Log,
	})
	a.Crawler = crawl.New(st, s.Blobs, client, s.Clock, crawl.Options{
		Parallel: c.Parallel, Parts: c.Parts, Keep: c.RetentionDays, Probe: c.ProbeStopped, Patience: s.Patience,
		Log: s.Log, Progress: s.Progress, Observer: report, Queue: s.Queue, IndexFrom: indexFrom(c, s),
		IndexAfter: indexAfter(s), Text: keepText(c, s, read),
		Mover: a.Subscribe, News: webhook.Notifier{Queue: s.Queue}.News, Slow: a.Budget.Slow,
	})
	// they need each other: a new feed is polled at once, and a poll finds that a feed has moved
	a.Subscribe.Crawler = a.Crawler
	a.Icons = icon.New(st, s.Blobs, client, a.Crawler, s.Queue, s.Clock, s.Log, s.Shrink)
	a.Takeout = takeout.New(st, s.Blobs, a.Subscribe, a.Auth, s.Queue, s.Clock)
	base := c.BaseURL
	if !strings.HasPrefix(base, "https://") {
		base = "" // hubs must reach us, and the secret must not be sent unencrypted
	}
	a.Hubs = websub.New(st, s.Blobs, s.Queue, client, a.Crawler, s.Clock, s.Log, c.Parts, base)
	keys := func(ctx context.Context) (string, error) { return c.WebhookKeys.Reveal(ctx, s.Secrets) }
	a.Webhooks = webhook.New(st, client, permits(client), keys, s.Queue, a.Subscribe, s.Clock, s.Log)
	a.Budget.Tell = a.Webhooks.TellBudget
	a.Streams = stream.New(st, s.Blobs, s.Clock).OnBody(report.body)
	a.Push = pushTo(a, client)
	a.Webhooks.OnNews(a.Push.Arrived)
	a.Streams.OnStar(a.Webhooks.BeforeStar).OnSend(a.Webhooks.SendAll).OnDamage(func(raw string, err error) {
		s.Log.Warn("a stored feed cannot be read: its articles are shown as failed", "blob", raw, "error", err)
	})
	a.Cleanup = cleanup.New(st, s.Blobs, s.Queue, s.Clock, s.Log, cleanup.Options{
		HubDue:   a.Hubs.Due,
		NoSearch: c.Search == string(search.Off),
		Expire:   s.ExpireBlobs, Keep: c.RetentionDays, Unsubscribed: c.UnsubscribedDays, Recount: a.Subscribe.Recount,
		FoldWatch: a.Crawler.FoldWatch,
	})
	a.buildSearch(read)
	a.Popular = popular.New(st, s.Blobs, s.Queue, s.Clock, s.Log, popular.NewHatena(client), popular.Options{
		Day: c.CountsDay, Interval: c.CountsInterval, MaxCalls: c.CountsCalls, Wait: c.CountsWait,
	})
	a.Orchestrator = orchestrate.New(st, s.Queue, c.Parts, c.Search != string(search.Off), a.Popular)
	a.Orchestrator.Limited = c.MonthlyLimit > 0
	a.Explore = explore.New(st, s.Blobs, s.Queue, a.Streams, a.Popular, explore.NewYahoo(client), s.Clock, s.Log)
	a.Usage = usage.New(st, s.Clock, max(c.Parallel, 1))
	a.Watching = watching.New(watching.Deps{
		Store: st, Streams: a.Streams, Subscribe: a.Subscribe, Crawler: a.Crawler, Fetch: client, Blobs: s.Blobs,
		Clock: s.Clock, Log: s.Log,
	})
	a.Find = find.New(a.Streams, a.Search, a.Popular, search.Mode(c.Search))
	a.Assist = assistant(c, version, st, s)
	return a
}

// buildSearch sets the index and its searches.
func (a *App) buildSearch(read *texts.Texts) {
	c, s := a.Config, a.seams
	a.Indexing = indexing.New(a.Store, s.Blobs, s.Queue, s.Clock, s.Log, indexing.Options{
		Off: c.Search == string(search.Off), Bodies: c.Search == string(search.Bodies), PutsCost: s.Billed, Texts: read,
	})
	a.Search = search.New(a.Store, s.Blobs, s.Clock)
	if c.Search == string(search.Bodies) {
		a.Search.ReadTexts(read)
	}
	a.Search.OnLost(func(ctx context.Context, damage error) {
		err := job.Send(ctx, s.Queue, 0, job.Job{Kind: job.Index, Blob: store.SearchPrefix})
		s.Log.Error("a search found the index damaged; it is checked", "code", fault.CodeOf(damage), "error", damage,
			"sent", err == nil)
	})
}

// pushTo returns what notifies devices. Operators of push services find the installation by its address, if it has one.
func pushTo(a *App, client fetch.Fetcher) *push.Service {
	contact := a.Config.ProjectURL
	if strings.HasPrefix(a.Config.BaseURL, "https://") {
		contact = a.Config.BaseURL
	}
	return push.New(push.Deps{
		Store: a.Store, Streams: a.Streams, Hooks: a.Webhooks, Fetch: client, Permits: permits(client), Key: a.Auth.Key,
		Queue: a.Queue, Contact: contact, Clock: a.Clock, Log: a.Log,
	})
}

const (
	// API Gateway waits for 30 seconds, a person at a machine of their own for a model that is being loaded.
	assistInCloud, assistHere = 22 * time.Second, 2 * time.Minute
	// assistBytes bounds what a model answers.
	assistBytes = 2 << 20
)

// assistant returns the assistant. With wrong settings it has key sentences alone, and the log says what is wrong.
func assistant(c config.Config, version string, st *store.Store, s Seams) *assist.Service {
	o := assist.Options{
		Provider: c.AIProvider, URL: c.AIURL, Model: c.AIModel, Region: cmp.Or(c.AIRegion, s.Region),
		Key:    func(ctx context.Context) (string, error) { return c.AIKey.Reveal(ctx, s.Secrets) },
		Tokens: int64(c.AITokens), UserTokens: int64(c.AIUserTokens), Patience: assistHere, Streams: true,
		Client: func(u *url.URL) assist.Doer { return fetch.Trusted(version, u, assistBytes) }, Sign: s.Sign,
	}
	if s.MaxUpload > 0 { // a gateway is in front
		o.Patience, o.Streams = assistInCloud, false
	}
	a, err := assist.New(st, s.Clock, s.Log, o)
	if err != nil {
		s.Log.Error("the assistant has key sentences alone", "error", err)
	}
	return a
}

// Worker returns what handles messages. It is no field, so that the function of the API, which handles none, is not
// linked with it.
func (a *App) Worker() *worker.Worker {
	return worker.New(worker.Options{
		Queue: a.Queue, Crawler: a.Crawler, Subscribe: a.Subscribe, Cleanup: a.Cleanup, Takeout: a.Takeout,
		Webhooks: a.Webhooks,
		Icons:    a.Icons, Hubs: a.Hubs, Indexing: a.Indexing, Popular: a.Popular, Phrases: a.Explore.RunPhrases,
		Notice: a.Push.Work, MoveIn: a.mover().Work, Budget: a.Budget.Check,
		Nightly: []func(context.Context) error{a.Popular.Nightly, a.Explore.Nightly,
			a.Usage.Nightly}, Parts: a.Parts, Clock: a.Clock, Log: a.Log,
	})
}

// mover returns what moves accounts of other readers in. Their addresses are the users', behind the guard; where
// publishers are simulated there are none.
func (a *App) mover() *movein.Mover {
	m := &movein.Mover{Store: a.Store, Takeout: a.Takeout, Feeds: a.Subscribe, Queue: a.Queue, Clock: a.Clock}
	if guarded, ok := a.client.(*fetch.Client); ok {
		m.Client = guarded.Guarded(movein.Timeout, movein.MaxAnswer)
	}
	return m
}

// indexFrom is the number of items after which a crawl asks for the index: on one machine any, where a job costs
// nothing.
func indexFrom(c config.Config, s Seams) int {
	switch {
	case c.Search == string(search.Off) || s.NoIndexJobs:
		return 0
	case s.Billed:
		return 500
	}
	return 1
}

// indexAfter is the time between a crawl and that job: none where the process that crawls also searches, and a job
// costs nothing; else it comes in the middle of the tick, so that runs of all parts share it.
func indexAfter(s Seams) time.Duration {
	if s.Billed {
		return schedule.TickLength / 2
	}
	return 0
}

// keepText returns what keeps the texts of new items in memory until they are indexed, where the same process does
// that.
func keepText(c config.Config, s Seams, read *texts.Texts) func(string, uint64, string) {
	if c.Search == string(search.Bodies) && !s.Billed {
		return read.Keep
	}
	return nil
}

// permits returns a function that reports early what the guarded client would refuse. Where publishers are simulated,
// every valid address is permitted.
func permits(client fetch.Fetcher) func(string) error {
	if guarded, ok := client.(*fetch.Client); ok {
		return guarded.PermitsPost
	}
	return func(address string) error {
		_, err := fetch.CheckURL(address)
		return err
	}
}

// Handler returns the HTTP API.
func (a *App) Handler() http.Handler {
	return api.New(api.Options{
		Store: a.Store, Streams: a.Streams, FullText: fulltext.New(a.Store, a.client), Subscribe: a.Subscribe,
		Webhooks: a.Webhooks, Push: a.Push, Crawler: a.Crawler, Auth: a.Auth, Takeout: a.Takeout, Find: a.Find,
		Popular: a.Popular,
		Explore: a.Explore, Usage: a.Usage, Watching: a.Watching, Assist: a.Assist,
		Budget: a.Budget,
		Clock:  a.Clock, Log: a.Log, Version: a.Version, Parts: a.Config.Parts, Secure: a.secure,
		Origins: a.Config.Origins,
		BaseURL: a.Config.BaseURL, Queue: a.Queue, Icons: a.Icons, Hubs: a.Hubs, WriteBudget: a.Config.WriteBudget,
		Billed:    a.seams.Billed,
		MaxUpload: a.seams.MaxUpload, RateAddress: a.Config.RateAddress, RateUser: a.Config.RateUser,
		Proxies:  api.Proxies{Nets: a.Config.Proxies, Edge: a.Config.EdgeSecret, EdgeOnly: a.Config.EdgeOnly},
		DemoShop: demoShop(a.seams.Samples), Sampler: a.report.sampler, Metrics: a.report.counts, AfterRequest: func() {
			a.report.flush(requestFlush)
		},
	})
}

// Reachable returns the address at which this machine reaches a server that listens on own: where that is on all
// addresses, it is the loopback one.
func Reachable(own netip.AddrPort) netip.AddrPort {
	host := own.Addr().Unmap()
	if host.IsUnspecified() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.AddrPortFrom(host, own.Port())
}

// OwnURL returns the address at which a person on this machine reaches a server that listens on own.
func OwnURL(own netip.AddrPort) string { return "http://" + Reachable(own).String() }

// demoShop is the address of the demo shop, if there is one.
func demoShop(own netip.AddrPort) string {
	if !own.IsValid() {
		return ""
	}
	return OwnURL(own) + samples.ShopPath
}

// Parts returns into how many parts the hosts are split now.
func (a *App) Parts(ctx context.Context) (int, error) {
	n, err := a.Store.Feeds.Count(ctx)
	return job.Parts(a.Config.Parts, n), err
}
