package schedule

import "testing"

// The turns of probes are those that the document has, whichever way they are asked for.
// C-5
func TestProbes(t *testing.T) {
	t.Parallel()
	const stopped = Tick(50_000)
	for _, weekly := range []bool{false, true} {
		p := Plan{First: stopped + 3, Period: 5, Skip: Skip{Hours: 1},
			Probes: Probes{Until: stopped + probeSpan, Weekly: weekly}}
		var turns []Tick
		for at := stopped - 100; at < stopped+probeSpan+1000; at++ {
			if p.HasTurn(at) {
				turns = append(turns, at)
			}
		}
		first, n := probeFirst, 1+probeDaily+probeWeekly
		if weekly {
			first, n = week, probeWeekly+1
		}
		if len(turns) != n || turns[0] != stopped+first || turns[n-1] > stopped+probeSpan ||
			turns[n-1]-turns[n-2] != week {
			t.Errorf("weekly %v: %d turns, %v", weekly, len(turns), turns)
		}
		last, next := NoTick, 0
		for at := stopped - 100; at < stopped+probeSpan+1000; at++ {
			if next < len(turns) && turns[next] == at {
				last, next = at, next+1
			}
			want := NoTick
			if next < len(turns) {
				want = turns[next]
			}
			if p.LastTurn(at) != last || p.NextTurn(at) != want {
				t.Fatalf("weekly %v: at %d the last turn is %d and the next %d, want %d and %d", weekly, at-stopped,
					p.LastTurn(at), p.NextTurn(at), last, want)
			}
		}
	}
}
