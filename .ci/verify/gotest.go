package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// event is one line of `go test -json` (cmd/internal/test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

// testKey names one test of one package.
type testKey struct{ pkg, test string }

// report gathers the events of one `go test -json` run.
type report struct {
	out    io.Writer
	output map[testKey][]string
	result map[testKey]string
	took   map[testKey]float64
	parent map[testKey]bool // has subtests: they are counted, not it
	builds map[string][]string
	total  tally
	// broken are packages that failed without a failing test: build errors, panics, TestMain, time-outs.
	broken []string
	inPkg  map[string]*tally
}

func newReport(out io.Writer) *report {
	return &report{
		out: out, output: map[testKey][]string{}, result: map[testKey]string{}, took: map[testKey]float64{},
		parent: map[testKey]bool{}, builds: map[string][]string{}, inPkg: map[string]*tally{},
	}
}

// runGoTest runs `go test -json` with the given arguments and reports as people read it.
func runGoTest(ctx context.Context, args []string) bool {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Stderr = os.Stdout // in order with the rest
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
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case "output":
		r.output[key] = append(r.output[key], e.Output)
	case "run":
		if i := strings.LastIndexByte(e.Test, '/'); i > 0 {
			r.parent[testKey{e.Package, e.Test[:i]}] = true
		}
	case "pass", "fail", "skip":
		r.took[key] = e.Elapsed
		if e.Test == "" {
			r.endPackage(e)
			return
		}
		r.result[key] = e.Action
		r.endTest(key, e.Action)
	}
}

func (r *report) endTest(key testKey, action string) {
	t := r.inPkg[key.pkg]
	if t == nil {
		t = &tally{}
		r.inPkg[key.pkg] = t
	}
	// A parent fails with its subtests; it is counted itself only when they all passed.
	if r.parent[key] && (action != "fail" || r.childFailed(key)) {
		delete(r.output, key)
		return
	}
	t.add(action, 1)
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
	if t == nil {
		t = &tally{}
	}
	r.total = r.total.plus(*t)
	switch {
	case e.Action == "fail" && t.failed == 0:
		r.total.failed++
		r.broken = append(r.broken, e.Package)
		fmt.Fprintf(r.out, "\n--- FAIL %s (no single test is to blame)\n", e.Package)
		for _, lines := range r.builds {
			fmt.Fprint(r.out, strings.Join(lines, ""))
		}
		clear(r.builds)
		r.printUnfinished(e.Package)
	case e.Action == "fail":
		fmt.Fprintf(r.out, "FAIL %-58s %6.1fs  %v\n", e.Package, e.Elapsed, *t)
	case t.sum() > 0:
		fmt.Fprintf(r.out, "ok   %-58s %6.1fs  %d passed%s\n", e.Package, e.Elapsed, t.passed, skippedNote(t.skipped))
	}
}

// printUnfinished shows what a package and its unended tests said: a panic or a time-out is in there.
func (r *report) printUnfinished(pkg string) {
	for key, lines := range r.output {
		if key.pkg == pkg && r.result[key] == "" {
			fmt.Fprint(r.out, strings.Join(lines, ""))
		}
	}
}

func skippedNote(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}

// finish prints what was skipped and why, what was slow, and the count; it reports whether all passed.
func (r *report) finish() bool {
	r.printSkips()
	r.printSlow()
	fmt.Fprintf(r.out, "%v\n", r.total)
	return r.total.failed == 0
}

func (r *report) printSkips() {
	byReason := map[string][]string{}
	for key, result := range r.result {
		if result == "skip" && !r.parent[key] {
			reason := skipReason(r.output[key])
			byReason[reason] = append(byReason[reason], key.test)
		}
	}
	reasons := make([]string, 0, len(byReason))
	for reason := range byReason {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		tests := byReason[reason]
		slices.Sort(tests)
		shown := tests[:min(len(tests), 4)]
		more := ""
		if len(tests) > len(shown) {
			more = fmt.Sprintf(" and %d more", len(tests)-len(shown))
		}
		fmt.Fprintf(r.out, "SKIPPED: %s (%s%s)\n", reason, strings.Join(shown, ", "), more)
	}
}

// skipReason finds the sentence of t.Skip, "    file_test.go:12: reason", in a test's output.
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

// slowTest is from how many seconds on a test is worth naming.
const slowTest = 10

func (r *report) printSlow() {
	var slow []testKey
	for key := range r.result {
		if !strings.Contains(key.test, "/") && r.took[key] >= slowTest {
			slow = append(slow, key)
		}
	}
	slices.SortFunc(slow, func(a, b testKey) int { return int(1000 * (r.took[b] - r.took[a])) })
	for _, key := range slow[:min(len(slow), 8)] {
		fmt.Fprintf(r.out, "slow %5.1fs %s %s\n", r.took[key], key.pkg, key.test)
	}
}
