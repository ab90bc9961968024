// Command dev serves the page as it is changed (Vite, with reload) beside a server that is built anew and started
// again when a Go source changes: `make dev`.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	addr, data := flag.String("addr", "127.0.0.1:8080", "of the server"), flag.String("data", "data", "folder")
	port := flag.String("port", "5173", "of the page")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Not through npm, which would leave it running at the end, but with the Node that npm would take.
	page := command(ctx, "node_modules/.bin/node", "node_modules/vite/bin/vite.js", "--port", *port, "--strictPort")
	page.Dir, page.Env = "web", append(os.Environ(), "RURI_DEV_SERVER=http://"+*addr)
	if err := page.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "dev:", err)
		os.Exit(1)
	}
	ended := make(chan bool, 1)
	go func() {
		_ = page.Wait()
		ended <- ctx.Err() == nil
		stop() // without the page the server is of no use
	}()
	for ctx.Err() == nil {
		seen := newest()
		serving, end := context.WithCancel(ctx)
		done := make(chan struct{})
		if build := command(ctx, "go", "build", "-buildvcs=false", "-o", "bin/ruri", "./cmd/ruri"); build.Run() == nil {
			server := command(serving, "bin/ruri", "serve", "--samples", "--addr", *addr, "--data", *data)
			go func() { defer close(done); _ = server.Run() }()
		} else {
			close(done)
		}
		for ctx.Err() == nil && newest().Equal(seen) {
			time.Sleep(500 * time.Millisecond)
		}
		end()
		<-done
	}
	if <-ended {
		fmt.Fprintln(os.Stderr, "dev: the page's server ended by itself")
		os.Exit(1)
	}
}

// command ends as a supervisor ends it.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Cancel, c.WaitDelay = func() error { return c.Process.Signal(syscall.SIGTERM) }, 20*time.Second
	return c
}

// newest is when a source of the server was changed last.
func newest() (at time.Time) {
	for _, root := range []string{"cmd", "internal", "docs"} {
		_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" {
				if info, err := d.Info(); err == nil && info.ModTime().After(at) {
					at = info.ModTime()
				}
			}
			return nil
		})
	}
	return at
}
