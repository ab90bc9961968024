package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// fuzzCache keeps the inputs that fuzzing found, as Go's cache does for `go test -fuzz`.
const fuzzCache = "build/fuzz"

// runFuzz runs the fuzz targets of some folders for a short while each. The test writes a failing input to testdata and
// prints its path. Each package's program is built once: `go test -fuzz` would link it again for each target.
func runFuzz(ctx context.Context, args []string) bool {
	flags := flag.NewFlagSet("fuzz", flag.ExitOnError)
	each := flags.Duration("time", time.Second, "for each target")
	_ = flags.Parse(args) // exits on errors
	var t tally
	for _, dir := range flags.Args() {
		program, err := filepath.Abs(filepath.Join(fuzzCache, dir, "fuzz.test"))
		if err != nil {
			fmt.Println("verify: fuzz:", err)
			return false
		}
		targets, err := fuzzTargets(ctx, dir, program)
		if err != nil {
			fmt.Printf("\n--- FAIL %s\n%v\n", dir, err)
			t.failed++
		}
		for _, target := range targets {
			out, ok := fuzzOne(ctx, dir, program, target, *each)
			if !ok {
				t.failed++
				fmt.Printf("\n--- FAIL %s %s\n%s\n", dir, target, out)
				continue
			}
			t.passed++
			fmt.Printf("ok   %s %s%s\n", dir, target, lastExecs(out))
		}
	}
	fmt.Printf("%v\n", t)
	return t.failed == 0 && t.passed > 0 && ctx.Err() == nil
}

// fuzzTargets builds a package's test program for fuzzing and returns the names of its fuzz functions.
func fuzzTargets(ctx context.Context, dir, program string) ([]string, error) {
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz", ".", "-o", program,
		"./"+dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	list := exec.CommandContext(ctx, program, "-test.list", "^Fuzz")
	list.Dir = dir
	names, err := list.Output()
	return strings.Fields(string(names)), err
}

func fuzzOne(ctx context.Context, dir, program, target string, each time.Duration) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, each+3*time.Minute) // ends a target that hangs
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.paniconexit0", "-test.run", "^$", "-test.fuzz", "^"+target+"$",
		"-test.fuzztime", each.String(), "-test.fuzzcachedir", filepath.Dir(program))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return string(out), true
	}
	// Go sometimes reports the end of -fuzztime as a failure (golang.org/issue/75804): without a failing input, and
	// within our own limit, that is not a finding.
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
