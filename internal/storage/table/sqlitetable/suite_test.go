package sqlitetable_test

import (
	"testing"

	"github.com/ruri-reader/ruri/internal/testkit/tabletest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	tabletest.Run(t, tabletest.Harness{New: open})
}

// The seeds are those of the DynamoDB driver's test: both answer as the model, so both answer alike.
func TestRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		tabletest.Random(t, tabletest.Harness{New: open}, seed, 2500)
	}
}
