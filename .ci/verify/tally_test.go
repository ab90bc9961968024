package main

import "testing"

func TestCountIn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		output string
		want   tally
	}{
		"our own line":     {"ok  x\n12 passed, 1 failed, 2 skipped\n", tally{12, 1, 2}},
		"named line":       {"e2e: 9 passed, 0 failed\n", tally{9, 0, 0}},
		"two lines add up": {"1 passed, 0 failed\n2 passed, 1 failed, 1 skipped", tally{3, 1, 1}},
		"vitest": {" Test Files  3 passed (3)\n      Tests  1 failed | 20 passed | 2 skipped (23)\n",
			tally{20, 1, 2}},
		"vitest with colours": {"\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m4 passed\x1b[39m\x1b[22m\x1b[90m " +
			"(4)\x1b[39m\n", tally{4, 0, 0}},
		"prose is no count": {"all 12 passed, 1 failed to start\nno tests\n", tally{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := countIn(tt.output); got != tt.want {
				t.Errorf("countIn = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSkipsIn(t *testing.T) {
	t.Parallel()
	got := skipsIn("tools: SKIPPED: no Chromium\nfine\nSKIPPED: no database\n")
	if len(got) != 2 || got[0] != "no Chromium" || got[1] != "no database" {
		t.Errorf("skipsIn = %q", got)
	}
}
