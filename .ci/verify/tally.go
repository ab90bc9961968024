package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// tally counts tests.
type tally struct{ passed, failed, skipped int }

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
}

func (t tally) plus(o tally) tally {
	return tally{t.passed + o.passed, t.failed + o.failed, t.skipped + o.skipped}
}

func (t tally) sum() int { return t.passed + t.failed + t.skipped }

var (
	ansi = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	// Our own closing line, and that of any runner that prints one alike.
	plainLine = regexp.MustCompile(`^(?:[a-z0-9]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$`)
	// Vitest: "Tests  3 failed | 120 passed | 2 skipped (125)".
	vitestLine = regexp.MustCompile(`^Tests\s.*\(\d+\)$`)
	vitestPart = regexp.MustCompile(`(\d+) (passed|failed|skipped|todo)`)
)

// countIn adds up the closing lines of the test runners in a step's output.
func countIn(output string) tally {
	var t tally
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(ansi.ReplaceAllString(line, ""))
		switch {
		case plainLine.MatchString(line):
			m := plainLine.FindStringSubmatch(line)
			t = t.plus(tally{number(m[1]), number(m[2]), number(m[3])})
		case vitestLine.MatchString(line):
			for _, m := range vitestPart.FindAllStringSubmatch(line, -1) {
				t.add(m[2], number(m[1]))
			}
		}
	}
	return t
}

func (t *tally) add(word string, n int) {
	switch word {
	case "pass", "passed":
		t.passed += n
	case "fail", "failed":
		t.failed += n
	default:
		t.skipped += n
	}
}

// skipsIn gives the reasons of what a step left out and said so, in lines that contain "SKIPPED: ".
func skipsIn(output string) []string {
	var reasons []string
	for line := range strings.Lines(output) {
		if _, reason, ok := strings.Cut(line, "SKIPPED: "); ok {
			reasons = append(reasons, strings.TrimSpace(reason))
		}
	}
	return reasons
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
