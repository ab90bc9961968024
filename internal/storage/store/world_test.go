package store

import (
	"context"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/clock"
	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
)

var start = time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)

func newStore() (*Store, *clock.Manual) {
	clk := clock.NewManual(start)
	return New(table.New(memtable.New(), table.Options{Clock: clk, Kind: Kind}), clk), clk
}

var ctx = context.Background()

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
