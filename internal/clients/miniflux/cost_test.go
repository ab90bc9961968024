package miniflux_test

import (
	"fmt"
	"testing"
	"time"
)

// TestCostOfASync bounds what a synchronisation of 100 feeds with nothing new costs: feeds, new entries, unread and
// starred ones.
func TestCostOfASync(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for i := range 100 {
		p.Follow(fmt.Sprintf("https://%d.example/feed", i), 5)
	}
	last := p.list("entries?order=id&direction=desc&limit=1").Entries[0].ID
	sync := func() (reads, writes float64) {
		before := p.Main().Store.Table().Meter().Snapshot()
		for _, path := range []string{"feeds",
			fmt.Sprintf("entries?order=id&direction=desc&after_entry_id=%d&limit=125", last),
			"entries/ids?status=unread", "entries/ids?starred=true"} {
			p.want(200, "GET", path, "", nil)
			p.Advance(time.Second)
		}
		after := p.Main().Store.Table().Meter().Snapshot()
		return after.TotalReads() - before.TotalReads(), after.TotalWrites() - before.TotalWrites()
	}
	first, _ := sync()
	p.Advance(15 * time.Minute)
	_, _ = sync()
	p.Advance(15 * time.Minute)
	reads, writes := sync()
	t.Logf("the first sync of a process %.1f read units, a later one %.1f", first, reads)
	if reads > 12 || writes > 0 {
		t.Errorf("%.1f read units, %.1f write units", reads, writes)
	}
}
