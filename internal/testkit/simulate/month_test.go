package simulate

import (
	"context"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/assets/cost"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// At the end of a month that reaches its limit all feeds are checked less often, chosen intervals included, and each
// still is; what people read goes on. The next month begins as this one did.
// C-4
func TestMonthWithALimit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const feeds = 20
	w := newSimulation(cost.Options{Feeds: feeds, Users: 1, Views: 2, Interval: 30 * time.Minute,
		Tick: schedule.TickLength, Seed: 1}, cost.Embedded().Model)
	w.clock.Set(time.Date(2026, 9, 25, 0, 0, 0, 0, time.UTC))
	w.cfg.MonthlyLimit, w.cfg.OnDemand = 0.003, true
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.subscribe(ctx))
	_, err := w.reader.first(ctx, w.clock.Now())
	must(err)
	for range 6 {
		must(w.live(ctx, true))
	}
	slowed := func() (n int) {
		must(w.process(w.table(), w.logs).Store.Feeds.Each(ctx, func(f *store.FeedRow) error {
			if f.Why == schedule.ReasonBudget {
				n++
			}
			return nil
		}))
		return n
	}
	if n := slowed(); n < feeds*3/4 {
		t.Errorf("%d of %d feeds are checked less often", n, feeds)
	}
	days, err := w.process(w.table(), w.logs).Store.Runs.Days(ctx, 7) // today's are none yet
	must(err)
	first, last := days[0], days[5]
	if last.Polled < feeds || last.Polled > first.Polled/3 || last.TableWrites > first.TableWrites {
		t.Errorf("%d polls and %.0f write units on the first day, %d and %.0f on the last", first.Polled,
			first.TableWrites, last.Polled, last.TableWrites)
	}
	// Eight times the longest interval, while the new month is below its limit.
	w.cfg.MonthlyLimit = 1
	for range 5 {
		must(w.live(ctx, false))
	}
	if n := slowed(); n > 0 {
		t.Errorf("%d feeds are checked less often in the next month", n)
	}
}
