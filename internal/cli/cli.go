// Package cli is the command line of the single binary: it parses flags, opens the installation and calls the domain
// packages. Every command can run while a server has the same folder open.
package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

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
	Clock   clock.Clock // the system's when nil
	// Simulate simulates an installation for some days and returns their mean, for the command cost.
	Simulate func(context.Context, cost.Options, cost.Model) (*cost.Day, error)
}

type command struct {
	name, args, help string
	arguments        int // anyNumber: not checked
	flags            func(*invocation)
	run              func(context.Context, *invocation) error
}

const anyNumber = -1

func commands() []command {
	return []command{
		{"serve", "", "serve the reader and crawl its feeds", 0, serveFlags, serve},
		{"crawl", "", "poll the feeds that are due, or with --all every active feed", 0, crawlFlags, crawlCmd},
		{"replay", "", "parse stored bodies again after a parser fix, and repair their items", 0,
			replayFlags, replayCmd},
		{"index", "", "bring the index of searches up to date, or with --rebuild make it again", 0,
			indexFlags, indexCmd},
		{"import", "FILE.opml", "subscribe a user to the feeds of an OPML file", 1, userFlag, importCmd},
		{"export", "", "write a user's subscriptions as OPML", 0, userFlag, exportCmd},
		{"search", "[--] QUERY", "search the articles of a user's feeds; -- lets words begin with a -", anyNumber,
			searchFlags, searchCmd},
		{"watch add", "URL", "watch a page that lists things, such as the results of a shop's search", 1,
			watchAddFlags, watchAdd},
		{"watch list", "", "list a user's watches", 0, watchFlags, watchList},
		{"watch run", "ID", "look at the page of a watch now", 1, userFlag, watchRun},
		{"watch results", "ID", "print what a watch found, the cheapest first", 1, resultsFlags, watchResults},
		{"watch test", "FILE", "check an adapter with its examples, and with --save save it", 1, watchTestFlags, watchTest},
		{"feeds", "", "list feeds with their state", 0, feedsFlags, feedsCmd},
		{"runs", "", "list the crawler's runs", 0, runsFlags, runsCmd},
		{"dlq list", "", "list dead letters with their reasons and feeds", 0, dlqListFlags, dlqList},
		{"dlq retry", "ID...", "send dead letters again", anyNumber, dlqFlags("send"), dlqRetry},
		{"dlq drop", "ID...", "delete dead letters", anyNumber, dlqFlags("delete"), dlqDrop},
		{"user add", "EMAIL", "add a user", 1, userAddFlags, userAdd},
		{"user email", "OLD NEW", "change a user's e-mail address", 2, workFlags, userEmail},
		{"user link", "EMAIL", "print a one-time sign-in link for a user", 1, linkFlags, userLink},
		{"user invite", "[NOTE]", "print an invitation link with which one person may sign up", anyNumber,
			linkFlags, userInvite},
		{"user signup", "[closed|invitation|open]", "show or set who may sign up", anyNumber, workFlags, userSignUp},
		{"link", "", "print a one-time sign-in link for the owner", 0, linkFlags, linkCmd},
		{"token create", "", "create a bearer token for the API", 0, tokenFlags, tokenCreate},
		{"copy", "--from HOME --to HOME", "copy an installation between a data folder and AWS", 0, copyFlags, copyCmd},
		{"backup", "FILE|-", "write an installation into one portable file", 1, homeFlags("back up"), backupCmd},
		{"restore", "FILE", "fill an empty installation from a backup", 1,
			homeFlags("fill, which must be empty"), restoreCmd},
		{"cost", "", "print what a month on AWS would cost, from a simulated day", 0, costFlags, costCmd},
		{"version", "", "print the version", 0, noFlags, version},
	}
}

// invocation is one command with its flags and arguments.
type invocation struct {
	Env
	flags  *flag.FlagSet
	config config.Config
	args   []string

	// Flags that several commands have.
	json, all bool
	home      string // an installation; "": the folder of --data
	user      string // an e-mail address; "": the owner

	// Flags of one command.
	passwordStdin  bool
	name, scope    string // of a token; name also of a watch
	from, to       string // installations
	feed           string // to replay
	first          uint   // feed to replay
	dry            bool
	rebuild        bool
	limit          int
	filter         string // of articles or results
	accepted, save bool
	cost           cost.Options
	region, prices string
	printPrices    bool
}

// homeHelp says what names an installation. Commands without --home concern none that is deployed: serve, version and
// the like.
const homeHelp = "data folder, aws:STACK or aws:STACK@REGION"

func noFlags(*invocation) {}

func jsonFlag(form string) func(*invocation) {
	return func(i *invocation) { i.flags.BoolVar(&i.json, "json", false, "print "+form) }
}

func homeFlag(i *invocation, verb string) {
	i.flags.StringVar(&i.home, "home", "", "installation to "+verb+": "+homeHelp+" (default: --data)")
}

// workFlags are the flags of commands that work on any installation.
func workFlags(i *invocation) { homeFlag(i, "work on") }

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
	cmd, args, ok := findCommand(env.Args)
	if !ok {
		usage(env.Stderr)
		if len(env.Args) == 1 && (env.Args[0] == "help" || env.Args[0] == "--help" || env.Args[0] == "-h") {
			return ExitOK
		}
		return ExitUsage
	}
	c, err := config.Load(env.Lookup)
	if err != nil {
		fmt.Fprintf(env.Stderr, "ruri: the settings are invalid:\n%v\n", err)
		return ExitUsage
	}
	if env.Clock == nil {
		env.Clock = clock.System{}
	}
	inv := &invocation{Env: env, config: c}
	inv.flags = flag.NewFlagSet("ruri "+cmd.name, flag.ContinueOnError)
	inv.flags.SetOutput(env.Stderr)
	inv.flags.Usage = func() {
		fmt.Fprintf(env.Stderr, "usage: ruri %s [flags] %s\n  %s\n", cmd.name, cmd.args, cmd.help)
		inv.flags.PrintDefaults()
	}
	cmd.flags(inv)
	if err = inv.parse(args, cmd.arguments); err == nil {
		err = cmd.run(ctx, inv)
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return ExitOK
	case errors.As(err, new(*usageError)):
		fmt.Fprintln(env.Stderr, "ruri:", err)
		return ExitUsage
	default:
		fmt.Fprintln(env.Stderr, "ruri:", sentence(err))
		return ExitError
	}
}

// findCommand matches the longest command name.
func findCommand(args []string) (command, []string, bool) {
	for n := min(2, len(args)); n > 0; n-- {
		name := strings.Join(args[:n], " ")
		for _, c := range commands() {
			if c.name == name {
				return c, args[n:], true
			}
		}
	}
	return command{}, nil, false
}

func usage(w io.Writer) {
	fmt.Fprint(w, "ruri: a feed reader\n\nusage: ruri COMMAND [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-26s %s\n", strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	fmt.Fprint(w, "\nSettings are environment variables (docs/run/config.md); some are flags too. ruri COMMAND --help "+
		"lists a command's flags.\n")
}

type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// parse reads the flags, which may stand before and after the arguments, of which there must be n. After -- are
// arguments alone.
func (i *invocation) parse(args []string, n int) error {
	i.flags.StringVar(&i.config.Data, "data", i.config.Data, "folder of the reader's data")
	var rest []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, rest = args[:at], args[at+1:]
	}
	for {
		if err := i.flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return err
		} else if err != nil {
			return &usageError{err.Error()}
		}
		if i.flags.NArg() == 0 {
			break
		}
		i.args = append(i.args, i.flags.Arg(0))
		args = i.flags.Args()[1:]
	}
	i.args = append(i.args, rest...)
	if n != anyNumber && len(i.args) != n {
		return &usageError{fmt.Sprintf("%s takes %d arguments, not %d", i.flags.Name(), n, len(i.args))}
	}
	return nil
}

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
	_, err := fmt.Fprintln(i.Stdout, i.Version)
	return err
}
