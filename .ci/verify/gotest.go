package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// event is one line of `go test -json` (cmd/internal/test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// testKey names one test of one package.
type testKey struct{ pkg, test string }

// report gathers the events of one `go test -json` run.
type report struct {
	out    io.Writer
	output map[testKey][]string // of tests that have not passed
	result map[testKey]string
	parent map[testKey]bool // tests with subtests; only the subtests are counted
	inPkg  map[string]tally
	took   []timing // of packages
	total  tally
}

func newReport(out io.Writer) *report {
	return &report{
		out: out, output: map[testKey][]string{}, result: map[testKey]string{}, parent: map[testKey]bool{},
		inPkg: map[string]tally{},
	}
}

// runGoTest runs `go test -json` with the given arguments and prints a readable report.
func runGoTest(ctx context.Context, args []string) bool {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = os.Stdout // in order with the rest
	cmd.Env = append(os.Environ(), inMemory("/dev/shm")...)
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Println("verify: go test:", err)
		return false
	}
	r := newReport(os.Stdout)
	readErr := r.read(stdout)
	err = cmd.Wait()
	if readErr != nil {
		fmt.Println("verify: reading go test:", readErr)
	}
	ok := r.finish()
	if err != nil && ok {
		fmt.Println("verify: go test:", err)
	}
	return ok && err == nil && readErr == nil
}

// roomInMemory is what a file system in memory must have left, in bytes: twenty times what all tests write at once.
const roomInMemory = 1 << 30

// inMemory returns variables with which tests write to a file system in memory; none where it is small, or programs in
// it may not run. A third of the time of tests of storage was waiting for a disk. What go itself writes stays where it
// was: programs of tests are large. The folder has the same name each time, for Go's cache knows results by it.
func inMemory(folder string) []string {
	const noExec = 8 // of statfs(2)
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(folder, &fs) != nil || fs.Flags&noExec != 0 ||
		fs.Bavail*uint64(fs.Bsize) < roomInMemory {
		return nil
	}
	return []string{"GOTMPDIR=" + cmp.Or(os.Getenv("GOTMPDIR"), os.TempDir()), "TMPDIR=" + folder}
}

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(r.out, "%s", line)
			} else {
				r.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	key := testKey{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.output[key] = append(r.output[key], e.Output)
	case "run":
		if i := strings.LastIndexByte(e.Test, '/'); i > 0 {
			r.parent[testKey{e.Package, e.Test[:i]}] = true
		}
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
		} else {
			r.endTest(key, e.Action)
		}
	}
}

func (r *report) endTest(key testKey, action string) {
	r.result[key] = action
	// A parent fails with its subtests; it is counted itself only when they all passed.
	if r.parent[key] && (action != "fail" || r.childFailed(key)) {
		delete(r.output, key)
		return
	}
	t := r.inPkg[key.pkg]
	t.add(action, 1)
	r.inPkg[key.pkg] = t
	switch action {
	case "fail":
		fmt.Fprintf(r.out, "\n--- FAIL %s %s\n%s\n", key.pkg, key.test, strings.Join(r.output[key], ""))
	case "pass":
		delete(r.output, key)
	}
}

func (r *report) childFailed(key testKey) bool {
	for k, result := range r.result {
		if result == "fail" && k.pkg == key.pkg && strings.HasPrefix(k.test, key.test+"/") {
			return true
		}
	}
	return false
}

func (r *report) endPackage(e event) {
	t := r.inPkg[e.Package]
	r.total = r.total.plus(t)
	r.took = append(r.took, timing{e.Elapsed, e.Package})
	switch {
	case e.Action == "fail" && t.failed == 0:
		r.total.failed++
		fmt.Fprintf(r.out, "\n--- FAIL %s (outside of a single test)\n", e.Package)
		r.printUnfinished(e.Package)
	case e.Action == "fail":
		fmt.Fprintf(r.out, "FAIL %-58s %6.1fs  %v\n", e.Package, e.Elapsed, t)
	case t.sum() > 0:
		fmt.Fprintf(r.out, "ok   %-58s %6.1fs  %v\n", e.Package, e.Elapsed, t)
	}
}

// printUnfinished prints the output of a package and of its unfinished tests, which includes panics and time-outs.
func (r *report) printUnfinished(pkg string) {
	for key, lines := range r.output {
		if key.pkg == pkg && r.result[key] == "" {
			fmt.Fprint(r.out, strings.Join(lines, ""))
		}
	}
}

// finish prints the skips with their reasons, the slowest packages and the count, and reports whether all passed.
func (r *report) finish() bool {
	skipped := map[string][]string{} // tests by reason
	for key, result := range r.result {
		if result == "skip" && !r.parent[key] {
			reason := skipReason(r.output[key])
			skipped[reason] = append(skipped[reason], key.test)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(skipped)) {
		tests := skipped[reason]
		slices.Sort(tests)
		more := ""
		if len(tests) > 4 {
			more = fmt.Sprintf(" and %d more", len(tests)-4)
		}
		fmt.Fprintf(r.out, "SKIPPED: %s (%s%s)\n", reason, strings.Join(tests[:min(len(tests), 4)], ", "), more)
	}
	for _, p := range longest(r.took) {
		fmt.Fprintf(r.out, "slow %6.1fs %s\n", p.seconds, p.name)
	}
	fmt.Fprintf(r.out, "%v\n", r.total)
	return r.total.failed == 0
}

// skipReason returns the message of t.Skip, "    file_test.go:12: reason", from a test's output.
func skipReason(lines []string) string {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "===") || strings.HasPrefix(line, "---") {
			continue
		}
		if _, reason, ok := strings.Cut(line, ": "); ok {
			return reason
		}
	}
	return "no reason given"
}
