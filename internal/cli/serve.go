package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/storage/queue"
	"github.com/ruri-reader/ruri/internal/assets/samples"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/assets/webui"
	"github.com/ruri-reader/ruri/internal/wire"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

const (
	readTimeout  = 30 * time.Second
	writeTimeout = 60 * time.Second
	idleTimeout  = 2 * time.Minute
	stopTimeout  = 15 * time.Second
	maxHeader    = 32 << 10
)

func serve(ctx context.Context, i *invocation) error {
	i.flags.StringVar(&i.config.Addr, "addr", i.config.Addr, "address and port to listen on")
	i.flags.BoolVar(&i.config.Samples, "samples", i.config.Samples, "serve sample feeds and subscribe the owner to them")
	i.flags.IntVar(&i.config.Parallel, "parallel", i.config.Parallel, "hosts polled at once")
	if _, err := i.parse(0); err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", i.config.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Is the reader running already? Choose another --addr", i.config.Addr, err)
	}
	defer ln.Close()
	own := ln.Addr().(*net.TCPAddr).AddrPort()
	o := localwire.Options{Log: i.log()}
	if i.config.Samples {
		o.Samples = own
	}
	// net/http writes what odd servers send to the standard log, bytes of strangers included.
	slog.SetLogLoggerLevel(slog.LevelDebug)
	slog.SetDefault(o.Log)
	home, err := i.open(ctx, o)
	if err != nil {
		return err
	}
	defer home.Close()
	return i.serveHome(ctx, ln, own, home)
}

func (i *invocation) serveHome(ctx context.Context, ln net.Listener, own netip.AddrPort, home *localwire.Home) error {
	base := baseURL(own)
	people := cmp.Or(i.config.BaseURL, base) // the samples are reached by our own address all the same
	welcome, err := i.welcome(ctx, home, own, people)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: i.routes(home, base), ReadTimeout: readTimeout, ReadHeaderTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(home.Log.Handler(), slog.LevelWarn),
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
	g.Go(func() error { home.Sweep(gctx); return nil })
	g.Go(func() error { return tick(gctx, home) })
	g.Go(func() error { return work(gctx, home) })
	if i.config.Samples {
		g.Go(func() error { addSamples(gctx, home, base); return nil })
	}
	fmt.Fprint(i.Stdout, welcome)
	err = g.Wait()
	if ctx.Err() == nil {
		return err
	}
	// Asked to stop: what took too long to end is told, and is no failure of the command.
	home.Log.Info("stopped", "left", err)
	return nil
}

// welcome is what the start says: where the reader is, and how its owner gets in. A link is in it only as long as the
// owner has no way to sign in and is signed in nowhere, which is at the first start: whoever reads the journal later
// must not find one.
func (i *invocation) welcome(ctx context.Context, home *localwire.Home, own netip.AddrPort, people string) (string, error) {
	owner, err := home.Auth.EnsureOwner(ctx)
	if err != nil {
		return "", err
	}
	hello := fmt.Sprintf("Ruri Reader %s is at %s\n", i.Version, people)
	known, err := home.Auth.CanSignIn(ctx, owner)
	if err != nil {
		return "", err
	}
	if known {
		return hello + fmt.Sprintf("For a link that signs you in as the owner, run: %s link --data %s --addr %s\n\n", cmp.Or(i.Program, "ruri"), i.config.Data, own), nil
	}
	life, words := i.linkLife()
	link, err := home.Auth.NewLink(ctx, owner.ID(), life)
	return hello + fmt.Sprintf("Sign in as the owner with this link; it works once, for %s:\n\n  %s/auth/link/%s\n\n", words, people, link), err
}

// baseURL is how a person on this machine reaches the server.
func baseURL(own netip.AddrPort) string {
	host := own.Addr().Unmap()
	if host.IsUnspecified() {
		host = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return "http://" + netip.AddrPortFrom(host, own.Port()).String()
}

// routes sends /api/, /auth/, /healthz and /websub/ to the API, /metrics to whoever watches, /samples/ to the samples,
// all else to the page.
func (i *invocation) routes(home *localwire.Home, base string) http.Handler {
	mux := http.NewServeMux()
	apiHandler := home.Handler()
	for _, p := range []string{"/api/", "/auth/", "/healthz", "/websub/"} {
		mux.Handle(p, apiHandler)
	}
	if i.config.Samples {
		mux.Handle(samples.Prefix, samples.Handler(func(*http.Request) string { return base }))
	}
	mux.Handle("GET /metrics", api.Metrics(home.Auth, home.MetricsText, i.config.BaseURL != ""))
	mux.Handle("/", webui.New(webui.Embedded()))
	return mux
}

// addSamples subscribes the owner to the sample feeds, once in the life of a folder: a sample that was
// removed stays away.
func addSamples(ctx context.Context, home *localwire.Home, base string) {
	owner, err := home.Auth.EnsureOwner(ctx)
	if err != nil {
		home.Log.Error("sample feeds could not be added", "error", err)
		return
	}
	const done = "samples"
	if was, err := home.Store.Accounts.Happened(ctx, done); err != nil || was {
		return
	}
	for _, f := range samples.List() {
		_, _, err := home.Subscribe.Add(ctx, owner.ID(), base+f.Path, subscribe.Wish{Folder: []string{"Samples"}, Sample: true})
		if err != nil && ctx.Err() == nil {
			home.Log.Error("a sample feed could not be added", "path", f.Path, "error", sentence(err))
		}
	}
	// Last, so that a first start that was cut short is made up for.
	if ctx.Err() != nil {
		return
	}
	if err := home.Store.Accounts.Remember(ctx, done); err != nil {
		home.Log.Error("sample feeds are not noted as added", "error", err)
	}
}

// tickLook is how often the clock is looked at. A timer until the next tick would be late by as long as
// the machine slept, and would not notice a clock that was set.
const tickLook = 15 * time.Second

// tick fires the orchestrator once in each tick, at the start for what was missed, and again when it
// failed and the tick has time left.
func tick(ctx context.Context, home *localwire.Home) error {
	look := time.NewTicker(tickLook)
	defer look.Stop()
	done := schedule.NoTick
	for {
		now := home.Clock.Now()
		if t := schedule.TickOf(now); t != done && t.MayStart(now) {
			if _, err := home.Orchestrator.Run(ctx, now); err == nil {
				done = t
			} else if ctx.Err() == nil {
				home.Log.Error("a tick could not be planned", "tick", int(t), "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

// work consumes the queue until the context ends; runs under way are finished first.
func work(ctx context.Context, home *localwire.Home) error {
	return home.Queue.Consume(ctx, queue.ConsumeOptions{
		Parallel: 2, Grace: stopTimeout,
		Failed: func(m *queue.Message, err error) {
			if m == nil {
				home.Log.Error("the queue does not answer", "error", err)
				return
			}
			home.Log.Log(ctx, wire.Level(err, m.Receives), "a message was not handled", "request_id", m.ID, "code", fault.CodeOf(err), "error", err, "receives", m.Receives)
		},
	}, home.Handle)
}

// log writes as a terminal or a log collector wants it.
func (i *invocation) log() *slog.Logger {
	return logs.New(i.Stderr, i.config.LogFormat, i.config.LogLevel)
}
