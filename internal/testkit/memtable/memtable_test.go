package memtable_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/storage/table"
	"github.com/ruri-reader/ruri/internal/testkit/memtable"
	"github.com/ruri-reader/ruri/internal/testkit/tabletest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, tabletest.Harness{New: func(_ testing.TB, o table.Options) *table.Table {
		return table.New(memtable.New(), o)
	}})
}

func TestRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		tabletest.Random(t, tabletest.Harness{New: func(_ testing.TB, o table.Options) *table.Table {
			return table.New(memtable.New(), o)
		}}, seed, 2500)
	}
}
