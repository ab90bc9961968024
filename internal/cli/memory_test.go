package cli

import (
	"runtime/debug"
	"testing"
)

// TestCollectionIsRestored: commands that run after a server in the same process have the setting from before. Not
// parallel: it is the process's.
func TestCollectionIsRestored(t *testing.T) {
	const own = 70
	before := debug.SetGCPercent(own)
	defer debug.SetGCPercent(before)
	restore := collectLater(t.Context())
	if now := debug.SetGCPercent(startGC); now != startGC {
		t.Errorf("%d during the start, want %d", now, startGC)
	}
	restore()
	if now := debug.SetGCPercent(own); now != own {
		t.Errorf("%d afterwards, want %d", now, own)
	}
}
