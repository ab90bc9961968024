package page

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// However many want to parse at once, two do; who does not want to wait any longer leaves.
func TestTurn(t *testing.T) {
	var now, most atomic.Int32
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			leave, err := Turn(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			n := now.Add(1)
			for {
				old := most.Load()
				if n <= old || most.CompareAndSwap(old, n) {
					break
				}
			}
			now.Add(-1)
		})
	}
	all.Wait()
	if most.Load() > AtOnce {
		t.Errorf("%d at once", most.Load())
	}
	var leaves []func()
	for range AtOnce {
		leave, err := Turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Turn(ctx); err == nil {
		t.Error("a third one has a place")
	}
	for _, leave := range leaves {
		leave()
	}
}
