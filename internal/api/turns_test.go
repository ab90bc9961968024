package api

import (
	"context"
	"errors"
	"testing"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	turns := turns{atOnce: 2}
	var leaves []func()
	for _, key := range []string{"a", "a", "b"} {
		leave, err := turns.enter(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	var e *limited
	if _, err := turns.enter(gone, "a"); !errors.As(err, &e) {
		t.Fatalf("a third one at once: %v", err)
	}
	got := make(chan error)
	go func() {
		leave, err := turns.enter(t.Context(), "a")
		if err == nil {
			leave()
		}
		got <- err
	}()
	leaves[0]()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	leaves[1]()
	leaves[2]()
	if len(turns.by) != 0 {
		t.Errorf("%d keys are left", len(turns.by))
	}
}
