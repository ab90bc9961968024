package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// slowest is how many of the slowest test files and packages are printed.
const slowest = 10

// timing is the duration of a test file, or of a Go package.
type timing struct {
	seconds float64
	name    string
}

var (
	// Our own runners: "slow  12.3s web/e2e/walk.test.ts".
	slowLine = regexp.MustCompile(`^slow +([0-9.]+)s (.+)$`)
	// Vitest: "✓ src/data/client.test.ts (12 tests) 345ms".
	vitestFile = regexp.MustCompile(`^[✓❯] (\S+) \(\d+ tests?.*\) (\d+)\s?ms`)
)

// timingsIn reads the timings that the test runners printed into a step's output.
func timingsIn(output string) []timing {
	var all []timing
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(ansi.ReplaceAllString(line, ""))
		if m := slowLine.FindStringSubmatch(line); m != nil {
			all = append(all, timing{float(m[1]), m[2]})
		} else if m := vitestFile.FindStringSubmatch(line); m != nil {
			all = append(all, timing{float(m[2]) / 1000, "web/" + m[1]})
		}
	}
	return all
}

// longest returns the slowest timings, the slowest first.
func longest(all []timing) []timing {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b timing) int {
		return int(1000 * (b.seconds - a.seconds))
	})
	return sorted[:min(len(sorted), slowest)]
}

// printSlowest prints the slowest test files and packages of all steps.
func printSlowest(results []outcome) {
	var all []timing
	for _, o := range results {
		for _, t := range o.slow {
			all = append(all, timing{t.seconds, o.name + ": " + t.name})
		}
	}
	for _, t := range longest(all) {
		fmt.Printf("slow %6.1fs %s\n", t.seconds, t.name)
	}
}

func float(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}
