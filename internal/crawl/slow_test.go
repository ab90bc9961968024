package crawl_test

import (
	"context"
	"testing"

	"github.com/ruri-reader/ruri/internal/crawl"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/schedule"
	"github.com/ruri-reader/ruri/internal/storage/blob"
	"github.com/ruri-reader/ruri/internal/storage/store"
)

// Near the limit of a month every poll makes its feed's period longer, by one write, a chosen interval included; in the
// next month it is what it was.
// C-4
func TestPollsSlowDown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		asked  int32
		period int32 // without a limit
		why    string
	}{{"default", 0, 5, schedule.ReasonDefault}, {"a chosen half hour", 30, 3, schedule.ReasonAsked}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			slow := int32(1)
			l.crawler = crawl.New(l.store, blob.New(l.blobs), l.client, l.clock, crawl.Options{Parts: 1,
				Slow: func(context.Context) (int32, error) { return slow, nil }})
			p := l.page("/feed", rss("", l.lively(12)...))
			p.etag = `"1"`
			id := l.feed(l.url("/feed"))
			if tt.asked > 0 {
				_, err := l.store.Feeds.Modify(bg, id, func(f *store.FeedRow) {
					f.Period, f.Asked, f.Explicit = tt.period, tt.asked, true
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			l.want(id, reader.OutcomeChanged, 12)
			for _, slow = range []int32{1, 2, 2, 8, 1} {
				l.want(id, reader.OutcomeNotModified, 0)
				f, why := l.row(id), schedule.ReasonBudget
				if slow == 1 {
					why = tt.why
				}
				now := schedule.TickOf(l.clock.Now())
				next := int32(f.Turns().NextTurn(now) - now)
				if f.Period != slow*tt.period || f.Why != why && (slow > 1 || f.Why != "") || next < f.Period-1 {
					t.Errorf("times %d: a period of %d, because of %q", slow, f.Period, f.Why)
				}
				rows, _ := l.writes(func() { l.want(id, reader.OutcomeNotModified, 0) })
				if again := l.row(id); again.Period != f.Period || rows > 2 { // the lease and the run's row
					t.Errorf("times %d: the next poll writes %d rows, a period of %d", slow, rows, again.Period)
				}
			}
		})
	}
}
