package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const (
	starts     = 15
	startLimit = 20 * time.Second
	// startTarget is the highest start time wanted, as a multiple of the bare function's.
	startTarget = 4.0
)

// printStarts prints the median time from exec to the first request for work of each function, as a multiple of that of
// a function that does nothing. The functions take turns, so that other load on the machine affects all of them.
// Nothing is asserted, because the figures depend on the machine.
func printStarts(ctx context.Context, bootstraps []string) error {
	dir, err := os.MkdirTemp("", "ruri-start-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bare := filepath.Join(dir, "bootstrap")
	build := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -buildid=", "-o", bare, "./internal/testkit/barelambda")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the bare function: %w\n%s", err, out)
	}
	all := append([]string{bare}, bootstraps...)
	measured := make([][]time.Duration, len(all))
	for range starts {
		for i, bootstrap := range all {
			s, err := start(ctx, bootstrap)
			if err != nil {
				return err
			}
			measured[i] = append(measured[i], s)
		}
	}
	ms := func(i int) float64 {
		slices.Sort(measured[i])
		return measured[i][starts/2].Seconds() * 1000
	}
	fmt.Printf("start of a bare function: %.1f ms to its first /next\n", ms(0))
	for i, bootstrap := range bootstraps {
		ratio, note := ms(i+1)/ms(0), ""
		if ratio > startTarget {
			note = fmt.Sprintf(", over the target of %.0f", startTarget)
		}
		fmt.Printf("start of %-20s %.1f ms: %.1f times the bare one%s\n", filepath.Base(filepath.Dir(bootstrap)),
			ms(i+1), ratio, note)
	}
	return nil
}

// start returns the time that a bootstrap takes until it requests its first event from the Runtime API.
func start(ctx context.Context, bootstrap string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	requested := make(chan string, 1)
	server := &http.Server{ReadHeaderTimeout: startLimit,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case requested <- r.URL.Path:
			default:
			}
			<-r.Context().Done() // no event ever comes
		})}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, bootstrap)
	cmd.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(), "AWS_LAMBDA_FUNCTION_NAME=start",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "_HANDLER=bootstrap", "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=none",
		"AWS_SECRET_ACCESS_KEY=none", "AWS_ENDPOINT_URL=http://127.0.0.1:1", "RURI_TABLE=start", "RURI_BUCKET=start",
		"RURI_QUEUE_URL=http://127.0.0.1:1/start", "RURI_DEAD_QUEUE_URL=http://127.0.0.1:1/dead",
		"RURI_BASE_URL=https://start.invalid",
	}
	cmd.Stdout, cmd.Stderr = &output, &output
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop := func() {
		_ = cmd.Process.Kill()
		<-ended //nolint:errcheck // it was killed
	}
	select {
	case path := <-requested:
		took := time.Since(began)
		stop()
		if want := "/2018-06-01/runtime/invocation/next"; path != want {
			return 0, fmt.Errorf("%s requested %s, not %s: %s", bootstrap, path, want, output.String())
		}
		return took, nil
	case err := <-ended:
		return 0, fmt.Errorf("%s ended before it requested work: %w\n%s", bootstrap, err, output.String())
	case <-ctx.Done():
		stop()
		return 0, fmt.Errorf("%s did not request work: %w\n%s", bootstrap, ctx.Err(), output.String())
	}
}
