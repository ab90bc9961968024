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
	"strings"
	"time"
)

var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// target is one fuzz function.
type target struct{ dir, name string }

// runFuzz gives every fuzz target of the module a short while beyond its seeds. New inputs go to Go's
// cache; a failing one is written to testdata by go test, which says where.
func runFuzz(ctx context.Context, args []string) bool {
	flags := flag.NewFlagSet("fuzz", flag.ExitOnError)
	each := flags.Duration("time", 3*time.Second, "for each target")
	_ = flags.Parse(args) // exits on errors
	targets, err := findFuzzTargets(".")
	if err != nil {
		fmt.Println("verify: fuzz:", err)
		return false
	}
	var t tally
	for _, target := range targets {
		if ctx.Err() != nil {
			break
		}
		out, ok := fuzzOne(ctx, target, *each)
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

func fuzzOne(ctx context.Context, t target, each time.Duration) (string, bool) {
	// The outer limit is for a target that hangs: building it may take a minute.
	ctx, cancel := context.WithTimeout(ctx, each+3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), t.dir)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return string(out), true
	}
	// go test sometimes reports its own -fuzztime running out as a failure (golang.org/issue/75804): without an
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
