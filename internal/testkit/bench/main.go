// Command bench measures the reader: counts first, since they are the same on every machine, then times. Tests assert
// counts alone.
//
//	go run ./internal/testkit/bench                      # 1,000 and 5,000 feeds, reading over HTTP, latency,
//	                                                     # extraction, API, every route
//	go run ./internal/testkit/bench -quick               # 200 feeds, reading over HTTP, extraction and API
//	go run ./internal/testkit/bench -parts crawls -n 5000 -rounds 3
//	go run ./internal/testkit/bench -parts serve -n 1000,5000,20000 -rounds 3 [-ruri PATH]
//	go run ./internal/testkit/bench -parts lambda   # what cold and warm functions read; needs `make tools`
//
// It needs the feed farm, a separate program that serves synthetic feeds on loopback addresses: its
// folder is RURI_FEEDFARM, or ../shared/feedfarm beside the repository. Without it only the API is measured.
// docs/develop/performance.md has the figures and the gates.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/repository"
)

const (
	farmHosts    = 50
	parallel     = 64   // hosts polled at once
	latencyFeeds = 1000 // feeds of the crawls with latency
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	quick := flag.Bool("quick", false, "200 feeds, reading over HTTP, extraction and API: a minute")
	sizes := flag.String("n", "1000,5000", "numbers of feeds to crawl, comma separated")
	rounds := flag.Int("rounds", 1, "times that each crawl is repeated in a fresh folder, and reading over HTTP in "+
		"one; the tables show medians")
	parts := flag.String("parts", "crawls,storage,serve,latency,extraction,api,routes", "what to measure")
	ruri := flag.String("ruri", "", "another binary to crawl and serve with, instead of one built now")
	only := flag.String("only", "", "the operations of serve to measure: a regular expression of their names")
	flag.Parse()
	span := time.Second
	if *quick {
		*sizes, *parts, span = "200", "crawls,serve,extraction,api", 200*time.Millisecond
	}
	var numbers []int
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return fmt.Errorf("-n: %w", err)
		}
		numbers = append(numbers, n)
	}
	root, err := repository.Root()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ruri-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	b := &bench{only: pattern, rounds: *rounds, span: span, root: root, work: work, out: os.Stdout}
	b.machine()
	if err := b.build(ctx, *ruri); err != nil {
		return err
	}
	for part := range strings.SplitSeq(*parts, ",") {
		if err := b.part(ctx, part, numbers); err != nil {
			return err
		}
	}
	return nil
}

// part measures one part; those that need the farm are left out without it.
func (b *bench) part(ctx context.Context, part string, sizes []int) error {
	switch {
	case part == "api":
		return b.goBench(ctx, "API, one request at a time over the embedded table: allocations, rows and units are "+
			"the same on every machine",
			"./internal/testkit/bench", "^BenchmarkAPI$", "1s")
	case part == "routes":
		return b.routes(ctx)
	case part == "lambda":
		return b.lambda(ctx)
	case b.farm == "":
		return nil
	case part == "crawls":
		for _, n := range sizes {
			if err := b.crawls(ctx, n); err != nil {
				return err
			}
		}
		return nil
	case part == "storage":
		return b.storage(ctx, sizes[0])
	case part == "serve":
		return b.serve(ctx, sizes)
	case part == "latency":
		return b.latencyRun(ctx, latencyFeeds)
	case part == "extraction":
		return b.extraction(ctx)
	}
	return fmt.Errorf("no part %q", part)
}

// goBench runs Go benchmarks of a package.
func (b *bench) goBench(ctx context.Context, title, pkg, pattern, benchtime string, env ...string) error {
	fmt.Fprintf(b.out, "\n%s\n", title)
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", benchtime,
		"-benchmem", pkg)
	cmd.Dir, cmd.Stdout, cmd.Stderr = b.root, b.out, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	return cmd.Run()
}

// routes measures every route over 200,000 items in 100 and in 1,000 subscriptions, and an import of 1,000 feeds.
func (b *bench) routes(ctx context.Context) error {
	if err := b.goBench(ctx, "Every route, 200,000 items in 100 and in 1,000 subscriptions (lists: at most 25 read "+
		"units at 100 subscriptions, 150 cold and 60 warm at 1,000; under 10 ms CPU)",
		"./internal/testkit/bench", "^BenchmarkEndpoints$", "20x"); err != nil {
		return err
	}
	return b.goBench(ctx, "An OPML list of 1,000 feeds on 20 hosts, ms after it was sent (accepted within 1 s, first "+
		"items while it runs)",
		"./internal/testkit/bench", "^BenchmarkImport$", "1x")
}

// lambda measures what instances of the API's function read for a visitor's first lists, over emulated AWS.
func (b *bench) lambda(ctx context.Context) error {
	folder := filepath.Join(b.work, "lambda")
	for _, name := range []string{"orchestrator", "crawler", "api"} {
		if err := goBuild(ctx, b.root, filepath.Join(folder, name, "bootstrap"), "./functions/"+name, "-tags",
			"lambda.norpc"); err != nil {
			return err
		}
	}
	return b.goBench(ctx, "First lists in Lambda, instances cold and warm: read units, rows and requests of "+
		"DynamoDB; ms in the emulated stack (needs make tools)",
		"./internal/testkit/rehearse", "^BenchmarkFirstList$", "1x", "RURI_BOOTSTRAPS="+folder)
}

// extraction measures the extraction of items beside gofeed, on the same bodies.
func (b *bench) extraction(ctx context.Context) error {
	dump := filepath.Join(b.work, "dump")
	if text, err := exec.CommandContext(ctx, b.farm, "-n", "300", "-seed", "1", "-dump",
		dump).CombinedOutput(); err != nil {
		return fmt.Errorf("feedfarm -dump: %w\n%s", err, text)
	}
	return b.goBench(ctx, "Extraction of 300 feeds of the farm (P15: at least 20x gofeed and 0.1 of its allocations; "+
		"P16: known items at 1,000 MB/s)",
		"./internal/content/extract", "^Benchmark(Scan|ScanKnown|Gofeed)$", "2s", "RURI_FEEDS_DUMP="+dump)
}

// build makes the reader's binary unless there is one, and the farm's where its folder is there.
func (b *bench) build(ctx context.Context, ruri string) error {
	if b.ruri = ruri; ruri == "" {
		b.ruri = filepath.Join(b.root, "bin", "ruri")
		if err := goBuild(ctx, b.root, b.ruri, "./cmd/ruri"); err != nil {
			return err
		}
	}
	dir := farmFolder(b.root)
	if dir == "" {
		fmt.Fprintln(b.out, "feedfarm not present (RURI_FEEDFARM): crawls, serve, latency and extraction are left out")
		return nil
	}
	b.farm = filepath.Join(b.work, "feedfarm")
	return goBuild(ctx, dir, b.farm, ".")
}

func goBuild(ctx context.Context, dir, out, pkg string, flags ...string) error {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-trimpath", "-o", out}, flags...), pkg)...)
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
