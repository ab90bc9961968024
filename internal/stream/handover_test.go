package stream

import (
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/reader"
	"github.com/ruri-reader/ruri/internal/storage/store"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

// TestHandedOverRowsAreTheLatest: a row that was written again before it is handed over is read instead; the one that
// was written last is not.
func TestHandedOverRowsAreTheLatest(t *testing.T) {
	t.Parallel()
	const user = reader.UserID("u")
	clk := clock.NewManual(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	tbl := table.New(memtable.New(), table.Options{Clock: clk, Kind: store.Kind})
	st := store.New(tbl, clk)
	ctx := t.Context()
	f, err := st.Feeds.Ensure(ctx, "https://example.org/", func(reader.FeedID) store.FeedRow {
		return store.FeedRow{Seq: 10, Period: 5}
	})
	if err == nil {
		err = st.Subscriptions.Add(ctx, user, f.ID(), store.SubscriptionRow{Since: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	v := newViews(st, clk)
	title := func(sub *store.SubscriptionRow, title string) *store.SubscriptionRow {
		next := *sub
		next.Title = title
		row, err := st.Subscriptions.Change(ctx, user, sub, &next)
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	w, err := v.of(ctx, user, false)
	if err != nil || len(w.list) != 1 {
		t.Fatal(w, err)
	}
	before := v.position(user)
	first := title(w.list[0].Sub, "first")
	second := title(first, "second")
	reads := func(sub *store.SubscriptionRow) (title string, rows int64) {
		t.Helper()
		was := tbl.Meter().Snapshot().ReadOps
		v.wrote(ctx, user, before, subscribed(f, sub))
		w, err := v.of(ctx, user, false)
		if err != nil {
			t.Fatal(err)
		}
		return w.list[0].Sub.Title, tbl.Meter().Snapshot().ReadOps - was
	}
	if shown, n := reads(first); shown != "second" || n != 1 {
		t.Errorf("after the older row was handed over %q is shown, %d rows were read", shown, n)
	}
	before = v.position(user)
	if shown, n := reads(title(second, "third")); shown != "third" || n != 0 {
		t.Errorf("after the latest row was handed over %q is shown, %d rows were read", shown, n)
	}
}
