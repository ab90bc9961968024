// Command bench measures the reader and prints a table: counts first, since they are the same on every
// machine, then times. It is where speed lives; tests assert counts alone.
//
//	go run ./internal/bench            # all of it: 1,000 and 5,000 feeds, latency, extraction, API, every route
//	go run ./internal/bench -quick     # 200 feeds, for a look or for CI
//
// It needs the feed farm, a separate program that serves synthetic feeds on loopback addresses: its
// folder is RURI_FEEDFARM, or ../shared/feedfarm beside the repository. Without it the crawls are
// left out, and the table says so. docs/performance.md keeps the figures and tells what the gates are.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

type options struct {
	sizes    []int
	rounds   int
	parallel int
	hosts    int
	latency  int // feeds of the run with latency; 0 = none
	extract  bool
	api      bool
	routes   bool
	keep     bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parseFlags(os.Args[1:])
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseFlags(args []string) (options, error) {
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	quick := f.Bool("quick", false, "200 feeds, no latency run: a look in half a minute")
	sizes := f.String("n", "1000,5000", "numbers of feeds to crawl, comma separated")
	o := options{}
	f.IntVar(&o.rounds, "rounds", 1, "times that each crawl is repeated in a fresh folder; the table shows medians")
	f.IntVar(&o.parallel, "parallel", 64, "hosts polled at once")
	f.IntVar(&o.hosts, "hosts", 50, "hosts of the farm")
	f.IntVar(&o.latency, "latency-feeds", 1000, "feeds of the run with latency (P4); 0 leaves it out")
	f.BoolVar(&o.extract, "extract", true, "measure extraction beside gofeed (P15, P16)")
	f.BoolVar(&o.api, "api", true, "measure the API's handlers (P7, P10)")
	f.BoolVar(&o.routes, "endpoints", true, "measure every route of the API over 200,000 items")
	f.BoolVar(&o.keep, "keep", false, "keep the data folders, and say where they are")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if *quick {
		*sizes, o.latency, o.routes = "200", 0, false
	}
	for s := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return o, fmt.Errorf("-n: %q is no number of feeds", s)
		}
		if n > 0 {
			o.sizes = append(o.sizes, n)
		}
	}
	return o, nil
}

func run(ctx context.Context, o options) error {
	root, err := repoRoot()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ruri-bench-")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Println("data folders are kept in", work)
	} else {
		defer func() { _ = os.RemoveAll(work) }()
	}
	b := &bench{options: o, root: root, work: work, out: os.Stdout}
	b.machine()
	if err := b.build(ctx); err != nil {
		return err
	}
	for _, n := range o.sizes {
		if err := b.crawls(ctx, n); err != nil {
			return err
		}
	}
	if o.latency > 0 {
		if err := b.latencyRun(ctx, o.latency); err != nil {
			return err
		}
	}
	if o.extract {
		if err := b.extraction(ctx); err != nil {
			return err
		}
	}
	if o.api {
		if err := b.handlers(ctx); err != nil {
			return err
		}
	}
	if o.routes {
		return b.endpoints(ctx)
	}
	return nil
}

// repoRoot walks up to go.mod.
func repoRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working folder")
		}
		dir = up
	}
}

// build makes the reader's binary, and the farm's where its folder is there.
func (b *bench) build(ctx context.Context) error {
	b.ruri = filepath.Join(b.root, "bin", "ruri")
	if err := goBuild(ctx, b.root, b.ruri, "./cmd/ruri"); err != nil {
		return err
	}
	dir := farmFolder(b.root)
	if dir == "" {
		fmt.Fprintln(b.out, "feedfarm not present (RURI_FEEDFARM): crawls, latency and extraction are left out")
		return nil
	}
	b.farm = filepath.Join(b.work, "feedfarm")
	return goBuild(ctx, dir, b.farm, ".")
}

func goBuild(ctx context.Context, dir, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, text)
	}
	return nil
}

// farmFolder is where the feed farm's source is; empty when it is nowhere.
func farmFolder(root string) string {
	dir := os.Getenv("RURI_FEEDFARM")
	if dir == "" {
		dir = filepath.Join(root, "..", "shared", "feedfarm")
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return ""
	}
	return dir
}
