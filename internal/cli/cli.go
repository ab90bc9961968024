// Package cli is the command line of the single binary: it parses flags, opens the installation and calls the domain
// packages. Every command can run while a server has the same folder open.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitError = 1 // something failed
	ExitUsage = 2 // the command line is wrong
)

// Env is the environment of a command.
type Env struct {
	Program string // the name it was called by; "": "ruri"
	Args    []string
	Lookup  func(string) (string, bool)
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Version string
	// Commit is what the program was built from and CommitDate its date in RFC 3339; both may be unknown.
	Commit, CommitDate string

	Clock clock.Clock // the system's when nil
	// Simulate simulates an installation for some days and returns their mean, for the command cost.
	Simulate func(context.Context, cost.Options, cost.Model) (*cost.Day, error)
}

// invocation is one command with its flags and arguments.
type invocation struct {
	Env
	command *cobra.Command
	flags   *pflag.FlagSet // the command's
	config  config.Config
	args    []string

	// Flags that several commands have.
	json, all bool
	home      string // an installation; "": the folder of --data
	user      string // an e-mail address; "": the owner

	// Flags of one command.
	passwordStdin  bool
	name, scope    string // of a token; name also of a watch
	from, to       string // installations
	feed           string // to replay
	headers        []string
	first          uint // feed to replay
	dry            bool
	rebuild        bool
	limit          int
	filter         string // of articles or results
	accepted, save bool
	cost           cost.Options
	region, prices string
	printPrices    bool
	anySettings    bool  // runs whatever is wrong with the settings
	settings       error // what is wrong with them
}

// homeHelp says what names an installation. Commands without --home concern none that is deployed: serve, version and
// the like.
const homeHelp = "data folder, aws:STACK or aws:STACK@REGION"

func anySettings(i *invocation) { i.anySettings = true }

func jsonFlag(form string) func(*invocation) {
	return func(i *invocation) { i.flags.BoolVar(&i.json, "json", false, "print "+form) }
}

// choices are the values of a flag that a shell completes.
func (i *invocation) choices(flag string, values ...string) {
	_ = i.command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func homeFlag(verb string) func(*invocation) {
	return func(i *invocation) {
		i.flags.StringVar(&i.home, "home", "", "installation to "+verb+": "+homeHelp+" (default: --data)")
	}
}

// flags are those of several functions.
func flags(all ...func(*invocation)) func(*invocation) {
	return func(i *invocation) {
		for _, add := range all {
			add(i)
		}
	}
}

// workFlags are the flags of commands that work on any installation.
var workFlags = homeFlag("work on")

// userFlag is workFlags for commands about what is one user's.
func userFlag(i *invocation) {
	workFlags(i)
	i.flags.StringVar(&i.user, "user", "", "e-mail address of the user (default: the owner)")
}

func addrFlag(i *invocation) {
	i.flags.StringVar(&i.config.Addr, "addr", i.config.Addr, "address of the running server")
}

// Main runs one command and returns the exit code.
func Main(env Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, env)
}

func run(ctx context.Context, env Env) int {
	if env.Clock == nil {
		env.Clock = clock.System{}
	}
	c, failed := config.Load(env.Lookup)
	root := tree(invocation{Env: env, config: c, settings: failed})
	root.SetArgs(append([]string{}, env.Args...)) // nil would be the process's
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, new(*usageError)):
		fmt.Fprintln(env.Stderr, "ruri:", err)
		return ExitUsage
	default:
		fmt.Fprintln(env.Stderr, "ruri:", sentence(err))
		return ExitError
	}
}

type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// log returns a logger that writes to standard error from a level.
func (i *invocation) log(level slog.Level) *slog.Logger {
	return logs.New(i.Stderr, i.config.LogFormat, level)
}

// openUser opens the installation of --home and finds the user with an address, the owner if it is empty.
func (i *invocation) openUser(ctx context.Context, email string) (*backend.Backend, reader.UserID, error) {
	app, err := i.openHome(ctx, backend.Options{})
	if err != nil {
		return nil, "", err
	}
	var a *store.Account
	if email == "" {
		a, err = app.Auth.EnsureOwner(ctx)
	} else {
		a, err = app.Auth.ByEmail(ctx, email)
	}
	if fault.Is(err, fault.NotFound) {
		err = fault.Newf(fault.NotFound, "user_not_found",
			"There is no user with the address %s. Add one with: ruri user add %s --password-stdin", email, email)
	}
	if err != nil {
		return nil, "", errors.Join(err, app.Close())
	}
	return app, a.ID(), nil
}

// openHome opens the installation of --home, by default the folder of --data, which is created if it is not there.
func (i *invocation) openHome(ctx context.Context, o backend.Options) (*backend.Backend, error) {
	return i.openBackend(ctx, i.home, o)
}

// open opens an existing installation, by default the folder of --data. It logs only warnings.
func (i *invocation) open(ctx context.Context, spec string) (*backend.Backend, error) {
	return i.openBackend(ctx, spec, backend.Options{MustExist: true})
}

func (i *invocation) openBackend(ctx context.Context, spec string, o backend.Options) (*backend.Backend, error) {
	o.Config, o.Lookup, o.Version, o.Clock = i.config, i.Lookup, i.Version, i.Clock
	o.Log = i.log(max(slog.LevelWarn, i.config.LogLevel))
	return backend.Open(ctx, cmp.Or(spec, i.config.Data), o)
}

// sentence returns an error's text for people if it has one.
func sentence(err error) string {
	var fe *fault.Error
	if errors.As(err, &fe) && fe.Message != "" {
		return fe.Message
	}
	return cmp.Or(api.Sentence(err), err.Error())
}

func version(_ context.Context, i *invocation) error {
	text := i.Version
	if i.Commit != "" {
		day, _, _ := strings.Cut(i.CommitDate, "T")
		text += " (" + strings.TrimSpace("commit "+i.Commit+" "+day) + ")"
	}
	_, err := fmt.Fprintln(i.Stdout, text)
	return err
}
