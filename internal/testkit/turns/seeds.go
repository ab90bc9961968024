package turns

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// shards is how many tests the seeds are spread over, for as many processors as there are.
const shards = 8

// EachSeed runs a test with the seeds 0 to full-1, in a short run with fewer; RURI_SEEDS sets another number, and
// RURI_SEED replays one seed. Each of several parallel tests gets a part of them.
func EachSeed(t *testing.T, full, short uint64, test func(t *testing.T, seeds []uint64)) {
	from, n := uint64(0), full
	if testing.Short() {
		n = short
	}
	if s, err := strconv.ParseUint(os.Getenv("RURI_SEEDS"), 10, 64); err == nil {
		n = s
	}
	if s, err := strconv.ParseUint(os.Getenv("RURI_SEED"), 10, 64); err == nil {
		from, n = s, 1
	}
	for shard := range min(shards, n) {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			var seeds []uint64
			for seed := from + shard; seed < from+n; seed += shards {
				seeds = append(seeds, seed)
			}
			test(t, seeds)
		})
	}
}
