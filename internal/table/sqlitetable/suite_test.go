package sqlitetable_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/table"
	"github.com/ruri-reader/ruri/internal/table/tabletest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, tabletest.Harness{New: func(t testing.TB, o table.Options) *table.Table { return open(t, o) }})
}
