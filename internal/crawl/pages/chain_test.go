package pages

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// A chain makes its last request before minute 14 of its tick, or so long after a run out of turn.
func TestWhenAChainEnds(t *testing.T) {
	t.Parallel()
	tick := schedule.Tick(20_000)
	f := &store.FeedRow{URL: "https://shop.example/"}
	late := tick.Start().Add(10 * time.Minute)
	for _, c := range []struct {
		kind string
		end  time.Time
	}{
		{store.RunScheduled, tick.Start().Add(14 * time.Minute)},
		{store.RunRefresh, late.Add(14 * time.Minute)},
	} {
		r := &Run{Kind: c.kind, Tick: tick, Started: late}
		ch := r.chain(f)
		ch.Steps = []step{{Page: 2}}
		if !ch.goesOn(c.end.Add(-time.Second)) || ch.goesOn(c.end) {
			t.Errorf("%s: a chain until %v", c.kind, time.Unix(ch.Until, 0).UTC())
		}
		if ch.giveUp(); ch.goesOn(late) {
			t.Error("a chain that gave up goes on")
		}
		if ch = r.chain(&store.FeedRow{URL: "https://other.example/"}); ch.goesOn(late) {
			t.Error("a chain without steps goes on")
		}
	}
}
