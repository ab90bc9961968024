package main

import (
	"slices"
	"testing"
)

func TestTimingsIn(t *testing.T) {
	t.Parallel()
	got := timingsIn("slow  12.5s internal/cli\n \x1b[32m✓\x1b[39m src/data/client.test.ts (12 tests) 345ms\n ✓ " +
		"src/a.test.tsx (1 test | 1 skipped) 1002ms\nok\n")
	want := []timing{{12.5, "internal/cli"}, {0.345, "web/src/data/client.test.ts"}, {1.002, "web/src/a.test.tsx"}}
	if !slices.Equal(got, want) {
		t.Errorf("timings = %v, want %v", got, want)
	}
}

func TestLongest(t *testing.T) {
	t.Parallel()
	var all []timing
	for i := range slowest + 2 {
		all = append(all, timing{seconds: float64(i)})
	}
	got := longest(all)
	if len(got) != slowest || got[0].seconds != slowest+1 {
		t.Errorf("longest = %v, want the %d slowest, the slowest first", got, slowest)
	}
}
