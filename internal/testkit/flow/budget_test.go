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
// R-68, K-1
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
		w.Add(sites[i].URL, subscribe.Options{})
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
	t.Logf("%d feeds, %.0f changes a day: %.0f write units a day (feeds %.0f, deltas %.0f, leases %.0f, runs %.0f), "+
		"%.0f read units a day",
		feeds, float64(news-changes)/days, total, perDay("feed"), perDay("delta"), perDay("lease"), perDay("run"),
		(after.TotalReads()-before.TotalReads())/days)
	if total >= 600 {
		t.Errorf("%.0f write units a day, the bound is 600", total)
	}
	if leases := perDay("lease"); leases > 96 {
		t.Errorf("%.0f units a day for leases", leases)
	}
}

// A poll that finds nothing writes nothing. What a tick writes is its part's lease and the run, however many feeds
// it polled. (That a 200 over equal content writes nothing either is crawl/outcomes_test.go's.)
// R-16, K-9, K-11
func TestUnchangedPollsWriteNothing(t *testing.T) {
	t.Parallel()
	const feeds = 40
	w := flow.New(t, 7, 1)
	sites := make([]*flow.Site, feeds)
	for i := range sites {
		sites[i] = w.Web.Site(fmt.Sprintf("https://site%d.example/feed", i), 10)
		sites[i].Light = true
		w.Add(sites[i].URL, subscribe.Options{})
	}
	ticks := func(n int, publish bool) {
		for i := range n {
			w.To(w.Tick()+1, 10*time.Second)
			if publish && i%12 == 0 { // each feed every three hours, so that none slows down later
				for _, s := range sites {
					s.Publish(w.Now(), 1)
				}
			}
			w.Turn()
		}
	}
	ticks(2*96, true)
	ticks(8, false) // the last news arrive
	visits := func() (n int) {
		for _, s := range sites {
			n += s.Count
		}
		return n
	}
	before, blobs, polls := w.Main().Units(), len(w.Blobs.Keys()), visits()
	ticks(32, false)
	after := w.Main().Units()
	polled := visits() - polls
	for kind, n := range after.Writes {
		n -= before.Writes[kind]
		switch kind {
		case "lease", "run":
			if n > 32 {
				t.Errorf("%.0f units for %s in 32 ticks", n, kind)
			}
		default:
			if n != 0 {
				t.Errorf("%d polls wrote %.0f units of %s", polled, n, kind)
			}
		}
	}
	if polled < 5*feeds || len(w.Blobs.Keys()) != blobs {
		t.Errorf("%d polls, %d blobs more", polled, len(w.Blobs.Keys())-blobs)
	}
}

// A crawl of everything writes the lease of a part three times: taken, marked before its polls, and marked and
// released after them in one write.
func TestCrawlOfEverythingWritesItsLeaseThrice(t *testing.T) {
	t.Parallel()
	w := flow.New(t, 3, 1)
	for i := range 5 {
		w.Add(w.Web.Site(fmt.Sprintf("https://site%d.example/feed", i), 3).URL, subscribe.Options{})
	}
	w.Advance(6 * time.Hour)
	before := w.Main().Units()
	r, err := w.Main().Crawler.All(t.Context(), 1)
	if err != nil || r.Polled != 5 {
		t.Fatalf("%+v %v", r.RunSums, err)
	}
	after := w.Main().Units()
	for kind, most := range map[string]float64{"lease": 3, "run": 1, "feed": 0, "delta": 0} {
		if n := after.Writes[kind] - before.Writes[kind]; n > most {
			t.Errorf("%.0f units of %s, at most %.0f", n, kind, most)
		}
	}
	if _, err := w.Main().Crawler.All(t.Context(), 1); err != nil {
		t.Errorf("the part was not released: %v", err)
	}
}
