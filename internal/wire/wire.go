// Package wire binds seams to rooms: a list of constructors, no logic. The two homes differ only in what
// they hand in (packages localwire and awswire).
package wire

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/content/fetch"
	"github.com/ruri-reader/ruri/internal/crawl/fulltext"
	"github.com/ruri-reader/ruri/internal/crawl/icon"
	"github.com/ruri-reader/ruri/internal/job"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/crawl/orchestrate"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/stream"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/takeout"
	"github.com/ruri-reader/ruri/internal/cleanup"
	"github.com/ruri-reader/ruri/internal/webhook"
	"github.com/ruri-reader/ruri/internal/crawl/websub"
)

// Seams are the storage and the surroundings of one home.
type Seams struct {
	Table *table.Table
	Blobs *blob.Bucket
	Queue *queue.Queue
	Clock clock.Clock
	Log   *slog.Logger
	// Samples is the server's own address when it serves sample feeds: the guard's one exception.
	Samples netip.AddrPort
	// Progress is told of each feed of a run.
	Progress func(crawl.Progress)
	Secure   bool
	// Billed tells that the table's writes cost money, so that a day has a budget of them.
	Billed bool
	// Secrets reads what the settings only name; nil where there is no such place.
	Secrets config.SecretReader
	// ExpireBlobs removes raw bodies past their time; a bucket's lifecycle does it by itself.
	ExpireBlobs bool
	// EMF takes the embedded metrics of CloudWatch, under this namespace; nil for none.
	EMF       io.Writer
	Namespace string
	// Patience is how long a crawl waits for another that has its part of hosts; 0: it fails at once.
	Patience time.Duration
	// MaxUpload is the largest body of a request that reaches the process; 0 where it reads from the network itself.
	MaxUpload int64
	// Fetch takes the guarded client's place where publishers are simulated; nil otherwise.
	Fetch Fetcher
}

// Fetcher asks publishers; the guarded client does.
type Fetcher interface {
	Do(ctx context.Context, r fetch.Request) (*fetch.Response, error)
	Close()
}

// App is the rooms of one process.
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
	Takeout      *takeout.Service
	Tidy         *tidy.Service
	Webhooks     *webhook.Service
	Auth         *auth.Service
	Icons        *icon.Service
	Hubs         *websub.Service
	client       Fetcher
	watch        *watcher
	secure       bool
	billed       bool
	maxUpload    int64
}

// Close lets go of connections to publishers; the seams are their opener's to close.
func (a *App) Close() { a.client.Close() }

// Build makes the rooms.
func Build(c config.Config, version string, s Seams) *App {
	st := store.New(s.Table, s.Clock)
	watch := newWatcher(s, st)
	client := s.Fetch
	if client == nil {
		client = fetch.New(fetch.Options{
			Version: version, ProjectURL: c.ProjectURL, AllowNets: c.AllowNets, Samples: s.Samples,
			HostLock: new(fetch.HostLocks), Clock: s.Clock,
		})
	}
	a := &App{
		Config: c, Version: version, Clock: s.Clock, Log: s.Log, Store: st, Blobs: s.Blobs, Queue: s.Queue,
		Orchestrator: orchestrate.New(st, s.Queue, c.Parts),
		Streams:      stream.New(st, s.Blobs, s.Clock).Watched(watch.body),
		Auth: auth.New(st.Accounts, s.Clock).WithSessionSecret(func(ctx context.Context) (string, error) {
			return c.SessionSecret.Reveal(ctx, s.Secrets)
		}).WithPolicy(auth.Policy{Idle: c.SessionIdle, Life: c.SessionLife, Addresses: c.SessionAddress}).
			WithProviders(providers(c, s, client)...),
		client: client,
		watch:  watch,
		billed: s.Billed,
		secure: s.Secure || strings.HasPrefix(c.BaseURL, "https://"), maxUpload: s.MaxUpload,
	}
	if !a.secure {
		a.Auth.WithTestTokens()
	}
	mover := &lateMover{}
	illustrator := &lateIllustrator{}
	a.Crawler = crawl.New(st, s.Blobs, client, s.Clock, crawl.Options{
		News:     func(ctx context.Context, f *store.FeedRow) { a.Webhooks.News(ctx, f) },
		Parallel: c.Parallel, Log: s.Log, Mover: mover, Progress: s.Progress, Parts: c.Parts, Keep: c.RetentionDays, Watch: watch,
		Patience: s.Patience,
		Icons:    illustrator, Finder: mover, Probe: c.ProbeStopped,
	})
	a.Icons = icon.New(st, s.Blobs, client, a.Crawler, s.Queue, s.Clock, s.Log)
	illustrator.to = a.Icons
	a.Subscribe = subscribe.New(st, client, a.Crawler, s.Queue, s.Clock, c.Parts, s.Log).WithCaps(c.MaxFeeds, c.MaxFeedsUser).WithFiles(s.Blobs)
	mover.to = a.Subscribe
	a.Takeout = takeout.New(st, s.Blobs, a.Subscribe, a.Auth, s.Clock)
	base := c.BaseURL
	if !strings.HasPrefix(base, "https://") {
		base = "" // hubs have to reach us, and a secret is not told in the open
	}
	a.Hubs = websub.New(st, s.Blobs, s.Queue, client, a.Crawler, s.Clock, s.Log, c.Parts, base)
	a.Streams.Starring(func(ctx context.Context, u reader.UserID, id reader.ItemID) error {
		return a.Webhooks.Starring(ctx, u, id)
	})
	a.Webhooks = webhook.New(st, client, permits(client), s.Queue, a.Subscribe, s.Clock, s.Log)
	a.Tidy = tidy.New(st, s.Blobs, s.Queue, s.Clock, s.Log, tidy.Options{
		HubDue: a.Hubs.Due,
		Expire: s.ExpireBlobs, Keep: c.RetentionDays, Forsaken: c.ForsakenDays, Recount: a.Subscribe.Recount,
	})
	return a
}

// permits tells early what the guarded client would refuse; a simulated one refuses nothing that is an address.
func permits(client Fetcher) func(string) error {
	if guarded, ok := client.(*fetch.Client); ok {
		return guarded.PermitsPost
	}
	return func(address string) error {
		_, err := fetch.CheckURL(address)
		return err
	}
}

// lateMover closes the circle between crawler and subscriptions: a moved feed is found by the one and
// merged by the other.
type lateMover struct{ to *subscribe.Service }

func (m *lateMover) WantFind(ctx context.Context, feeds []reader.FeedID) error {
	return m.to.WantFind(ctx, feeds)
}

func (m *lateMover) MoveFeed(ctx context.Context, row *store.FeedRow, to string) error {
	return m.to.MoveFeed(ctx, row, to)
}

// lateIllustrator closes the circle between crawler and icons, which hold hosts through it.
type lateIllustrator struct{ to *icon.Service }

func (l *lateIllustrator) Want(ctx context.Context, feeds []reader.FeedID) error {
	return l.to.Want(ctx, feeds)
}

// Handler makes the HTTP API.
func (a *App) Handler() http.Handler {
	return api.New(api.Options{
		Store: a.Store, Streams: a.Streams, FullText: fulltext.New(a.Store, a.client, a.Clock), Subscribe: a.Subscribe, Webhooks: a.Webhooks, Crawler: a.Crawler, Auth: a.Auth, Takeout: a.Takeout,
		Clock: a.Clock, Log: a.Log, Version: a.Version, Parts: a.Config.Parts, Secure: a.secure, Origins: a.Config.Origins,
		BaseURL: a.Config.BaseURL, Queue: a.Queue, Icons: a.Icons, Hubs: a.Hubs, WriteBudget: a.Config.WriteBudget, Billed: a.billed,
		MaxUpload: a.maxUpload, RateAddress: a.Config.RateAddress, RateUser: a.Config.RateUser,
		Proxies: api.Proxies{Nets: a.Config.Proxies, Edge: a.Config.EdgeSecret, EdgeOnly: a.Config.EdgeOnly},
		Sampler: a.watch.sampler, Metrics: a.watch.counts, Told: func() { a.watch.tell(requestTold) },
	})
}

// Parts is into how many parts the hosts are split now.
func (a *App) Parts(ctx context.Context) (int, error) {
	n, err := a.Store.Feeds.Count(ctx)
	return job.Parts(a.Config.Parts, n), err
}

// Work handles one queue message. Whatever a publisher did is in rows; only a busy part
// (crawl.ErrBusy), our own stores, or a message that is not ours are errors.
func (a *App) Work(ctx context.Context, body []byte) error {
	j, err := job.Decode(body)
	if err != nil {
		return err
	}
	switch j.Kind {
	case job.Tell, job.Hook, job.Hooks:
		return a.Webhooks.Work(ctx, j)
	case job.Collect:
		return a.Tidy.Collect(ctx, j)
	case job.Tidy:
		began := a.Clock.Now()
		report, err := a.Tidy.Run(ctx, j)
		if err == nil && report.Done {
			err = a.Webhooks.Heal(ctx)
		}
		if err == nil {
			a.Log.Info("tidy", "request_id", logs.Request(ctx), "judged", report.Judged, "orphans", report.Orphans,
				"expired", report.Expired, "floors", report.Floors, "removed", report.Removed, "done", report.Done, "duration_ms", a.Clock.Now().Sub(began).Milliseconds())
		}
		return err
	}
	switch j.Kind {
	case job.Hub:
		return a.Hubs.Run(ctx, j)
	case job.Pushed:
		_, err := a.Hubs.Ingest(ctx, j)
		return err
	}
	if j.Kind == job.Icon || j.Kind == job.Find {
		began, run := a.Clock.Now(), a.Icons.Run
		if j.Kind == job.Find {
			run = a.Subscribe.RunFind
		}
		err := run(ctx, j)
		if err == nil {
			a.Log.Info("looked for", "what", j.Kind, "request_id", logs.Request(ctx), "feeds", len(j.Feeds), "duration_ms", a.Clock.Now().Sub(began).Milliseconds())
		}
		return err
	}
	if j.Kind == job.Import {
		return a.Subscribe.RunImport(ctx, j)
	}
	parts, err := a.Parts(ctx)
	if err != nil {
		return err
	}
	report, err := a.Crawler.Run(ctx, j, parts)
	if err != nil {
		return err
	}
	if report.Dropped != "" {
		a.watch.dropped(ctx, j.Kind, int(j.Tick), j.Part, report.Dropped)
	}
	return nil
}

// Early tells after which time a message is to come again that Work could not handle yet: a part was busy, or a
// delivery's time has not come. 0 for other failures. A part is waited for longer each time: all tries of a message
// outlast the leases of two crawlers that died one after the other.
func Early(err error, receives int) time.Duration {
	var early *webhook.EarlyError
	switch {
	case errors.Is(err, crawl.ErrBusy):
		return crawl.BusyRetry << min(max(receives-2, 0), 3)
	case errors.As(err, &early):
		return early.After
	}
	return 0
}

// usualWaits is how often a message may come too early before that is worth a warning.
const usualWaits = 2

// Level is how loudly to log that a message was not handled: that it came too early is no fault, unless it goes on.
func Level(err error, receives int) slog.Level {
	if Early(err, receives) > 0 && receives <= usualWaits {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// Handle is Work for the queue's own loop: a message that came too early comes again soon, one that nobody can
// read goes to the dead letters.
func (a *App) Handle(ctx context.Context, m queue.Message) error {
	err := a.Work(logs.WithRequest(ctx, m.ID), m.Body)
	switch {
	case Early(err, m.Receives) > 0:
		return queue.Retry(Early(err, m.Receives), err)
	case fault.Is(err, fault.Invalid):
		return queue.Reject(err)
	}
	return err
}
