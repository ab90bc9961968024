// Command run deploys the template onto emulated AWS and serves the reader from there until it is interrupted.
// `make rehearse` builds what it needs and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/rehearse"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "rehearsal: FAILED:", err)
		os.Exit(1)
	}
}

func run() error {
	root := flag.String("root", ".", "the repository")
	bootstraps := flag.String("bootstraps", "", "folder with NAME/bootstrap, built for this machine")
	control := flag.Bool("control", false, "deploy only on request, by a remote control whose address is printed")
	verbose := flag.Bool("v", false, "print what functions log")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o := rehearse.Options{Root: *root, Bootstraps: *bootstraps,
		Page: filepath.Join(*root, "internal/assets/webui/dist")}
	if *verbose {
		o.Log = os.Stderr
	}
	began := time.Now()
	rig, err := rehearse.Open(o)
	if err != nil {
		return err
	}
	defer rig.Close()
	// This process trusts the fronts as the functions do; the variable is read at the first connection.
	if err := os.Setenv("SSL_CERT_FILE", rig.CertFile()); err != nil {
		return err
	}
	if *control {
		return serveControl(ctx, rig)
	}
	stack, err := rig.Deploy(ctx, rehearse.Parameters())
	if err != nil {
		return err
	}
	defer stack.Close()
	fmt.Printf("rehearsal: deployed %d resources in %.1f s\n", stack.Resources(), time.Since(began).Seconds())
	if err := stack.AddSamples(ctx); err != nil {
		return err
	}
	link, err := stack.Link(ctx, "")
	if err != nil {
		return err
	}
	fmt.Printf("\nThe rehearsed reader is at %s (the certificate is its own: your browser will warn).\nSign in as "+
		"the owner with this link; it works once:\n\n  %s\n\nThe schedule runs. Ctrl-C ends everything.\n",
		stack.URL, link)
	return stack.RunSchedule(ctx)
}

func serveControl(ctx context.Context, rig *rehearse.Rig) error {
	c := rehearse.NewControl(rig)
	defer c.Close()
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: c, ReadHeaderTimeout: 30 * time.Second}
	go func() { <-ctx.Done(); _ = server.Close() }()
	fmt.Printf("rehearsal: remote control at http://%s\n", ln.Addr())
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
