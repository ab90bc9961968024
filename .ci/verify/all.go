package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	// stepLimit ends a step that hangs; the longest takes a quarter of it on two cores.
	stepLimit = 20 * time.Minute
	logDir    = "artifacts/logs"
	// yielding is the niceness of what gives way to the steps that come first: a tenth of their share.
	yielding = 10
)

// outcome is what became of a step.
type outcome struct {
	step
	ok      bool
	notRun  string // why, when it was not run
	took    time.Duration
	tests   tally
	skips   []string
	output  []byte
	counted bool // its output had a count of tests
}

// runAll runs every step and ends with the verdict.
func runAll(ctx context.Context, args []string) bool {
	flags := flag.NewFlagSet("all", flag.ExitOnError)
	parallel := flags.Int("parallel", 2, "steps at a time")
	only := flags.String("only", "", "run only steps whose name matches this pattern, and what they need")
	_ = flags.Parse(args) // exits on errors
	chosen, err := choose(steps(), *only)
	if err != nil {
		fmt.Println("verify:", err)
		return false
	}
	began := time.Now()
	results := runSteps(ctx, chosen, *parallel, execute, announce)
	total := printTable(results, time.Since(began))
	if ctx.Err() != nil {
		fmt.Println("interrupted")
		total.failed++
	}
	// The last line, in the plain form that machines read.
	fmt.Printf("%v\n", total)
	return total.failed == 0
}

// choose keeps the steps that the pattern names and those that they come after.
func choose(all []step, pattern string) ([]step, error) {
	if pattern == "" {
		return all, nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	byName := map[string]step{}
	for _, s := range all {
		byName[s.name] = s
	}
	wanted := map[string]bool{}
	var want func(name string)
	want = func(name string) {
		wanted[name] = true
		for _, before := range byName[name].after {
			want(before)
		}
	}
	for _, s := range all {
		if re.MatchString(s.name) {
			want(s.name)
		}
	}
	var chosen []step
	for _, s := range all {
		if wanted[s.name] {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no step matches %q", pattern)
	}
	return chosen, nil
}

// runSteps starts each step as soon as those before it have passed and a place is free, in their order.
// A step whose forerunner failed is not run. Results come back in the order of the steps.
func runSteps(ctx context.Context, all []step, parallel int, run func(context.Context, step) outcome, tell func(outcome)) []outcome {
	results := make([]*outcome, len(all))
	index := map[string]int{}
	for i, s := range all {
		index[s.name] = i
	}
	type ended struct {
		i int
		o outcome
	}
	done := make(chan ended)
	started := make([]bool, len(all))
	running := 0
	for finished := 0; finished < len(all); {
		for i, s := range all {
			if started[i] {
				continue
			}
			ready, why := standing(s, index, results)
			if ctx.Err() != nil {
				why = "interrupted"
			}
			if why != "" {
				started[i] = true
				results[i] = &outcome{step: s, notRun: why}
				tell(*results[i])
				finished++
				continue
			}
			if ready && running < parallel {
				started[i] = true
				running++
				go func() { done <- ended{i, run(ctx, s)} }()
			}
		}
		if running == 0 {
			continue // only steps that are not run were left: the next round settles them
		}
		e := <-done
		running--
		finished++
		results[e.i] = &e.o
		tell(e.o)
	}
	out := make([]outcome, len(all))
	for i, r := range results {
		out[i] = *r
	}
	return out
}

// standing tells whether what a step needs and waits for has ended, and which need has failed.
func standing(s step, index map[string]int, results []*outcome) (ready bool, why string) {
	ready = true
	for _, before := range s.waits {
		if i, chosen := index[before]; chosen && results[i] == nil {
			ready = false
		}
	}
	for _, before := range s.after {
		switch r := results[index[before]]; {
		case r == nil:
			ready = false
		case !r.ok:
			why = before + " failed"
		}
	}
	return ready, why
}

// execute runs one step's command and keeps what it says.
func execute(ctx context.Context, s step) outcome {
	fmt.Printf("==> %s: %s\n", s.name, strings.Join(s.command, " "))
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "MAKEFLAGS=", "MAKELEVEL=",
		// The doubles were installed by a step before: a suite that does not find them fails, and does not skip.
		"RURI_REQUIRE_DOUBLES=1")
	// The whole group is ended, or servers that a step started would live on.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	began := time.Now()
	err := cmd.Start()
	if err == nil {
		if !s.first {
			// Where this is refused, all are alike.
			_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, yielding)
		}
		err = cmd.Wait()
	}
	if ctx.Err() == context.DeadlineExceeded {
		fmt.Fprintf(&output, "verify: stopped after %v\n", stepLimit)
	}
	return judge(s, err == nil, time.Since(began), output.Bytes())
}

// judge reads counts and skips from a step's output. A step that counts none is one check; one that says it
// was skipped, and counted nothing, counts as skipped.
func judge(s step, ok bool, took time.Duration, output []byte) outcome {
	o := outcome{step: s, ok: ok, took: took, output: output}
	o.tests = countIn(string(output))
	o.skips = skipsIn(string(output))
	o.counted = o.tests.sum() > 0
	switch {
	case !ok && o.tests.failed == 0:
		o.tests.failed++
	case !o.counted && len(o.skips) > 0:
		o.tests.skipped++
	case !o.counted:
		o.tests.passed++
	}
	return o
}

// announce tells a step's end: a line when it passed, everything it said when it failed.
func announce(o outcome) {
	if o.notRun != "" {
		fmt.Printf("!!! %s: not run, %s\n", o.name, o.notRun)
		return
	}
	saveLog(o)
	if o.ok {
		note := ""
		if o.counted {
			note = fmt.Sprintf(" (%v)", o.tests)
		}
		fmt.Printf("    %s: ok in %.0f s%s\n", o.name, o.took.Seconds(), note)
		return
	}
	fmt.Printf("!!! %s: FAILED after %.0f s; all it said:\n%s\n!!! end of %s\n", o.name, o.took.Seconds(), o.output, o.name)
}

// saveLog keeps a step's output under artifacts/logs, passed or not; a failure to do so loses only that.
func saveLog(o outcome) {
	if err := os.MkdirAll(logDir, 0o755); err != nil {
		return
	}
	name := strings.NewReplacer(": ", "-", " ", "-").Replace(o.name) + ".log"
	_ = os.WriteFile(filepath.Join(logDir, name), o.output, 0o644)
}

// printTable prints a line for each step and what was skipped, and gives the sum.
func printTable(results []outcome, took time.Duration) tally {
	var total tally
	fmt.Printf("\n%-16s %-8s %8s %8s %8s %8s\n", "step", "result", "seconds", "passed", "failed", "skipped")
	for _, o := range results {
		word := "ok"
		switch {
		case o.notRun != "":
			word = "not run"
			o.tests.failed++
		case !o.ok:
			word = "FAILED"
		case o.tests.passed == 0 && o.tests.skipped > 0:
			word = "skipped"
		}
		total = total.plus(o.tests)
		fmt.Printf("%-16s %-8s %8.1f %8d %8d %8d\n", o.name, word, o.took.Seconds(), o.tests.passed, o.tests.failed, o.tests.skipped)
	}
	fmt.Printf("%-16s %-8s %8.1f %8d %8d %8d\n", "all", "", took.Seconds(), total.passed, total.failed, total.skipped)
	for _, o := range results {
		for _, reason := range o.skips {
			fmt.Printf("skipped in %s: %s\n", o.name, reason)
		}
	}
	return total
}
