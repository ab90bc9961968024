// Command run deploys the template onto emulated AWS and serves the reader from there until it is interrupted; with
// -check it walks through once instead and gives a verdict. `make rehearse` builds what it needs and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
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
	check := flag.Bool("check", false, "walk through once and give a verdict")
	control := flag.Bool("control", false, "deploy only what is asked for over a remote control, whose address is printed")
	lint := flag.Bool("lint", true, "lint the template first, and run our own assertions on it")
	verbose := flag.Bool("v", false, "print what functions log")
	samples := flag.Bool("samples", true, "subscribe the owner to the sample feeds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := filepath.Abs(*root)
	if err != nil {
		return err
	}
	o := rehearse.Options{Root: dir, Bootstraps: *bootstraps, Page: filepath.Join(dir, "internal/webui/dist"), Log: io.Discard}
	if *verbose {
		o.Log = os.Stderr
	}
	began := time.Now()
	var linted chan error
	if *lint {
		linted = make(chan error, 1)
		go func() { linted <- lintTemplate(ctx, dir) }()
	}
	rig, err := rehearse.Open(o)
	if err != nil {
		return err
	}
	defer rig.Close()
	// Our own commands trust the fronts as the functions do; read once, at the first connection.
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
	if linted != nil {
		if err := <-linted; err != nil {
			return err
		}
		fmt.Println("rehearsal: the template is clean by cfn-lint and our own assertions")
	}
	fmt.Printf("rehearsal: deployed %d resources, read back %d properties as the template says, in %.1f s\n",
		stack.Report.Resources, stack.Report.Compared, time.Since(began).Seconds())
	fmt.Printf("rehearsal: %d properties cannot be read back from emulators (-v lists them)\n", len(stack.Report.Unread))
	if *verbose {
		for _, u := range stack.Report.Unread {
			fmt.Println("rehearsal: not read back:", u)
		}
	}
	if *check {
		return walk(ctx, stack, *verbose)
	}
	return serve(ctx, stack, *samples)
}

func walk(ctx context.Context, stack *rehearse.Stack, verbose bool) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	began := time.Now()
	if err := stack.Check(ctx); err != nil {
		return err
	}
	if verbose { // the event source's own rights are used by AWS, in the function's name
		for _, u := range stack.Unused() {
			fmt.Println("rehearsal: a right that this walk did not need:", u)
		}
	}
	fmt.Printf("rehearsal: PASSED: page, sign-in, import, crawl, read, mark, star, export, tick and cold starts in %.1f s; every call within its role's rights\n",
		time.Since(began).Seconds())
	return nil
}

func serve(ctx context.Context, stack *rehearse.Stack, samples bool) error {
	if samples {
		if err := stack.AddSamples(ctx); err != nil {
			return err
		}
	}
	link, err := stack.Link(ctx, "")
	if err != nil {
		return err
	}
	fmt.Printf("\nThe rehearsed reader is at %s (the certificate is its own: your browser will warn).\nSign in as the owner with this link; it works once:\n\n  %s\n\nThe schedule runs. Ctrl-C ends everything.\n", stack.URL, link)
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

// lintTemplate runs the linters and the assertions that `make test` runs, too: a rehearsal alone covers all.
func lintTemplate(ctx context.Context, root string) error {
	for _, argv := range [][]string{
		{".tools/aws/bin/cfn-lint", "--non-zero-exit-code", "warning", "--regions", "us-east-1", "--", "template.yaml"},
		{"go", "test", "./internal/templatetest"},
	} {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", argv[0], err, out)
		}
	}
	return nil
}
