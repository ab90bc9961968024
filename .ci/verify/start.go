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
	// aim of a function's start as a multiple of the bare one's.
	aim = 4.0
)

// started is one measured start.
type started struct{ wall, cpu time.Duration }

// printStarts prints the median time from exec to the first request for work of each function, as a multiple of a
// function's that does nothing, in turns so that a busy machine is busy for all. Never asserted: it is the
// machine's as much as ours.
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
		return fmt.Errorf("the bare function cannot be built: %w\n%s", err, out)
	}
	all := append([]string{bare}, bootstraps...)
	measured := make([][]started, len(all))
	for range starts {
		for i, bootstrap := range all {
			s, err := start(ctx, bootstrap)
			if err != nil {
				return err
			}
			measured[i] = append(measured[i], s)
		}
	}
	base := median(measured[0])
	fmt.Printf("start of a bare function: %.1f ms to its first /next, %.1f ms of processor\n", ms(base.wall), ms(base.cpu))
	for i, bootstrap := range bootstraps {
		m := median(measured[i+1])
		ratio := float64(m.wall) / float64(base.wall)
		note := ""
		if ratio > aim {
			note = fmt.Sprintf(", over the aim of %.0f", aim)
		}
		fmt.Printf("start of %-20s %.1f ms, %.1f of processor: %.1f times the bare one%s\n",
			filepath.Base(filepath.Dir(bootstrap)), ms(m.wall), ms(m.cpu), ratio, note)
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// median of each figure by itself.
func median(all []started) started {
	pick := func(of func(started) time.Duration) time.Duration {
		var d []time.Duration
		for _, s := range all {
			d = append(d, of(s))
		}
		slices.Sort(d)
		return d[len(d)/2]
	}
	return started{pick(func(s started) time.Duration { return s.wall }), pick(func(s started) time.Duration { return s.cpu })}
}

// start runs a bootstrap until it asks the Runtime API for its first event, and ends it.
func start(ctx context.Context, bootstrap string) (started, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return started{}, err
	}
	asked := make(chan string, 1)
	server := &http.Server{ReadHeaderTimeout: startLimit, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.Path:
		default:
		}
		<-r.Context().Done() // no event ever comes
	})}
	go func() { _ = server.Serve(listener) }()
	defer func() { _ = server.Close() }()

	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, bootstrap)
	cmd.Env = []string{
		"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String(), "AWS_LAMBDA_FUNCTION_NAME=start", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "_HANDLER=bootstrap", "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=none",
		"AWS_SECRET_ACCESS_KEY=none", "AWS_ENDPOINT_URL=http://127.0.0.1:1", "RURI_TABLE=start", "RURI_BUCKET=start",
		"RURI_QUEUE_URL=http://127.0.0.1:1/start", "RURI_DEAD_QUEUE_URL=http://127.0.0.1:1/dead", "RURI_BASE_URL=https://start.invalid",
	}
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return started{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop := func() {
		_ = cmd.Process.Kill()
		<-ended //nolint:errcheck // it was killed
	}
	select {
	case path := <-asked:
		s := started{wall: time.Since(began)}
		stop()
		s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if want := "/2018-06-01/runtime/invocation/next"; path != want {
			return s, fmt.Errorf("%s asked for %s, not for %s: %s", bootstrap, path, want, said.String())
		}
		return s, nil
	case err := <-ended:
		return started{}, fmt.Errorf("%s ended before it asked for work: %w\n%s", bootstrap, err, said.String())
	case <-ctx.Done():
		stop()
		return started{}, fmt.Errorf("%s did not ask for work: %w\n%s", bootstrap, ctx.Err(), said.String())
	}
}
