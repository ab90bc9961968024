// Package cli is the command line of the single binary: it reads flags, opens the folder and hands over
// to the rooms. Every command works beside a running server on the same folder.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ruri-reader/ruri/internal/api"
	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/config"
	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/telemetry/logs"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitError = 1 // something failed
	ExitUsage = 2 // the command line is wrong
)

// Env is what a command may use of its surroundings.
type Env struct {
	Program string // as it was called; "ruri" when empty
	Args    []string
	Lookup  func(string) (string, bool)
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Version string
	Clock   clock.Clock // the system's when nil
}

type command struct {
	name, args, help string
	run              func(context.Context, *invocation) error
}

func commands() []command {
	return []command{
		{"serve", "", "serve the reader and crawl its feeds", serve},
		{"crawl", "", "poll what is due now, or with --all every active feed", crawlCmd},
		{"replay", "", "read the kept bodies of feeds once more after a fix of the parser, and repair their items", replayCmd},
		{"import", "FILE.opml", "subscribe a user to the feeds of an OPML file", importCmd},
		{"export", "", "write a user's subscriptions as OPML", exportCmd},
		{"feeds", "", "list feeds with their state", feedsCmd},
		{"runs", "", "list what the crawler did", runsCmd},
		{"dlq list", "", "list the messages that failed for good, with reason and feeds", dlqList},
		{"dlq retry", "ID...", "send dead letters again", dlqRetry},
		{"dlq drop", "ID...", "remove dead letters", dlqDrop},
		{"user add", "EMAIL", "add a user", userAdd},
		{"user email", "OLD NEW", "give a user another e-mail address", userEmail},
		{"user link", "EMAIL", "print a one-time log-in link for a user", userLink},
		{"user invite", "[NOTE]", "print a link by which one person may sign up", userInvite},
		{"user signup", "[closed|invitation|open]", "tell or set who may sign up", userSignUp},
		{"link", "", "print a one-time log-in link for the owner, also of a deployed stack", linkCmd},
		{"token create", "", "make a bearer token for the API", tokenCreate},
		{"copy", "--from HOME --to HOME", "move a whole home between a folder and AWS", copyCmd},
		{"backup", "FILE|-", "write all of a home into one portable file", backupCmd},
		{"restore", "FILE", "fill an empty home from a backup", restoreCmd},
		{"cost", "", "print what a month on AWS would cost, from a simulated day", costCmd},
		{"version", "", "print the version", version},
	}
}

// invocation is one command with its flags.
type invocation struct {
	Env
	flags  *flag.FlagSet
	config config.Config
	rest   []string
}

// Main runs one command and gives the exit code.
func Main(env Env) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, env)
}

func run(ctx context.Context, env Env) int {
	cmd, args, ok := find(env.Args)
	if !ok {
		usage(env.Stderr)
		if len(env.Args) == 1 && (env.Args[0] == "help" || env.Args[0] == "--help" || env.Args[0] == "-h") {
			return ExitOK
		}
		return ExitUsage
	}
	c, err := config.Load(env.Lookup)
	if err != nil {
		fmt.Fprintf(env.Stderr, "ruri: the settings are not right:\n%v\n", err)
		return ExitUsage
	}
	inv := &invocation{Env: env, config: c, rest: args}
	inv.flags = flag.NewFlagSet("ruri "+cmd.name, flag.ContinueOnError)
	inv.flags.SetOutput(env.Stderr)
	inv.flags.Usage = func() {
		fmt.Fprintf(env.Stderr, "usage: ruri %s [flags] %s\n  %s\n", cmd.name, cmd.args, cmd.help)
		inv.flags.PrintDefaults()
	}
	switch err := cmd.run(ctx, inv); {
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

// find matches the longest command name.
func find(args []string) (command, []string, bool) {
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
	fmt.Fprint(w, "\nEvery flag has an environment twin (--data: RURI_DATA). ruri COMMAND --help lists a command's flags.\n")
}

type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// anyNumber of arguments is taken by some commands.
const anyNumber = -1

// parse reads the flags; they may stand before and after the arguments, of which there are exactly n.
func (i *invocation) parse(n int) ([]string, error) {
	i.flags.StringVar(&i.config.Data, "data", i.config.Data, "folder of the reader's data")
	var args []string
	rest := i.rest
	for {
		if err := i.flags.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return nil, err
			}
			return nil, &usageError{err.Error()}
		}
		if rest = i.flags.Args(); len(rest) == 0 {
			break
		}
		args = append(args, rest[0])
		rest = rest[1:]
	}
	if n != anyNumber && len(args) != n {
		return nil, &usageError{fmt.Sprintf("%s takes %d arguments, not %d", i.flags.Name(), n, len(args))}
	}
	return args, nil
}

// open opens the data folder quietly: a command's own words are its output.
func (i *invocation) open(ctx context.Context, o localwire.Options) (*localwire.Home, error) {
	o.Version, o.Clock = i.Version, i.Clock
	if o.Log == nil {
		o.Log = logs.New(i.Stderr, i.config.LogFormat, max(slog.LevelWarn, i.config.LogLevel))
	}
	return localwire.Open(ctx, i.config, o)
}

// sentence gives an error's words for a person where it has some.
func sentence(err error) string {
	var fe *fault.Error
	if errors.As(err, &fe) && fe.Message != "" {
		return fe.Message
	}
	if words, ok := api.Words(fault.CodeOf(err)); ok && !fault.Is(err, fault.Internal) {
		return words
	}
	return err.Error()
}

func version(_ context.Context, i *invocation) error {
	if _, err := i.parse(0); err != nil {
		return err
	}
	_, err := fmt.Fprintln(i.Stdout, i.Version)
	return err
}
