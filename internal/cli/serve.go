package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/assets/webui"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/stream/assist"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/backend"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

const (
	readTimeout  = 30 * time.Second
	writeTimeout = 60 * time.Second
	idleTimeout  = 2 * time.Minute
	stopTimeout  = 15 * time.Second
	workers      = 2 // messages handled at once
	maxHeader    = 32 << 10
)

func serveFlags(i *invocation) {
	i.flags.StringVar(&i.config.Addr, "addr", i.config.Addr, "address and port to listen on")
	i.flags.BoolVar(&i.config.Samples, "samples", i.config.Samples,
		"serve sample feeds and a demo shop, and subscribe the owner to the feeds")
	parallelFlag(i)
}

func serve(ctx context.Context, i *invocation) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", i.config.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Is the reader running already? Choose another --addr",
			i.config.Addr, err)
	}
	defer ln.Close()
	own := ln.Addr().(*net.TCPAddr).AddrPort()
	o := localwire.Options{Log: i.log(i.config.LogLevel)}
	if i.config.Samples {
		o.Samples = wire.Reachable(own)
	}
	// net/http logs malformed responses, with bytes of strangers, to the standard log.
	slog.SetLogLoggerLevel(slog.LevelDebug)
	slog.SetDefault(o.Log)
	if !i.choosesGC() {
		defer collectLater(ctx)()
	}
	o.Version, o.Clock = i.Version, i.Clock
	if i.config.AIProvider == assist.Bedrock {
		if o.Sign, o.Region, err = backend.Bedrock(ctx, i.config.AIRegion, i.Lookup, i.Clock); err != nil {
			o.Log.Error("the assistant cannot ask Amazon Bedrock yet", "error", sentence(err))
		}
	}
	app, err := localwire.Open(ctx, i.config, o)
	if err != nil {
		return err
	}
	defer app.Close()
	return i.serveApp(ctx, ln, own, app)
}

func (i *invocation) serveApp(ctx context.Context, ln net.Listener, own netip.AddrPort, app *localwire.Backend) error {
	base := wire.OwnURL(own)
	people := cmp.Or(i.config.BaseURL, base) // the samples are fetched from our own address in any case
	server := &http.Server{
		Handler: i.routes(app, base), ReadTimeout: readTimeout, ReadHeaderTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(app.Log.Handler(), slog.LevelWarn),
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-gctx.Done()
		stop, cancel := context.WithTimeout(context.WithoutCancel(gctx), stopTimeout)
		defer cancel()
		return server.Shutdown(stop)
	})
	g.Go(func() error {
		welcome, err := i.welcome(gctx, app, own, people)
		if err != nil {
			return err
		}
		fmt.Fprint(i.Stdout, welcome)
		if i.config.Samples {
			addSamples(gctx, app, base)
			addDemoShop(gctx, app, base)
		}
		return nil
	})
	background(gctx, g, func() error { app.Sweep(gctx); return nil })
	background(gctx, g, func() error { return tick(gctx, app) })
	if i.config.Backups != "" {
		background(gctx, g, func() error { return i.nightlyBackups(gctx, app) })
	}
	background(gctx, g, func() error { return app.Worker().Consume(gctx, workers, stopTimeout) })
	err := g.Wait()
	if ctx.Err() == nil {
		return err
	}
	// The process was asked to stop: what did not end in time is logged and is not a failure of the command.
	app.Log.Info("stopped", "left", err)
	return nil
}

// settle is how long a start leaves the processor to its readers: most come back to a page that reads all their feeds.
const settle = 500 * time.Millisecond

// background starts the server's background work, after its first moments.
func background(ctx context.Context, g *errgroup.Group, run func() error) {
	g.Go(func() error {
		if clock.Sleep(ctx, settle) == nil {
			return run()
		}
		return nil // stopped before it began
	})
}

// welcome returns what is printed at the start: the address, and how the owner signs in. It has a link only while the
// owner has no credential and no session, as at the first start: the journal must not have a valid one later.
func (i *invocation) welcome(ctx context.Context, app *localwire.Backend, own netip.AddrPort,
	people string) (string, error) {
	owner, err := app.Auth.EnsureOwner(ctx)
	if err != nil {
		return "", err
	}
	hello := fmt.Sprintf("Ruri Reader %s is at %s\n", i.Version, i.bright(people))
	known, err := app.Auth.CanSignIn(ctx, owner)
	if err != nil {
		return "", err
	}
	if known {
		return hello + fmt.Sprintf("For a link that signs you in as the owner, run: %s link --data %s --addr %s\n\n",
			cmp.Or(i.Program, "ruri"), i.config.Data, own), nil
	}
	life, words := i.linkLife()
	link, err := app.Auth.NewLink(ctx, owner.ID(), life)
	return hello + fmt.Sprintf("Sign in as the owner with this link; it works once, for %s:\n\n%s\n\n",
		words, i.bright(people+"/auth/link/"+link)), err
}

// bright is a text that stands out on a terminal.
func (i *invocation) bright(text string) string {
	if plain, _ := i.Lookup("NO_COLOR"); plain != "" || !isTerminal(i.Stdout) {
		return text
	}
	return "\x1b[1;36m" + text + "\x1b[0m"
}

// routes serves the API, /metrics, the samples, and the page under every other path.
func (i *invocation) routes(app *localwire.Backend, base string) http.Handler {
	mux := http.NewServeMux()
	apiHandler := app.Handler()
	for _, p := range []string{"/api/", "/auth/", "/healthz", "/websub/", "/popular", "/popular/", "/popular.atom",
		"/popular.json"} {
		mux.Handle(p, apiHandler)
	}
	if i.config.Samples {
		mux.Handle(samples.Prefix, samples.Handler(func(*http.Request) string { return base }, app.Clock))
		mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = io.WriteString(w, samples.Robots)
		})
	}
	mux.Handle("GET /metrics", api.Metrics(app.Auth, app.MetricsText, i.config.BaseURL != ""))
	mux.Handle("/", webui.New(webui.Embedded(), api.PathOf(i.config.BaseURL)))
	return api.Below(i.config.BaseURL, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if api.ServesClients(r.URL.Path) {
			apiHandler.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// addSamples subscribes the owner to the sample feeds, once in the life of a folder: a sample that was unsubscribed
// from is not added again.
func addSamples(ctx context.Context, app *localwire.Backend, base string) {
	owner, err := app.Auth.EnsureOwner(ctx)
	if err != nil {
		app.Log.Error("sample feeds could not be added", "error", err)
		return
	}
	const done = "samples"
	if was, err := app.Store.Accounts.Happened(ctx, done); err != nil || was {
		return
	}
	for _, f := range samples.List() {
		_, _, err := app.Subscribe.Add(ctx, owner.ID(), base+f.Path,
			subscribe.Options{Folder: []string{"Samples"}, Sample: true})
		if err != nil && ctx.Err() == nil {
			app.Log.Error("a sample feed could not be added", "path", f.Path, "error", sentence(err))
		}
	}
	// Last, so that an interrupted first start is repeated.
	if ctx.Err() != nil {
		return
	}
	if err := app.Store.Accounts.Remember(ctx, done); err != nil {
		app.Log.Error("sample feeds could not be marked as added", "error", err)
	}
}

// addDemoShop saves the adapter of the demo shop, once in the life of a folder. It names the server's address, so it is
// saved again where that has changed, unless the owner has deleted it.
func addDemoShop(ctx context.Context, app *localwire.Backend, base string) {
	const done, name = "demo-shop", "demo-shop"
	was, err := app.Store.Accounts.Happened(ctx, done)
	var saved []byte
	if err == nil && was {
		row, e := app.Store.Watches.Adapter(ctx, name)
		if fault.Is(e, fault.NotFound) {
			return
		}
		if err = e; e == nil {
			saved, err = row.JSON()
		}
	}
	adapter := samples.Adapter(base)
	if err == nil && !bytes.Equal(saved, adapter) {
		err = app.Watching.PutAdapter(ctx, name, adapter)
	}
	if err == nil && !was {
		err = app.Store.Accounts.Remember(ctx, done)
	}
	if err != nil && ctx.Err() == nil {
		app.Log.Error("the adapter of the demo shop could not be saved", "error", sentence(err))
	}
}

// tickLook is how often the clock is read. A timer until the next tick would be late by as long as the machine slept,
// and would not notice that the clock was set.
const tickLook = 15 * time.Second

// tick runs the orchestrator once in each tick, at the start for what was missed, and again after a failure while the
// tick has time left.
func tick(ctx context.Context, app *localwire.Backend) error {
	look := time.NewTicker(tickLook)
	defer look.Stop()
	done := schedule.NoTick
	for {
		now := app.Clock.Now()
		if t := schedule.TickOf(now); t != done && t.MayStart(now) {
			if _, err := app.Orchestrator.Run(ctx, now); err == nil {
				done = t
			} else if ctx.Err() == nil {
				app.Log.Error("a tick could not be planned", "tick", int(t), "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}
