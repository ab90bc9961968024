package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

func userAddFlags(i *invocation) {
	workFlags(i)
	i.flags.BoolVar(&i.passwordStdin, "password-stdin", false,
		"read the password from the first line of standard input")
}

func userAdd(ctx context.Context, i *invocation) error {
	var password string
	if i.passwordStdin {
		var err error
		if password, err = i.password(); err != nil {
			return err
		}
	}
	// The owner is created first, even if users are added before the first start.
	app, _, err := i.openUser(ctx, "")
	if err != nil {
		return err
	}
	defer app.Close()
	if _, err := app.Auth.AddUser(ctx, i.args[0], password, false); err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "User %s added.\n", i.args[0])
	return err
}

func userEmail(ctx context.Context, i *invocation) error {
	app, u, err := i.openUser(ctx, i.args[0])
	if err != nil {
		return err
	}
	defer app.Close()
	a, err := app.Auth.ChangeEmail(ctx, u, i.args[1])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "User %s is %s now.\n", i.args[0], a.Email)
	return err
}

func userLink(ctx context.Context, i *invocation) error {
	app, u, err := i.openUser(ctx, i.args[0])
	if err != nil {
		return err
	}
	defer app.Close()
	return i.printLink(ctx, app, u)
}

// linkCmd prints a link for the owner: on one machine when the link of the first start was used, on AWS for the first
// sign-in. Write access to the table is enough to create one: the AWS credentials are the proof.
func linkCmd(ctx context.Context, i *invocation) error {
	app, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer app.Close()
	owner, err := app.Auth.EnsureOwner(ctx)
	if err != nil {
		return err
	}
	return i.printLink(ctx, app, owner.ID())
}

// printLink creates a one-time link and prints it as the only line of standard output.
func (i *invocation) printLink(ctx context.Context, app *backend.Backend, u reader.UserID) error {
	life, words := i.linkLife()
	link, err := app.Auth.NewLink(ctx, u, life)
	if err != nil {
		return err
	}
	fmt.Fprintf(i.Stderr, "It works once, for %s. Earlier links of this user are no longer valid.\n", words)
	_, err = fmt.Fprintf(i.Stdout, "%s/auth/link/%s\n", i.baseURL(app), link)
	return err
}

// linkLife returns how long a link that is printed now is valid, also in words: a terminal is seen by the person who
// asked; a journal, a file or a pipe may be read by others, and later.
func (i *invocation) linkLife() (time.Duration, string) {
	if isTerminal(i.Stdout) {
		return auth.LinkLife, "a day"
	}
	return auth.LoggedLinkLife, "15 minutes"
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// baseURL returns the address at which people reach an installation.
func (i *invocation) baseURL(app *backend.Backend) string {
	if app.Spec.Cloud() {
		return app.Config.BaseURL
	}
	return cmp.Or(i.config.BaseURL, ownURL(i.config.Addr))
}

func userInvite(ctx context.Context, i *invocation) error {
	app, owner, err := i.openUser(ctx, "")
	if err != nil {
		return err
	}
	defer app.Close()
	policy, err := app.Auth.SignUp(ctx)
	if err != nil {
		return err
	}
	if policy == auth.SignUpClosed {
		return &usageError{"sign-up is closed, so an invitation would not be valid: open it with ruri user signup " +
			"invitation"}
	}
	secret, _, err := app.Auth.Invite(ctx, owner, strings.Join(i.args, " "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "%s/auth/invite/%s\n", i.baseURL(app), secret)
	return err
}

func userSignUp(ctx context.Context, i *invocation) error {
	if len(i.args) > 1 {
		return &usageError{"user signup takes closed, invitation or open"}
	}
	app, err := i.openHome(ctx, backend.Options{})
	if err != nil {
		return err
	}
	defer app.Close()
	if len(i.args) == 1 {
		if err := app.Auth.SetSignUp(ctx, i.args[0]); err != nil {
			return err
		}
	}
	policy, err := app.Auth.SignUp(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(i.Stdout, policy)
	return err
}

type userLine struct {
	Email   string    `json:"email"`
	Owner   bool      `json:"owner"`
	Created time.Time `json:"createdAt"`
}

func userList(ctx context.Context, i *invocation) error {
	app, err := i.open(ctx, i.home)
	if err != nil {
		return err
	}
	defer app.Close()
	all, err := app.Store.Accounts.All(ctx)
	if err != nil {
		return err
	}
	lines := make([]userLine, len(all))
	for n, a := range all {
		lines[n] = userLine{a.Email, a.Owner, time.Unix(a.Created, 0).UTC()}
	}
	return printTable(i, "EMAIL\tOWNER\tSINCE", lines, func(l userLine) string {
		return fmt.Sprintf("%s\t%t\t%s", l.Email, l.Owner, l.Created.Format(time.DateOnly))
	})
}

type tokenLine struct {
	Name    string     `json:"name"`
	Scope   string     `json:"scope"` // empty: all of the API
	Created time.Time  `json:"createdAt"`
	Used    *time.Time `json:"lastUsedAt"`
	IsDead  bool       `json:"isDead"` // revoked or expired
}

func tokenList(ctx context.Context, i *invocation) error {
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	all, err := app.Auth.Tokens(ctx, u)
	if err != nil {
		return err
	}
	lines := make([]tokenLine, len(all))
	for n, row := range all {
		lines[n] = tokenLine{Name: row.Name, Scope: row.Scope, Created: time.Unix(row.Created, 0).UTC(),
			IsDead: row.IsDead(app.Clock.Now())}
		if row.Used != 0 {
			used := time.Unix(row.Used, 0).UTC()
			lines[n].Used = &used
		}
	}
	return printTable(i, "NAME\tSCOPE\tCREATED\tUSED\tSTATE", lines, func(l tokenLine) string {
		used, state := "never", "valid"
		if l.Used != nil {
			used = l.Used.Format(time.DateOnly)
		}
		if l.IsDead {
			state = "ended"
		}
		created := l.Created.Format(time.DateOnly)
		return strings.Join([]string{l.Name, cmp.Or(l.Scope, "all"), created, used, state}, "\t")
	})
}

// printTable prints lines as JSON with --json, else as a table.
func printTable[T any](i *invocation, head string, lines []T, row func(T) string) error {
	if i.json {
		return json.NewEncoder(i.Stdout).Encode(lines)
	}
	w := tabwriter.NewWriter(i.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, l := range lines {
		fmt.Fprintln(w, row(l))
	}
	return w.Flush()
}

func tokenFlags(i *invocation) {
	userFlag(i)
	i.flags.StringVar(&i.name, "name", "", "what the token is for")
	i.flags.StringVar(&i.scope, "scope", "", "the only thing it permits: metrics, or sync, for another reader app "+
		"(default: the API)")
	i.choices("scope", "metrics", "sync")
}

// tokenCreate prints the token as its only line, for scripts.
func tokenCreate(ctx context.Context, i *invocation) error {
	if i.name == "" {
		return &usageError{"token create needs --name NAME"}
	}
	app, u, err := i.openUser(ctx, i.user)
	if err != nil {
		return err
	}
	defer app.Close()
	token, err := app.Auth.NewToken(ctx, u, i.name, i.scope, time.Time{})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(i.Stdout, token)
	return err
}
