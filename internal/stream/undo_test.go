package stream_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/ruri-reader/ruri/internal/fault"
	"github.com/ruri-reader/ruri/internal/stream"
)

// TestOneFeedsUndoEndsToo: the mark of one feed can be taken back for ten minutes, by its own token alone.
func TestOneFeedsUndoEndsToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 88)
	id := w.feed()
	w.news(id, 3)
	now, undo := w.markFeed(id, 0)
	for _, guessed := range []string{strconv.FormatInt(now.State.Version, 10), "", "AA"} {
		if _, err := w.s.Undo(t.Context(), user, id, guessed); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q gives %v", guessed, err)
		}
	}
	w.clk.Add(stream.UndoFor + time.Second)
	if _, err := w.s.Undo(t.Context(), user, id, undo); !fault.Is(err, fault.Conflict) {
		t.Errorf("after ten minutes: %v", err)
	}
	w.clk.Add(-2 * time.Second)
	if done, err := w.s.Undo(t.Context(), user, id, undo); err != nil || len(done) != 1 || done[0].Unread() != 3 {
		t.Errorf("before: %+v, %v", done, err)
	}
}
