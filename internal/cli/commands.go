package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// command is one command of the tree. Its name may have two words, of which the first is a noun.
type command struct {
	name, args, help string
	arguments        int // anyNumber: not checked
	flags            func(*invocation)
	run              func(context.Context, *invocation) error
	example          string
}

const anyNumber = -1

// group is a heading of the help.
type group struct {
	title    string
	commands []command
}

const aboutProgram = "About this program:"

func groups() []group {
	return []group{
		{"Serve:", []command{
			{"serve", "", "serve the reader and crawl its feeds", 0, serveFlags, serve,
				"ruri serve --data /srv/ruri --addr 127.0.0.1:8080"},
			{"healthcheck", "", "ask the running server whether it works: exit code 0 or 1", 0, addrFlag, healthcheck,
				"ruri healthcheck --addr 127.0.0.1:8080"},
			{"doctor", "", "examine an installation and what is around it, and say what to do", 0, doctorFlags,
				doctorCmd, "ruri doctor --home aws:ruri@eu-central-1"},
			{"link", "", "print a one-time sign-in link for the owner", 0, flags(workFlags, addrFlag), linkCmd,
				"ruri link --home aws:ruri@eu-central-1"},
		}},
		{"Feeds and articles:", []command{
			{"import", "FILE.opml", "subscribe a user to the feeds of an OPML file", 1, userFlag, importCmd,
				"ruri import subscriptions.opml --user anna@example.org"},
			{"move-in", "URL", "take subscriptions, read state and stars from Miniflux, FreshRSS and the like", 1,
				moveInFlags, moveIn, "ruri move-in https://rss.example.org --login anna < password\n" +
					"ruri move-in https://miniflux.example.org < token"},
			{"export", "", "write a user's subscriptions as OPML", 0, userFlag, exportCmd,
				"ruri export > subscriptions.opml"},
			{"search", "[--] QUERY", "search the articles of a user's feeds; -- lets words begin with a -", anyNumber,
				searchFlags, searchCmd, "ruri search 'title:lapwing after:2026-01-01' --filter unread"},
			{"feeds", "", "list feeds with their state", 0, flags(workFlags, jsonFlag("a JSON array")), feedsCmd,
				"ruri feeds --json | jq '.[] | select(.error)'"},
			{"crawl", "", "poll the feeds that are due, or with --all every active feed", 0, crawlFlags, crawlCmd,
				"ruri crawl --all --parallel 64"},
			{"runs", "", "list the crawler's runs", 0, runsFlags, runsCmd, "ruri runs --limit 5"},
			{"replay", "", "parse stored bodies again after a parser fix, and repair their items", 0,
				replayFlags, replayCmd, "ruri replay --all --dry-run"},
			{"index", "", "bring the index of searches up to date, or with --rebuild make it again", 0,
				indexFlags, indexCmd, "ruri index --rebuild"},
		}},
		{"Watches:", []command{
			{"watch add", "URL", "watch a page that lists things, such as the results of a shop's search", 1,
				watchAddFlags, watchAdd, "ruri watch add --accept 'https://shop.example/search?q=lamp'"},
			{"watch list", "", "list a user's watches", 0, watchFlags, watchList, "ruri watch list --json"},
			{"watch run", "ID", "look at the page of a watch now", 1, userFlag, watchRun, "ruri watch run 12"},
			{"watch results", "ID", "print what a watch found, the cheapest first", 1, resultsFlags, watchResults,
				"ruri watch results 12 --status all"},
			{"watch test", "FILE", "check an adapter with its examples, and with --save save it", 1, watchTestFlags,
				watchTest, "ruri watch test shop.json --save"},
		}},
		people(),
		{"Installations:", []command{
			{"copy", "--from HOME --to HOME", "copy an installation between a data folder and AWS", 0, copyFlags,
				copyCmd, "ruri copy --from data --to aws:ruri@eu-central-1"},
			{"backup", "FILE|FOLDER|s3://BUCKET/PREFIX|-", "write an installation into one portable file", 1,
				flags(homeFlag("back up"), jsonFlag("one JSON object")), backupCmd, "ruri backup home.tar.gz\nruri backup s3://my-bucket/ruri --home aws:ruri\nruri backup --home aws:ruri - | age -p > ruri.tar.gz.age"},
			{"verify", "FOLDER|s3://BUCKET/PREFIX", "check the backups of a folder or bucket, and print the last link of their chain", 1,
				anySettings, verifyCmd, "ruri verify backups\nruri verify s3://my-bucket/ruri"},
			{"restore", "FILE", "fill an empty installation from a backup", 1,
				flags(homeFlag("fill, which must be empty"), jsonFlag("one JSON object")), restoreCmd,
				"ruri restore home.tar.gz --data new\nruri restore s3://my-bucket/ruri/2026-11-28.tar.gz --data new"},
			{"dlq list", "", "list dead letters with their reasons and feeds", 0,
				flags(homeFlag("list"), jsonFlag("a JSON array, oldest first where the service knows")), dlqList,
				"ruri dlq list --home aws:ruri"},
			{"dlq retry", "ID...", "send dead letters again", anyNumber, dlqFlags("send"), dlqRetry,
				"ruri dlq retry --all"},
			{"dlq drop", "ID...", "delete dead letters", anyNumber, dlqFlags("delete"), dlqDrop,
				"ruri dlq drop 4c1f"},
			{"cost", "", "print what a month on AWS would cost, from a simulated day", 0, costFlags, costCmd,
				"ruri cost --feeds 500 --users 3 --region eu-central-1"},
		}},
		{aboutProgram, []command{
			{"man", "FOLDER", "write the manual pages into a folder", 1, anySettings, manCmd,
				"ruri man /usr/local/share/man/man1"},
			{"version", "", "print the version, and the commit it was built from", 0, anySettings, version, ""},
		}},
	}
}

func people() group {
	return group{"People:", []command{
		{"user add", "EMAIL", "add a user", 1, userAddFlags, userAdd,
			"ruri user add anna@example.org --password-stdin < password"},
		{"user list", "", "list the users", 0, flags(workFlags, jsonFlag("one JSON list")), userList,
			"ruri user list --json"},
		{"user email", "OLD NEW", "change a user's e-mail address", 2, workFlags, userEmail,
			"ruri user email owner@localhost anna@example.org"},
		{"user link", "EMAIL", "print a one-time sign-in link for a user", 1, flags(workFlags, addrFlag), userLink,
			"ruri user link anna@example.org"},
		{"user invite", "[NOTE]", "print an invitation link with which one person may sign up", anyNumber,
			flags(workFlags, addrFlag), userInvite, "ruri user invite for Ben"},
		{"user signup", "[closed|invitation|open]", "show or set who may sign up", anyNumber, workFlags,
			userSignUp, "ruri user signup invitation"},
		{"token create", "", "create a bearer token for the API", 0, tokenFlags, tokenCreate,
			"ruri token create --name prometheus --scope metrics"},
		{"token list", "", "list the tokens of a user, without their secrets", 0,
			flags(userFlag, jsonFlag("one JSON list")), tokenList, "ruri token list --user anna@example.org"},
	}}
}

// nouns are the first words of commands that have two.
var nouns = map[string]string{
	"watch": "pages that list things, such as the results of a shop's search",
	"user":  "users, and who may sign up",
	"token": "tokens for the API",
	"dlq":   "dead letters: messages that failed too often",
}

// tree returns all commands, each with an invocation of its own.
func tree(proto invocation) *cobra.Command {
	root := &cobra.Command{
		Use: "ruri", Short: "a feed reader", Version: proto.Version, SilenceErrors: true, SilenceUsage: true,
		Long: "ruri: a feed reader\n\nSettings are environment variables (docs/run/config.md); some are flags too.\n\n" +
			"Exit codes: 0 done, 1 something failed or is not healthy, 2 the command line or a setting is wrong.",
		RunE: wantsCommand, Args: cobra.ArbitraryArgs,
	}
	root.SetOut(proto.Stdout)
	root.SetErr(proto.Stderr)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{fmt.Sprintf("%v. See %s --help", err, c.CommandPath())}
	})
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			under, name := root, c.name
			if noun, verb, ok := strings.Cut(c.name, " "); ok {
				under, name = nounOf(root, noun, g.title), verb
			}
			i := proto
			cmd := c.cobra(&i, name)
			if under == root {
				cmd.GroupID = g.title
			}
			under.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID(aboutProgram)
	root.SetCompletionCommandGroupID(aboutProgram)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "print the help of a command"
		case "completion":
			c.Short = "print what completes commands and flags in a shell"
			c.RunE, c.Args = wantsCommand, cobra.ArbitraryArgs
		}
	}
	return root
}

func nounOf(root *cobra.Command, noun, group string) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == noun {
			return c
		}
	}
	c := &cobra.Command{Use: noun, Short: nouns[noun], GroupID: group, RunE: wantsCommand}
	root.AddCommand(c)
	return c
}

// wantsCommand answers a line that names no command, or one that does not exist.
func wantsCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		c.SetOut(c.ErrOrStderr())
		_ = c.Help()
		return &usageError{"name a command"}
	}
	text := fmt.Sprintf("there is no command %s %s", c.CommandPath(), args[0])
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		text += ", only " + strings.Join(near, " or ")
	}
	return &usageError{text + ". See " + c.CommandPath() + " --help"}
}

func (c *command) cobra(i *invocation, name string) *cobra.Command {
	cmd := &cobra.Command{
		Use: strings.TrimSpace(name + " " + c.args), Short: c.help, Example: indent(c.example),
		Args: cobra.ArbitraryArgs,
	}
	if c.arguments == 0 {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	i.command, i.flags = cmd, cmd.Flags()
	i.flags.StringVar(&i.config.Data, "data", i.config.Data, "folder of the reader's data")
	c.flags(i)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if i.settings != nil && !i.anySettings {
			return &usageError{"the settings are invalid:\n" + i.settings.Error()}
		}
		if c.arguments != anyNumber && len(args) != c.arguments {
			return &usageError{fmt.Sprintf("%s takes %d arguments, not %d", cmd.CommandPath(), c.arguments,
				len(args))}
		}
		i.args = args
		return c.run(cmd.Context(), i)
	}
	return cmd
}

func indent(example string) string {
	if example == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(example, "\n", "\n  ")
}
