package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	fuzzFolder = "build/fuzz" // the programs, and the inputs that searches found, as Go's cache keeps them
	fuzzInputs = 20_000       // for each target
	fuzzLimit  = 3 * time.Minute
)

// slowFuzz are targets that read far fewer inputs a second than others.
var slowFuzz = map[string]int{"FuzzDetect": 500, "FuzzExcerpt": 5000}

// fuzzing is one run over targets: a search from random seeds for some time each, or the same inputs each time.
type fuzzing struct {
	search time.Duration // for each target; zero for the same inputs
	folder string
	build  []string // arguments of go test
}

// runFuzz runs the fuzz targets of some folders beyond their seeds. The test writes a failing input to testdata and
// prints its path. Each package's program is built once: `go test -fuzz` would link it again for each target.
func runFuzz(ctx context.Context, args []string) bool {
	flags := flag.NewFlagSet("fuzz", flag.ExitOnError)
	search := flags.Duration("search", 0, "search each target for so long, from a random seed")
	_ = flags.Parse(args) // exits on errors
	f, err := newFuzzing(ctx, *search)
	if err != nil {
		fmt.Println("verify: fuzz:", err)
		return false
	}
	var t tally
	for _, dir := range flags.Args() {
		program := filepath.Join(f.folder, dir, "fuzz.test")
		targets, err := f.targets(ctx, dir, program)
		if err != nil {
			fmt.Printf("\n--- FAIL %s\n%v\n", dir, err)
			t.failed++
		}
		for _, target := range targets {
			out, ok := f.run(ctx, dir, program, target)
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

func newFuzzing(ctx context.Context, search time.Duration) (fuzzing, error) {
	f := fuzzing{search: search, build: []string{"-fuzz", "."}}
	name := "search"
	if search == 0 {
		name = "same"
	}
	folder, err := filepath.Abs(filepath.Join(fuzzFolder, name))
	if err != nil {
		return f, err
	}
	f.folder = folder
	if search == 0 {
		overlay, err := evenFuzzer(ctx, folder)
		if err != nil {
			return f, err
		}
		f.build = []string{"-overlay", overlay}
	}
	return f, nil
}

// evenFuzzer writes an overlay for go build with which Go's fuzzer gives each seed an equal number of inputs in turn.
// Go's own gives each a tenth of a second, so that the inputs would depend on the speed of the machine.
func evenFuzzer(ctx context.Context, folder string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, change := range map[string][2]string{
		"worker.go": {"workerFuzzDuration = 100 * time.Millisecond", "workerFuzzDuration = time.Hour"},
		"fuzz.go":   {"input.limit = c.opts.Limit / int64(c.opts.Parallel)", "input.limit = 20"},
	} {
		theirs := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "fuzz", name)
		b, err := os.ReadFile(theirs)
		if err != nil {
			return "", err
		}
		if !strings.Contains(string(b), change[0]) {
			return "", fmt.Errorf("%s has no %q any more: adapt evenFuzzer to this version of Go", theirs, change[0])
		}
		ours := filepath.Join(folder, "go", name+".txt") // no file of this module
		if err := os.MkdirAll(filepath.Dir(ours), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(ours, []byte(strings.Replace(string(b), change[0], change[1], 1)), 0o600); err != nil {
			return "", err
		}
		replace[theirs] = ours
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "go", "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}

// targets builds a package's test program for fuzzing and returns the names of its fuzz functions.
func (f fuzzing) targets(ctx context.Context, dir, program string) ([]string, error) {
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return nil, err
	}
	build := append([]string{"test", "-c", "-o", program}, f.build...)
	if out, err := exec.CommandContext(ctx, "go", append(build, "./"+dir)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	list := exec.CommandContext(ctx, program, "-test.list", "^Fuzz")
	list.Dir = dir
	names, err := list.Output()
	return strings.Fields(string(names)), err
}

func (f fuzzing) run(ctx context.Context, dir, program, target string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, f.search+fuzzLimit) // ends a target that hangs
	defer cancel()
	args := []string{"-test.paniconexit0", "-test.run", "^$", "-test.fuzz", "^" + target + "$",
		"-test.fuzzcachedir", filepath.Dir(program)}
	env := os.Environ()
	if f.search > 0 {
		args = append(args, "-test.fuzztime", f.search.String())
	} else {
		// Nothing here may depend on time: one process, a fixed seed, counts for limits. The program has no counters of
		// what an input reaches, because goroutines and maps make those differ from run to run.
		n := cmp.Or(slowFuzz[target], fuzzInputs)
		args = append(args, "-test.fuzztime", fmt.Sprint(n, "x"), "-test.parallel", "1",
			"-test.fuzzminimizetime", "1000x")
		env = append(env, "GODEBUG=fuzzseed=1")
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err == nil {
		return string(out), true
	}
	// Go sometimes reports the end of a search as a failure (golang.org/issue/75804): without a failing input, and
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
