// Command realapps lets real reader apps, unmodified, synchronise with a running server, and compares what they show
// with the page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// programs are the apps that can be checked, with the commands that print their versions.
var programs = []struct {
	name    string
	version []string
	run     func(*check) error
}{
	{"newsboat", debian("newsboat"), newsboat},
	{"rssguard", debian("rssguard"), rssguard},
	{"liferea", debian("liferea"), liferea},
	{"miniflux.py", []string{minifluxPython, "-c", `import importlib.metadata as m; print(m.version("miniflux"))`},
		minifluxClient},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	only := flag.String("only", "", "names of the programs to check, separated by commas (default: all)")
	keep := flag.Bool("keep", false, "keep the folder with the data and logs of a failed check")
	flag.Parse()
	if err := run(ctx, *only, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "realapps:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, keep bool) error {
	folder, err := os.MkdirTemp("", "realapps-")
	if err != nil {
		return err
	}
	if !keep {
		defer os.RemoveAll(folder)
	}
	bin := filepath.Join(folder, "bin")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin+"/", "./cmd/ruri", "./internal/testkit/publisher")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	var failed []string
	for _, p := range programs {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		if err := one(ctx, bin, filepath.Join(folder, p.name), p.name, p.version, p.run); err != nil {
			fmt.Printf("%s: FAILED: %v\n", p.name, err)
			failed = append(failed, p.name)
		}
	}
	if failed != nil {
		return errors.New("failed: " + strings.Join(failed, ", "))
	}
	return nil
}

func one(ctx context.Context, bin, folder, name string, version []string, run func(*check) error) error {
	r, err := newRig(ctx, bin, folder)
	if r != nil {
		defer r.stop()
	}
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, version[0], version[1:]...).Output()
	if err != nil {
		return fmt.Errorf("%s is not installed", name)
	}
	// 4.0.4+dfsg-1+b1 is 4.0.4 with Debian's changes.
	v := strings.TrimSpace(string(out))
	return run(&check{rig: r, ctx: ctx, name: name, version: v[:strings.IndexAny(v+"-", "+-")]})
}

// debian prints the version of an installed package.
func debian(name string) []string { return []string{"dpkg-query", "-W", "-f", "${Version}", name} }
