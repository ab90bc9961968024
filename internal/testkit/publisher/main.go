// Command publisher is a web site for tests: feeds of several kinds and pages around them on a free port
// of the loopback, so that a browser test drives the real reader against a real publisher without the
// network. It prints its address as its first line and serves until it is interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "publisher:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("publisher", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:0", "address and port to listen on")
	corpus := flags.String("corpus", "", "folder of the corpus; its sanitize/*.json are served under /corpus/")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := newSite()
	if *corpus != "" {
		var err error
		if s.payloads, err = readPayloads(*corpus); err != nil {
			return err
		}
	}
	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(out, "http://%s\n", ln.Addr())
	go func() {
		<-ctx.Done()
		_ = server.Close() // a reader that still waits for a slow feed is no reason to stay
	}()
	if err := server.Serve(ln); ctx.Err() == nil {
		return err
	}
	return nil
}
