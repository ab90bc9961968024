package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/wire/localwire"
)

func userAdd(ctx context.Context, i *invocation) error {
	stdin := i.flags.Bool("password-stdin", false, "read the password from the first line of standard input")
	args, err := i.parse(1)
	if err != nil {
		return err
	}
	password := ""
	if *stdin {
		line, err := bufio.NewReader(io.LimitReader(i.Stdin, 4096)).ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if password = strings.TrimRight(line, "\r\n"); password == "" {
			return &usageError{"standard input holds no password"}
		}
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	// The owner comes first, whoever is added before the first start.
	if _, err := home.Auth.EnsureOwner(ctx); err != nil {
		return err
	}
	if _, err := home.Auth.AddUser(ctx, args[0], password, false); err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "User %s added.\n", args[0])
	return err
}

func userEmail(ctx context.Context, i *invocation) error {
	args, err := i.parse(2)
	if err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	a, err := account(ctx, home, args[0])
	if err != nil {
		return err
	}
	if a, err = home.Auth.ChangeEmail(ctx, a.ID(), args[1]); err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "User %s is %s now.\n", args[0], a.Email)
	return err
}

func userLink(ctx context.Context, i *invocation) error {
	i.flags.StringVar(&i.config.Addr, "addr", i.config.Addr, "address of the running server")
	args, err := i.parse(1)
	if err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	a, err := account(ctx, home, args[0])
	if err != nil {
		return err
	}
	return i.printLink(ctx, home.Auth, a.ID(), i.serverURL())
}

// serverURL is where people reach the server.
func (i *invocation) serverURL() string {
	base := i.config.BaseURL
	if own, err := netip.ParseAddrPort(i.config.Addr); base == "" && err == nil {
		base = baseURL(own)
	}
	return base
}

func userInvite(ctx context.Context, i *invocation) error {
	i.flags.StringVar(&i.config.Addr, "addr", i.config.Addr, "address of the running server")
	args, err := i.parse(anyNumber)
	if err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	owner, err := home.Auth.EnsureOwner(ctx)
	if err != nil {
		return err
	}
	policy, err := home.Auth.SignUp(ctx)
	if err != nil {
		return err
	}
	if policy == auth.SignUpClosed {
		return &usageError{"signing up is closed, and an invitation would not hold: open it by ruri user signup invitation"}
	}
	secret, _, err := home.Auth.Invite(ctx, owner.ID(), strings.Join(args, " "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "%s/auth/invite/%s\n", i.serverURL(), secret)
	return err
}

func userSignUp(ctx context.Context, i *invocation) error {
	args, err := i.parse(anyNumber)
	if err != nil {
		return err
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	if len(args) > 1 {
		return &usageError{"user signup takes closed, invitation or open"}
	}
	if len(args) == 1 {
		if err := home.Auth.SetSignUp(ctx, args[0]); err != nil {
			return err
		}
	}
	policy, err := home.Auth.SignUp(ctx)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(i.Stdout, policy)
	return err
}

// tokenCreate prints the token as its only line, so that scripts can take it as it is.
func tokenCreate(ctx context.Context, i *invocation) error {
	email := i.userFlag()
	name := i.flags.String("name", "", "what the token is for")
	scope := i.flags.String("scope", "", "what alone it opens: metrics; empty for the API")
	if _, err := i.parse(0); err != nil {
		return err
	}
	if *name == "" {
		return &usageError{"token create needs --name NAME"}
	}
	home, err := i.open(ctx, localwire.Options{})
	if err != nil {
		return err
	}
	defer home.Close()
	a, err := account(ctx, home, *email)
	if err != nil {
		return err
	}
	token, err := home.Auth.NewScopedToken(ctx, a.ID(), *name, *scope)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(i.Stdout, token)
	return err
}
