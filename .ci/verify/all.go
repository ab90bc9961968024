package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// longestSilence ends a step that hangs. However slow the machine is, a step that works has something to say: a
	// test package or a file of browser tests has ended.
	longestSilence = 30 * time.Minute
	logDir         = "artifacts/logs"
	// backgroundNice is the niceness of the steps without priority: about a tenth of the others' processor share.
	backgroundNice = 10
)

// outcome is the result of one step.
type outcome struct {
	step
	ok      bool
	notRun  string // the reason, when it was not run
	took    time.Duration
	cpu     time.Duration // of its processes that ended
	tests   tally
	skips   []string
	slow    []timing
	output  []byte
	counted bool // the output contained a count of tests
}

// runAll runs every step and prints the verdict.
func runAll(ctx context.Context, args []string) bool {
	flags := flag.NewFlagSet("all", flag.ExitOnError)
	parallel := flags.Int("parallel", min(max(2, runtime.NumCPU()/2), 4), "steps at a time")
	full := flags.Bool("full", false, "also the steps that only CI runs")
	only := flags.String("only", "", "run only steps whose name matches this pattern, and what they need")
	_ = flags.Parse(args) // exits on errors
	chosen, err := choose(steps(*full), *only)
	if err != nil {
		fmt.Println("verify:", err)
		return false
	}
	began := time.Now()
	results := runSteps(ctx, chosen, *parallel, execute, printOutcome)
	total := printTable(results, time.Since(began))
	printSlowest(results)
	if ctx.Err() != nil {
		fmt.Println("interrupted")
		total.failed++
	}
	// The last line, in the plain form that machines read.
	fmt.Printf("%v\n", total)
	return total.failed == 0
}

// choose returns the steps whose name matches the pattern, and the steps that those depend on.
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

// runSteps starts the steps in order, each as soon as its dependencies have passed and fewer than parallel steps are
// running. A step whose dependency failed is not run. report is called once per step, when it ends. The results are in
// the order of the steps.
func runSteps(ctx context.Context, all []step, parallel int, run func(context.Context, step) outcome,
	report func(outcome)) []outcome {
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
			ready, why := readiness(s, index, results)
			if ctx.Err() != nil {
				why = "interrupted"
			}
			if why != "" {
				started[i] = true
				results[i] = &outcome{step: s, notRun: why}
				report(*results[i])
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
			continue // only steps that are not run were left
		}
		e := <-done
		running--
		finished++
		results[e.i] = &e.o
		report(e.o)
	}
	out := make([]outcome, len(all))
	for i, r := range results {
		out[i] = *r
	}
	return out
}

// readiness reports whether everything that a step depends on or waits for has ended, and why the step cannot run when
// a dependency failed.
func readiness(s step, index map[string]int, results []*outcome) (ready bool, why string) {
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

// execute runs one step's command and captures its output.
func execute(ctx context.Context, s step) outcome { return executeWithin(ctx, s, longestSilence) }

func executeWithin(ctx context.Context, s step, silence time.Duration) outcome {
	fmt.Printf("==> %s: %s\n", s.name, strings.Join(s.command, " "))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	output := newProgress(silence, cancel)
	defer output.timer.Stop()
	cmd := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "MAKEFLAGS=", "MAKELEVEL=",
		// An earlier step installed the doubles: a suite that does not find them fails rather than skips.
		"RURI_REQUIRE_DOUBLES=1")
	// The whole process group is signalled, so that servers that a step started end too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	began := time.Now()
	err := cmd.Start()
	if err == nil {
		if !s.priority {
			// Best effort: without it all steps share the processor equally.
			_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, backgroundNice)
		}
		err = cmd.Wait()
	}
	if output.isStopped() {
		fmt.Fprintf(output, "verify: stopped after %v without a word\n", silence)
	}
	o := summarize(s, err == nil, time.Since(began), []byte(output.String()))
	if p := cmd.ProcessState; p != nil {
		o.cpu = p.UserTime() + p.SystemTime()
	}
	return o
}

// summarize reads counts, skips and timings from a step's output. A step without a count is one check; without a count
// but with a skip line it counts as skipped.
func summarize(s step, ok bool, took time.Duration, output []byte) outcome {
	o := outcome{step: s, ok: ok, took: took, output: output}
	o.tests = countIn(string(output))
	o.skips = skipsIn(string(output))
	o.slow = timingsIn(string(output))
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

// printOutcome prints one line for a step that passed, and the whole output of one that failed.
func printOutcome(o outcome) {
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
	fmt.Printf("!!! %s: FAILED after %.0f s; its output:\n%s\n!!! end of %s\n", o.name, o.took.Seconds(),
		o.output, o.name)
}

// saveLog keeps a step's output under artifacts/logs, best effort.
func saveLog(o outcome) {
	if err := os.MkdirAll(logDir, 0o755); err != nil {
		return
	}
	name := strings.NewReplacer(": ", "-", " ", "-").Replace(o.name) + ".log"
	_ = os.WriteFile(filepath.Join(logDir, name), o.output, 0o644)
}

// printTable prints a line for each step and the reasons of what was skipped, and returns the sum.
func printTable(results []outcome, took time.Duration) tally {
	var total tally
	var cpu time.Duration
	fmt.Printf("\n%-18s %-8s %8s %8s %8s %8s %8s\n", "step", "result", "seconds", "CPU s", "passed",
		"failed", "skipped")
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
		total, cpu = total.plus(o.tests), cpu+o.cpu
		fmt.Printf("%-18s %-8s %8.1f %8.1f %8d %8d %8d\n", o.name, word, o.took.Seconds(), o.cpu.Seconds(),
			o.tests.passed, o.tests.failed, o.tests.skipped)
	}
	fmt.Printf("%-18s %-8s %8.1f %8.1f %8d %8d %8d\n", "all", "", took.Seconds(), cpu.Seconds(), total.passed,
		total.failed, total.skipped)
	for _, o := range results {
		for _, reason := range o.skips {
			fmt.Printf("skipped in %s: %s\n", o.name, reason)
		}
	}
	return total
}
