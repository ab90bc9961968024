package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"

	"github.com/ruri-reader/ruri/internal/wire/homes"
)

// linkCmd lets the owner in: on one machine when the link that serve printed is spent, in the cloud the first time.
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
	link, err := home.Auth.NewLink(ctx, owner.ID())
	if err != nil {
		return err
	}
	base := home.Config.BaseURL
	if own, err := netip.ParseAddrPort(i.config.Addr); base == "" && err == nil && !home.Spec.Cloud() {
		base = baseURL(own)
	}
	_, err = fmt.Fprintf(i.Stdout, "%s/auth/link/%s\n", base, link)
	return err
}
