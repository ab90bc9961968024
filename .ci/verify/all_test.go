package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRunSteps(t *testing.T) {
	t.Parallel()
	all := []step{
		{name: "a"},
		{name: "b", after: []string{"a"}},
		{name: "c", after: []string{"bad"}},
		{name: "bad"},
		{name: "d", after: []string{"c"}},
		{name: "e", waits: []string{"bad", "not chosen"}},
	}
	var mu sync.Mutex
	var ran []string
	run := func(_ context.Context, s step) outcome {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, s.name)
		return summarize(s, s.name != "bad", 0, nil)
	}
	results := runSteps(t.Context(), all, 2, run, func(outcome) {})
	slices.Sort(ran)
	if want := []string{"a", "b", "bad", "e"}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v: what comes after a failure is not run, all else is", ran, want)
	}
	if results[2].notRun != "bad failed" || results[4].notRun != "c failed" {
		t.Errorf("not run: %q, %q", results[2].notRun, results[4].notRun)
	}
	if !results[1].ok || results[1].tests.passed != 1 {
		t.Errorf("b = %+v", results[1])
	}
}

// TestRequiredSteps: no kind of check can be dropped unnoticed.
// R-47, G-80
func TestRequiredSteps(t *testing.T) {
	t.Parallel()
	required := []string{"format", "vet", "lint", "template", "page lint", "go test", "go test -race", "page test",
		"browser", "rehearsal", "lambda"}
	onlyFull := []string{"fuzz", "deploy", "rehearsal browser"}
	for full, want := range map[bool][]string{false: required, true: append(required, onlyFull...)} {
		have := map[string]bool{}
		for _, s := range steps(full) {
			have[s.name] = true
		}
		for _, name := range want {
			if !have[name] {
				t.Errorf("with full = %v there is no step %q", full, name)
			}
		}
	}
}

// TestSilentStepsAreStopped: what hangs is ended, what goes on saying something is not, however long it takes.
func TestSilentStepsAreStopped(t *testing.T) {
	t.Parallel()
	if o := executeWithin(t.Context(), step{name: "hangs", command: []string{"sleep", "600"}},
		time.Millisecond); o.ok || !strings.Contains(string(o.output), "stopped") {
		t.Errorf("a step that hangs: %v %s", o.ok, o.output)
	}
	stopped := 0
	p := newProgress(time.Hour, func() { stopped++ })
	p.timer.Reset(0) // as good as an hour of silence
	for range 3 {
		if _, err := p.Write([]byte("a line\n")); err != nil {
			t.Fatal(err)
		}
	}
	if p.isStopped() != (stopped > 0) || p.String() != "a line\na line\na line\n" {
		t.Errorf("%d stops, %q", stopped, p.String())
	}
}

func TestStepsNameEachOther(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		seen := map[string]bool{}
		for _, s := range steps(full) {
			for _, before := range slices.Concat(s.after, s.waits) {
				if !seen[before] {
					t.Errorf("%s comes after %q, which is no step before it", s.name, before)
				}
			}
			seen[s.name] = true
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	chosen, err := choose(steps(false), "^browser$")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range chosen {
		names = append(names, s.name)
	}
	if want := []string{"tools: page", "page", "build", "tools: browser", "browser"}; !slices.Equal(names, want) {
		t.Errorf("chosen %v, want %v", names, want)
	}
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ok     bool
		output string
		want   tally
	}{
		"a plain check":                    {true, "fine\n", tally{1, 0, 0}},
		"a plain failure":                  {false, "bad\n", tally{0, 1, 0}},
		"counted tests":                    {true, "3 passed, 0 failed, 1 skipped\n", tally{3, 0, 1}},
		"failed although all tests passed": {false, "3 passed, 0 failed\n", tally{3, 1, 0}},
		"a skip alone":                     {true, "SKIPPED: no network\n", tally{0, 0, 1}},
		"tests and a skip line":            {true, "SKIPPED: no jar\n3 passed, 0 failed\n", tally{3, 0, 0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summarize(step{}, tt.ok, 0, []byte(tt.output)).tests; got != tt.want {
				t.Errorf("tests = %v, want %v", got, tt.want)
			}
		})
	}
}
