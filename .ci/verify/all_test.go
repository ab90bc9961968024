package main

import (
	"context"
	"slices"
	"sync"
	"testing"
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
		return judge(s, s.name != "bad", 0, nil)
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

// TestWhatIsDemandedRuns: no kind of check can be dropped unnoticed.
// R-47, G-80
func TestWhatIsDemandedRuns(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, s := range steps() {
		have[s.name] = true
	}
	for _, name := range []string{"format", "vet", "lint", "template", "page lint", "go test", "go test -race", "fuzz", "page test", "browser", "rehearsal", "faults"} {
		if !have[name] {
			t.Errorf("make test has no step %q", name)
		}
	}
}

func TestStepsNameEachOther(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range steps() {
		for _, before := range slices.Concat(s.after, s.waits) {
			if !seen[before] {
				t.Errorf("%s comes after %q, which is no step before it", s.name, before)
			}
		}
		seen[s.name] = true
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	chosen, err := choose(steps(), "^browser$")
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

func TestJudge(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ok     bool
		output string
		want   tally
	}{
		"a plain check":                     {true, "fine\n", tally{1, 0, 0}},
		"a plain failure":                   {false, "bad\n", tally{0, 1, 0}},
		"counted tests":                     {true, "3 passed, 0 failed, 1 skipped\n", tally{3, 0, 1}},
		"failed beside tests that passed":   {false, "3 passed, 0 failed\n", tally{3, 1, 0}},
		"skipped aloud":                     {true, "SKIPPED: no network\n", tally{0, 0, 1}},
		"tests passed and one thing wasn't": {true, "SKIPPED: no jar\n3 passed, 0 failed\n", tally{3, 0, 0}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := judge(step{}, tt.ok, 0, []byte(tt.output)).tests; got != tt.want {
				t.Errorf("tests = %v, want %v", got, tt.want)
			}
		})
	}
}
