package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// target is one fuzz function.
type target struct{ dir, name string }

// runFuzz gives every fuzz target of the module a short while beyond its seeds. New inputs go to Go's
// cache; a failing one is written to testdata by the test, which says where. Folders as arguments choose targets.
func runFuzz(ctx context.Context, args []string) bool {
	flags := flag.NewFlagSet("fuzz", flag.ExitOnError)
	each := flags.Duration("time", time.Second, "for each target")
	_ = flags.Parse(args) // exits on errors
	targets, err := findFuzzTargets(".")
	if err != nil {
		fmt.Println("verify: fuzz:", err)
		return false
	}
	if dirs := flags.Args(); len(dirs) > 0 {
		targets = slices.DeleteFunc(targets, func(t target) bool {
			return !slices.Contains(dirs, strings.TrimPrefix(t.dir, "./"))
		})
		if len(targets) == 0 {
			fmt.Println("verify: fuzz: no target in", strings.Join(dirs, " "))
			return false
		}
	}
	bin, err := os.MkdirTemp("", "ruri-fuzz-")
	if err != nil {
		fmt.Println("verify: fuzz:", err)
		return false
	}
	defer func() { _ = os.RemoveAll(bin) }()
	programs := programs{bin: bin}
	var t tally
	for _, target := range targets {
		if ctx.Err() != nil {
			break
		}
		var out string
		var ok bool
		program, cache, err := programs.of(ctx, target.dir)
		if err == nil {
			out, ok = fuzzOne(ctx, target, program, cache, *each)
		} else {
			out = err.Error()
		}
		if ok {
			t.passed++
			fmt.Printf("ok   %s %s%s\n", target.dir, target.name, lastExecs(out))
			continue
		}
		t.failed++
		fmt.Printf("\n--- FAIL %s %s\n%s\n", target.dir, target.name, out)
	}
	fmt.Printf("%v\n", t)
	return t.failed == 0 && ctx.Err() == nil
}

// programs holds the test program of each package: `go test -fuzz` would link it anew for each target.
type programs struct {
	bin     string
	dir     string // whose program was built last: targets come by packages
	program string
	cache   string
	err     error
}

// of gives a package's program, and where Go keeps the inputs that were found for it.
func (p *programs) of(ctx context.Context, dir string) (program, cache string, err error) {
	if p.dir == dir {
		return p.program, p.cache, p.err
	}
	p.dir, p.program = dir, filepath.Join(p.bin, strings.ReplaceAll(dir, "/", "_")+".test")
	p.cache, p.err = build(ctx, dir, p.program)
	return p.program, p.cache, p.err
}

func build(ctx context.Context, dir, program string) (cache string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz", ".", "-o", program, dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return "", err
	}
	path, err := exec.CommandContext(ctx, "go", "list", dir).Output()
	if err != nil {
		return "", err
	}
	return filepath.Join(strings.TrimSpace(string(root)), "fuzz", strings.TrimSpace(string(path))), nil
}

func fuzzOne(ctx context.Context, t target, program, cache string, each time.Duration) (string, bool) {
	// The outer limit is for a target that hangs.
	ctx, cancel := context.WithTimeout(ctx, each+3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.paniconexit0", "-test.run", "^$", "-test.fuzz", "^"+t.name+"$",
		"-test.fuzztime", each.String(), "-test.fuzzcachedir", cache)
	cmd.Dir = t.dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return string(out), true
	}
	// Go sometimes reports its own -fuzztime running out as a failure (golang.org/issue/75804): without an
	// input to blame, and with our limit not reached, that is no finding.
	text := string(out)
	deadline := strings.Contains(text, "context deadline exceeded") && !strings.Contains(text, "Failing input")
	return text, deadline && ctx.Err() == nil
}

var execs = regexp.MustCompile(`execs: (\d+)`)

func lastExecs(out string) string {
	all := execs.FindAllStringSubmatch(out, -1)
	if len(all) == 0 {
		return ""
	}
	return ": " + all[len(all)-1][1] + " inputs"
}

// findFuzzTargets reads the test files rather than asking `go test -list`, which links every test binary.
func findFuzzTargets(root string) ([]target, error) {
	var found []target
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range fuzzFunc.FindAllSubmatch(src, -1) {
			found = append(found, target{"./" + filepath.ToSlash(filepath.Dir(path)), string(m[1])})
		}
		return nil
	})
	return found, err
}
