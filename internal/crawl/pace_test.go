package crawl_test

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/testkit/shop"
)

// Watches of a host that are made at once, and looked at by hand one after the other, keep its pace; all of them are
// looked at.
func TestRunsOutOfTurnKeepThePace(t *testing.T) {
	t.Parallel()
	m, s := newMall(t, shop.Options{Seed: 3, Things: 60, PerPage: 20})
	var ids []reader.FeedID
	for _, query := range []string{"", "?page=2", "?page=3", "?a=1", "?a=2", "?a=3"} {
		ids = append(ids, m.watch("https://"+shopHost+"/list"+query))
	}
	m.work(m.clock.Now().Add(10 * time.Minute))
	for _, id := range ids {
		if m.row(id).Fresh() {
			t.Errorf("watch %d was not looked at", id)
		}
	}
	m.clock.Add(10 * time.Minute)
	visits := len(s.Visits())
	paced := 0
	for _, id := range ids {
		o, err := m.crawler.RunWatch(bg, m.row(id), false)
		m.must(err)
		if o.Outcome == string(reader.OutcomeDeferred) && o.Err == "paced" {
			paced++
		}
	}
	if n := len(s.Visits()) - visits; n != 1 || paced != len(ids)-1 {
		t.Errorf("%d requests at once, %d watches wait", n, paced)
	}
	m.work(m.clock.Now().Add(10 * time.Minute))
	if n := len(s.Visits()) - visits; n < len(ids) {
		t.Errorf("%d requests for %d watches", n, len(ids))
	}
	if got := s.Manners(); got.MinGap < 5*time.Second {
		t.Errorf("%+v", got)
	}
}
