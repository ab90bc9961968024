package flow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/subscribe"
	"github.com/ruri-reader/ruri/internal/testkit/flow"
)

// A hundred feeds at the default interval, each with a change and a half a day: the load by which the
// design counts its costs.
func TestWriteUnitsOfAHundredFeeds(t *testing.T) {
	t.Parallel()
	const feeds, days = 100, 12
	w := flow.New(t, 100, 1)
	w.Blobs.Light = true
	sites, next := make([]*flow.Site, feeds), make([]time.Time, feeds)
	soon := func() time.Time { return w.Now().Add(time.Duration(w.Rand.Int64N(int64(32 * time.Hour)))) }
	for i := range sites {
		sites[i] = w.Web.Site(fmt.Sprintf("https://site%d.example/feed", i%70), 10)
		if i >= 70 {
			sites[i] = w.Web.Site(fmt.Sprintf("https://site%d.example/other", i%70), 10)
		}
		sites[i].Light = true
		w.Add(sites[i].URL, subscribe.Wish{})
		next[i] = soon()
	}
	news := 0
	day := func() {
		for range 96 {
			w.To(w.Tick()+1, 10*time.Second)
			for i, s := range sites {
				if w.Now().After(next[i]) {
					s.Publish(w.Now(), 1+w.Rand.IntN(3))
					next[i] = soon()
					news++
				}
			}
			w.Turn()
		}
	}
	day()
	day() // the second turns are spread, the paces found
	before, changes := w.Main().Units(), news
	for range days {
		day()
	}
	after := w.Main().Units()
	perDay := func(kind string) float64 { return (after.Writes[kind] - before.Writes[kind]) / days }
	total := (after.TotalWrites() - before.TotalWrites()) / days
	t.Logf("%d feeds, %.0f changes a day: %.0f write units a day (feeds %.0f, deltas %.0f, leases %.0f, runs %.0f), %.0f read units a day",
		feeds, float64(news-changes)/days, total, perDay("feed"), perDay("delta"), perDay("lease"), perDay("run"),
		(after.TotalReads()-before.TotalReads())/days)
	if total >= 1000 {
		t.Errorf("%.0f write units a day, the bound is 1,000 and the aim 600", total)
	}
	if leases := perDay("lease"); leases > 96 {
		t.Errorf("%.0f units a day for leases", leases)
	}
}
