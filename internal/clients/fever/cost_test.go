package fever_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/testkit/readerapps"
)

// TestCostOfASync bounds what a synchronisation of 100 feeds with nothing new costs: feeds, new items, and the two
// lists of ids.
func TestCostOfASync(t *testing.T) {
	t.Parallel()
	w := readerapps.New(t, 1)
	p := &program{w, keyOf(w.Email, w.Password)}
	for i := range 100 {
		p.Follow(fmt.Sprintf("https://%d.example/feed", i), 5)
	}
	sync := func() (reads, writes float64) {
		before := p.Main().Store.Table().Meter().Snapshot()
		p.call("&feeds", "")
		p.Advance(time.Second)
		p.call("&items&max_id=9007199254740991", "")
		p.Advance(time.Second)
		p.call("&unread_item_ids", "")
		p.Advance(time.Second)
		p.call("&saved_item_ids", "")
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
