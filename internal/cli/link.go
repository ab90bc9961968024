package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/ruri-reader/ruri/internal/auth"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/wire/backend"
)

// linkCmd lets the owner in: on one machine when the link of the first start is spent, in the cloud the first time.
// Whoever may write the table may make such a link: the owner's AWS credentials are the proof.
func linkCmd(ctx context.Context, i *invocation) error {
	spec := i.flags.String("home", "", "data folder, aws:STACK or aws:STACK@REGION; the folder of --data when empty")
	i.flags.StringVar(&i.config.Addr, "addr", i.config.Addr, "address of the running server")
	if _, err := i.parse(0); err != nil {
		return err
	}
	home, err := homes.Open(ctx, cmp.Or(*spec, i.config.Data), homes.Options{
		Config: i.config, Lookup: i.Lookup, Version: i.Version, Clock: i.Clock, MustExist: true,
		Log: slog.New(slog.NewTextHandler(i.Stderr, &slog.HandlerOptions{Level: max(slog.LevelWarn, i.config.LogLevel)})),
	})
	if err != nil {
		return err
	}
	defer func() { _ = home.Close() }()
	owner, err := home.Auth.EnsureOwner(ctx)
	if err != nil {
		return err
	}
	base := home.Config.BaseURL
	if own, err := netip.ParseAddrPort(i.config.Addr); base == "" && err == nil && !home.Spec.Cloud() {
		base = baseURL(own)
	}
	return i.printLink(ctx, home.Auth, owner.ID(), base)
}

// printLink makes a one-time link and prints it, as the only line of standard output.
func (i *invocation) printLink(ctx context.Context, a *auth.Service, u reader.UserID, base string) error {
	life, words := i.linkLife()
	link, err := a.NewLink(ctx, u, life)
	if err != nil {
		return err
	}
	fmt.Fprintf(i.Stderr, "It works once, for %s; earlier links of this user have ended.\n", words)
	_, err = fmt.Fprintf(i.Stdout, "%s/auth/link/%s\n", base, link)
	return err
}

// linkLife is how long a link holds that is printed now, and in words. What goes to a terminal is seen by who asked;
// what goes to a journal, a file or another program may be read by others, and later.
func (i *invocation) linkLife() (time.Duration, string) {
	if isTerminal(i.Stdout) {
		return auth.LinkLife, "a day"
	}
	return auth.LoggedLinkLife, "15 minutes"
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
